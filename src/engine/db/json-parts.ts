import { byteLength } from '../json/fields.ts'
import type { Pace } from '../limits/pace.ts'

// D1 takes at most 2,000,000 bytes per value, so a list is sent as JSON in smaller parts.
export const PART_BYTES_MAX = 1_000_000
// Serialized together, which takes half as long as one by one.
const CHUNK_ELEMENTS = 500
const CHUNK_BYTES_MAX = PART_BYTES_MAX / 10

/**
 * JSON arrays that together hold all elements, in order. Each has at most 1,000,000 bytes, unless a single
 * element is longer. No parts for no elements.
 */
export async function jsonParts(elements: Iterable<unknown>, pace: Pace): Promise<string[]> {
  const parts: string[] = []
  let texts: string[] = []
  let bytes = 2
  for (const text of textsOf(Array.from(elements))) {
    const more = byteLength(text) + 1
    if (bytes + more > PART_BYTES_MAX && texts.length > 0) {
      parts.push(`[${texts.join(',')}]`)
      texts = []
      bytes = 2
    }
    texts.push(text)
    bytes += more
    if (pace.spend(text.length)) await pace.rest()
  }
  if (texts.length > 0) parts.push(`[${texts.join(',')}]`)
  return parts
}

/** The JSON of several elements at a time, without brackets; of one at a time if they are long. */
function* textsOf(elements: unknown[]): Generator<string> {
  for (let at = 0; at < elements.length; at += CHUNK_ELEMENTS) {
    const chunk = elements.slice(at, at + CHUNK_ELEMENTS)
    const text = JSON.stringify(chunk).slice(1, -1)
    if (text.length <= CHUNK_BYTES_MAX) yield text
    else for (const element of chunk) yield JSON.stringify(element)
  }
}
