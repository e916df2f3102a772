import { type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { qb, type Values } from '../db/prepared.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { ApiError, noRecord, unavailable } from '../errors.ts'
import type { JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { type AddressableResource, IDENTIFIERS, objectKey } from '../mapping/identifier.ts'

/** A record by the value of one of its identifier fields. */
export interface Address {
  resource: AddressableResource
  field: string
  identifier: string
  /** The partner whose orders alone exist for the caller; null if all do, and for other resources. */
  orders_of: string | null
  /** The versions at which a write may change the record, as versionName gives them; without them, any. */
  versions?: readonly string[] | undefined
  /** What a write's body calls the record, by field. A write is refused where the record is called otherwise. */
  names?: JsonObject | undefined
}

const FIELDS_MAX = 100
const UNIQUE = ['id', 'order_number', 'sku', 'code']

// By resource and field: a statement is prepared once for each of these objects (prepared.ts).
const ids = new LRUCache<string, SQL>({ max: FIELDS_MAX })

/**
 * SQL for the id of the record at the address; null if there is none, or several. Its placeholders take
 * `valuesAt` the address. If several orders match, those of the caller's own partner take precedence.
 */
export function idAt({ resource, field, orders_of }: Address): SQL {
  const isLimited = orders_of !== null
  const name = `${resource} ${field} ${isLimited}`
  const id = ids.get(name) ?? idBy(resource, field, isLimited)
  ids.set(name, id)
  return id
}

const newIds = new LRUCache<string, SQL>({ max: FIELDS_MAX })

/** SQL for the placeholder `new_id`, or null if a record is at the address. Its other placeholders take `valuesAt` the address. */
export function newIdUnlessAt({ resource, field, orders_of }: Address): SQL {
  const isLimited = orders_of !== null
  const name = `${resource} ${field} ${isLimited}`
  const matches = matchesOf(resource, field, isLimited)
  const id =
    newIds.get(name) ??
    sql`(select ${sql.placeholder('new_id')} where not exists (select 1 from ${sql.identifier(resource)} where ${matches}))`
  newIds.set(name, id)
  return id
}

/** The values for the placeholders of `idAt`. */
export function valuesAt({ identifier, orders_of }: Address): Values {
  return { identifier, orders_of }
}

function idBy(resource: AddressableResource, field: string, isLimited: boolean): SQL {
  const table = sql.identifier(resource)
  const matches = matchesOf(resource, field, isLimited)
  if (UNIQUE.includes(field)) return sql`(select id from ${table} where ${matches})`
  const only = onlyOf(sql`select id from ${table} where ${matches}`)
  if (resource !== 'orders' || isLimited) return only
  const own = sql`partner_id is ${sql.placeholder('own_partner_id')}`
  return sql`coalesce(${onlyOf(sql`select id from ${table} where ${matches} and ${own}`)}, ${only})`
}

function matchesOf(resource: AddressableResource, field: string, isLimited: boolean): SQL {
  const matches = sql`${fieldOf(resource, field)} = ${sql.placeholder('identifier')}`
  if (!isLimited) return matches
  // With +, SQLite does not go through all orders of the partner by an index of partner_id. Only this field has an
  // index together with it.
  const column = field === 'external_order_id' ? sql`partner_id` : sql`+partner_id`
  return sql`${matches} and ${column} = ${sql.placeholder('orders_of')}`
}

/** SQL for the one id that the query gives; null if there is none, or several. Reads no third one. */
function onlyOf(ids: SQL): SQL {
  return sql`(select max(id) from (${ids} limit 2) having count(*) = 1)`
}

/** The error for an address at which a write or read has not found exactly one record. */
export async function addressError(db: TenantDatabase, address: Address): Promise<ApiError> {
  const { resource, field, identifier } = address
  const one = resource.slice(0, -1)
  // As the messages about the lines of a document name it.
  const what = `${field === 'sku' ? 'SKU' : field} "${shortened(identifier)}"`
  const none = noRecord(`No ${one} has the ${what}.`)
  if (UNIQUE.includes(field)) return none
  const { isOne, isTaken } = await matchesAt(db, address)
  // There is one now, so there were none or several a moment ago.
  if (isOne)
    return unavailable(
      `The ${one} with the ${what} is being changed at this moment. Try again.`,
      'RECORD_CHANGING',
    )
  if (!isTaken) return none
  return new ApiError(
    'SERVICE_ERROR',
    `Several ${resource} have the ${what}, so it identifies none of them.`,
    { reason: 'AMBIGUOUS_IDENTIFIER' },
  )
}

async function matchesAt(db: TenantDatabase, address: Address) {
  const { resource, field, orders_of } = address
  const queries = [
    qb.select({ id: sql`${idAt(address)}` }).from(sql`(select 1)`),
    qb
      .select({ id: sql`id` })
      .from(sql`${sql.identifier(resource)}`)
      .where(matchesOf(resource, field, orders_of !== null))
      .limit(1),
  ] as const
  const [[only], taken] = await db.read(queries, valuesAt(address))
  return { isOne: only?.id !== null, isTaken: taken.length > 0 }
}

/**
 * SQL for the field as text, for comparison. A number or boolean in the free object is compared in its JSON
 * form; null, an object or an array there matches nothing.
 */
export function fieldOf(resource: AddressableResource, field: string): SQL {
  const key = objectKey(resource, field)
  if (field === 'quantity') return sql`cast(quantity as text)`
  if (key === null) return sql`${sql.identifier(field)}`
  const object = sql.identifier(IDENTIFIERS[resource].object)
  // An index needs a literal path. It is safe: objectKey allows no quotes in a key.
  const path = sql.raw(`'$."${key}"'`)
  return sql`case json_type(${object}, ${path}) when 'text' then ${object} ->> ${path}
    when 'null' then null when 'object' then null when 'array' then null
    else ${object} -> ${path} end`
}
