import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, unique } from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct, oneLine } from '../fixtures/warehouse.ts'
import { openWebhook, WEBHOOKS } from '../fixtures/webhooks.ts'

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
        for (const at of [1, 2, 3])
          await execute(
            `insert into waiting_deliveries (delivery_id, log_seq, api_key_id, partner_id, resource, record_name, needs,
                 error_code, message, created_at, ends_at, bytes, body)
               select ?1, ?2, id, partner_id, 'orders', ?3, 'person', 'X', '', '2026-01-01', '2126-01-01', 1, ''
               from api_keys where id = ?4`,
            `${name}-${at}`,
            at,
            name,
            id,
          )
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

/** What a test file of a list makes: the lines that it expects, newest first, and what may be in no file. */
interface Made {
  lines: string[]
  secrets?: string[]
}

/** Three of them, one after the other; the newest first. */
async function three<Value>(make: () => Promise<Value>): Promise<Value[]> {
  const [one, two, last] = [await make(), await make(), await make()]
  return [last, two, one]
}

async function keys(): Promise<Made> {
  const until = '2126-01-01T00:00:00.000Z'
  const made = await three(async () => {
    const name = unique('=K')
    const key = await createKey(['integrations.orders.read', 'settings.*'], {
      name,
      expires_at: until,
    })
    return { name, ...key }
  })
  const lines = made.map(
    ({ id, name, value }) =>
      `${id},'${name},xd_demo_…${value.slice(-4)},integrations.orders.read settings.*,,,false,primary,`,
  )
  return { lines, secrets: made.flatMap(({ value, hash }) => [value, hash]) }
}

async function partners(): Promise<Made> {
  const made = await three(async () => {
    const input = { name: unique('=P'), default_identifier_field: 'sku' }
    return (await admin.post('/api/settings/v1/partners/', input)).body.data
  })
  return { lines: made.map(({ id, name, updated_at }) => `${id},'${name},sku,${updated_at},`) }
}

async function webhooks(): Promise<Made> {
  const made = await three(() => openWebhook({ settings: { name: unique('=W') } }))
  const lines = made.map(
    ({ webhook, partner }) =>
      `${webhook.id},'${webhook.name},${webhook.hint},${partner.name},${partner.id},orders,,active,${webhook.created_at},,,0`,
  )
  return { lines, secrets: made.map(({ webhook }) => /xh_[^/]+/.exec(webhook.address)?.[0] ?? '') }
}

async function people(): Promise<Made> {
  const made = await three(async () => {
    const name = unique('=N')
    const input = { name, email: `${name.slice(1).toLowerCase()}@example.com`, role: 'viewer' }
    return (await admin.post('/api/settings/v1/people/', input)).body.data
  })
  return {
    lines: made.map(({ id, name, email }) => `${id},'${name},${email},viewer,active,,`),
  }
}

async function sessions(): Promise<Made> {
  const name = unique('=S')
  const { id, value } = await createKey(['settings.*'], { name })
  await three(() => openDashboard([], { key: value }))
  return { lines: [1, 2].map(() => `,'${name},${id},`), secrets: [value] }
}

const LISTS: [list: string, make: () => Promise<Made>, head: string][] = [
  [
    '/dashboard/api-keys/?limit=2',
    keys,
    'id,name,hint,scopes,partner,partner_id,own_orders_only,reads,release,rate_limit,status,since,paused_until,last_used_at,expires_at',
  ],
  [
    '/dashboard/partners/?limit=2',
    partners,
    'id,name,default_identifier_field,updated_at,paused_until',
  ],
  [
    '/dashboard/webhooks/?limit=2&resource=orders',
    webhooks,
    'id,name,hint,partner,partner_id,resource,rate_limit,status,since,paused_until,last_used_at,waiting',
  ],
  ['/dashboard/people/?limit=2', people, 'id,name,email,role,status,last_used_at,expires_at'],
  [
    '/dashboard/sessions/?limit=2',
    sessions,
    'id,signed_in_with,api_key_id,device,place,created_at,ends_at',
  ],
]

describe('the file of a page of settings', () => {
  it.each(LISTS)('%s has what the page shows', async (list, make, head) => {
    const dashboard = await openDashboard()
    const { lines, secrets = [] } = await make()
    const file = `${list}&format=csv`
    expect(linksIn((await dashboard.get(list)).text)).toContain(file)
    const { status, text, headers } = await dashboard.get(file)
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="[\w-]+-demo-.*\.csv"/,
    )
    const [first, ...rows] = text.replace('\ufeff', '').split('\r\n')
    expect(first).toBe(head)
    expect(rows).toEqual([...lines.slice(0, 2).map((line) => expect.stringContaining(line)), ''])
    expect(headers.get('Link')).toContain('rel="next"')
    for (const secret of secrets) expect(text).not.toContain(secret)
  })

  it('holds the filters of the address', async () => {
    const dashboard = await openDashboard()
    const [one, other] = [await openWebhook(), await openWebhook()]
    const of = `/dashboard/webhooks/?partner_id=${one.partner.id}`
    const { text } = await dashboard.get(`${of}&format=csv`)
    expect([text.includes(one.id), text.includes(other.id)]).toEqual([true, false])
    const { status, headers } = await dashboard.get(`${of}&state=none&format=csv`)
    expect([status, headers.get('Content-Type')]).toEqual([400, 'text/html; charset=UTF-8'])
  })

  it('says what is paused, and what a webhook needs', async () => {
    const dashboard = await openDashboard()
    const { id, admin: api } = await openWebhook({ secret: null })
    await api.put(`${WEBHOOKS}/${id}/`, { pause: { until: null, reason: '' } })
    const { text } = await dashboard.get('/dashboard/webhooks/?limit=1&format=csv')
    expect(text).toMatch(new RegExp(`^${id},.*,needs a secret,[^,]+,until resumed,`, 'm'))
  })

  it('has no names of partners for a key that may not see them', async () => {
    const { id, partner } = await openWebhook()
    const { value } = await createKey(['settings.keys.read'])
    const dashboard = await openDashboard([], { key: value })
    const { text } = await dashboard.get('/dashboard/webhooks/?limit=1&format=csv')
    expect(text).toContain(`${partner.id},orders`)
    expect([text.includes(id), text.includes(partner.name)]).toEqual([true, false])
  })

  it('needs the scope of the page, and has the own sessions without one', async () => {
    const { id, value } = await createKey(['integrations.orders.read'])
    const other = await openDashboard([], { key: value })
    const [mine = '', ...settings] = LISTS.map(([list]) => `${list}&format=csv`).toReversed()
    for (const file of settings) expect((await other.get(file)).status).toBe(403)
    const [, ...rows] = (await other.get(mine)).text.trim().split('\r\n')
    expect(rows).toEqual([expect.stringContaining(`,test key,${id},`)])
  })
})
