import { beforeAll, describe, expect, it } from 'vitest'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { type Api, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct, oneLine } from '../fixtures/warehouse.ts'
import { openWebhook } from '../fixtures/webhooks.ts'

let admin: Api
let dashboard: Dashboard

beforeAll(async () => {
  admin = await openAdmin()
  dashboard = await openDashboard()
})

/** The address of the file that the page offers. */
const fileOf = ({ text }: { text: string }) =>
  /href="([^"]*)"[^>]*>\s*Download CSV/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''

async function linesOf(page: string) {
  const { status, headers, text } = await dashboard.get(fileOf(await dashboard.get(page)))
  expect([status, headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="\w+-demo-.*\.csv"$/)
  return text.split('\r\n')
}

describe('the file that a list offers', () => {
  it('has the orders of its filters, whole, with cells that no spreadsheet runs', async () => {
    const external_order_id = unique('E')
    const items = await oneLine(admin)
    const customer_name = '=1+1'
    for (let n = 0; n < 3; n++)
      await createOrder(admin, { items, external_order_id, customer_name })
    await createOrder(admin, { items })
    const lines = await linesOf(`/dashboard/orders/?external_order_id=${external_order_id}&limit=1`)
    expect(lines[0]).toMatch(/^id,order_number,status,customer_name,created_at,external_order_id,/)
    expect(lines).toHaveLength(5)
    for (const line of lines.slice(1, 4)) expect(line).toContain(",'=1+1,")
  })

  it('has a row for each line of an order, as the second file of orders', async () => {
    const external_order_id = unique('E')
    const [one, two] = [await oneLine(admin), await oneLine(admin)]
    await createOrder(admin, { items: [...one, ...two], external_order_id, customer_name: '=1+1' })
    const page = await dashboard.get(`/dashboard/orders/?external_order_id=${external_order_id}`)
    const [, href = ''] =
      /href="([^"]*)"[^>]*>\s*Download CSV, a row for each line/.exec(page.text) ?? []
    const { status, text, headers } = await dashboard.get(href.replaceAll('&amp;', '&'))
    expect([status, headers.get('Content-Disposition')]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="order-lines-demo-.*\.csv"$/),
    ])
    const lines = text.split('\r\n')
    expect(lines[0]).toMatch(/,item_id,item_sku_code,item_quantity,/)
    expect(lines).toHaveLength(4)
    for (const line of lines.slice(1, 3)) expect(line).toContain(",'=1+1,")
  })

  it('has products, locations and stock of its filters', async () => {
    const { sku } = await createProduct(admin)
    const [{ code }, other] = [await createLocation(admin), await createLocation(admin)]
    const stock = [code, other.code].map((location_code, quantity) => {
      return { location_code, sku_code: sku, quantity }
    })
    await admin.post('/inventory/', { inventory: stock })
    await admin.delete(`/locations/${other.code}/`)
    expect((await linesOf('/dashboard/products/')).join()).toContain(sku)
    const codes = (await linesOf('/dashboard/locations/?is_active=false')).join()
    expect([codes.includes(code), codes.includes(other.code)]).toEqual([false, true])
    const rows = await linesOf(`/dashboard/inventory/?sku_code=${sku}&quantity_below=1`)
    expect(rows).toEqual(['location_code,sku_code,quantity', `${code},${sku},0`, ''])
  })

  it('is not there where the filters are wrong, and not of a search', async () => {
    for (const query of ['status=new', 'search=x']) {
      const page = await dashboard.get(`/dashboard/orders/?${query}`)
      expect(fileOf(page)).toBe('')
    }
    const { status, text } = await dashboard.get('/dashboard/orders/?status=new&format=csv')
    expect([status, text.includes('status-error')]).toEqual([400, true])
  })
})

describe('the file of a page', () => {
  const fileOfPage = ({ text }: { text: string }) =>
    /href="([^"]*)"[^>]*>\s*Download CSV of this page/.exec(text)?.[1]?.replaceAll('&amp;', '&') ??
    ''

  const PAGES: [list: string, make: () => Promise<string[]>, head: RegExp][] = [
    [
      '/dashboard/inventory/history/?limit=2',
      async () => {
        const { sku } = await createProduct(admin)
        const { code } = await createLocation(admin)
        const notes = '=1+1'
        for (const quantity of [1, 2, 3]) {
          const inventory = [{ location_code: code, sku_code: sku, quantity }]
          await admin.post('/inventory/', { inventory, notes })
        }
        return [`${code},${sku},2,3,bulk_import,'=1+1`, `${code},${sku},1,2,bulk_import,'=1+1`]
      },
      /^changed_at,location_code,sku_code,from,to,source,notes,/,
    ],
    [
      '/dashboard/history/?limit=2&kind=partner',
      async () => {
        const names = [unique('P'), unique('P'), unique('P')]
        for (const name of names) await admin.post('/api/settings/v1/partners/', { name })
        return [`,${names[2]},created`, `,${names[1]},created`]
      },
      /^id,created_at,who,kind,record_id,resource,name,action,fields,source/,
    ],
    [
      '/dashboard/deliveries/?limit=2&needs=person',
      async () => {
        const { id } = await openWebhook()
        const name = unique('=R')
        const db = await openTenant()
        for (const at of [1, 2, 3])
          await db
            .prepare(
              `insert into waiting_deliveries (delivery_id, log_seq, api_key_id, partner_id, resource, record_name, needs,
                 error_code, message, created_at, ends_at, bytes, body)
               select ?1, ?2, id, partner_id, 'orders', ?3, 'person', 'X', '', '2026-01-01', '2126-01-01', 1, ''
               from api_keys where id = ?4`,
            )
            .bind(`${name}-${at}`, at, name, id)
            .run()
        return [`orders,'${name},person`, `orders,'${name},person`]
      },
      /^delivery_id,created_at,ends_at,resource,record,needs,/,
    ],
  ]

  it.each(PAGES)('%s has what the page shows', async (list, make, head) => {
    const parts = await make()
    const file = fileOfPage(await dashboard.get(list))
    expect(file).toBe(`${list}&format=csv`)
    const { status, text, headers } = await dashboard.get(file)
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8'])
    const [first = '', ...lines] = text.split('\r\n')
    expect(first).toMatch(head)
    expect(lines.slice(0, -1)).toEqual(parts.map((part) => expect.stringContaining(part)))
    expect(headers.get('Link')).toContain('rel="next"')
  })

  it('needs the scope of the page', async () => {
    const other = await openDashboard(['integrations.orders.read'])
    for (const [list] of PAGES) expect((await other.get(`${list}&format=csv`)).status).toBe(403)
  })
})
