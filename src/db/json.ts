// D1 takes at most 2,000,000 bytes a value; a list travels as JSON in slices well below that.
const SLICE_LENGTH_MAX = 500_000

/**
 * JSON arrays that together hold all elements, in order; each of at most 500,000 UTF-16 units
 * (1.5 MB as UTF-8), unless a single element is longer. No elements, no slices.
 */
export function jsonSlices(elements: Iterable<unknown>): string[] {
  const slices: string[] = []
  let parts: string[] = []
  let length = 0
  for (const element of elements) {
    const part = JSON.stringify(element)
    if (length + part.length > SLICE_LENGTH_MAX && parts.length > 0) {
      slices.push(`[${parts.join(',')}]`)
      parts = []
      length = 0
    }
    parts.push(part)
    length += part.length + 1
  }
  if (parts.length > 0) slices.push(`[${parts.join(',')}]`)
  return slices
}
