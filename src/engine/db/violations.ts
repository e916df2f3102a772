import { type ApiError, storageFull, unavailable } from '../errors.ts'
import { TimedOut } from '../limits/deadline.ts'
import type { Constraint } from './constraints.ts'

// D1's messages are such as `D1_ERROR: UNIQUE constraint failed: orders.order_number: SQLITE_...`. A
// trigger's own message stands in place of the constraint.
const REFUSAL =
  /(?:(UNIQUE|NOT NULL|CHECK) constraint failed: ([\w.]+)|(FOREIGN KEY) constraint failed|: (\w+): SQLITE_CONSTRAINT)/

// D1's texts: "List of D1_ERRORs" in https://developers.cloudflare.com/d1/observability/debug-d1/, as of November 2026.
// After these the connection or the object was lost, and the SQL is correct.
const TRANSIENT = [
  'Network connection lost',
  'Replica disconnected from primary',
  "Can't read from request stream because client disconnected",
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue',
  // What workerd makes of an error that it does not show (workerd, src/workerd/jsg/util.c++).
  'internal error; reference = ',
  // Another process holds the local database: a second `npm start`.
  'database is locked',
]

// An immediate retry would make these worse, or meets them again.
const OVERLOADED = [
  'overloaded',
  'exceeded timeout',
  'memory limit',
  'CPU time limit',
  'free tier daily row',
]

// The database or the account has no room. SQLite's own code is for local databases.
const FULL = ['Exceeded maximum DB size', 'maximum account storage limit', 'SQLITE_FULL']
const ROOM_AFTER_SECONDS = 60

/**
 * A constraint of the data model has refused a batch; nothing of it was written. `constraint` is a column
 * (`orders.order_number`), a named CHECK, a trigger, or `FOREIGN KEY`.
 */
export class Violation extends Error {
  readonly constraint: string

  constructor(constraint: string) {
    super(`refused by ${constraint}`)
    this.name = 'Violation'
    this.constraint = constraint
  }
}

export function violationOf(error: unknown): Violation | null {
  for (const message of messagesOf(error)) {
    const match = REFUSAL.exec(message)
    const constraint = match?.[2] ?? match?.[3] ?? match?.[4]
    if (constraint) return new Violation(constraint)
  }
  return null
}

/** SQLite's code for the error, such as `SQLITE_ERROR`. Nothing else of a foreign message is logged. */
export function sqliteCode(error: unknown): string | undefined {
  return /SQLITE_[A-Z_]+/.exec(messagesOf(error).join(' '))?.[0]
}

/** Whether a retry may succeed. The failed write may have committed nevertheless. */
export function isTransient(error: unknown): boolean {
  return says(error, TRANSIENT)
}

export function isMissingTable(error: unknown, table: string): boolean {
  return says(error, [`no such table: ${table}`])
}

/** A statement insists on an index that has been dropped. */
export function isMissingIndex(error: unknown): boolean {
  return says(error, ['no such index: '])
}

/** The database took nothing of a batch, because it has no room. Like a violation it is SQLite's own answer. */
export function isFull(error: unknown): boolean {
  return says(error, FULL)
}

/** 503 UNAVAILABLE if the database cannot be reached, is overloaded or full; null for any other error. */
export function unavailability(error: unknown): ApiError | null {
  if (isFull(error)) return storageFull(ROOM_AFTER_SECONDS)
  const isUnavailable = error instanceof TimedOut || isTransient(error) || says(error, OVERLOADED)
  return isUnavailable
    ? unavailable(
        'The database cannot be reached just now. Nothing was changed: try again.',
        'DATABASE_UNREACHABLE',
      )
    : null
}

/** For `.catch()` after a read: throws 503 UNAVAILABLE if D1 is unavailable, else the error itself. */
export function rethrow(error: unknown): never {
  throw unavailability(error) ?? error
}

/** The error for each constraint that a write may break. */
export type Rules = Partial<Record<Constraint, () => Error | Promise<Error>>>

/**
 * For `.catch()` after a write: throws the error that `rules` has for the violated constraint, else the
 * error itself.
 */
export function refusedBy(rules: Rules): (error: unknown) => Promise<never> {
  return async (error) => {
    const rule = error instanceof Violation ? rules[error.constraint as Constraint] : undefined
    throw rule ? await rule() : error
  }
}

function says(error: unknown, phrases: string[]): boolean {
  return messagesOf(error).some((message) => phrases.some((phrase) => message.includes(phrase)))
}

/** The messages of an error and its causes: drizzle wraps D1's. */
function messagesOf(error: unknown): string[] {
  const messages: string[] = []
  for (let cause = error; cause instanceof Error && messages.length < 5; cause = cause.cause) {
    messages.push(cause.message)
  }
  return messages
}
