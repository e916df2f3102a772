import { env } from 'cloudflare:workers'
import { connect, newMeter } from '../../src/engine/db/connect.ts'
import { TenantDatabase } from '../../src/engine/db/transact.ts'
import { previewUndo } from '../../src/requests/undo/queries.ts'
import { limits } from '../pace.ts'
import { dataOf } from '../resources/warehouse.ts'
import { type Answer, type Api, type Json, unique } from '../tenant.ts'

export const LOG = '/api/settings/v1/audit-log'

export const idOf = (answer: Answer) => answer.headers.get('X-Request-Id') ?? ''
export const undo = (api: Api, id: string) => api.post(`${LOG}/${id}/undo/`, {})
export const changesOf = async (api: Api, id: string) =>
  dataOf(await api.get(`${LOG}/${id}/changes/`), 200)

/** What the dashboard shows before the undo. */
export async function previewOf(id: string) {
  const settings_version = await env.DB_DEMO.prepare(
    'select settings_version from workspace',
  ).first<number>('settings_version')
  const meter = newMeter()
  const subject = {
    settings_version,
    api_key_id: 'key',
    partner_id: null,
  } as ConstructorParameters<typeof TenantDatabase>[1]
  const db = new TenantDatabase(connect(env.DB_DEMO, meter), subject, limits)
  const log = { db, bucket: undefined, tenant: 'demo' }
  const preview = await previewUndo(log, id, { scopes: ['integrations.*'], orders_of: null })
  if (meter.round_trips !== 1) throw new Error(`${meter.round_trips} round trips`)
  return preview
}

/** Codes of a new location and so many new products, for stock that no other test knows. */
export async function newShelf(db: D1Database, products: number) {
  const [location, sku] = [unique('L'), unique('S')]
  const skus = Array.from({ length: products }, (_, index) => `${sku}-${index}`)
  const now = new Date().toISOString()
  await db.batch([
    db
      .prepare('insert into locations (id, code, created_at, updated_at) values (?1, ?1, ?2, ?2)')
      .bind(location, now),
    db
      .prepare(
        `insert into products (id, sku, custom_fields, created_at, updated_at)
         select value, value, '{}', ?2, ?2 from json_each(?1)`,
      )
      .bind(JSON.stringify(skus), now),
  ])
  return { location, skus }
}

export type Shelf = Awaited<ReturnType<typeof newShelf>>

/** Uploads these quantities, by the number of the product; gives the id of the request. */
export async function upload(
  api: Api,
  { location, skus }: Shelf,
  quantities: Record<number, number>,
): Promise<string> {
  const inventory = Object.entries(quantities).map(([index, quantity]) => ({
    location_code: location,
    sku_code: skus[Number(index)],
    quantity,
  }))
  const answer = await api.post('/inventory/', { inventory })
  if (dataOf(answer, 200).failed > 0) throw new Error(answer.text)
  return idOf(answer)
}

/** The quantities on the shelf, by the number of the product; null without a record. */
export async function shelved(
  db: D1Database,
  { location, skus }: Shelf,
): Promise<(number | null)[]> {
  const { results } = await db
    .prepare('select sku_code, quantity from inventory where location_code = ?')
    .bind(location)
    .all<Json>()
  const known = new Map(results.map(({ sku_code, quantity }) => [sku_code, quantity]))
  return skus.map((sku) => known.get(sku) ?? null)
}
