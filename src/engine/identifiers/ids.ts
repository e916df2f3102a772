import { sql } from 'drizzle-orm'
import { qb } from '../db/prepared.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { type AddressableResource, IDENTIFIERS } from '../mapping/identifier.ts'

/** The ids of the records with these names (order numbers, SKUs, location codes), by name. */
export async function findIds(
  db: TenantDatabase,
  resource: AddressableResource,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const name = sql.identifier(IDENTIFIERS[resource].fallback)
  const [rows] = await db.read([
    qb
      .select({ name: sql<string>`${name}`.as('name'), id: sql<string>`id`.as('id') })
      .from(sql`${sql.identifier(resource)}`)
      .where(sql`${name} in (select value from json_each(${JSON.stringify(names)}))`),
  ])
  return new Map(rows.map((row) => [row.name, row.id]))
}
