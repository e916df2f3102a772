import { sql } from 'drizzle-orm'
import { q } from '../../db/prepared.ts'
import { workspace } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import type { UpdateWorkspace } from './schema.ts'

export async function findWorkspace(db: TenantDatabase) {
  const [rows] = await db.read([selectWorkspace()])
  return only(rows)
}

/** Takes effect with the very next request of any key of the tenant. */
export async function updateWorkspace(db: TenantDatabase, input: UpdateWorkspace) {
  const now = new Date().toISOString()
  const [rows] = await db.write({
    record: sql`(select tenant from workspace)`,
    status: 200,
    changes:
      Object.keys(input).length === 0
        ? []
        : [q.update(workspace).set({ ...input, updated_at: now })],
    answer: [selectWorkspace()],
  })
  return only(rows)
}

function selectWorkspace() {
  const { name, tenant, integration_enabled, audit_retention_days, settings_version } = workspace
  return q
    .select({ name, tenant, integration_enabled, audit_retention_days, settings_version })
    .from(workspace)
}
