import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { indexAddresses } from '../../db/address.ts'
import { q } from '../../db/prepared.ts'
import { fieldMappings, partners } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError } from '../../errors.ts'
import { isAddressable, RESOURCES, type Resource } from '../../mapping/identifier.ts'
import type { Mapping } from '../../mapping/schema.ts'

/** Replaces the mapping as a whole. Holds from the very next request of the partner's keys on. */
export async function saveMapping(
  db: TenantDatabase,
  partnerId: string,
  resource: Resource,
  mapping: Mapping,
) {
  const saved = { ...mapping, updated_at: new Date().toISOString() }
  const { identifier_field } = mapping
  const [rows] = await db
    .write({
      record: sql`(select id from partners where id = ${partnerId} and deleted_at is null)`,
      status: 200,
      changes: [
        ...(identifier_field && isAddressable(resource)
          ? indexAddresses(resource, identifier_field)
          : []),
        q
          .insert(fieldMappings)
          .values({ partner_id: partnerId, resource, ...saved })
          .onConflictDoUpdate({
            target: [fieldMappings.partner_id, fieldMappings.resource],
            set: saved,
          }),
      ],
      answer: [selectMappings(isAt(partnerId, resource))],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => noPartner(partnerId) }))
  // Read back after an answer was lost, it may be gone again.
  return rows[0] ?? { resource, ...saved }
}

/** Those that are saved, in the order of the specification's resources. */
export async function listMappings(db: TenantDatabase, partnerId: string) {
  const [found, rows] = await db.read([
    selectPartner(partnerId),
    selectMappings(eq(fieldMappings.partner_id, partnerId)),
  ])
  if (found.length === 0) throw noPartner(partnerId)
  return RESOURCES.flatMap((resource) => rows.filter((row) => row.resource === resource))
}

export async function findMapping(db: TenantDatabase, partnerId: string, resource: Resource) {
  const mapping = await findSaved(db, partnerId, resource)
  if (!mapping) throw noMapping(resource)
  return mapping
}

/** As findMapping; null where nothing is saved for the resource. */
export async function findSaved(db: TenantDatabase, partnerId: string, resource: Resource) {
  const [found, [mapping]] = await db.read([
    selectPartner(partnerId),
    selectMappings(isAt(partnerId, resource)),
  ])
  if (found.length === 0) throw noPartner(partnerId)
  return mapping ?? null
}

export async function deleteMapping(db: TenantDatabase, partnerId: string, resource: Resource) {
  await db
    .write({
      record: sql`(select partner_id from field_mappings, partners where partners.id = partner_id
        and deleted_at is null and ${isAt(partnerId, resource)})`,
      status: 200,
      changes: [q.delete(fieldMappings).where(isAt(partnerId, resource))],
      answer: [selectPartner(partnerId)],
    })
    .catch(
      refusedBy({
        audit_log_write_names_record: () =>
          findMapping(db, partnerId, resource).then(() => noMapping(resource)),
      }),
    )
  return { resource }
}

function isAt(partnerId: string, resource: Resource): SQL | undefined {
  return and(eq(fieldMappings.partner_id, partnerId), eq(fieldMappings.resource, resource))
}

function selectPartner(id: string) {
  return q
    .select({ id: partners.id })
    .from(partners)
    .where(and(eq(partners.id, id), isNull(partners.deleted_at)))
}

function selectMappings(match: SQL | undefined) {
  const { resource, identifier_field, inbound, outbound, updated_at } = fieldMappings
  return q
    .select({ resource, identifier_field, inbound, outbound, updated_at })
    .from(fieldMappings)
    .where(match)
}

function noPartner(id: string): ApiError {
  return new ApiError('NOT_FOUND', `No partner has the id "${id}".`)
}

function noMapping(resource: Resource): ApiError {
  return new ApiError('NOT_FOUND', `The partner has no mapping of ${resource}.`)
}
