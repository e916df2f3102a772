import { and, desc, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm'
import { type Address, idAt, unmatched } from '../../db/address.ts'
import type { Drizzle } from '../../db/connect.ts'
import { locations } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError } from '../../errors.ts'
import type { PageRequest } from '../../pagination.ts'
import type { CreateLocation, UpdateLocation } from './schema.ts'

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
      changes: (q, id) => [
        q.insert(locations).values({ ...input, id, created_at: now, updated_at: now }),
      ],
      answer: (q, id) => [
        q
          .select({ id: locations.id, ...summaryColumns() })
          .from(locations)
          .where(eq(locations.id, id)),
      ],
    })
    .catch(refusedBy({ 'locations.code': () => duplicate(db, input.code) }))
  return only(rows)
}

/** Summaries of active locations, newest first; one more than the limit when there are more. */
export async function listLocations(db: TenantDatabase, { limit, before }: PageRequest) {
  const older = before === undefined ? undefined : lt(locations.seq, before)
  const [rows] = await db.read((q) => [
    q
      .select({ seq: locations.seq, ...summaryColumns() })
      .from(locations)
      .where(and(sql`is_active = 1`, older))
      .orderBy(desc(locations.seq))
      .limit(limit + 1),
  ])
  return rows
}

/** Inactive ones are found as well. */
export async function findLocation(db: TenantDatabase, address: Address) {
  const match = eq(locations.id, idAt(address, db.subject.partner_id))
  const [[location]] = await db.read((q) => [selectLocation(q, match)])
  if (!location) throw await unmatched(db, address)
  return location
}

/** Replaces the fields that are given; none given, nothing changes. */
export async function updateLocation(db: TenantDatabase, address: Address, input: UpdateLocation) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: idAt(address, db.subject.partner_id),
      status: 200,
      changes: (q, id) =>
        Object.keys(input).length === 0
          ? []
          : [
              q
                .update(locations)
                .set({ ...input, updated_at: now })
                .where(eq(locations.id, id)),
            ],
      answer: (q, id) => [selectLocation(q, eq(locations.id, id))],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => unmatched(db, address) }))
  return only(rows)
}

/** The record is kept. Inactive already: unchanged. */
export async function deactivateLocation(db: TenantDatabase, address: Address) {
  const now = new Date().toISOString()
  const { id, is_active } = locations
  const [rows] = await db
    .write({
      record: idAt(address, db.subject.partner_id),
      status: 200,
      changes: (q, record) => [
        q
          .update(locations)
          .set({ is_active: false, updated_at: now })
          .where(and(eq(id, record), eq(is_active, true))),
      ],
      answer: (q, record) => [
        q.select({ id, code: locations.code, is_active }).from(locations).where(eq(id, record)),
      ],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => unmatched(db, address) }))
  return only(rows)
}

function recordColumns() {
  const { seq, created_at, updated_at, ...record } = getTableColumns(locations)
  return record
}

/** What lists show of a location; `code` names it there. */
function summaryColumns() {
  const { code, name, zone, aisle, is_active } = locations
  return { code, name, zone, aisle, is_active }
}

function selectLocation(q: Drizzle, match: SQL) {
  return q.select(recordColumns()).from(locations).where(match)
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
