import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { SourceOf } from '../../engine/json/source.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import { rehearseInventory, type StockChange } from './rehearsal.ts'
import type { UpsertInventory } from './schema.ts'
import type { UploadOptions } from './upload.ts'

/**
 * What upsertInventory would answer, with `changes`: what each pair has and would have, in order of first
 * appearance, and at most 1,000. Notes for the audit row what the upload's own would say.
 */
export async function rehearseUpload(
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
