import { Buffer } from 'node:buffer'
import { type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { CONSTRAINT } from '../db/constraints.ts'
import { type Queries, type Query, qb } from '../db/prepared.ts'
import { SettingsChanged, type TenantDatabase, type Write } from '../db/transact.ts'
import { refusedBy, Violation } from '../db/violations.ts'
import { type ApiError, brokenRule } from '../errors.ts'
import {
  type AddressableResource,
  IDENTIFIERS,
  isAddressable,
  RESOURCES,
} from '../mapping/identifier.ts'
import { fieldOf } from './address.ts'

// Only fields by which settings address records are indexed: an index costs each write of the resource one
// more row. SQL cannot drop an index conditionally. So a write states what must be true of the indexes at its
// end; if that is false, nothing is written, and the write is repeated with other statements.

const FIELDS_MAX = 20
const INDEXED = ['id', 'order_number', 'sku', 'code', 'external_order_id']

export interface IdentifierField {
  resource: AddressableResource
  field: string
}

/** How a change of settings changes which fields are identifiers. */
export interface Naming {
  /** The fields that settings name after the change. */
  begins: IdentifierField[]
  /** SQL condition over the columns of NAMED: the names that the change removes or replaces. */
  ends: SQL
}

const SCALARS = RESOURCES.filter(isAddressable).flatMap((resource) =>
  IDENTIFIERS[resource].fields.map((field) => [resource, field]),
)

/** Every field that a live partner's settings name, except those that are always indexed. */
const NAMED: SQL = sql`(select * from (
    select resource, identifier_field as field, partner_id, resource as named_by
      from field_mappings join partners on partners.id = partner_id
      where deleted_at is null and resource <> 'inventory' and identifier_field is not null
    union all
    select value ->> 0, value ->> 1, partners.id, 'default'
      from partners join json_each(${JSON.stringify(SCALARS)}) on value ->> 1 = default_identifier_field
      where deleted_at is null)
  where field not in (select value from json_each(${JSON.stringify(INDEXED)})))`

const NAME: SQL = sql`resource || '_by_' || lower(hex(field))`

/** SQL for FROM: the names of the indexes of fields that settings name. */
export const INDEXES: SQL = sql`(select name from sqlite_master where type = 'index'
  and name glob tbl_name || '_by_*' and name not glob '*[^0-9a-z_]*')`

const NONE_UNUSED: SQL = sql`not exists (
  select 1 from ${INDEXES} where name not in (select ${NAME} from ${NAMED}))`

/** For `Naming.ends`: what one setting of a partner names; without `setting`, what all of them name. */
export function namedBy(partnerId: string, setting?: 'default' | AddressableResource): SQL {
  const named = setting === undefined ? sql`true` : sql`named_by = ${setting}`
  return sql`partner_id = ${partnerId} and ${named}`
}

/** The fields that need an index of their own. */
export function indexable(fields: IdentifierField[]): IdentifierField[] {
  return fields.filter(({ field }) => !INDEXED.includes(field))
}

/**
 * SQL that is true if at most 20 fields are indexed after the change, or if it names no new field. So a
 * workspace that has more than 20 can still reduce them.
 */
export function hasRoomFor({ begins, ends }: Naming): SQL {
  const wanted = sql`(select value ->> 'resource' as resource, value ->> 'field' as field
    from json_each(${JSON.stringify(begins)}))`
  return sql`(not exists (select * from ${wanted} except select resource, field from ${NAMED})
    or (select count(*) from (select resource, field from ${NAMED} where not (${ends})
      union select * from ${wanted})) <= ${FIELDS_MAX})`
}

/** 400 SERVICE_ERROR at the setting that would name one field too many. */
export function tooManyFields(setting: string): ApiError {
  const free = INDEXED.slice(0, -1).join(', ')
  return brokenRule(
    setting,
    `A workspace can have at most ${FIELDS_MAX} identifier fields besides ${free} and ${INDEXED.at(-1)}: name one that is already in use, or remove another first.`,
    'TOO_MANY_IDENTIFIER_FIELDS',
  )
}

/**
 * As `write`; in the same transaction creates indexes for the fields that settings begin to name, and drops
 * those that no setting needs any more. A drop takes two more round trips: only the refusal of the first
 * attempt shows that it is needed. Throws SettingsChanged if another request changes the same names.
 */
export async function writeNaming<T extends Queries>(
  db: TenantDatabase,
  write: Write<T>,
  naming: Naming,
): Promise<BatchResponse<T>> {
  const changes = [...naming.begins.map(createIndex), ...write.changes]
  try {
    return await db.write({ ...write, changes, holds: NONE_UNUSED })
  } catch (error) {
    if (!(error instanceof Violation && error.constraint === CONSTRAINT.conditionHolds)) throw error
  }
  const unused = await unusedAfter(db, naming)
  const isNamed = sql`exists (select 1 from ${NAMED} where ${NAME} in (
    select value from json_each(${JSON.stringify(unused)})))`
  return await db
    .write({
      ...write,
      changes: [...changes, ...unused.map(dropIndex)],
      holds: sql`${NONE_UNUSED} and not ${isNamed}`,
    })
    .catch(refusedBy({ [CONSTRAINT.conditionHolds]: () => new SettingsChanged() }))
}

/** The indexes that no setting needs after the change. */
async function unusedAfter(db: TenantDatabase, { begins, ends }: Naming): Promise<string[]> {
  const wanted = JSON.stringify(begins.map(nameOf))
  const [rows] = await db.read([
    qb
      .select({ name: sql<string>`name` })
      .from(sql`${INDEXES}`)
      .where(sql`name not in (
      select ${NAME} from ${NAMED} where not (${ends}) union select value from json_each(${wanted}))`),
  ])
  return rows.map(({ name }) => name)
}

function createIndex({ resource, field }: IdentifierField): Query {
  const expression = fieldOf(resource, field)
  const name = sql.identifier(nameOf({ resource, field }))
  return qb.run(
    sql`create index if not exists ${name} on ${sql.identifier(resource)} (${expression})
      where ${expression} is not null`,
  )
}

function dropIndex(name: string): Query {
  return qb.run(sql`drop index if exists ${sql.identifier(name)}`)
}

/** In hex, because SQLite compares the names of indexes without regard to case. */
function nameOf({ resource, field }: IdentifierField): string {
  return `${resource}_by_${Buffer.from(field).toString('hex')}`
}
