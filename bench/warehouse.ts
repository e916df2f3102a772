const NOW = '2026-11-01T00:00:00.000Z'
const ROWS_AT_ONCE = 100_000

export const LOCATIONS = 1000
const STOCKED_PRODUCTS = 1000

/** Inserts the same rows into every database, so that two servers answer the same bytes. */
export async function fillOrders(db: D1Database, orders: number): Promise<void> {
  await fillProducts(db, 10_000)
  await insertRows(db, orders, (numbers) => [
    `insert into orders (id, order_number, customer_name, created_at, updated_at, items_bytes)
      select printf('%08x-0000-4000-8000-%012d', n, n), 'O-' || n, 'Customer ' || (n % 977), '${NOW}', '${NOW}', 300
      from ${numbers}`,
  ])
}

/** Inserts three lines per order. */
export async function fillLines(db: D1Database, orders: number): Promise<void> {
  await insertRows(db, orders, (numbers) => [
    `insert into order_items (order_id, position, id, sku_code, quantity)
      select printf('%08x-0000-4000-8000-%012d', n, n), line.value,
        printf('%08x-0000-4000-9000-%012d', line.value, n),
        printf('SKU-%06d', (n * 7 + line.value) % 10000), 1 + line.value
      from ${numbers}, json_each('[0,1,2]') as line`,
  ])
}

/** Stocks a thousand products at as many locations as `rows` needs. */
export async function fillStock(db: D1Database, rows: number): Promise<void> {
  await fillProducts(db, STOCKED_PRODUCTS)
  await fillLocations(db)
  await insertRows(db, rows, (numbers) => [
    `insert into inventory (location_code, sku_code, quantity)
      select printf('A-%03d', n / ${STOCKED_PRODUCTS}), printf('SKU-%06d', n % ${STOCKED_PRODUCTS}), n % 500
      from ${numbers}`,
  ])
}

export async function fillProducts(db: D1Database, products: number): Promise<void> {
  await insertRows(db, products, (numbers) => [
    `insert or ignore into products (id, sku, created_at, updated_at)
      select 'product-' || n, printf('SKU-%06d', n), '${NOW}', '${NOW}' from ${numbers}`,
  ])
}

export async function fillLocations(db: D1Database): Promise<void> {
  await insertRows(db, LOCATIONS, (numbers) => [
    `insert or ignore into locations (id, code, created_at, updated_at)
      select 'location-' || n, printf('A-%03d', n), '${NOW}', '${NOW}' from ${numbers}`,
  ])
}

/** In portions, because the local workerd crashes on a million rows in one statement. */
async function insertRows(
  db: D1Database,
  total: number,
  statements: (numbers: string) => string[],
): Promise<void> {
  for (let from = 0; from < total; from += ROWS_AT_ONCE) {
    const last = Math.min(from + ROWS_AT_ONCE, total) - 1
    const numbers = `(with recursive numbers (n) as (
      select ${from} union all select n + 1 from numbers where n < ${last}) select n from numbers)`
    await db.batch(statements(numbers).map((sql) => db.prepare(sql)))
  }
}
