import type { Context } from 'hono'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { Allowance } from '../../engine/exchange/several.ts'
import { versionName } from '../../engine/json/entity-tags.ts'
import { LOCATIONS, PRODUCTS } from '../../records/catalogue/kind.ts'
import { deactivateRecord } from '../../records/catalogue/queries.ts'
import { committedOf, requestIdIn } from '../../requests/send-again/run.ts'
import { type Import, type ImportedRow, listImported } from '../../requests/undo/imports.ts'
import { undoRequest } from '../../requests/undo/queries.ts'
import { askerOf } from '../../requests/undo/target.ts'
import { requestPath } from '../paths.ts'
import { addressOf } from '../records/address.ts'
import type { RunProgress } from '../run/run.ts'
import { refusalOf, workThrough } from '../run/work.ts'
import { addOutcome, type UndoOutcome, type UndoRun } from './run.ts'
import { whyStays } from './stays.tsx'

/** One read looks at so many records. */
const PART_ROWS = 150

const STOPPED = {
  broken: 'The next record could not be set back just now. Continue.',
  unknown:
    'The database did not say whether the next record was set back. Continue: nothing is undone twice.',
}

/** Of a record that nobody has changed since it was created. */
const FIRST_VERSION = 1

/** Undoes the next records, each by a change of its own. What cannot be done just now stays in the run. */
export async function undoNext(
  c: Context<AppEnv>,
  of: Import,
  run: UndoRun,
): Promise<RunProgress<UndoRun>> {
  const { after: before, until } = run
  const allowance = new Allowance(c.get('exchange').meter)
  const rows = await listImported(c.get('db'), of, { after: before, until, limit: PART_ROWS })
  let { after, results } = run
  const { done, stopped } = await workThrough(rows, {
    allowance,
    begin: (row) => beginUndo(c, of, run, row),
    act: async (undoing) => {
      results = addOutcome(results, undoing.row.name, await outcomeOf(undoing))
      after = undoing.row.seq
    },
    words: STOPPED,
  })
  // Some rows may have left the log meanwhile, so the last place may never come.
  const isEnd = after >= until || (done === rows.length && rows.length < PART_ROWS)
  const left = isEnd ? 0 : Math.max(1, run.left - done)
  return { run: { ...run, after, left, results }, stopped }
}

interface Undoing {
  c: Context<AppEnv>
  of: Import
  row: ImportedRow
  /** The request that undoes the row in this run. */
  id: string
  db: TenantDatabase
}

/** The audit row is the same as if somebody undid this one request, so the pages of both lead to each other. */
async function beginUndo(
  c: Context<AppEnv>,
  of: Import,
  run: UndoRun,
  row: ImportedRow,
): Promise<Undoing> {
  const id = await requestIdIn(run.id, row.request_id)
  const path = `${requestPath(row.request_id)}undo/`
  return { c, of, row, id, db: c.get('db').forChange(id, { path }) }
}

async function outcomeOf(undoing: Undoing): Promise<UndoOutcome> {
  const { c, of, row, id, db } = undoing
  const made = row.is_new ? 'deactivated' : 'restored'
  if (row.state === 'unchanged') return 'unchanged'
  if (row.state === 'undone') return row.changed_by === id ? made : 'undone'
  const why = whyStays(c, of, row.state)
  // Somebody may have changed it after this run has undone it: the form was sent twice.
  if (why !== null)
    return (await isDone(undoing)) ? made : { stays: why, changed_by: row.changed_by }
  const refusal = await refusalOf(db, async () => {
    await (row.is_new
      ? deactivate(undoing)
      : undoRequest({ ...logOf(c), db }, row.request_id, askerOf(c)))
  })
  // The form may have been sent twice at once.
  if (refusal === null || (await isDone(undoing))) return made
  return await overtaken(undoing, refusal)
}

async function isDone({ c, id }: Undoing): Promise<boolean> {
  return (await committedOf(c.get('db'), [id])).size > 0
}

/** Deactivates the record as DELETE does, if nobody has changed it since the import created it. */
async function deactivate({ c, of: { resource }, row, db }: Undoing): Promise<void> {
  const kind = resource === 'products' ? PRODUCTS : LOCATIONS
  const versions = [versionName({ id: row.record_id, version: FIRST_VERSION })]
  await deactivateRecord(kind, db, { ...addressOf(c, resource, row.record_id), versions })
}

/** Somebody has changed the record first. Says in which state it is now. */
async function overtaken({ c, of, row }: Undoing, error: ApiError): Promise<UndoOutcome> {
  const place = { after: row.seq - 1, until: row.seq, limit: 1 }
  const [now] = await listImported(c.get('db'), of, place)
  if (now?.state === 'undone') return 'undone'
  const why = now && whyStays(c, of, now.state)
  return { stays: why ?? error.message, changed_by: (now ?? row).changed_by }
}
