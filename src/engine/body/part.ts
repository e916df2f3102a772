import { isOfSentWith } from '../json/sent-with.ts'
import type { Warning } from '../json/warnings.ts'
import type { MappedDocument } from '../mapping/inbound.ts'
import type { Problem } from '../mapping/problem.ts'

/** Gives the path in the whole body of a path in the part that is mapped. */
export type PlaceInBody = (path: string) => string

/**
 * For the part of a body at this path: what is said of the part then names the paths of the body. A header is in no part.
 */
export function placeInBody(part: string): PlaceInBody {
  return (path) => {
    if (isOfSentWith(path)) return path
    const inner = path.replace(/^\$\.?/, '')
    return inner === '' || inner.startsWith('[') ? `${part}${inner}` : `${part}.${inner}`
  }
}

export function problemInBody(problem: Problem, place: PlaceInBody): Problem {
  const { reason, at, source, found, unit } = problem
  // Of a document that has become too large, `at` is one of our own fields.
  if (unit === 'bytes') return problem
  if (source !== undefined) return { ...problem, source: place(source) }
  const isPlace = reason === 'AMBIGUOUS' || reason === 'DIFFERS'
  const other = isPlace ? { found: place(String(found)) } : {}
  return { ...problem, at: place(at), ...other }
}

export function warningInBody(warning: Warning, place: PlaceInBody): Warning {
  return { ...warning, field: place(warning.field) }
}

export function sourceInBody(
  sourceOf: MappedDocument['sourceOf'],
  place: PlaceInBody,
): MappedDocument['sourceOf'] {
  return (field) => {
    const source = sourceOf(field)
    // A joined text has several sources.
    return source === null ? null : source.split(', ').map(place).join(', ')
  }
}
