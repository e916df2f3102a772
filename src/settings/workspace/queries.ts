import { sql } from 'drizzle-orm'
import { namesIn, picked } from '../../engine/db/columns.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseenFrom, updatedRow } from '../../engine/db/rehearsal.ts'
import { workspace } from '../../engine/db/tables.ts'
import { SettingsChanged, singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { COMPLETE_SINCE } from '../../engine/db/undo-days.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { storedPause } from '../pause.ts'
import { isAtVersion, type Versions, versionAfter, versionRefusal } from '../versions.ts'
import { type UpdateWorkspace, Workspace } from './schema.ts'

/** In the place of a random id: the workspace is one row, which is never made again. */
export const WORKSPACE_ID = '00000000'

export async function findWorkspace(db: TenantDatabase) {
  const [rows] = await db.read([selectWorkspace()])
  return singleRow(rows)
}

/**
 * Takes effect with the next request of any key of the tenant. 412 PRECONDITION_FAILED if the workspace is at none of
 * these versions.
 */
export async function updateWorkspace(
  db: TenantDatabase,
  input: UpdateWorkspace,
  versions?: Versions,
) {
  const now = new Date().toISOString()
  const values = { ...input, ...storedPause(input) }
  const write = {
    record: sql`(select tenant from workspace where ${isAtVersion(versions)})`,
    status: 200 as const,
    changes:
      Object.keys(input).length === 0
        ? []
        : [
            qb.update(workspace).set({
              ...values,
              ...remembered(input),
              ...versionAfter(workspace, values),
              updated_at: now,
            }),
          ],
    answer: [selectWorkspace()] as const,
    rehearsal: foreseenFrom([selectWorkspace()], ([found]) => [
      found.map((row) => afterUpdate(row, input)),
    ]),
  }
  const [rows] = await db
    .write(write)
    .catch(refusedBy({ [CONSTRAINT.recordExists]: () => refusal(db, versions) }))
  return singleRow(rows)
}

type Row = ReturnType<typeof selectWorkspace>['_']['result'][number]

/** Each change of the workspace is one of the settings, also one that leaves it as it was. */
function afterUpdate(row: Row, input: UpdateWorkspace): Row {
  const changes = Object.keys(input).length > 0 ? 1 : 0
  return { ...updatedRow(row, input), settings_version: row.settings_version + changes }
}

async function refusal(db: TenantDatabase, versions: Versions): Promise<Error> {
  const { version } = await findWorkspace(db)
  return (
    versionRefusal('workspace', { id: WORKSPACE_ID, version }, versions) ?? new SettingsChanged()
  )
}

/** What the days of until now have let expire stays a gap. */
function remembered({ undo_days, audit_retention_days }: UpdateWorkspace) {
  const isSame = undo_days === undefined && audit_retention_days === undefined
  return isSame ? {} : { remembered_since: COMPLETE_SINCE }
}

function selectWorkspace() {
  return qb
    .select(picked(workspace, [...namesIn(Workspace.fields), 'version' as const]))
    .from(workspace)
}
