import {
  type Documented,
  type Operation,
  type Parameter,
  type Response,
  resolved,
} from './document.ts'
import { slugOf } from './text.ts'

/** An operation, and where it stands. */
export interface Located {
  documented: Documented
  method: string
  path: string
  operation: Operation
}

/** Of a document, those with this tag. */
export function operationsOf(documented: Documented, tag: string): Located[] {
  return Object.entries(documented.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags[0] === tag)
      .map(([method, operation]) => ({
        documented,
        method: method.toUpperCase(),
        path,
        operation,
      })),
  )
}

export function idOf({ documented, method, path, operation }: Located): string {
  return `${documented.area}/tag/${slugOf(operation.tags[0])}/${method}${path}`
}

/** Chapters that no description has: what several operations have in common. */
export const BESIDE_DATA = 'Fields beside data'
export const HEADERS = 'Headers of answers'
export const SHARED_ERRORS = 'Shared errors'

export function chapterId({ area }: Documented, title: string): string {
  return `${area}/description/${slugOf(title)}`
}

/** Those of the path, then those of the query, then headers. */
export function parametersOf({ documented, operation }: Located): Parameter[] {
  const all = (operation.parameters ?? []).map((one) => resolved(documented.document, one))
  // In the order in which they stand in a request.
  return ['path', 'query', 'header'].flatMap((place) => all.filter((one) => one.in === place))
}

/** The status and the answer of a success: an operation has one. */
export function successOf(operation: Operation): [string, Response] {
  const [entry] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  if (!entry) throw new Error(`${operation.summary} has no success.`)
  return entry
}
