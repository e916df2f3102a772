import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { STOCK_LOOKED_MAX } from '../../src/records/inventory/quantity-below.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { type Answer, type Api, createKey, openAdmin, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'

const LIST = '/dashboard/inventory/'
const READ = 'integrations.inventory.read'

let dashboard: Dashboard
let admin: Api

beforeAll(async () => {
  dashboard = await openDashboard()
  admin = await openAdmin()
})

const find = (query: Record<string, string>) =>
  dashboard.get(`${LIST}?${new URLSearchParams(query)}`)
const olderIn = (text: string) =>
  /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
const errorAt = ({ text }: Answer, field: string) =>
  new RegExp(`id="${field}-error">([^<]*)<`).exec(text)?.[1]

describe('GET /dashboard/inventory/', () => {
  it('says how stock arrives where there is none', async () => {
    const { value } = await createKey([READ], { tenant: 'other' })
    const { text } = await (await openDashboard([], { key: value })).get(LIST)
    expect(text).toContain('No stock yet.')
  })

  it('shows the newest first, with links to both records', async () => {
    const location = await createLocation(admin, { code: unique('<b>') })
    const product = await createProduct(admin)
    await stock(admin, { location_code: location.code, sku_code: product.sku, quantity: 54_321 })
    const { text } = await dashboard.get(LIST)
    expect(text).toContain(`href="/dashboard/locations/${location.id}/">&lt;b&gt;`)
    expect(text).toContain(`href="/dashboard/products/${product.id}/">${product.sku}<`)
    expect(text).toContain('54,321')
    const blind = await (await openDashboard([READ])).get(LIST)
    expect(blind.text).toContain(product.sku)
    expect(blind.text).not.toMatch(/href="\/dashboard\/(products|locations)/)
  })

  it('finds low stock at a location, and keeps the filters from page to page', async () => {
    const { code } = await createLocation(admin)
    for (const quantity of [9001, 9002, 9100, 9003]) {
      await stock(admin, { location_code: code, quantity })
    }
    const first = await find({ location_code: code, quantity_below: '9100', limit: '2' })
    expect(first.text).toMatch(/9,003.*9,002/s)
    expect(first.text).not.toMatch(/9,100|9,001/)
    const rest = await dashboard.get(olderIn(first.text))
    expect(rest.text).toContain('9,001')
    expect(rest.text).not.toContain('9,100')
    expect(rest.text).toContain('value="9100"')
  })

  it('tells of filters that are wrong at their fields', async () => {
    const alone = await find({ quantity_below: '102' })
    expect(alone.status).toBe(400)
    expect(errorAt(alone, 'quantity_below')).toMatch(/^Send quantity_below beside/)
    expect(alone.text).toContain('value="102"')
    const many = await find({ quantity_below: 'many', sku_code: 'S' })
    expect(errorAt(many, 'quantity_below')).toMatch(/^Must be an integer from 1/)
    expect((await find({ sku_code: 'no such' })).text).toContain('Nothing matches these filters.')
  })

  it('says where a search stopped, and goes on from there', async () => {
    const { code } = await createLocation(admin)
    const { sku } = await stock(admin, { location_code: code, quantity: 8123 }).then(
      ({ sku_code }) => ({ sku: sku_code }),
    )
    const prefix = unique('M')
    await env.DB_DEMO.batch([
      env.DB_DEMO.prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
         insert into products (id, sku, created_at, updated_at) select ?1 || i, ?1 || i, '', '' from n`,
      ).bind(prefix, STOCK_LOOKED_MAX),
      env.DB_DEMO.prepare(
        `insert into inventory (location_code, sku_code, quantity)
         select ?1, sku, 10000 from products where sku glob ?2 || '*'`,
      ).bind(code, prefix),
    ])
    const first = await find({ location_code: code, quantity_below: '9000' })
    expect(first.text).toContain('Searched the newest 10,000 records.')
    expect(first.text).not.toContain(sku)
    const next = await dashboard.get(olderIn(first.text))
    expect(next.text).toContain('8,123')
  })
})
