const INDENT = '  '
// Indentation may make a text much longer than it was.
const GROWTH_MAX = 4
const STRING = /"(?:[^"\\]|\\.)*"/y
const SCALAR = /[^\s,:[\]{}"]+/y

/**
 * A JSON text with one value a line. Each token keeps its characters: digits, escapes and repeated members
 * stay as they were sent. The text itself if it would become more than four times as long. The text must be
 * JSON.
 */
export function prettyJson(text: string): string {
  const lines = new Lines(text.length * GROWTH_MAX)
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at)
    if (token.trim() !== '') lines.add(token)
    if (lines.isTooLong) return text
    at += token.length
  }
  return lines.text
}

function tokenAt(text: string, at: number): string {
  const pattern = text[at] === '"' ? STRING : SCALAR
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? text.charAt(at)
}

class Lines {
  readonly #lengthMax: number
  #parts: string[] = []
  #length = 0
  #depth = 0
  #last = ''

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax
  }

  get isTooLong(): boolean {
    return this.#length > this.#lengthMax
  }

  get text(): string {
    return this.#parts.join('')
  }

  add(token: string): void {
    const isOpen = this.#last === '{' || this.#last === '['
    if (token === '}' || token === ']') {
      this.#depth -= 1
      if (!isOpen) this.#break()
    } else if (isOpen || this.#last === ',') {
      this.#break()
    } else if (this.#last === ':') {
      this.#put(' ')
    }
    this.#put(token)
    if (token === '{' || token === '[') this.#depth += 1
    this.#last = token
  }

  #break(): void {
    this.#put(`\n${INDENT.repeat(this.#depth)}`)
  }

  #put(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
  }
}
