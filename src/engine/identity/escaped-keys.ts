import { findKeys, type KeyInText } from './key.ts'

// What a key consists of, as it is or as JSON may escape it.
const ESCAPED = String.raw`\\u00[2-7][0-9A-Fa-f]`
const RUN = new RegExp(`(?:${ESCAPED}|[0-9A-Za-z_-])+`, 'g')
const UNIT = new RegExp(`${ESCAPED}|[^]`, 'g')
const HAS_ESCAPE = new RegExp(ESCAPED)

/** The keys with a right checksum in a text, also those with JSON escapes in them, in order. */
export function findKeysEscaped(text: string): KeyInText[] {
  if (!HAS_ESCAPE.test(text)) return findKeys(text)
  return Array.from(text.matchAll(RUN)).flatMap(({ 0: run, index }) => {
    const keys = HAS_ESCAPE.test(run) ? inEscaped(run) : findKeys(run)
    return keys.map(({ start, end, hint }) => ({ start: index + start, end: index + end, hint }))
  })
}

function inEscaped(run: string): KeyInText[] {
  const starts = new Uint32Array(run.length + 1)
  let units = 0
  const plain = run.replace(UNIT, (unit, at: number) => {
    starts[units] = at
    units += 1
    return unit.length === 1 ? unit : String.fromCharCode(Number.parseInt(unit.slice(2), 16))
  })
  starts[units] = run.length
  return findKeys(plain).map(({ start, end, hint }) => ({
    start: starts[start] ?? 0,
    end: starts[end] ?? 0,
    hint,
  }))
}
