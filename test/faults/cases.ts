import {
  type CallKind,
  D1_OTHER,
  D1_TRANSIENT,
  type Fault,
  type Happening,
  MESSAGES,
  WRONG_VALUES,
} from '../fixtures/fault.ts'

const [LOST = ''] = D1_TRANSIENT
const [OVERLOADED = ''] = D1_OTHER
export const UNTOLD = 'D1_ERROR: no such column: secret_column at offset 7'

/** Within all deadlines but a second's, and beyond all. */
export const SOON_MS = 2000
const LONG_MS = 20_000

const late: Happening[] = [SOON_MS, LONG_MS].flatMap((ms): Happening[] => [
  { how: 'late', ms, acts: 'at_once' },
  { how: 'late', ms, acts: 'in_the_end' },
])
const never: Happening[] = [
  { how: 'never', acts: true },
  { how: 'never', acts: false },
]

const HAPPENINGS: Record<CallKind, Happening[]> = {
  d1: [
    ...[LOST, OVERLOADED, UNTOLD].flatMap((message): Happening[] => [
      { how: 'before', message },
      { how: 'after', message },
    ]),
    { how: 'lost', message: LOST, ms: LONG_MS },
    ...late,
    ...never,
  ],
  kv_read: [...failing('kv_read'), ...late, ...never, ...wrong('kv_read')],
  kv_write: [...failing('kv_write'), ...late, ...never],
  r2: [...failing('r2'), ...late, ...never],
  r2_put: [...failing('r2_put'), ...late, ...never],
  durable_object: [...failing('durable_object'), ...late, ...never],
  rate_limit: [...failing('rate_limit'), ...late, ...never, ...wrong('rate_limit')],
}

function failing(on: CallKind): Happening[] {
  const [message = ''] = MESSAGES[on]
  return [
    { how: 'before', message },
    { how: 'after', message },
  ]
}

function wrong(on: CallKind): Happening[] {
  return (WRONG_VALUES[on] ?? []).map((value) => ({ how: 'wrong', value }))
}

/** What becomes of a call and of the next one or two, which try it again. */
const AGAIN: (Happening & { times: number })[] = [
  { times: 2, how: 'before', message: LOST },
  { times: 3, how: 'before', message: LOST },
  { times: 2, how: 'after', message: LOST },
]

/** For each of these calls everything that may become of it, once; and of D1, that it goes on so. */
export function faultsOf(calls: CallKind[]): Fault[] {
  return calls.flatMap((on, at) => {
    const nth = calls.slice(0, at).filter((earlier) => earlier === on).length
    const once = HAPPENINGS[on].map((happening): Fault => ({ on, nth, times: 1, ...happening }))
    if (on !== 'd1') return once
    const forGood = { on, nth, times: 50 }
    return [
      ...once,
      ...AGAIN.map((happening): Fault => ({ on, nth, ...happening })),
      { ...forGood, how: 'before', message: LOST },
      { ...forGood, how: 'never', acts: false },
    ]
  })
}
