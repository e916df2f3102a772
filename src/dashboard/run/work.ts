import { SettingsChanged, type TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError } from '../../engine/errors.ts'
import type { Allowance } from '../../engine/exchange/several.ts'

interface Words {
  /** What could not be done just now. */
  broken: string
  /** The database did not say whether it was done. */
  unknown: string
}

interface Work<Row, Change> {
  allowance: Allowance
  /** What it throws is thrown, whatever has been done before. */
  begin: (row: Row) => Change | Promise<Change>
  /** What it throws stops the run, unless nothing has been done before. */
  act: (change: Change) => Promise<void>
  words: Words
}

/** Works through the rows, each by a change of its own, as far as one request may. `stopped` says why it cannot go on. */
export async function workThrough<Row, Change extends { db: TenantDatabase }>(
  rows: Row[],
  { allowance, begin, act, words }: Work<Row, Change>,
): Promise<{ done: number; stopped: string | null }> {
  let done = 0
  for (const row of rows) {
    if (done > 0 && allowance.isSpent) break
    const change = await begin(row)
    try {
      await act(change)
    } catch (error) {
      return { done, stopped: stoppedBy(error, change.db, done > 0, words) }
    }
    done += 1
  }
  return { done, stopped: null }
}

const SETTINGS_CHANGED = 'The settings changed meanwhile. Continue.'

/** Why a run stops before this change. The error is thrown only while this request has worked through nothing. */
function stoppedBy(error: unknown, db: TenantDatabase, hasDone: boolean, words: Words): string {
  if (db.writeState === 'unknown') return words.unknown
  if (error instanceof ApiError && error.code === 'UNAVAILABLE') return error.message
  if (!hasDone) throw error
  return error instanceof SettingsChanged ? SETTINGS_CHANGED : words.broken
}

/** Why the change is refused; null if it is made. Other errors, and UNAVAILABLE, are thrown. */
export async function refusalOf(
  db: TenantDatabase,
  change: () => Promise<unknown>,
): Promise<ApiError | null> {
  try {
    await change()
    return null
  } catch (error) {
    // It has committed. Only its result could not be read.
    if (db.writeState === 'committed') return null
    if (!(error instanceof ApiError) || error.code === 'UNAVAILABLE') throw error
    return error
  }
}
