import type { FieldErrors } from '../../engine/errors.ts'
import { hideKeys } from '../../engine/identity/key.ts'
import { isObject } from '../../engine/json/json-object.ts'
import { fieldErrors, kindOf, messageOf, shortened } from '../../engine/json/messages.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import type { Pace } from '../../engine/limits/pace.ts'
import type { CodeWords, StoredCode } from './kind.ts'
import { schemasOfCode, storedCode } from './schema.ts'

/** The most rows whose errors an answer lists. */
export const CODE_ERRORS_MAX = 1000
const REPEATED_MAX = 20
/** To check a row takes some microseconds. */
const ROW_STEPS = 100

/** Why a row has no effect. */
export interface CodeError {
  row: number
  /** As it was sent; empty if there was no text. */
  code: string
  errors: FieldErrors
}

export interface CheckedCodes {
  /** The last well-formed row of each code. */
  codes: StoredCode[]
  /** Codes that are well formed themselves, of rows that have failed. */
  failedCodes: Set<string>
  /** The first 1,000; `failed` counts all. */
  errors: CodeError[]
  failed: number
  /** Warnings of codes that several rows have. */
  repeated: Warning[]
}

/** Separates the well-formed rows from the others. */
export async function checkCodes(
  words: CodeWords,
  rows: unknown[],
  pace: Pace,
): Promise<CheckedCodes> {
  const { Row } = schemasOfCode(words)
  const byCode = new Map<string, { row: number; stored: StoredCode }>()
  const failedCodes = new Set<string>()
  const errors: CodeError[] = []
  const repeated: Repeated = new Map()
  let failed = 0
  for (const [row, value] of rows.entries()) {
    if (pace.spend(ROW_STEPS)) await pace.rest()
    const { data, error } = Row.safeParse(value, { error: messageOf })
    if (data) {
      const stored = storedCode(words, data)
      note(repeated, byCode.get(stored.code)?.row, { row, code: stored.code })
      byCode.set(stored.code, { row, stored })
      continue
    }
    failed += 1
    const { code } = isObject(value) ? value : {}
    const { data: known } = Row.shape.code.safeParse(code)
    if (known !== undefined) failedCodes.add(known)
    if (errors.length === CODE_ERRORS_MAX) continue
    const found = isObject(value)
      ? fieldErrors(error.issues)
      : { row: [`Must be an object, not ${kindOf(value)}.`] }
    errors.push({
      row,
      code: typeof code === 'string' ? shortened(hideKeys(code)) : '',
      errors: found,
    })
  }
  const codes = Array.from(byCode.values(), ({ stored }) => stored)
  return { codes, failedCodes, errors, failed, repeated: repeatedWarnings(repeated) }
}

type Repeated = Map<string, { first: number; last: number }>

function note(
  repeated: Repeated,
  before: number | undefined,
  { row, code }: { row: number; code: string },
) {
  if (before === undefined) return
  const first = repeated.get(code)?.first ?? before
  repeated.set(code, { first, last: row })
}

/** The first 20, then how many more there are. */
function repeatedWarnings(repeated: Repeated): Warning[] {
  const listed = [...repeated.values()].slice(0, REPEATED_MAX)
  const warnings = listed.map(({ first, last }): Warning => {
    const message = `Row ${last} has the code of row ${first}: the last one counts.`
    return { field: `item_codes[${last}]`, message, code: 'CODE_REPEATED' }
  })
  const more = repeated.size - listed.length
  if (more === 0) return warnings
  const message = `${more} more codes stand in several rows.`
  return [...warnings, { field: 'item_codes', message, code: 'CODE_REPEATED' }]
}
