import { TimedOut } from '../deadline.ts'
import { type ApiError, unavailable } from '../errors.ts'

// D1 words its errors as `D1_ERROR: UNIQUE constraint failed: orders.order_number: SQLITE_...`;
// a trigger's RAISE stands where the constraint does.
const CONSTRAINT =
  /(?:(UNIQUE|NOT NULL|CHECK) constraint failed: ([\w.]+)|(FOREIGN KEY) constraint failed|: (\w+): SQLITE_CONSTRAINT)/

// D1's documentation, "Errors": the connection or the object went away, the SQL was not at fault.
const TRANSIENT = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue',
  // Another process holds the local database: a second `npm start`.
  'database is locked',
]

// Trying again at once would make these worse.
const OVERLOADED = ['overloaded', 'exceeded timeout', 'memory limit']

/**
 * A batch that the database refused by a rule of the data model; nothing of it was written. The
 * constraint is a column (`orders.order_number`), a named CHECK, a trigger, or `FOREIGN KEY`.
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
    const match = CONSTRAINT.exec(message)
    const constraint = match?.[2] ?? match?.[3] ?? match?.[4]
    if (constraint) return new Violation(constraint)
  }
  return null
}

/** SQLite's name for what went wrong, such as `SQLITE_ERROR`: all of a foreign message that is logged. */
export function sqliteCode(error: unknown): string | undefined {
  return /SQLITE_[A-Z_]+/.exec(messagesOf(error).join(' '))?.[0]
}

/** Worth another try; a write may nevertheless have committed. */
export function isTransient(error: unknown): boolean {
  return says(error, TRANSIENT)
}

export function isMissingTable(error: unknown, table: string): boolean {
  return says(error, [`no such table: ${table}`])
}

/** 503 for a database that cannot be reached or is overloaded; null for any other error. */
export function unavailability(error: unknown): ApiError | null {
  const passing = error instanceof TimedOut || isTransient(error) || says(error, OVERLOADED)
  return passing
    ? unavailable('The database cannot be reached just now. Nothing was changed: try again.')
    : null
}

/** For `.catch()` behind a read. */
export function rethrow(error: unknown): never {
  throw unavailability(error) ?? error
}

type Rules = Record<string, () => Error | Promise<Error>>

/**
 * For `.catch()` behind a write: turns the violation of a named constraint into the error that its
 * rule gives, and passes on everything else.
 */
export function refusedBy(rules: Rules): (error: unknown) => Promise<never> {
  return async (error) => {
    const rule = error instanceof Violation ? rules[error.constraint] : undefined
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
