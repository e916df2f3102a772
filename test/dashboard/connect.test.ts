import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openDashboard } from '../fixtures/session.ts'
import { openOther } from '../fixtures/signed-in.ts'
import { allRows, execute } from '../fixtures/sql.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'
import {
  CONNECT,
  connect,
  deliverWoo,
  hiddenIn,
  madeIn,
  WOO,
  wooOrder,
  wordsOf,
} from './connections.ts'

const SETTINGS = '/api/settings/v1'

const newPartner = async () =>
  (await admin.post(`${SETTINGS}/partners/`, { name: unique('partner') })).body.data

const webhookAt = async (id: string) => (await admin.get(`${SETTINGS}/webhooks/${id}/`)).body.data

/** What a connection makes, counted. */
async function madeSoFar() {
  const results =
    await allRows(`select (select count(*) from partners) as partners, (select count(*) from field_mappings) as mappings,
         (select count(*) from api_keys where webhook is not null) as webhooks,
         (select count(*) from settings_history) as changes`)
  return results[0]
}

describe('GET /dashboard/connect/', () => {
  it('has a card of each system, with what it can deliver', async () => {
    const { text } = await dashboard.get(CONNECT)
    expect(text.match(/<h3>WooCommerce<\/h3>/g)).toHaveLength(1)
    expect(text).toContain(`href="${CONNECT}woocommerce-orders/"`)
    expect(text).toContain(`href="${CONNECT}woocommerce-products/"`)
  })

  it('warns on the cards of systems whose events do not carry the order, and on no other', async () => {
    const { text } = await dashboard.get(CONNECT)
    const cards = text.split('<article>').slice(1)
    const warned = cards.filter((card) => card.includes('do not carry it: no order is created'))
    const named = warned.map((card) => /<h3>([^<]*)/.exec(card)?.[1])
    expect(named).toEqual(['BigCommerce', 'Ecwid', 'Square', 'Stripe'])
  })

  it('is reached from the list of partners, and from the overview of a tenant without requests', async () => {
    const link = `href="${CONNECT}"`
    expect((await dashboard.get('/dashboard/partners/')).text).toContain(link)
    const other = await openOther(['settings.*'])
    expect((await other.get('/dashboard/')).text).toContain(link)
  })

  it('is not offered to a key that may not do it', async () => {
    const scopes = ['settings.partners.*', 'settings.keys.read', 'settings.audit.read']
    const limited = await openDashboard(scopes)
    expect((await limited.get('/dashboard/partners/')).text).not.toContain(CONNECT)
    expect((await limited.get(CONNECT)).status).toBe(403)
    expect((await limited.post(`${CONNECT}${WOO}/`, { name: unique('shop') })).status).toBe(403)
  })
})

