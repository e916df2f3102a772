import { createHash } from 'node:crypto'
import { and, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseen, foreseenFrom, newRow } from '../../engine/db/rehearsal.ts'
import { fieldMappings, partners } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { type ApiError, noRecord } from '../../engine/errors.ts'
import {
  hasRoomFor,
  indexable,
  type Naming,
  namedBy,
  tooManyFields,
  writeNaming,
} from '../../engine/identifiers/indexes.ts'
import { shortened } from '../../engine/json/messages.ts'
import { isAddressable, RESOURCES, type Resource } from '../../engine/mapping/identifier.ts'
import { changedMapping, type MappingChange } from '../../engine/mapping/schema.ts'
import {
  isAtVersion,
  NEXT_VERSION,
  type Versions,
  versionAfter,
  versionRefusal,
} from '../versions.ts'

const { partner_id, ...shown } = getTableColumns(fieldMappings)

/** What an ETag tells the mapping by. Its partner and the other mappings of the partner have others. */
export function mappingId(partnerId: string, resource: Resource): string {
  return createHash('sha256').update(`${partnerId} ${resource}`).digest('hex')
}

/**
 * Makes the mapping, or replaces the given members of the one that is there. Takes effect with the next request of
 * the partner's keys. 412 PRECONDITION_FAILED if the mapping is at none of these versions, of which 0 means that there is
 * none; 400 SERVICE_ERROR if the workspace has no room for another identifier field.
 */
export async function saveMapping(
  db: TenantDatabase,
  partnerId: string,
  resource: Resource,
  change: MappingChange,
  versions?: Versions,
) {
  const saved = { ...change, updated_at: new Date().toISOString() }
  const isEmpty = Object.keys(change).length === 0
  const naming = mappingNaming(partnerId, resource, change.identifier_field)
  const write = {
    record: sql`(select id from partners where id = ${partnerId} and deleted_at is null
      and ${isAtVersion(versions, versionAt(partnerId, resource))} and ${hasRoomFor(naming)})`,
    status: 200 as const,
    changes: [
      qb
        .insert(fieldMappings)
        .values({ partner_id: partnerId, resource, ...saved, version: NEXT_VERSION })
        .onConflictDoUpdate({
          target: [fieldMappings.partner_id, fieldMappings.resource],
          set: { ...saved, ...versionAfter(fieldMappings, change) },
          setWhere: isEmpty ? sql`false` : sql`true`,
        }),
    ],
    answer: [selectMappings(isAt(partnerId, resource))] as const,
    rehearsal: foreseenFrom([selectMappings(isAt(partnerId, resource))], ([[found]]) => [
      [found && isEmpty ? found : newRow(shown, { resource, ...found, ...saved })],
    ]),
  }
  const [rows] = await writeNaming(db, write, naming).catch(
    refusedBy({ [CONSTRAINT.recordExists]: () => notSaved(db, partnerId, resource, versions) }),
  )
  // If the database's answer was lost, the mapping is read back later, and may be deleted by then.
  const { updated_at } = saved
  return rows[0] ?? { resource, ...changedMapping(null, change), updated_at, version: 0 }
}

/** The saved mappings, in the order of the spec's resources. */
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

/** Like findMapping; null if no mapping is saved for the resource. */
export async function findSaved(db: TenantDatabase, partnerId: string, resource: Resource) {
  const [found, [mapping]] = await db.read([
    selectPartner(partnerId),
    selectMappings(isAt(partnerId, resource)),
  ])
  if (found.length === 0) throw noPartner(partnerId)
  return mapping ?? null
}

/** 412 PRECONDITION_FAILED if the mapping is at none of these versions. */
export async function deleteMapping(
  db: TenantDatabase,
  partnerId: string,
  resource: Resource,
  versions?: Versions,
) {
  const write = {
    record: sql`(select partner_id from field_mappings, partners where partners.id = partner_id
      and deleted_at is null and ${isAt(partnerId, resource)}
      and ${isAtVersion(versions, sql`field_mappings.version`)})`,
    status: 200 as const,
    changes: [qb.delete(fieldMappings).where(isAt(partnerId, resource))],
    answer: [selectPartner(partnerId)] as const,
    rehearsal: foreseen(() => [[{ id: partnerId }]]),
  }
  await writeNaming(db, write, mappingNaming(partnerId, resource, null)).catch(
    refusedBy({
      [CONSTRAINT.recordExists]: () =>
        findMapping(db, partnerId, resource).then(
          ({ version }) =>
            versionRefusal('mapping', { id: mappingId(partnerId, resource), version }, versions) ??
            noMapping(resource),
        ),
    }),
  )
  return { resource }
}

/**
 * What a mapping with this identifier field names. Mappings of inventory have none. Without a field, the one that is saved
 * stays.
 */
export function mappingNaming(
  partnerId: string,
  resource: Resource,
  field?: string | null,
): Naming {
  if (!isAddressable(resource) || field === undefined) return { begins: [], ends: sql`false` }
  return {
    begins: indexable(field === null ? [] : [{ resource, field }]),
    ends: namedBy(partnerId, resource),
  }
}

/** SQL for the version of the mapping; 0 if there is none. */
function versionAt(partnerId: string, resource: Resource): SQL {
  return sql`coalesce((select version from field_mappings where ${isAt(partnerId, resource)}), 0)`
}

function isAt(partnerId: string, resource: Resource): SQL | undefined {
  return and(eq(fieldMappings.partner_id, partnerId), eq(fieldMappings.resource, resource))
}

function selectPartner(id: string) {
  return qb
    .select({ id: partners.id })
    .from(partners)
    .where(and(eq(partners.id, id), isNull(partners.deleted_at)))
}

function selectMappings(match: SQL | undefined) {
  return qb.select(shown).from(fieldMappings).where(match)
}

/** Why the mapping could not be saved. */
async function notSaved(
  db: TenantDatabase,
  partnerId: string,
  resource: Resource,
  versions: Versions,
): Promise<ApiError> {
  const { version = 0 } = (await findSaved(db, partnerId, resource)) ?? {}
  const found = { id: mappingId(partnerId, resource), version }
  return versionRefusal('mapping', found, versions) ?? tooManyFields('identifier_field')
}

function noPartner(id: string): ApiError {
  return noRecord(`No partner has the id "${shortened(id)}".`)
}

function noMapping(resource: Resource): ApiError {
  return noRecord(`The partner has no mapping for ${resource}.`)
}

/** Which of the partners have a mapping of their documents, as `<partner> <resource>`. */
export async function mappedDocuments(
  db: TenantDatabase,
  partnerIds: readonly string[],
): Promise<Set<string>> {
  const [rows] = await db.read([
    qb
      .select({ partner_id, resource: fieldMappings.resource })
      .from(fieldMappings)
      .where(
        sql`${partner_id} in (select value from json_each(${JSON.stringify(partnerIds)}))
          and ${fieldMappings.inbound} is not null`,
      ),
  ])
  return new Set(rows.map((row) => `${row.partner_id} ${row.resource}`))
}
