import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import { type Problem, problemMessage } from '../../engine/mapping/problem.ts'

/** A place of a file that is refused, as the answer names it, and why. */
export interface RefusedPlace {
  at: string
  why: string
}

/** What the answer of an upload, of several records, or of a refused request says of places. */
export function refusedIn(answer: JsonObject | null): RefusedPlace[] {
  const { errors, results, error } = answer ?? {}
  if (Array.isArray(errors)) return errors.flatMap((row) => placesIn(row))
  if (Array.isArray(results)) {
    return results.filter(isObject).flatMap((result) => {
      return isObject(result.error) ? placesOfError(result.error, String(result.record ?? '')) : []
    })
  }
  return isObject(error) ? placesOfError(error, '') : []
}

function placesOfError(error: JsonObject, record: string): RefusedPlace[] {
  const { problems, fields, source, message } = error
  if (Array.isArray(problems)) {
    return problems.filter(isObject).map((problem) => ({
      at: String(problem.at),
      why: problemMessage(problem as unknown as Problem),
    }))
  }
  const places = placesIn({ errors: fields, source })
  return places.length > 0 ? places : [{ at: record, why: String(message) }]
}

/** Of each field: its source in the file, or else its name. */
function placesIn(row: unknown): RefusedPlace[] {
  if (!isObject(row) || !isObject(row.errors)) return []
  const sources = isObject(row.source) ? row.source : {}
  return Object.entries(row.errors).map(([field, messages]) => ({
    at: typeof sources[field] === 'string' ? sources[field] : field,
    why: Array.isArray(messages) ? messages.join(' ') : String(messages),
  }))
}
