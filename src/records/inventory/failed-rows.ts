import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { isObject } from '../../engine/json/json-object.ts'
import {
  explainRows,
  ROWS_EXPLAINED_MAX,
  type RowExplanation,
} from '../../engine/log/explanation.ts'
import { withoutValue } from '../../engine/log/values.ts'
import { problemMessage } from '../../engine/mapping/problem.ts'
import { rowFaultsOf } from '../../engine/mapping/row-faults.ts'
import type { RowError } from './rows.ts'
import { UploadRow, type UpsertInventory } from './schema.ts'

const UNMET = 'Is not what was stored.'

interface Result {
  total: number | null
  failed: number | null
  errors: RowError[]
}

/** Gives the upload's audit row its first failed rows. */
export function explainFailedRows(
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
