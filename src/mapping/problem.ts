import { ApiError } from '../errors.ts'
import { article } from '../messages.ts'

/** How many are listed at once. */
export const PROBLEMS_MAX = 20

export type Reason =
  | 'SOURCE_MISSING'
  | 'TYPE_MISMATCH'
  | 'LENGTH_MISMATCH'
  | 'ARRAY_HOLE'
  | 'TARGET_CONFLICT'
  | 'UNMAPPED_FIELD'
  | 'TOO_LARGE'

/**
 * Why a payload cannot be mapped. `at` is a path of the payload; where the fault lies in the
 * document that is being made of it, `at` is a path of that one and `source` the payload's.
 */
export interface Problem {
  reason: Reason
  rule?: string | undefined
  at: string
  source?: string | undefined
  expected?: string | number | undefined
  found?: string | number | undefined
}

/** By every reason there is. */
export const MESSAGES: Record<Reason, (problem: Problem) => string> = {
  SOURCE_MISSING: () => 'Is missing, and the mapping requires it.',
  TYPE_MISMATCH: unexpected,
  LENGTH_MISMATCH: ({ expected, found }) => `Must have ${expected} elements, not ${found}.`,
  ARRAY_HOLE: () => 'Is missing, although what comes after it is there.',
  TARGET_CONFLICT: ({ expected, found }) =>
    `The mapping expects an ${expected} here, not ${found}.`,
  UNMAPPED_FIELD: () =>
    'The mapping has no rule for this field, and refuses what it does not know.',
  TOO_LARGE: ({ expected }) =>
    `The mapping makes too much of it: over ${expected} values, or a long one over and over.`,
}

function unexpected({ expected, found }: Problem): string {
  const kind = found === 'null' ? found : article(String(found))
  return `The mapping expects ${article(String(expected))} here, not ${kind}.`
}

export function problemMessage(problem: Problem): string {
  return MESSAGES[problem.reason](problem)
}

/** 422 MAPPING_ERROR; its message is about the first problem, in the payload's own path. */
export function mappingError(problems: [Problem, ...Problem[]]): ApiError {
  const [first, ...rest] = problems
  const least = problems.length === PROBLEMS_MAX ? 'at least ' : ''
  const more = rest.length > 0 ? ` (and ${least}${rest.length} more, see problems)` : ''
  const message = `${first.source ?? first.at}: ${problemMessage(first)}${more}`
  return new ApiError('MAPPING_ERROR', message, { problems })
}
