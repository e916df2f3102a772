import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { rehearseUpload } from './dry-run.ts'
import { explainFailedRows } from './failed-rows.ts'
import { withSource } from './rows.ts'
import type { UpsertInventory } from './schema.ts'
import { upsertInventory, type WithinUpload } from './upload.ts'

/** Makes the upload, or rehearses it. Errors of rows name the caller's own fields, and stand in the audit row. */
export async function receiveUpload(
  c: Context<AppEnv>,
  input: UpsertInventory,
  within: WithinUpload = {},
) {
  const { db, sourceOf, caller, release } = c.var
  const options = { takesConditions: release.hasConditions, scopes: caller.key.scopes }
  const { result, warnings } = db.rehearses
    ? await rehearseUpload(db, input, options, sourceOf)
    : await upsertInventory(db, input, options, within)
  const errors = result.errors.map((error) => withSource(error, sourceOf))
  explainFailedRows(c, input, { ...result, errors })
  return { result: { ...result, errors }, warnings }
}
