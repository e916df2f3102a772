import { sql } from 'drizzle-orm'
import { namesIn, picked } from '../../engine/db/columns.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseenFrom, updatedRow } from '../../engine/db/rehearsal.ts'
import { workspace } from '../../engine/db/tables.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { COMPLETE_SINCE } from '../../engine/db/undo-days.ts'
import { type UpdateWorkspace, Workspace } from './schema.ts'

export async function findWorkspace(db: TenantDatabase) {
  const [rows] = await db.read([selectWorkspace()])
  return singleRow(rows)
}

/** Takes effect with the next request of any key of the tenant. */
export async function updateWorkspace(db: TenantDatabase, input: UpdateWorkspace) {
  const now = new Date().toISOString()
  const [rows] = await db.write({
    record: sql`(select tenant from workspace)`,
    status: 200,
    changes:
      Object.keys(input).length === 0
        ? []
        : [qb.update(workspace).set({ ...input, ...remembered(input), updated_at: now })],
    answer: [selectWorkspace()],
    rehearsal: foreseenFrom([selectWorkspace()], ([found]) => [
      found.map((row) => afterUpdate(row, input)),
    ]),
  })
  return singleRow(rows)
}

type Row = ReturnType<typeof selectWorkspace>['_']['result'][number]

/** Each change of the workspace is one of the settings, also one that leaves it as it was. */
function afterUpdate(row: Row, input: UpdateWorkspace): Row {
  const changes = Object.keys(input).length > 0 ? 1 : 0
  return { ...updatedRow(row, input), settings_version: row.settings_version + changes }
}

/** What the days of until now have let expire stays a gap. */
function remembered({ undo_days, audit_retention_days }: UpdateWorkspace) {
  const isSame = undo_days === undefined && audit_retention_days === undefined
  return isSame ? {} : { remembered_since: COMPLETE_SINCE }
}

function selectWorkspace() {
  return qb.select(picked(workspace, namesIn(Workspace.fields))).from(workspace)
}
