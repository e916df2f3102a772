import type { Context } from 'hono'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { AppEnv } from '../../engine/env.ts'
import { isObject } from '../../engine/json/json-object.ts'
import type { SourceOf } from '../../engine/json/source.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import {
  explainRows,
  ROWS_EXPLAINED_MAX,
  type RowExplanation,
} from '../../engine/log/explanation.ts'
import { withoutValue } from '../../engine/log/values.ts'
import { problemMessage } from '../../engine/mapping/problem.ts'
import { rowFaultsOf } from '../../engine/mapping/row-faults.ts'
import { codesIn } from '../item-codes.ts'
import { codedOf, resolvedRows } from './codes.ts'
import { rehearseInventory, type StockChange } from './rehearsal.ts'
import { type RowError, withSource } from './rows.ts'
import { UploadRow, type UpsertInventory } from './schema.ts'
import {
  type UnknownRow,
  type UploadOptions,
  upsertInventory,
  type WithinUpload,
} from './upload.ts'

/** Makes the upload, or rehearses it. Errors of rows name the caller's own fields, and stand in the audit row. */
export async function receiveUpload(
  c: Context<AppEnv>,
  sent: UpsertInventory,
  { ofUnknown, ...within }: WithinUpload = {},
) {
  const { db, sourceOf, caller, release } = c.var
  const input = { ...sent, inventory: await resolvedRows(db, sent.inventory, codesIn(c)) }
  const unknown = ofUnknown?.(unknownAmong(sent, input)) ?? []
  const options = { takesConditions: release.hasConditions, scopes: caller.key.scopes }
  const { result, warnings } = db.rehearses
    ? await rehearseUpload(db, input, options, sourceOf)
    : await upsertInventory(db, input, options, {
        ...within,
        changes: [...(within.changes ?? []), ...unknown],
      })
  const errors = result.errors.map((error) => withSource(error, sourceOf))
  explainFailedRows(c, input, { ...result, errors })
  return { result: { ...result, errors }, warnings }
}

function unknownAmong(sent: UpsertInventory, { inventory }: UpsertInventory): UnknownRow[] {
  return inventory.flatMap((resolved, row) => {
    const missing = codedOf(resolved)?.missing
    return missing ? [{ row, sent: Object(sent.inventory[row]), missing }] : []
  })
}

/**
 * What upsertInventory would answer, with `changes`: what each pair has and would have, in order of first
 * appearance, and at most 1,000. Notes for the audit row what the upload's own would say.
 */
async function rehearseUpload(
  db: TenantDatabase,
  input: UpsertInventory,
  options: UploadOptions,
  sourceOf: SourceOf | undefined,
) {
  const { result, changed, changes, warnings } = await rehearseInventory(db, input, options)
  const { total, created, failed } = result
  const counts = { rows_total: total, rows_created: created, rows_failed: failed }
  const upload = { source: input.source, notes: input.notes ?? null, ...counts }
  db.rehearsed = { record_id: db.subject.request_id, record_name: null, upload }
  return {
    result: { ...result, changes: changes.map((change) => shownChange(change, sourceOf)) },
    warnings: [...warnings, ...unlisted(changed - changes.length)],
  }
}

/** With a mapping, with the path of its row in the partner's own document. */
function shownChange({ row, ...change }: StockChange, sourceOf: SourceOf | undefined) {
  const at = `inventory[${row}]`
  return sourceOf ? { ...change, source: sourceOf(at) ?? sourceOf(`${at}.quantity`) } : change
}

function unlisted(more: number): Warning[] {
  if (more === 0) return []
  const what = more === 1 ? '1 more change is' : `${more} more changes are`
  return [{ field: 'changes', message: `${what} not listed.` }]
}

const UNMET = 'Is not what was stored.'

interface Result {
  total: number | null
  failed: number | null
  errors: RowError[]
}

/** Gives the upload's audit row its first failed rows. */
function explainFailedRows(
  c: Context<AppEnv>,
  { inventory }: UpsertInventory,
  { total, failed, errors }: Result,
): void {
  if (!failed || !total) return
  const rows = errors
    .slice(0, ROWS_EXPLAINED_MAX)
    .map((error) => explained(error, inventory[error.row]))
  c.get('exchange').explanation = explainRows(failed, total, rows)
}

/** The error without the values that a mapping could not convert, and without what is stored. */
function explained({ row, errors, source }: RowError, sent: unknown): RowExplanation {
  const faults = isObject(sent) ? rowFaultsOf(sent) : undefined
  const safe = Array.from(faults ?? [], ([field, problem]) => [
    field,
    [problemMessage(withoutValue(problem, (path) => path))],
  ])
  // Who may read the log need not be one who may read the stock.
  const unmet = errors.if_quantity && UploadRow.safeParse(sent).success && !faults
  return {
    row,
    errors: { ...errors, ...Object.fromEntries(safe), ...(unmet && { if_quantity: [UNMET] }) },
    ...(source && { source }),
  }
}
