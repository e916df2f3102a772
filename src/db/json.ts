import { byteLength } from '../fields.ts'

// D1 takes at most 2,000,000 bytes a value; a list travels as JSON in slices well below that.
const SLICE_BYTES_MAX = 1_000_000

/**
 * JSON arrays that together hold all elements, in order; each of at most 1,000,000 bytes, unless a
 * single element is longer. No elements, no slices.
 */
export function jsonSlices(elements: Iterable<unknown>): string[] {
  const slices: string[] = []
  let parts: string[] = []
  let bytes = 2
  for (const element of elements) {
    const part = JSON.stringify(element)
    const more = byteLength(part) + 1
    if (bytes + more > SLICE_BYTES_MAX && parts.length > 0) {
      slices.push(`[${parts.join(',')}]`)
      parts = []
      bytes = 2
    }
    parts.push(part)
    bytes += more
  }
  if (parts.length > 0) slices.push(`[${parts.join(',')}]`)
  return slices
}
