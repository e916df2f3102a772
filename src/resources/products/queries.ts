import { and, desc, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm'
import { type Address, idAt, unmatched } from '../../db/address.ts'
import type { Drizzle } from '../../db/connect.ts'
import { products } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError } from '../../errors.ts'
import type { PageRequest } from '../../pagination.ts'
import type { CreateProduct, UpdateProduct } from './schema.ts'

/** 409 DUPLICATE when the SKU exists, inactive or not. */
export async function createProduct(db: TenantDatabase, input: CreateProduct) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: crypto.randomUUID(),
      status: 201,
      changes: (q, id) => [
        q.insert(products).values({ ...input, id, created_at: now, updated_at: now }),
      ],
      answer: (q, id) => [selectProduct(q, eq(products.id, id))],
    })
    .catch(refusedBy({ 'products.sku': () => duplicate(db, input.sku) }))
  return only(rows)
}

/** Active products, newest first; one more than the limit when there are more. */
export async function listProducts(db: TenantDatabase, { limit, before }: PageRequest) {
  const older = before === undefined ? undefined : lt(products.seq, before)
  const [rows] = await db.read((q) => [
    q
      .select({ seq: products.seq, ...recordColumns() })
      .from(products)
      .where(and(sql`is_active = 1`, older))
      .orderBy(desc(products.seq))
      .limit(limit + 1),
  ])
  return rows
}

/** Inactive ones are found as well. */
export async function findProduct(db: TenantDatabase, address: Address) {
  const match = eq(products.id, idAt(address, db.subject.partner_id))
  const [[product]] = await db.read((q) => [selectProduct(q, match)])
  if (!product) throw await unmatched(db, address)
  return product
}

/** Replaces the fields that are given; none given, nothing changes. */
export async function updateProduct(db: TenantDatabase, address: Address, input: UpdateProduct) {
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
                .update(products)
                .set({ ...input, updated_at: now })
                .where(eq(products.id, id)),
            ],
      answer: (q, id) => [selectProduct(q, eq(products.id, id))],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => unmatched(db, address) }))
  return only(rows)
}

/** The record is kept. Inactive already: unchanged. */
export async function deactivateProduct(db: TenantDatabase, address: Address) {
  const now = new Date().toISOString()
  const { id, is_active } = products
  const [rows] = await db
    .write({
      record: idAt(address, db.subject.partner_id),
      status: 200,
      changes: (q, record) => [
        q
          .update(products)
          .set({ is_active: false, updated_at: now })
          .where(and(eq(id, record), eq(is_active, true))),
      ],
      answer: (q, record) => [
        q.select({ id, sku: products.sku, is_active }).from(products).where(eq(id, record)),
      ],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => unmatched(db, address) }))
  return only(rows)
}

function recordColumns() {
  const { seq, created_at, updated_at, ...record } = getTableColumns(products)
  return record
}

function selectProduct(q: Drizzle, match: SQL) {
  return q.select(recordColumns()).from(products).where(match)
}

async function duplicate(db: TenantDatabase, sku: string): Promise<ApiError> {
  const { is_active } = await findProduct(db, {
    resource: 'products',
    field: 'sku',
    identifier: sku,
  })
  const revive = is_active ? '' : ' It is inactive: PUT {"is_active": true} revives it.'
  return new ApiError('DUPLICATE', `A product with the SKU "${sku}" already exists.${revive}`, {
    fields: { sku: ['Already exists.'] },
  })
}
