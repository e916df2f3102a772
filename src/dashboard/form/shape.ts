import { ApiError } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'

const AMPERSAND = 0x26
// Ten times what the largest of the usual forms sends.
const BYTES_MAX = 64 * 1024
const STRANGE_MAX = 10

/**
 * What a page sends of its form. A submitted form that differs is refused: an absent field does not mean that somebody
 * has emptied it.
 */
export interface Shape {
  /** Each is sent once. */
  fields: readonly string[]
  /** The fields of a group are sent equally often: never, or up to `max` times. */
  groups?: readonly { names: readonly string[]; max: number }[]
  /** 64 KiB if it does not say. */
  bytesMax?: number
}

/** The name of the field that the form of a question has even if nothing is to be filled in. */
export const CONFIRMED = 'confirmed'

export const CONFIRMATION: Shape = { fields: [CONFIRMED] }

export function bytesMaxOf({ bytesMax = BYTES_MAX }: Shape): number {
  return bytesMax
}

/** The fields of an urlencoded form. 400 VALIDATION_ERROR if they are not those of the shape. */
export function parseForm(bytes: Uint8Array, shape: Shape): URLSearchParams {
  const single = shape.fields.map((name) => ({ names: [name], max: 1 }))
  const groups = [...single, ...(shape.groups ?? [])]
  const most = groups.reduce((sum, { names, max }) => sum + names.length * max, 0)
  // Parsed, a field takes a hundred times the bytes that send it. Of a few strange ones the first is named.
  const bound = most + STRANGE_MAX
  if (hasMoreThan(bound, bytes)) throw refused(`it has more than ${bound} fields`)
  const data = new URLSearchParams(new TextDecoder().decode(bytes))
  const counts = new Map<string, number>()
  for (const name of data.keys()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const lacked = shape.fields.find((name) => !counts.has(name))
  if (lacked !== undefined) throw refused(`it lacks the field "${lacked}"`)
  for (const { names, max } of groups) refuseUneven(names, max, counts)
  const [unknown] = counts.keys()
  if (unknown !== undefined) throw refused(`it has an unknown field "${shortened(unknown)}"`)
  return data
}

/** Takes the fields of the group out of `counts`. */
function refuseUneven(names: readonly string[], max: number, counts: Map<string, number>): void {
  const [first = 0, ...others] = names.map((name) => counts.get(name) ?? 0)
  const list = names.map((name) => `"${name}"`).join(', ')
  if (others.some((number) => number !== first)) throw refused(`it has some of ${list} only`)
  if (first > max) throw refused(`it has ${list} more than ${max === 1 ? 'once' : `${max} times`}`)
  for (const name of names) counts.delete(name)
}

function hasMoreThan(fields: number, bytes: Uint8Array): boolean {
  let at = -1
  for (let left = fields; left > 0; left--) {
    at = bytes.indexOf(AMPERSAND, at + 1)
    if (at === -1) return false
  }
  return true
}

function refused(why: string): ApiError {
  return new ApiError(
    'VALIDATION_ERROR',
    `The form is not what its page sends: ${why}. Nothing was changed. Open the page again and fill it in.`,
  )
}
