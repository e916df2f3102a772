import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import { type Path, pathIn } from '../../engine/json/path.ts'
import { isOfSentWith } from '../../engine/json/sent-with.ts'
import { type Problem, problemMessage } from '../../engine/mapping/problem.ts'

/** What is wrong at a place of the partner's document. */
export interface Fault {
  /** As the log has it; empty for what is about no place. */
  at: string
  messages: string[]
}

/** The faults that the audit log keeps of a request (src/engine/log/explanation.ts), in its order. */
export function faultsOf(details: JsonObject | null): Fault[] {
  const { fields, source, problems, errors, records } = details ?? {}
  return [
    ...faultsByField(fields, source, (field) => field),
    ...(Array.isArray(problems) ? problems.map(faultOfProblem) : []),
    ...(Array.isArray(errors) ? errors.flatMap(faultsOfRow) : []),
    ...(Array.isArray(records) ? records.flatMap(faultsOfRecord) : []),
  ]
}

function faultOfProblem(problem: Problem): Fault {
  return { at: problem.source ?? problem.at, messages: [problemMessage(problem)] }
}

function faultsOfRow({ row, errors, source }: JsonObject): Fault[] {
  return faultsByField(errors, source, (field) => `inventory[${row}].${field}`)
}

/** Our fields of one record of several have no place of their own in the document. */
function faultsOfRecord({ row, errors, source }: JsonObject): Fault[] {
  return faultsByField(errors, source, () => '').map((fault) => ({
    ...fault,
    messages: fault.messages.map((message) => `Record ${row}: ${message}`),
  }))
}

function faultsByField(
  errors: unknown,
  source: unknown,
  placeOf: (field: string) => string,
): Fault[] {
  if (!isObject(errors)) return []
  const sources = isObject(source) ? source : {}
  return Object.entries(errors).map(([field, messages]) => ({
    at: Object.hasOwn(sources, field) ? String(sources[field]) : placeOf(field),
    messages: Array.isArray(messages) ? messages.map(String) : [],
  }))
}

/**
 * The places in the document that a fault is about: a joined text has several. Without those that cannot be read, and
 * without headers, which are not in it.
 */
export function pathsOf({ at }: Fault): Path[] {
  return at.split(', ').flatMap((text) => {
    const path = text === '' || isOfSentWith(text) ? null : pathIn(text)
    return path ? [path] : []
  })
}
