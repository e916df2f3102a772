import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm'
import { type Address, idAt, unmatched } from '../../db/address.ts'
import { WRITTEN } from '../../db/audit.ts'
import { prepared, preparedFor, q } from '../../db/prepared.ts'
import { locations } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError } from '../../errors.ts'
import { type PageRequest, pageValues } from '../../pagination.ts'
import type { CreateLocation, UpdateLocation } from './schema.ts'

const { seq, created_at, updated_at, ...record } = getTableColumns(locations)
const { id, code, name, zone, aisle, is_active } = locations
/** What lists show of a location; `code` names it there. */
const summary = { code, name, zone, aisle, is_active }

const selectLocation = preparedFor((match) => q.select(record).from(locations).where(eq(id, match)))

const selectCreated = prepared(
  q
    .select({ id, ...summary })
    .from(locations)
    .where(eq(id, WRITTEN)),
)

const selectActive = prepared(
  q
    .select({ seq, ...summary })
    .from(locations)
    .where(and(sql`is_active = 1`, lt(seq, sql.placeholder('before'))))
    .orderBy(desc(seq))
    .limit(sql.placeholder('rows')),
)

/**
 * The new record without its metadata (spec 4, Locations). 409 DUPLICATE when the code exists,
 * inactive or not.
 */
export async function createLocation(db: TenantDatabase, input: CreateLocation) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: crypto.randomUUID(),
      status: 201,
      changes: [
        q.insert(locations).values({ ...input, id: WRITTEN, created_at: now, updated_at: now }),
      ],
      answer: [selectCreated],
    })
    .catch(refusedBy({ 'locations.code': () => duplicate(db, input.code) }))
  return only(rows)
}

/** Summaries of active locations, newest first; one more than the limit when there are more. */
export async function listLocations(db: TenantDatabase, request: PageRequest) {
  const [rows] = await db.read([selectActive], pageValues(request))
  return rows
}

/** Inactive ones are found as well. */
export async function findLocation(db: TenantDatabase, address: Address) {
  const { identifier } = address
  const [[location]] = await db.read([selectLocation(idAt(address))], { identifier })
  if (!location) throw await unmatched(db, address)
  return location
}

/** Replaces the fields that are given; none given, nothing changes. */
export async function updateLocation(db: TenantDatabase, address: Address, input: UpdateLocation) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: idAt(address),
      status: 200,
      values: { identifier: address.identifier },
      changes:
        Object.keys(input).length === 0
          ? []
          : [
              q
                .update(locations)
                .set({ ...input, updated_at: now })
                .where(eq(id, WRITTEN)),
            ],
      answer: [selectLocation(WRITTEN)],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => unmatched(db, address) }))
  return only(rows)
}

/** The record is kept. Inactive already: unchanged. */
export async function deactivateLocation(db: TenantDatabase, address: Address) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: idAt(address),
      status: 200,
      values: { identifier: address.identifier },
      changes: [
        q
          .update(locations)
          .set({ is_active: false, updated_at: now })
          .where(and(eq(id, WRITTEN), eq(is_active, true))),
      ],
      answer: [q.select({ id, code, is_active }).from(locations).where(eq(id, WRITTEN))],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => unmatched(db, address) }))
  return only(rows)
}

async function duplicate(db: TenantDatabase, code: string): Promise<ApiError> {
  const { is_active } = await findLocation(db, {
    resource: 'locations',
    field: 'code',
    identifier: code,
  })
  const revive = is_active ? '' : ' It is inactive: PUT {"is_active": true} revives it.'
  return new ApiError('DUPLICATE', `A location with the code "${code}" already exists.${revive}`, {
    fields: { code: ['Already exists.'] },
  })
}
