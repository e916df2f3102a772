import { ApiError } from '../errors.ts'
import { article } from '../json/messages.ts'
import { isOfSentWith } from '../json/sent-with.ts'

/** An answer lists at most this many. */
export const PROBLEMS_MAX = 20

export type Reason =
  | 'SOURCE_MISSING'
  | 'TYPE_MISMATCH'
  | 'LENGTH_MISMATCH'
  | 'ARRAY_HOLE'
  | 'TARGET_CONFLICT'
  | 'UNMAPPED_FIELD'
  | 'TOO_LARGE'
  | 'CONVERSION'
  | 'UNMAPPED_VALUE'
  | 'AMBIGUOUS'
  | 'SEVERAL_RECORDS'
  | 'DIFFERS'

/**
 * Why a payload cannot be mapped. `at` is a path in the payload. For a problem of the mapped document, `at`
 * is a path in that document and `source` one in the payload.
 */
export interface Problem {
  reason: Reason
  rule?: string | undefined
  at: string
  source?: string | undefined
  expected?: string | number | undefined
  found?: string | number | undefined
  /** For TOO_LARGE: what `expected` counts. */
  unit?: 'bytes' | 'values' | 'objects' | 'steps' | 'records'
}

const NOT_SENT =
  ' Only deliveries bring it, if the sender gives it and the rules of the webhook list it.'

export const MESSAGES: Record<Reason, (problem: Problem) => string> = {
  SOURCE_MISSING: ({ at, found }) =>
    `Is ${found === 'null' || found === 'empty text' ? found : 'missing'}, and the mapping requires it.${isOfSentWith(at) ? NOT_SENT : ''}`,
  TYPE_MISMATCH: unexpected,
  LENGTH_MISMATCH: ({ expected, found }) => `Must have ${expected} elements, not ${found}.`,
  ARRAY_HOLE: () => 'Is missing, but a later element is there.',
  TARGET_CONFLICT: ({ expected, found }) =>
    `The mapping expects an ${expected} here, not ${found}.`,
  UNMAPPED_FIELD: () => 'The mapping has no rule for this field, and rejects unmapped fields.',
  TOO_LARGE: ({ expected, unit }) =>
    unit === 'records'
      ? `Has more than ${expected} records: send the others in further requests.`
      : unit === 'steps'
        ? `The mapping takes more than ${expected} steps: filters, joins, or long texts that many elements read.`
        : `The mapping turns it into a document of more than ${expected} ${unit}.`,
  CONVERSION: unexpected,
  UNMAPPED_VALUE: ({ found }) =>
    `The mapping's "values" have no entry for ${found}: add one, or "*" for all others.`,
  AMBIGUOUS: ({ found }) => `The mapping's filter takes one element, but ${found} matches too.`,
  DIFFERS: ({ found }) =>
    `Must be the same in all rows of a record, but ${found} has another value.`,
  SEVERAL_RECORDS: ({ expected, found }) =>
    expected === 1
      ? `Must have exactly one record here, not ${found}.`
      : `The mapping reads one element here, but there are ${found}: send each record in a request of its own, or pick the element by a filter.`,
}

const KINDS = ['object', 'array', 'string', 'number', 'boolean', 'undefined']

/** `found` is a kind, or a value whose text is in quotes. */
function unexpected({ expected, found }: Problem): string {
  const what = KINDS.includes(String(found)) ? article(String(found)) : found
  return `The mapping expects ${article(String(expected))} here, not ${what}.`
}

export function problemMessage(problem: Problem): string {
  return MESSAGES[problem.reason](problem)
}

/**
 * 422 MAPPING_ERROR, or 413 PAYLOAD_TOO_LARGE if the mapped document has too many bytes. The message is
 * about the first problem and names its path in the payload.
 */
export function mappingError(problems: [Problem, ...Problem[]]): ApiError {
  const [first, ...rest] = problems
  const least = problems.length === PROBLEMS_MAX ? 'at least ' : ''
  const more = rest.length > 0 ? ` (and ${least}${rest.length} more, see problems)` : ''
  const message = `${first.source ?? first.at}: ${problemMessage(first)}${more}`
  const isTooLarge = problems.some(({ unit }) => unit === 'bytes')
  return isTooLarge
    ? new ApiError('PAYLOAD_TOO_LARGE', message, { problems, reason: 'MAPPED_TOO_LARGE' })
    : new ApiError('MAPPING_ERROR', message, { problems })
}
