// What stands in a cell of a rule. A cell is an input of one line or a textarea; the browser changes line
// breaks in both, and HTML has neither NUL nor lone surrogates.

/** A path as text for an input. One that an input cannot hold stands in `$"..."`, which no path looks like. */
export function writeCell(path: string): string {
  return isTypable(path) ? path : `$${JSON.stringify(path)}`
}

/** Reads what `writeCell` wrote. */
export function readCell(cell: string): string {
  return (cell.startsWith('$') ? readQuoted(cell.slice(1)) : null) ?? cell
}

/** The text of a JSON string; null if it is none. */
export function readQuoted(cell: string): string | null {
  if (!cell.startsWith('"')) return null
  try {
    return String(JSON.parse(cell))
  } catch {
    return null
  }
}

/** Whether the text arrives as it is when a form is sent. */
export function isTypable(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed()
}

const OPENING = '[('
const CLOSING = '])'

/** The texts between the separators, without those in brackets and quotes. Empty ones are left out. */
export function splitCell(cell: string, separator: '|' | '+' | ','): string[] {
  const parts = ['']
  let depth = 0
  let quote = ''
  for (let at = 0; at < cell.length; at++) {
    const char = cell.charAt(at)
    if (quote === '' && depth === 0 && char === separator) {
      parts.push('')
      continue
    }
    const escaped = quote !== '' && char === '\\' ? cell.charAt(++at) : ''
    parts.push(`${parts.pop()}${char}${escaped}`)
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || (char === "'" && depth > 0)) quote = char
    else if (OPENING.includes(char)) depth += 1
    else if (CLOSING.includes(char)) depth -= 1
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}
