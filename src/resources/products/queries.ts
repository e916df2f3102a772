import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm'
import { type Address, idAt, unmatched } from '../../db/address.ts'
import { WRITTEN } from '../../db/audit.ts'
import { prepared, preparedFor, q } from '../../db/prepared.ts'
import { products } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError } from '../../errors.ts'
import { type PageRequest, pageValues } from '../../pagination.ts'
import type { CreateProduct, UpdateProduct } from './schema.ts'

const { seq, created_at, updated_at, ...record } = getTableColumns(products)

const selectProduct = preparedFor((id) =>
  q.select(record).from(products).where(eq(products.id, id)),
)

const selectActive = prepared(
  q
    .select({ seq, ...record })
    .from(products)
    .where(and(sql`is_active = 1`, lt(seq, sql.placeholder('before'))))
    .orderBy(desc(seq))
    .limit(sql.placeholder('rows')),
)

/** 409 DUPLICATE when the SKU exists, inactive or not. */
export async function createProduct(db: TenantDatabase, input: CreateProduct) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: crypto.randomUUID(),
      status: 201,
      changes: [
        q.insert(products).values({ ...input, id: WRITTEN, created_at: now, updated_at: now }),
      ],
      answer: [selectProduct(WRITTEN)],
    })
    .catch(refusedBy({ 'products.sku': () => duplicate(db, input.sku) }))
  return only(rows)
}

/** Active products, newest first; one more than the limit when there are more. */
export async function listProducts(db: TenantDatabase, request: PageRequest) {
  const [rows] = await db.read([selectActive], pageValues(request))
  return rows
}

/** Inactive ones are found as well. */
export async function findProduct(db: TenantDatabase, address: Address) {
  const { identifier } = address
  const [[product]] = await db.read([selectProduct(idAt(address))], { identifier })
  if (!product) throw await unmatched(db, address)
  return product
}

/** Replaces the fields that are given; none given, nothing changes. */
export async function updateProduct(db: TenantDatabase, address: Address, input: UpdateProduct) {
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
                .update(products)
                .set({ ...input, updated_at: now })
                .where(eq(products.id, WRITTEN)),
            ],
      answer: [selectProduct(WRITTEN)],
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
      record: idAt(address),
      status: 200,
      values: { identifier: address.identifier },
      changes: [
        q
          .update(products)
          .set({ is_active: false, updated_at: now })
          .where(and(eq(id, WRITTEN), eq(is_active, true))),
      ],
      answer: [
        q.select({ id, sku: products.sku, is_active }).from(products).where(eq(id, WRITTEN)),
      ],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => unmatched(db, address) }))
  return only(rows)
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
