import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../db/audit-row.ts'
import { CONSTRAINT } from '../../db/constraints.ts'
import { prepared, preparedFor, qb } from '../../db/prepared.ts'
import { CHANGED_HERE, changedAt, differsFrom } from '../../db/record-change.ts'
import { foreseen, newRow, type Rule, updatedRow } from '../../db/rehearsal.ts'
import { rememberRecord } from '../../db/replaced-record.ts'
import { locations } from '../../db/tables.ts'
import { singleRow, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { isAmong, narrowColumns, readPage, wholeColumns } from '../../db/wide-rows.ts'
import type { PageRequest } from '../../document/pagination.ts'
import { ApiError } from '../../errors.ts'
import { type Address, addressError, idAt, valuesAt } from '../../identifiers/address.ts'
import { changeAt } from '../../identifiers/change.ts'
import { byActivity } from '../activity.ts'
import { RECORD_COLUMNS } from '../columns.ts'
import type { CreateLocation, LocationFilters, UpdateLocation } from './schema.ts'

const { seq, version, changed_by } = locations
const record = RECORD_COLUMNS.locations
const { id, code, name, zone, aisle, is_active } = locations
/** The columns that lists show. */
const summary = { code, name, zone, aisle, is_active }

const selectLocation = preparedFor((match) =>
  qb
    .select({ ...record, version, changed_by })
    .from(locations)
    .where(eq(id, match)),
)

const created = { id, ...summary, version, changed_by }

const selectCreated = prepared(qb.select(created).from(locations).where(eq(id, WRITTEN_ID)))

const pageOf = (condition?: SQL) =>
  prepared(
    qb
      .select(narrowColumns({ seq, ...summary }, ['code', 'name', 'zone', 'aisle']))
      .from(locations)
      .where(and(condition, lt(seq, sql.placeholder('before'))))
      .orderBy(desc(seq))
      .limit(sql.placeholder('rows')),
  )

const isNamed = eq(code, sql.placeholder('code'))
const selectPage = byActivity(pageOf)
const selectNamed = byActivity((condition) => pageOf(and(isNamed, condition)))

const selectWide = prepared(
  qb
    .select(wholeColumns({ seq, ...summary }))
    .from(locations)
    .where(isAmong(seq)),
)

/**
 * The new record without its metadata (spec 4, Locations). 409 DUPLICATE if the code exists, even if that
 * location is inactive.
 */
export async function createLocation(db: TenantDatabase, input: CreateLocation) {
  const now = new Date().toISOString()
  const id = crypto.randomUUID()
  const [rows] = await db
    .write({
      record: id,
      name: input.code,
      status: 201,
      changes: [
        qb
          .insert(locations)
          .values({ ...input, ...CHANGED_HERE, id: WRITTEN_ID, created_at: now, updated_at: now }),
      ],
      answer: [selectCreated],
      rehearsal: foreseen(() => [[newRow(created, { ...input, id })]], [codeIsNew(input.code)]),
    })
    .catch(refusedBy({ [CONSTRAINT.locationCodeIsNew]: () => duplicate(db, input.code) }))
  return singleRow(rows)
}

/** Summaries of locations, the active ones unless asked, newest first; one more than the limit if there are more. */
export async function listLocations(
  db: TenantDatabase,
  { is_active, code }: LocationFilters,
  request: PageRequest,
) {
  const narrow = code === undefined ? selectPage(is_active) : selectNamed(is_active).with({ code })
  return await readPage(db, { narrow, whole: selectWide }, request)
}

/** Finds inactive locations too. */
export async function findLocation(db: TenantDatabase, address: Address) {
  const [[location]] = await db.read([selectLocation(idAt(address))], valuesAt(address))
  if (!location) throw await addressError(db, address)
  return location
}

/** Replaces the given fields. If the record has these values already, nothing changes. */
export async function updateLocation(db: TenantDatabase, address: Address, input: UpdateLocation) {
  const now = new Date().toISOString()
  const differs = differsFrom(locations, input)
  const [rows] = await changeAt(db, address, {
    changes:
      Object.keys(input).length === 0
        ? []
        : [
            rememberRecord(locations, input, differs),
            qb
              .update(locations)
              .set({ ...input, ...changedAt(locations, now) })
              .where(and(eq(id, WRITTEN_ID), differs)),
          ],
    answer: (at) => [selectLocation(at)] as const,
    foresee: ([rows]) => [rows.map((row) => updatedRow(row, input))],
  })
  return singleRow(rows)
}

/** Keeps the record. Changes nothing if it is inactive already. */
export async function deactivateLocation(db: TenantDatabase, address: Address) {
  const now = new Date().toISOString()
  const [rows] = await changeAt(db, address, {
    changes: [
      qb
        .update(locations)
        .set({ is_active: false, ...changedAt(locations, now) })
        .where(and(eq(id, WRITTEN_ID), eq(is_active, true))),
    ],
    answer: (at) => [qb.select({ id, code, is_active }).from(locations).where(eq(id, at))] as const,
    foresee: ([rows]) => [rows.map((row) => ({ ...row, is_active: false }))],
  })
  return singleRow(rows)
}

/**
 * What createLocation would answer because of what is stored; null if it would accept the code. Writes nothing.
 */
export async function refusalOfLocation(db: TenantDatabase, { code }: { code: string }) {
  const [[stored]] = await db.read([
    qb.select({ is_active: locations.is_active }).from(locations).where(eq(locations.code, code)),
  ])
  return stored ? alreadyExists(code, stored.is_active) : null
}

function codeIsNew(code: string): Rule {
  return [
    CONSTRAINT.locationCodeIsNew,
    sql`not exists (select 1 from locations where code = ${code})`,
  ]
}

async function duplicate(db: TenantDatabase, code: string): Promise<ApiError> {
  return (await refusalOfLocation(db, { code })) ?? alreadyExists(code, true)
}

function alreadyExists(code: string, isActive: boolean): ApiError {
  const hint = isActive ? '' : ' It is inactive: PUT {"is_active": true} to reactivate it.'
  return new ApiError('DUPLICATE', `A location with the code "${code}" already exists.${hint}`, {
    reason: isActive ? 'ALREADY_EXISTS' : 'EXISTS_INACTIVE',
    fields: { code: ['Already exists.'] },
  })
}
