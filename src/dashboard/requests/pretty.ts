import { findPlaces } from '../../engine/redaction/places.ts'
import { prettyJson } from '../../engine/redaction/pretty.ts'

/** What a page shows of a text as a whole. */
export const WHOLE_LENGTH_MAX = 200_000

/** A JSON text with a value a line; any other text as it is. */
export function pretty(text: string): string {
  return findPlaces(text, []) === null ? text : prettyJson(text)
}