describe('POST /dashboard/connect/:preset/', () => {
  it('makes partner, mapping and webhook in one request', async () => {
    const name = unique('shop')
    const { answer, id } = await connect(dashboard, WOO, {
      name,
      prefix: 'KERAMIK-',
      rate_limit: '90',
    })
    expect(answer.status).toBe(201)
    const webhook = await webhookAt(id)
    expect(webhook).toMatchObject({ name: `${name}, orders`, rate_limit: 90, needs_secret: false })
    const partner = await admin.get(`${SETTINGS}/partners/${webhook.partner_id}/`)
    expect(partner.body.data.name).toBe(name)
    const mapping = await admin.get(`${SETTINGS}/partners/${webhook.partner_id}/mappings/orders/`)
    expect(mapping.body.data.inbound.fields.order_number.join).toEqual([
      { value: 'KERAMIK-' },
      'number',
    ])
    expect(mapping.body.data.identifier_field).toBe('external_order_id')
  })

  it('leaves out a prefix that is emptied', async () => {
    const { id } = await connect(dashboard, WOO, { prefix: '' })
    const { partner_id } = await webhookAt(id)
    const mapping = await admin.get(`${SETTINGS}/partners/${partner_id}/mappings/orders/`)
    expect(mapping.body.data.inbound.fields.order_number.join).toEqual(['number'])
  })

  it('writes one row of the log, and a change of each record in it', async () => {
    const { answer, id } = await connect(dashboard)
    const { partner_id } = await webhookAt(id)
    const request_id = answer.headers.get('X-Request-Id')
    const db = await openTenant()
    const logged = await allRows(
      'select record_id, status, path from audit_log where request_id = ?',
      request_id,
    )
    expect(logged).toEqual([{ record_id: partner_id, status: 201, path: `${CONNECT}${WOO}/` }])
    const changes = await db
      .prepare(
        `select kind, action, source from settings_history where request_id = ? order by seq`,
      )
      .bind(request_id)
      .all()
    const made = { action: 'created', source: 'dashboard' }
    expect(changes.results).toEqual([
      { kind: 'partner', ...made },
      { kind: 'mapping', ...made },
      { kind: 'api_key', ...made },
    ])
  })

  it('is a request whose page lists the three changes', async () => {
    const name = unique('shop')
    const { answer } = await connect(dashboard, WOO, { name })
    await connect(dashboard)
    const request_id = answer.headers.get('X-Request-Id')
    const words = wordsOf(await dashboard.get(`/dashboard/audit-log/${request_id}/`))
    const changed = words.slice(words.indexOf('What it changed'))
    expect(changed.match(/Show change \d+/g)).toHaveLength(3)
    expect(changed).toContain(`${name}, orders`)
  })

  it('takes an order at the address that it shows, signed with the secret that it shows', async () => {
    const { address, secret } = await connect(dashboard, WOO, { prefix: unique('P') })
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    const order = await wooOrder({ line_items: [] })
    const { body } = await deliverWoo(address, secret, order)
    expect(body.data.outcome).toBe('waiting')
    expect((await deliverWoo(address, 'another secret', order)).status).toBe(401)
  })

  it('adds to a partner that is there, whose name and mapping stay', async () => {
    const { id: partner_id, name } = await newPartner()
    const inbound = { fields: { order_number: 'own' } }
    const path = `${SETTINGS}/partners/${partner_id}/mappings/orders/`
    await admin.put(path, { inbound })
    const { id, answer } = await connect(dashboard, WOO, { name: '', partner_id })
    expect(answer.status).toBe(201)
    expect(await webhookAt(id)).toMatchObject({ name: `${name}, orders`, partner_id })
    expect((await admin.get(path)).body.data.inbound.fields).toEqual({ order_number: 'own' })
    expect(wordsOf(answer)).toContain(
      'The partner had a mapping for these documents before, which stays',
    )
  })

  it('tells of a name that is taken beside it, keeps what was typed, and makes nothing', async () => {
    const { name } = await newPartner()
    const before = await madeSoFar()
    const { answer } = await connect(dashboard, WOO, { name, prefix: 'TAKEN-', rate_limit: '7' })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(/id="name-error">Already exists\./)
    expect(answer.text).toContain('value="TAKEN-"')
    expect(answer.text).toContain('value="7"')
    expect(await madeSoFar()).toEqual(before)
  })

  it.each([
    ['name', { name: '' }],
    ['rate_limit', { rate_limit: 'many' }],
    ['prefix', { prefix: 'x'.repeat(51) }],
    ['partner_id', { partner_id: 'nobody' }],
  ])('tells what is wrong beside the field %s, and makes nothing', async (field, fields) => {
    await newPartner()
    const before = await madeSoFar()
    const { answer } = await connect(dashboard, WOO, fields)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(`id="${field}-error"`)
    expect(await madeSoFar()).toEqual(before)
  })

  it('leaves nothing behind where one part of it fails', async () => {
    const before = await madeSoFar()
    await execute(`create trigger no_webhooks before insert on api_keys when new.webhook is not null
         begin select raise(abort, 'no webhooks'); end`)
    const { answer } = await connect(dashboard).finally(() => execute('drop trigger no_webhooks'))
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(await madeSoFar()).toEqual(before)
  })

  it('makes nothing for a key that is linked to another partner', async () => {
    const { id: partner_id } = await newPartner()
    const scopes = ['settings.*', 'integrations.*']
    const input = { name: unique('key'), scopes, partner_id }
    const { key } = (await admin.post(`${SETTINGS}/api-keys/`, input)).body.data
    const linked = await openDashboard([], { key })
    const before = await madeSoFar()
    const { answer } = await connect(linked)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('linked to a partner')
    expect(await madeSoFar()).toEqual(before)
  })

  it('is 404 for a system that nobody knows', async () => {
    expect((await dashboard.get(`${CONNECT}acme/`)).status).toBe(404)
    expect((await dashboard.post(`${CONNECT}acme/`, {})).status).toBe(404)
  })
})

