import { Buffer } from 'node:buffer'
import { type SQL, sql } from 'drizzle-orm'
import QuickLRU from 'quick-lru'
import { ApiError, unavailable } from '../errors.ts'
import { type AddressableResource, IDENTIFIERS, objectKey } from '../mapping/identifier.ts'
import { type Query, q } from './prepared.ts'
import type { TenantDatabase } from './transact.ts'

/** A record by what a caller calls it: the field is one of its identifier fields. */
export interface Address {
  resource: AddressableResource
  field: string
  identifier: string
}

const FIELDS_MAX = 100
const UNIQUE = ['id', 'order_number', 'sku', 'code']
const INDEXED = [...UNIQUE, 'external_order_id']

// By resource and field, so that what rests on one is prepared once (prepared.ts).
const ids = new QuickLRU<string, SQL>({ maxSize: FIELDS_MAX })

/**
 * The id of the one record at the address, whose identifier is the value of the placeholder
 * `identifier`; null where there is none, or several. Of several orders those count that the caller's
 * own partner has sent.
 */
export function idAt({ resource, field }: Address): SQL {
  const name = `${resource} ${field}`
  const id = ids.get(name) ?? idBy(resource, field)
  ids.set(name, id)
  return id
}

function idBy(resource: AddressableResource, field: string): SQL {
  const table = sql.identifier(resource)
  const matches = sql`${fieldOf(resource, field)} = ${sql.placeholder('identifier')}`
  if (UNIQUE.includes(field)) return sql`(select id from ${table} where ${matches})`
  const own =
    resource === 'orders' ? sql`partner_id is ${sql.placeholder('own_partner_id')}` : sql`true`
  return sql`(with matching as (select id, ${own} as own from ${table} where ${matches})
    select max(id) from matching where own = (select max(own) from matching) having count(*) = 1)`
}

/** The error for an address at which there was not one record a moment ago. */
export async function unmatched(db: TenantDatabase, address: Address): Promise<ApiError> {
  const { resource, field, identifier } = address
  const one = resource.slice(0, -1)
  const what = `${field} "${identifier}"`
  const none = new ApiError('NOT_FOUND', `No ${one} has the ${what}.`)
  if (UNIQUE.includes(field)) return none
  const { isOne, isTaken } = await matchesAt(db, address)
  // None then, or several: which one it was, nobody can tell any more.
  if (isOne) return unavailable(`The ${one} with the ${what} is changing just now. Try again.`)
  if (!isTaken) return none
  return new ApiError('SERVICE_ERROR', `Several ${resource} have the ${what}: it names none.`)
}

async function matchesAt(db: TenantDatabase, address: Address) {
  const { resource, field, identifier } = address
  const queries = [
    q.select({ id: sql`${idAt(address)}` }).from(sql`(select 1)`),
    q
      .select({ id: sql`id` })
      .from(sql`${sql.identifier(resource)}`)
      .where(sql`${fieldOf(resource, field)} = ${identifier}`)
      .limit(1),
  ] as const
  const [[only], taken] = await db.read(queries, { identifier })
  return { isOne: only?.id !== null, isTaken: taken.length > 0 }
}

/** Statements that index the field, for settings that make it an identifier. */
export function indexAddresses(resource: AddressableResource, field: string): Query[] {
  if (INDEXED.includes(field)) return []
  const expression = fieldOf(resource, field)
  // SQLite tells names of indexes apart without regard to case.
  const name = sql.identifier(`${resource}_by_${Buffer.from(field).toString('hex')}`)
  return [
    q.run(
      sql`create index if not exists ${name} on ${sql.identifier(resource)} (${expression})
        where ${expression} is not null`,
    ),
  ]
}

/**
 * The field as SQL compares it, as text: a member of the free object that is no text by its JSON
 * form; one that is null, an object or an array names nothing.
 */
function fieldOf(resource: AddressableResource, field: string): SQL {
  const key = objectKey(resource, field)
  if (field === 'quantity') return sql`cast(quantity as text)`
  if (key === null) return sql`${sql.identifier(field)}`
  const object = sql.identifier(IDENTIFIERS[resource].object)
  // In an index the path must be a literal; objectKey lets no quote through.
  const path = sql.raw(`'$."${key}"'`)
  return sql`case json_type(${object}, ${path}) when 'text' then ${object} ->> ${path}
    when 'null' then null when 'object' then null when 'array' then null
    else ${object} -> ${path} end`
}
