import { beforeAll, describe, expect, it } from 'vitest'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { type Api, createKey, openAdmin, unique } from '../fixtures/tenant.ts'
import { openWebhook, WEBHOOKS } from '../fixtures/webhooks.ts'

/** What a test file of a list makes: the lines that it expects, newest first, and what may be in no file. */
interface Made {
  lines: string[]
  secrets?: string[]
}

let admin: Api

beforeAll(async () => {
  admin = await openAdmin()
})

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
