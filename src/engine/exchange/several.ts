import type { Meter } from '../db/connect.ts'

/** A client waits for the answer. */
const APPLY_MS_MAX = 3500
/** D1 takes 1,000 of an invocation. What it takes in trouble goes beyond this. */
const STATEMENTS_MAX = 900
/** Of one record. In trouble it may be twice that. */
const RECORD_STATEMENTS_MAX = 40
/** Of all errors in an answer, as JSON. Beyond it they have no details. */
const ERRORS_LENGTH_MAX = 1_000_000

/** Whether an invocation that has taken so many statements of D1 applies one more record. */
export function hasRoomForRecord(statements: number): boolean {
  return statements + RECORD_STATEMENTS_MAX <= STATEMENTS_MAX
}

/** How much one request may do for the records of a document. */
export class Allowance {
  readonly #began = Date.now()
  readonly #meter: Meter
  readonly #before: number

  /** `before`: the statements that the invocation had taken before the meter counted. */
  constructor(meter: Meter, before = 0) {
    this.#meter = meter
    this.#before = before
  }

  get isSpent(): boolean {
    const isLate = Date.now() - this.#began >= APPLY_MS_MAX
    return isLate || !hasRoomForRecord(this.#before + this.#meter.statements)
  }
}

interface AnsweredError {
  code: string
  reason?: string
  message?: string
}

/** The errors of an answer, which together are no larger than they may be. */
export class ErrorsOfRecords {
  #left = ERRORS_LENGTH_MAX

  shown(error: AnsweredError): object {
    this.#left -= JSON.stringify(error).length
    if (this.#left >= 0) return error
    const { code, reason, message } = error
    return {
      code,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message: message.slice(0, 300) }),
    }
  }
}
