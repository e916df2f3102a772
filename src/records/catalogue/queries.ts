import { and, eq, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { qb } from '../../engine/db/prepared.ts'
import { CHANGED_HERE, changedAt, differsFrom } from '../../engine/db/record-change.ts'
import { foreseen, newRow, type RehearsedRule, updatedRow } from '../../engine/db/rehearsal.ts'
import { rememberRecord } from '../../engine/db/replaced-record.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { readPage } from '../../engine/db/wide-rows.ts'
import { ApiError } from '../../engine/errors.ts'
import { type Address, addressError, idAt, valuesAt } from '../../engine/identifiers/address.ts'
import { changeAt } from '../../engine/identifiers/change.ts'
import { isThere, newRecordId, newRecordValues } from '../../engine/identifiers/creation.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { labelOf } from '../../engine/model/record.ts'
import type { CatalogueFilters } from './filters.ts'
import { type Kind, recordName } from './kind.ts'
import { tableColumn } from './statements.ts'
import { listWithoutStock } from './without-stock.ts'

/**
 * The new record, with the fields that lists show (spec 4). 409 DUPLICATE if another record has its name, even if that
 * is inactive.
 */
export async function createRecord(
  kind: Kind,
  db: TenantDatabase,
  input: object,
  unlessAt?: Address,
) {
  const { table, nameIsNew, statements } = kind
  const now = new Date().toISOString()
  const id = crypto.randomUUID()
  const name = recordName(kind, input)
  const [rows] = await db
    .write({
      record: newRecordId(id, unlessAt),
      name,
      status: 201,
      values: newRecordValues(id, unlessAt),
      changes: [
        qb
          .insert(table)
          .values({ ...input, ...CHANGED_HERE, id: WRITTEN_ID, created_at: now, updated_at: now }),
      ],
      answer: [statements.selectCreated(WRITTEN_ID)],
      rehearsal: foreseen(
        () => [[newRow(statements.created, { ...input, id })]],
        [isNew(kind, name)],
      ),
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => isThere(kind.record.one),
        [nameIsNew]: () => duplicate(kind, db, name),
      }),
    )
  return singleRow(rows)
}

/**
 * Records, the active ones unless asked, newest first; one more than the limit if there are more. Products without stock
 * may stop before they are all of the page, at `end`.
 */
export async function listRecords(
  { record, statements }: Kind,
  db: TenantDatabase,
  filters: CatalogueFilters,
  request: PageRequest,
) {
  if (filters.without_stock) return await listWithoutStock(statements, db, filters, request)
  const { is_active, ...others } = filters
  const given = record.filters.filter((name) => others[name] !== undefined)
  const narrow = statements.selectPage(given)(is_active).with(others)
  const list = await readPage(db, { narrow, whole: statements.selectWide }, request)
  return { ...list, end: null }
}

/** Finds inactive records too. */
export async function findRecord({ statements }: Kind, db: TenantDatabase, address: Address) {
  const [[row]] = await db.read([statements.selectShown(idAt(address))], valuesAt(address))
  if (!row) throw await addressError(db, address)
  return row
}

/** Replaces the given fields. If the record has these values already, nothing changes. */
export async function updateRecord(
  { table, statements }: Kind,
  db: TenantDatabase,
  address: Address,
  input: object,
) {
  const now = new Date().toISOString()
  const differs = differsFrom(table, input)
  const [rows] = await changeAt(db, address, {
    changes:
      Object.keys(input).length === 0
        ? []
        : [
            rememberRecord(table, input, differs),
            qb
              .update(table)
              .set({ ...input, ...changedAt(table, now) })
              .where(and(eq(table.id, WRITTEN_ID), differs)),
          ],
    answer: (at) => [statements.selectShown(at)] as const,
    foresee: ([rows]) => [rows.map((row) => updatedRow(row, input))],
  })
  return singleRow(rows)
}

/** Keeps the record, and returns its id, name and state. Changes nothing if it is inactive already. */
export async function deactivateRecord(
  { table, statements }: Kind,
  db: TenantDatabase,
  address: Address,
) {
  const now = new Date().toISOString()
  const { id, is_active } = table
  const [rows] = await changeAt(db, address, {
    changes: [
      qb
        .update(table)
        .set({ is_active: false, ...changedAt(table, now) })
        .where(and(eq(id, WRITTEN_ID), eq(is_active, true))),
    ],
    answer: (at) => [statements.selectState(at)] as const,
    foresee: ([rows]) => [rows.map((row) => ({ ...row, is_active: false }))],
  })
  return singleRow(rows)
}

function isNew({ table, record, nameIsNew }: Kind, name: string): RehearsedRule {
  const isTaken = sql`select 1 from ${table} where ${tableColumn(table, record.key)} = ${name}`
  return [nameIsNew, sql`not exists (${isTaken})`]
}

async function duplicate(
  { table, record }: Kind,
  db: TenantDatabase,
  name: string,
): Promise<ApiError> {
  const { one, key } = record
  const [[stored]] = await db.read([
    qb
      .select({ is_active: table.is_active })
      .from(table)
      .where(eq(tableColumn(table, key), name)),
  ])
  const isActive = stored?.is_active ?? true
  const hint = isActive ? '' : ' It is inactive: PUT {"is_active": true} to reactivate it.'
  const message = `A ${one} with the ${labelOf(record, key)} "${name}" already exists.${hint}`
  return new ApiError('DUPLICATE', message, {
    reason: isActive ? 'ALREADY_EXISTS' : 'EXISTS_INACTIVE',
    fields: { [key]: ['Already exists.'] },
  })
}
