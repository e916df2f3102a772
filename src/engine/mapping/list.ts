/**
 * The elements that a step which looks for a list finds in a value; undefined if it is none. A mapping may take a single
 * value as a list of one: XML does not tell the two apart. There an empty text is an element without content.
 */
export function listAt(
  { listsSingles }: { listsSingles: boolean },
  value: unknown,
): unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!listsSingles || value === undefined || value === null) return undefined
  return value === '' ? [] : [value]
}
