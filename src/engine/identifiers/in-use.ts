import { Buffer } from 'node:buffer'
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { prepared, qb } from '../db/prepared.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { isMissingIndex } from '../db/violations.ts'
import type { Walk } from '../db/walks.ts'
import { unavailable } from '../errors.ts'
import { type AddressableResource, IDENTIFIERS, objectKey } from '../mapping/identifier.ts'
import { fieldOf } from './address.ts'
import { INDEXES } from './indexes.ts'

const ATTEMPTS_MAX = 3
const TENANTS_MAX = 1000

/** A field by which settings address records, and which has an index of its own. */
export interface IndexedField {
  resource: AddressableResource
  field: string
  index: string
}

interface Known {
  /** No change of settings since this version has made or dropped an index. */
  settings_version: number
  names: string[]
}

// By tenant. What is remembered is only believed if D1 has the same version of the settings.
const known = new LRUCache<string, Known>({ max: TENANTS_MAX })

const selectNames = prepared(() => qb.select({ name: sql<string>`name` }).from(sql`${INDEXES}`))

/**
 * What `read` gives for the fields that have indexes now. An isolate that knows them needs no round trip besides
 * those of `read`. `read` may run several times.
 */
export async function withIndexedFields<T>(
  db: TenantDatabase,
  tenant: string,
  read: (fields: IndexedField[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { names, settings_version } = known.get(tenant) ?? (await namesNow(db, tenant))
    try {
      const result = await read(names.map(indexedField))
      if (db.subject.settings_version === settings_version) return result
      const now = await namesNow(db, tenant)
      if (now.names.join() === names.join()) return result
    } catch (error) {
      if (!isMissingIndex(error)) throw error
      known.delete(tenant)
    }
  }
  throw unavailable(
    'The identifier fields are being changed at this moment. Try again.',
    'RECORD_CHANGING',
  )
}

async function namesNow(db: TenantDatabase, tenant: string): Promise<Known> {
  const [rows] = await db.read([selectNames])
  const names = rows.map(({ name }) => name).toSorted()
  const now = { names, settings_version: db.subject.settings_version }
  known.set(tenant, now)
  return now
}

function indexedField(index: string): IndexedField {
  const [resource, hex] = index.split('_by_') as [AddressableResource, string]
  return { resource, field: Buffer.from(hex, 'hex').toString(), index }
}

/** A walk along the field's index, which fails if the index has been dropped. */
export function identifierWalkBy({ resource, field, index }: IndexedField, rest: Order): Walk {
  return { field, value: fieldOf(resource, field), index, ...rest }
}

type Order = Pick<Walk, 'newest' | 'after' | 'isDescending'>

/** The column that holds the field. */
export function indexedColumn({ resource, field }: IndexedField): string {
  return objectKey(resource, field) === null ? field : IDENTIFIERS[resource].object
}
