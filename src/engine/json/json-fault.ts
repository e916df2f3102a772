const [QUOTE, BACKSLASH] = [0x22, 0x5c]
// What may stand where.
type Awaited = 'value' | 'element' | 'name' | 'member' | 'colon' | 'separator' | 'end'

const SPACE = /[ \t\r\n]*/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

// What other languages write, and what JSON has instead.
const FOREIGN: [pattern: RegExp, advice: string][] = [
  [/^$/, 'The body ends too early'],
  [/^<(?:!doctype|html|\?xml)/i, 'This is a page or XML, not JSON'],
  [
    /^-?(?:NaN|Infinity|None|undefined|nil)\b/i,
    'JSON has no such value: send null, or leave it out',
  ],
  [/^(?:true|false|null)\b/i, 'Write true, false and null in small letters'],
  [/^\.\d/, 'A number needs a digit before its point: 0.5'],
  [/^\+/, 'A number has no +'],
  [/^\d/, 'A number has no zeros before it'],
  [/^\./, 'A number needs a digit after its point'],
  [/^'/, 'Names and texts stand in double quotes'],
  [/^(?:\/\/|\/\*|#)/, 'JSON has no comments'],
  [/^[}\]]/, 'A value or a name is missing before it: a comma may be one too many'],
]
const SHOWN_MAX = 12

/**
 * Where a text that JSON.parse has refused stops to be JSON, and what to do:
 * ` (line 3, column 7, at ".5"). A number needs a digit before its point: 0.5`. It begins where the sentence goes on.
 */
export function jsonFault(text: string, refusal: unknown): string {
  // V8 gives the position of what is wrong within a text.
  const within = /at position (\d+)/.exec(String(refusal))?.[1]
  const at = faultAt(text) ?? Number(within ?? text.length)
  const rest = text.slice(at, at + 40)
  const advice = FOREIGN.find(([pattern]) => pattern.test(rest))?.[1]
  const [found = ''] = /^[^\s,:{}[\]"]+|^[\s\S]?/.exec(rest) ?? []
  const shown = found.length > SHOWN_MAX ? `${found.slice(0, SHOWN_MAX)}…` : found
  const before = rest === '' ? '' : `, at ${JSON.stringify(shown.toWellFormed())}`
  const place = ` (${placeOf(text, at)}${before})`
  return advice === undefined ? place : `${place}. ${advice}`
}

function placeOf(text: string, at: number): string {
  let [line, start] = [1, 0]
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  return `line ${line}, column ${at - start + 1}`
}

/** The first character that cannot stand where it does; null if only the inside of a text is wrong. */
function faultAt(text: string): number | null {
  const open: string[] = []
  let awaited: Awaited = 'value'
  for (let at = 0; ; ) {
    at = endOf(SPACE, text, at)
    const next = text[at]
    if (next === undefined) return awaited === 'end' ? null : at
    if (isClosing(next, awaited, open)) {
      open.pop()
      awaited = open.length > 0 ? 'separator' : 'end'
      at += 1
    } else if (awaited === 'colon' || awaited === 'separator') {
      if (next !== (awaited === 'colon' ? ':' : ',')) return at
      awaited = awaited === 'colon' || open.at(-1) === '[' ? 'value' : 'name'
      at += 1
    } else if (awaited === 'name' || awaited === 'member') {
      if (next !== '"') return at
      at = endOfStringIn(text, at) + 1
      awaited = 'colon'
    } else if (awaited !== 'end' && (next === '{' || next === '[')) {
      open.push(next)
      awaited = next === '{' ? 'member' : 'element'
      at += 1
    } else {
      const end = awaited === 'end' ? at : endOfScalar(text, at)
      if (end === at) return at
      at = end
      awaited = open.length > 0 ? 'separator' : 'end'
    }
  }
}

function isClosing(next: string, awaited: Awaited, open: string[]): boolean {
  const isEmpty = awaited === 'element' || awaited === 'member'
  const bracket = open.at(-1) === '{' ? '}' : ']'
  return open.length > 0 && next === bracket && (isEmpty || awaited === 'separator')
}

/** The closing quote of the text that begins at `start`; beyond the end if there is none. */
export function endOfStringIn(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}

function endOfScalar(text: string, at: number): number {
  return text[at] === '"' ? endOfStringIn(text, at) + 1 : endOf(SCALAR, text, at)
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
