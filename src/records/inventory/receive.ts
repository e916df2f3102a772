import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { codedOf, resolvedRows } from './codes.ts'
import { rehearseUpload } from './dry-run.ts'
import { explainFailedRows } from './failed-rows.ts'
import { withSource } from './rows.ts'
import type { UpsertInventory } from './schema.ts'
import { type UnknownRow, upsertInventory, type WithinUpload } from './upload.ts'

/** Makes the upload, or rehearses it. Errors of rows name the caller's own fields, and stand in the audit row. */
export async function receiveUpload(
  c: Context<AppEnv>,
  sent: UpsertInventory,
  { ofUnknown, ...within }: WithinUpload = {},
) {
  const { db, sourceOf, caller, release } = c.var
  const codes = { codeAt: c.get('codeAt') ?? null, partner: caller.partner }
  const input = { ...sent, inventory: await resolvedRows(db, sent.inventory, codes) }
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
