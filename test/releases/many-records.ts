import { openTenant, unique } from '../fixtures/tenant.ts'

/** 120 products, locations, records of stock and orders: more than a list of release 1.0 shows. */
export async function addManyRecords(): Promise<void> {
  const db = await openTenant()
  const [name, times] = [unique('many'), "'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'"]
  const fill = (table: string, columns: string, values: string) =>
    db.prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < 119)
       insert into ${table} (${columns}) select ${values} from n`,
    )
  const at = `'${name}-' || i`
  await db.batch([
    fill('products', 'id, sku, created_at, updated_at', `${at}, ${at}, ${times}`),
    fill('locations', 'id, code, created_at, updated_at', `${at}, ${at}, ${times}`),
    fill('inventory', 'location_code, sku_code, quantity', `${at}, ${at}, 1`),
    fill('orders', 'id, order_number, created_at, updated_at', `${at}, ${at}, ${times}`),
  ])
}
