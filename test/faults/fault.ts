import fc from 'fast-check'

/** A request's calls that leave the isolate. `r2_put` stores a document after the answer. */
export type CallKind =
  | 'd1'
  | 'kv_read'
  | 'kv_write'
  | 'r2'
  | 'r2_put'
  | 'durable_object'
  | 'rate_limit'

/**
 * What becomes of one call, or of some in a row. Plain JSON: a run is repeated from it.
 *
 * `before` fails and nothing has happened; `after` fails although it happened; `lost` fails and
 * happens all the same, after `ms`; `late` answers after `ms`, having happened at once or just then;
 * `never` gives no answer, whether it happened or not; `wrong` gives another value than the call's own.
 */
export type Fault = { on: CallKind; nth: number; times: number } & Happening
export type Happening =
  | { how: 'before'; message: string }
  | { how: 'after'; message: string }
  | { how: 'lost'; message: string; ms: number }
  | { how: 'late'; ms: number; acts: 'at_once' | 'in_the_end' }
  | { how: 'never'; acts: boolean }
  | { how: 'wrong'; value: unknown }

/**
 * D1's own messages: https://developers.cloudflare.com/d1/observability/debug-d1/ and, for the internal error, workerd.
 * After these a write is tried again.
 */
export const D1_TRANSIENT = [
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
  'D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.',
  'D1_ERROR: D1 DB reset because its code was updated.',
  'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
  'D1_ERROR: Replica disconnected from primary.',
  "D1_ERROR: Can't read from request stream because client disconnected.",
  'D1_ERROR: internal error; reference = 4g5mg5npu939v89t62h451km',
]

/** After these it is not: all but the last are known, the last is one that nobody foresaw. */
export const D1_OTHER = [
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  'D1_ERROR: D1 DB exceeded its CPU time limit and was reset.',
  "D1_ERROR: Your account has exceeded D1's free tier daily row write limit.",
  'D1_ERROR: Failed to parse body as JSON, got: error code: 1101',
]

/** SQLite has no room for a write. Nothing of the batch is written, so these happen `before` only. */
export const D1_FULL = [
  'D1_ERROR: Exceeded maximum DB size.',
  "D1_ERROR: Your account has exceeded D1's maximum account storage limit, please contact Cloudflare to raise your limit.",
  'D1_ERROR: database or disk is full: SQLITE_FULL',
]

const R2_MESSAGES = [
  'We encountered an internal error. Please try again. (10001)',
  'Reduce your concurrent request rate for the same object. (10058)',
  'Network connection lost.',
]

export const MESSAGES: Record<CallKind, string[]> = {
  d1: [...D1_TRANSIENT, ...D1_OTHER],
  kv_read: ['KV GET failed: 500 Internal Server Error', 'Network connection lost.'],
  kv_write: ['KV PUT failed: 429 Too Many Requests', 'KV PUT failed: 500 Internal Server Error'],
  r2: R2_MESSAGES,
  r2_put: R2_MESSAGES,
  durable_object: [
    'Durable Object reset because its code was updated.',
    'Durable Object is overloaded. Too many requests queued.',
    'Network connection lost.',
  ],
  rate_limit: ['internal error', 'Network connection lost.'],
}

/** What has been answered that should not have been; `null` of KV is a miss of what is there. */
export const WRONG_VALUES: Partial<Record<CallKind, unknown[]>> = {
  kv_read: [null, {}, 'nonsense', { hash: 'of another key' }],
  rate_limit: [null, {}, 'nonsense', { success: 'false' }],
}

/** Within what the service waits for, and beyond it. */
const DELAYS_MS = [50, 800, 4000, 20_000, 60_000]

const place = (on: CallKind) => ({
  on: fc.constant(on),
  nth: fc.nat({ max: on === 'd1' ? 3 : 0 }),
  times: fc.constantFrom(1, 1, 1, 2, 4, 20),
})

function faultOn(on: CallKind): fc.Arbitrary<Fault> {
  const failing = fc.record({
    ...place(on),
    how: fc.constantFrom('before' as const, 'after' as const),
    message: fc.constantFrom(...MESSAGES[on]),
  })
  const lost = fc.record({
    ...place(on),
    how: fc.constant('lost' as const),
    message: fc.constantFrom(...MESSAGES[on]),
    ms: fc.constantFrom(...DELAYS_MS),
  })
  const late = fc.record({
    ...place(on),
    how: fc.constant('late' as const),
    ms: fc.constantFrom(...DELAYS_MS),
    acts: fc.constantFrom('at_once' as const, 'in_the_end' as const),
  })
  const never = fc.record({ ...place(on), how: fc.constant('never' as const), acts: fc.boolean() })
  const wrong = (values: unknown[]): fc.Arbitrary<Fault> =>
    fc.record({
      ...place(on),
      how: fc.constant('wrong' as const),
      value: fc.constantFrom(...values),
    })
  const wrongValues = WRONG_VALUES[on]
  const full = fc.record({
    ...place(on),
    how: fc.constant('before' as const),
    message: fc.constantFrom(...D1_FULL),
  })
  const any: { weight: number; arbitrary: fc.Arbitrary<Fault> }[] = [
    { weight: 6, arbitrary: failing },
    { weight: 2, arbitrary: lost },
    { weight: 2, arbitrary: late },
    { weight: 1, arbitrary: never },
  ]
  return fc.oneof(
    ...any,
    ...(on === 'd1' ? [{ weight: 1, arbitrary: full }] : []),
    ...(wrongValues ? [{ weight: 3, arbitrary: wrong(wrongValues) }] : []),
  )
}

/** Of one request: mostly none or one, mostly of D1. */
export const anyFaults: fc.Arbitrary<Fault[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fault[]>([]) },
  { weight: 3, arbitrary: fc.array(faultOn('d1'), { minLength: 1, maxLength: 2 }) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        faultOn('kv_read'),
        faultOn('kv_write'),
        faultOn('durable_object'),
        faultOn('rate_limit'),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  },
)
