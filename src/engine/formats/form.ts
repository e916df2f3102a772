import { ApiError } from '../errors.ts'
import { type ParsedJson, type ParseOptions, parseJson } from '../json/json.ts'
import type { JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { type CharsetName, decoderOf } from './charset.ts'
import { malformed, tooComplex } from './malformed.ts'

const MEMBERS_MAX = 100_000
const [AMPERSAND, EQUALS, PLUS, PERCENT, SPACE] = [0x26, 0x3d, 0x2b, 0x25, 0x20]

/** How a mapping reads a form. */
export interface FormOptions {
  /** The name of a member that holds JSON. */
  json?: string | undefined
  /** Without it in the Content-Type. */
  charset?: CharsetName | undefined
}

/**
 * The members of a form (application/x-www-form-urlencoded, WHATWG URL, 5.1) as texts; those of one name as an array.
 * Brackets stay part of a name. The member `json` is the value of its text.
 */
export function readForm(
  bytes: Uint8Array,
  charset: string,
  { json, ...options }: Pick<FormOptions, 'json'> & ParseOptions = {},
): ParsedJson {
  const value = membersOf(bytes, charset)
  if (json === undefined || !Object.hasOwn(value, json)) return { value, hasExactNumbers: false }
  const { [json]: text } = value
  const name = `The member "${shortened(json)}"`
  if (typeof text !== 'string') throw malformed(`${name} is sent twice.`)
  try {
    const parsed = parseJson(new TextEncoder().encode(text), options)
    return { ...parsed, value: { ...value, [json]: parsed.value } }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw malformed(`${name} is to be JSON. ${error.message.replace(/^The body/, 'Its text')}`)
  }
}

function membersOf(bytes: Uint8Array, charset: string): JsonObject {
  const decode = decoderOf(charset)
  const members = new Map<string, string[]>()
  for (const part of partsOf(bytes)) {
    const end = part.indexOf(EQUALS)
    const [name, value] =
      end === -1 ? [part, new Uint8Array()] : [part.subarray(0, end), part.subarray(end + 1)]
    const known = decode(unescaped(name, ''))
    const values = members.get(known) ?? []
    values.push(decode(unescaped(value, known)))
    members.set(known, values)
  }
  return Object.fromEntries(
    Array.from(members, ([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

/** One at a time: a view of bytes takes a hundred times as much memory as a short member. */
function* partsOf(bytes: Uint8Array): Iterable<Uint8Array> {
  let parts = 0
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(AMPERSAND, start)
    const part = bytes.subarray(start, end === -1 ? bytes.length : end)
    parts += 1
    if (parts > MEMBERS_MAX) throw tooComplex(`The body has more than ${MEMBERS_MAX} members.`)
    if (part.length > 0) yield part
    start += part.length + 1
  }
}

/** `name` is that of the member whose value it is; empty for the name itself. */
function unescaped(sent: Uint8Array, name: string): Uint8Array {
  const bytes = new Uint8Array(sent.length)
  let length = 0
  for (let at = 0; at < sent.length; at++) {
    const byte = sent[at] ?? 0
    if (byte === PERCENT) {
      bytes[length++] = escaped(sent, at, name)
      at += 2
    } else bytes[length++] = byte === PLUS ? SPACE : byte
  }
  return bytes.subarray(0, length)
}

function escaped(sent: Uint8Array, at: number, name: string): number {
  const digits = String.fromCharCode(...sent.subarray(at + 1, at + 3))
  if (/^[0-9a-f]{2}$/i.test(digits)) return Number.parseInt(digits, 16)
  const where = name === '' ? 'The name of a member' : `The member "${shortened(name)}"`
  throw malformed(`${where} has a % without two hexadecimal digits: write %25 for a percent sign.`)
}
