import type { Path } from '../json/path.ts'
import type { Span, ValuePlace } from './text-place.ts'

interface Member extends Span {
  name: string
}

const NO_LETTER = '\ufffd'

interface MemberOptions {
  /** The charset of the percent-encoded bytes. */
  charset?: string
  /** A name that cannot be decoded counts as every name. */
  takesUnknown?: boolean
}

/** Where the members of a form stand whose names these paths begin with. */
export function findMembers(
  text: string,
  paths: readonly Path[],
  { charset = 'utf-8', takesUnknown = false }: MemberOptions = {},
): ValuePlace[] {
  const decode = decoderOf(charset)
  return [...membersIn(text, decode)].flatMap(({ name, start, end }) => {
    const isUnknown = takesUnknown && name.includes(NO_LETTER)
    const found = paths.filter(([step]) => isUnknown || step === name)
    if (found.length === 0) return []
    const values = [decode(text.slice(start, end))]
    return found.map((path) => ({ start, end, path, values }))
  })
}

/** Decodes a text of a form. Bytes that are not of the charset become U+FFFD. */
function decoderOf(charset: string): (text: string) => string {
  const [decoder, encoder] = [new TextDecoder(charset), new TextEncoder()]
  return (text) => {
    const bytes = encoder.encode(text.replaceAll('+', ' '))
    let length = 0
    for (let at = 0; at < bytes.length; at++) {
      const digits = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0)
      const isEscape = bytes[at] === 0x25 && /^[0-9a-f]{2}$/i.test(digits)
      bytes[length++] = isEscape ? Number.parseInt(digits, 16) : (bytes[at] ?? 0)
      if (isEscape) at += 2
    }
    return decoder.decode(bytes.subarray(0, length))
  }
}

function* membersIn(text: string, decode: (text: string) => string): Generator<Member> {
  for (const match of text.matchAll(/[^&]+/g)) {
    const [member] = match
    const at = member.indexOf('=')
    const end = match.index + member.length
    const start = at === -1 ? end : match.index + at + 1
    yield { name: decode(at === -1 ? member : member.slice(0, at)), start, end }
  }
}