describe('the address of a connection', () => {
  it('is shown by the page that makes it and by forms that send it along, and by no other', async () => {
    const { at, address, secret, carried } = await connect(dashboard)
    const opened = await dashboard.get(at)
    expect(opened.text).not.toContain(address)
    expect(opened.text).not.toContain(secret)
    expect(wordsOf(opened)).toContain('is stored nowhere')
    const again = madeIn(await dashboard.post(at, carried))
    expect(again.carried).toEqual(carried)
    expect(again.answer.text).toContain(`data-copy="${address}"`)
  })

  it('is shown at our own origin, whatever the form says of it', async () => {
    const { at, address, carried } = await connect(dashboard)
    const token = address.split('/').at(-2)
    const sent = { ...carried, address: `https://evil.example/webhooks/v1/${token}/` }
    const again = await dashboard.post(at, sent)
    expect(again.text).not.toContain('evil.example')
    expect(hiddenIn(again, 'address')).toBe(address)
  })

  it.each(['x', 'https://demo.example/webhooks/v1/x/', '<b>', ''])(
    'is not shown for the text %j',
    async (address) => {
      const { at, carried } = await connect(dashboard)
      const again = await dashboard.post(at, { ...carried, address, shown_secret: '<b>guess' })
      expect(again.status).toBe(200)
      expect(hiddenIn(again, 'address')).toBe('')
      expect(hiddenIn(again, 'shown_secret')).toBe('')
    },
  )

  it('is not shown on the page of another webhook', async () => {
    const [one, other] = [await connect(dashboard), await connect(dashboard)]
    const shown = await dashboard.post(other.at, one.carried)
    expect(hiddenIn(shown, 'address')).toBe('')
    expect(hiddenIn(shown, 'shown_secret')).toBe('')
  })

  it('is in no table, and neither is the secret', async () => {
    const { at, address, secret, carried } = await connect(dashboard)
    await dashboard.post(at, carried)
    const token = address.split('/').at(-2) ?? ''
    const db = await openTenant()
    const tables = await allRows<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not glob '_cf_*'",
    )
    const rows = await db.batch(tables.map(({ name }) => db.prepare(`select * from ${name}`)))
    const stored = JSON.stringify(rows.map(({ results }) => results))
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(secret)
    expect(token.length).toBeGreaterThan(40)
  })
})

describe('POST /dashboard/connect/:preset/:id/secret/', () => {
  it('saves the secret that the sender gives, and shows the address again', async () => {
    const { at, id, address, answer, carried } = await connect(dashboard, 'shopify-orders')
    expect(wordsOf(answer)).toContain('Signing secret')
    expect((await webhookAt(id)).needs_secret).toBe(true)
    const secret = unique('shop-secret')
    const saved = await dashboard.post(`${at}secret/`, { ...carried, secret })
    expect(saved.status).toBe(200)
    expect(hiddenIn(saved, 'address')).toBe(address)
    expect(saved.text).not.toContain(secret)
    expect((await webhookAt(id)).needs_secret).toBe(false)
  })

  it('refuses a secret that cannot be one, beside its field, and keeps the address', async () => {
    const { at, address, carried } = await connect(dashboard, 'standard-webhooks')
    const refused = await dashboard.post(`${at}secret/`, { ...carried, secret: 'no base64!' })
    expect(refused.status).toBe(400)
    expect(refused.text).toMatch(/id="secret-error">Must be base64/)
    expect(hiddenIn(refused, 'address')).toBe(address)
  })

  it('overwrites no secret that somebody else has set meanwhile', async () => {
    const { at, id, carried } = await connect(dashboard, 'shopify-orders')
    const { version = '1' } = {
      version: /name="version" value="(\d+)"/.exec((await dashboard.get(at)).text)?.[1],
    }
    await admin.put(`${SETTINGS}/webhooks/${id}/secret/`, { secret: 'first' })
    const late = await dashboard.post(`${at}secret/`, { ...carried, secret: 'second', version })
    expect(late.status).toBe(412)
  })
})
