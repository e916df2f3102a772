import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../db/audit-row.ts'
import { CONSTRAINT } from '../../db/constraints.ts'
import { prepared, preparedFor, qb } from '../../db/prepared.ts'
import { CHANGED_HERE, changedAt, differsFrom } from '../../db/record-change.ts'
import { foreseen, newRow, type Rule, updatedRow } from '../../db/rehearsal.ts'
import { rememberRecord } from '../../db/replaced-record.ts'
import { products } from '../../db/tables.ts'
import { singleRow, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { isAmong, narrowColumns, readPage, wholeColumns } from '../../db/wide-rows.ts'
import type { PageRequest } from '../../document/pagination.ts'
import { ApiError } from '../../errors.ts'
import { type Address, addressError, idAt, valuesAt } from '../../identifiers/address.ts'
import { changeAt } from '../../identifiers/change.ts'
import { byActivity } from '../activity.ts'
import { RECORD_COLUMNS } from '../columns.ts'
import type { CreateProduct, ProductFilters, UpdateProduct } from './schema.ts'

const { seq, version, changed_by } = products
const record = RECORD_COLUMNS.products

const shown = { ...record, version, changed_by }

const selectProduct = preparedFor((id) =>
  qb.select(shown).from(products).where(eq(products.id, id)),
)

const pageOf = (condition?: SQL) =>
  prepared(
    qb
      .select(narrowColumns({ seq, ...record }, ['sku', 'custom_fields']))
      .from(products)
      .where(and(condition, lt(seq, sql.placeholder('before'))))
      .orderBy(desc(seq))
      .limit(sql.placeholder('rows')),
  )

const isNamed = eq(products.sku, sql.placeholder('sku'))
const selectPage = byActivity(pageOf)
const selectNamed = byActivity((condition) => pageOf(and(isNamed, condition)))

const selectWide = prepared(
  qb
    .select(wholeColumns({ seq, ...record }))
    .from(products)
    .where(isAmong(seq)),
)

/** 409 DUPLICATE if the SKU exists, even if that product is inactive. */
export async function createProduct(db: TenantDatabase, input: CreateProduct) {
  const now = new Date().toISOString()
  const id = crypto.randomUUID()
  const [rows] = await db
    .write({
      record: id,
      name: input.sku,
      status: 201,
      changes: [
        qb
          .insert(products)
          .values({ ...input, ...CHANGED_HERE, id: WRITTEN_ID, created_at: now, updated_at: now }),
      ],
      answer: [selectProduct(WRITTEN_ID)],
      rehearsal: foreseen(() => [[newRow(shown, { ...input, id })]], [skuIsNew(input.sku)]),
    })
    .catch(refusedBy({ [CONSTRAINT.skuIsNew]: () => duplicate(db, input.sku) }))
  return singleRow(rows)
}

/** Products, the active ones unless asked, newest first; one more than the limit if there are more. */
export async function listProducts(
  db: TenantDatabase,
  { is_active, sku }: ProductFilters,
  request: PageRequest,
) {
  const narrow = sku === undefined ? selectPage(is_active) : selectNamed(is_active).with({ sku })
  return await readPage(db, { narrow, whole: selectWide }, request)
}

/** Finds inactive products too. */
export async function findProduct(db: TenantDatabase, address: Address) {
  const [[product]] = await db.read([selectProduct(idAt(address))], valuesAt(address))
  if (!product) throw await addressError(db, address)
  return product
}

/** Replaces the given fields. If the record has these values already, nothing changes. */
export async function updateProduct(db: TenantDatabase, address: Address, input: UpdateProduct) {
  const now = new Date().toISOString()
  const differs = differsFrom(products, input)
  const [rows] = await changeAt(db, address, {
    changes:
      Object.keys(input).length === 0
        ? []
        : [
            rememberRecord(products, input, differs),
            qb
              .update(products)
              .set({ ...input, ...changedAt(products, now) })
              .where(and(eq(products.id, WRITTEN_ID), differs)),
          ],
    answer: (id) => [selectProduct(id)] as const,
    foresee: ([rows]) => [rows.map((row) => updatedRow(row, input))],
  })
  return singleRow(rows)
}

/** Keeps the record. Changes nothing if it is inactive already. */
export async function deactivateProduct(db: TenantDatabase, address: Address) {
  const now = new Date().toISOString()
  const { id, is_active } = products
  const [rows] = await changeAt(db, address, {
    changes: [
      qb
        .update(products)
        .set({ is_active: false, ...changedAt(products, now) })
        .where(and(eq(id, WRITTEN_ID), eq(is_active, true))),
    ],
    answer: (written) =>
      [
        qb.select({ id, sku: products.sku, is_active }).from(products).where(eq(id, written)),
      ] as const,
    foresee: ([rows]) => [rows.map((row) => ({ ...row, is_active: false }))],
  })
  return singleRow(rows)
}

/**
 * What createProduct would answer because of what is stored; null if it would accept the SKU. Writes nothing.
 */
export async function refusalOfProduct(db: TenantDatabase, { sku }: { sku: string }) {
  const [[stored]] = await db.read([
    qb.select({ is_active: products.is_active }).from(products).where(eq(products.sku, sku)),
  ])
  return stored ? alreadyExists(sku, stored.is_active) : null
}

function skuIsNew(sku: string): Rule {
  return [CONSTRAINT.skuIsNew, sql`not exists (select 1 from products where sku = ${sku})`]
}

async function duplicate(db: TenantDatabase, sku: string): Promise<ApiError> {
  return (await refusalOfProduct(db, { sku })) ?? alreadyExists(sku, true)
}

function alreadyExists(sku: string, isActive: boolean): ApiError {
  const hint = isActive ? '' : ' It is inactive: PUT {"is_active": true} to reactivate it.'
  return new ApiError('DUPLICATE', `A product with the SKU "${sku}" already exists.${hint}`, {
    reason: isActive ? 'ALREADY_EXISTS' : 'EXISTS_INACTIVE',
    fields: { sku: ['Already exists.'] },
  })
}
