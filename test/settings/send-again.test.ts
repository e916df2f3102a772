import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { badOrder, idOf, keep, openKept, SETTINGS, stateOf } from '../fixtures/kept-documents.ts'
import { type PartnerOptions, saveMapping } from '../fixtures/partner.ts'
import { expectReason, expectRefusal } from '../fixtures/refusal.ts'
import { MAPPING, MENDED, shopOrder } from '../fixtures/shop.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import {
  type Answer,
  type Api,
  type CallOptions,
  client,
  createKey,
  type Json,
  ORIGIN,
  openAdmin,
  openTenant,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

const ERRORS = { of: 'errors', days: 7 }
let admin: Api

beforeEach(async () => {
  await openTenant()
  admin = await openAdmin()
})

const kept = (options: PartnerOptions = {}) => openKept(ERRORS, options)

const again = (answer: Answer, body: object = {}, more?: CallOptions) =>
  admin.post(`${SETTINGS}/audit-log/${idOf(answer)}/send-again/`, body, more)

const rowOf = async (id: string): Promise<Json> =>
  (await admin.get(`${SETTINGS}/audit-log/${id}/`)).body.data

describe('POST /audit-log/{request_id}/send-again/', () => {
  it.each(['utf-8', 'latin1'] as const)('sends a form as it came, in %s', async (charset) => {
    const { sku } = await createProduct(admin)
    const fields = { order_number: 'no', customer_name: 'name', 'items[0].sku_code': 'sku' }
    const partner = await kept({ mappings: { orders: { inbound: { fields } } } })
    const number = unique('F')
    const name = charset === 'utf-8' ? 'L%C3%B6we' : 'L%F6we'
    const refused = await send(
      new Request(`${ORIGIN}/api/integrations/v1/orders/`, {
        method: 'POST',
        headers: {
          'X-API-Key': partner.key.key,
          'Content-Type': `application/x-www-form-urlencoded; charset=${charset}`,
        },
        body: `no=${number}&name=${name}&sku=${sku}&qty=2`,
      }),
    )
    expect(refused.status).toBe(400)
    const mended = { ...fields, 'items[0].quantity': { from: 'qty', as: 'integer' } }
    await saveMapping(partner.admin, partner.id, 'orders', { inbound: { fields: mended } })
    const { status, answer } = (await again(refused)).body.data
    expect([status, answer.data.customer_name]).toEqual([201, 'Löwe'])
  })

  it('sends the document with the mapping of now, as the partner would', async () => {
    const partner = await kept({ mappings: { orders: MAPPING } })
    const order = await shopOrder(admin)
    const refused = await partner.api.post('/orders/', order)
    expect(refused.status).toBe(400)
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const sent = await again(refused)
    expect(sent.status).toBe(200)
    const { request_id, ...data } = sent.body.data
    expect(data).toMatchObject({
      status: 201,
      answer: { success: true, data: { order_number: order.number, items: [{ quantity: 2 }] } },
      replay_of: idOf(refused),
    })
    const { id: key_id } = (await rowOf(idOf(sent))).api_key
    expect(await rowOf(request_id)).toMatchObject({
      api_key: { id: key_id },
      partner: { id: partner.id, name: partner.name },
      method: 'POST',
      path: '/api/integrations/v1/orders/',
      record_name: order.number,
      status: 201,
      replay_of: idOf(refused),
    })
    expect(
      await oneValue('select partner_id from orders where order_number = ?', order.number),
    ).toBe(partner.id)
  })

  it('is 200 with the status of a request that fails again, whose document is kept already', async () => {
    const { api, admin: own } = await kept()
    const refused = await api.post('/orders/', badOrder())
    const sent = await again(refused)
    expect([sent.status, sent.body.data.status]).toEqual([200, 400])
    expect(sent.body.data.answer.error.fields).toEqual(refused.body.error.fields)
    const second = { headers: new Headers({ 'X-Request-Id': sent.body.data.request_id }) }
    expect(await stateOf(own, second as Answer)).toBeNull()
  })

  it('is 400 for a request that succeeded, and for what is no change of the integrations API', async () => {
    const { api, admin: own, id } = await openKept({ of: 'all', days: 7 })
    const done = await api.post('/products/', { sku: unique('S') })
    const read = await api.get('/orders/none/')
    const settings = await own.put(`${SETTINGS}/partners/${id}/`, { name: '' })
    for (const answer of [done, read, settings]) {
      expectRefusal(await again(answer), 400, 'SERVICE_ERROR')
    }
  })

  it('is 400 for a change of a version that the record no longer had, even if it is forced', async () => {
    const partner = await kept()
    const { sku } = await createProduct(admin)
    const at = `/products/${sku}/`
    const other = { headers: { 'If-Match': '"9.00000000.0"' } }
    const refused = await partner.api.put(at, { quantity: 9 }, other)
    expect(refused.status).toBe(412)
    for (const body of [{}, { force: true }]) {
      const answer = await again(refused, body)
      expect([answer.status, answer.body.error.code]).toEqual([400, 'SERVICE_ERROR'])
    }
    expect((await admin.get(at)).body.data.quantity).toBe(0)
  })

  it('is 400 for a path that the log has not got whole', async () => {
    const { api } = await kept()
    const long = await api.put(`/products/${'x'.repeat(2100)}/`, { quantity: 'seven' })
    const { value } = await createKey(['integrations.*'])
    const withKey = await api.put(`/products/${value}/`, { quantity: 'seven' })
    for (const answer of [long, withKey]) {
      const refused = await again(answer)
      expectRefusal(refused, 400, 'SERVICE_ERROR')
      expect(refused.body.detail).toContain('the audit log has shortened')
    }
  })

  it('is 400 for what was sent again and accepted, until it is forced', async () => {
    const partner = await kept({ mappings: { orders: MAPPING } })
    const order = await shopOrder(admin)
    const refused = await partner.api.post('/orders/', order)
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const { request_id } = (await again(refused)).body.data
    // By this mapping the same document would be another order.
    const fields = {
      ...MENDED.inbound.fields,
      order_number: { join: [{ value: 'No. ' }, 'number'] },
    }
    await saveMapping(partner.admin, partner.id, 'orders', { inbound: { fields } })
    const second = await again(refused)
    expectRefusal(second, 400, 'SERVICE_ERROR')
    expect(second.body.detail).toContain(`"${request_id}" has brought the same`)
    expect(second.body.detail).toContain(`"${order.number}"`)
    const other = await admin.post(`${SETTINGS}/send-again/`, { request_ids: [idOf(refused)] })
    expect(other.body.data[0]).toMatchObject({ request_id: null, error: { code: 'SERVICE_ERROR' } })
    const numbers = env.DB_DEMO.prepare(
      'select count(*) as n from orders where order_number like ?',
    )
    const like = `%${order.number}`
    expect(await numbers.bind(like).first('n')).toBe(1)
    expect((await again(refused, { force: true })).body.data.status).toBe(201)
    expect(await numbers.bind(like).first('n')).toBe(2)
  })

  it('is 400 for what was sent again and accepted under another name', async () => {
    const partner = await kept({ mappings: { orders: MAPPING } })
    const order = await shopOrder(admin)
    const refused = await partner.api.post('/orders/', order)
    const order_number = { join: [{ value: 'No. ' }, 'number'] }
    const fields = { ...MENDED.inbound.fields, order_number }
    await saveMapping(partner.admin, partner.id, 'orders', { inbound: { fields } })
    const { request_id } = (await again(refused)).body.data
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const second = await again(refused)
    expectRefusal(second, 400, 'SERVICE_ERROR')
    expect(second.body.detail).toContain(`"${request_id}" has brought the same`)
  })

  it('is 400 for a record that the same sender has created since, or before', async () => {
    const { api } = await kept()
    const stranger = await kept()
    const [late, strange] = [unique('S'), unique('S')]
    const refused = await api.post('/products/', { sku: late, quantity: 'seven' })
    const other = await api.post('/products/', { sku: strange, quantity: 'seven' })
    const created = await api.post('/products/', { sku: late })
    await stranger.api.post('/products/', { sku: strange })
    const repeated = await api.post('/products/', { sku: late })
    expect(repeated.status).toBe(409)
    for (const answer of [refused, repeated]) {
      const sent = await again(answer)
      expectRefusal(sent, 400, 'SERVICE_ERROR')
      expect(sent.body.detail).toContain(idOf(created))
    }
    expect((await again(other)).status).toBe(200)
  })

  it('is 404 without a document, and without a request', async () => {
    const { api } = await openKept(null)
    const refused = await api.post('/orders/', badOrder())
    const answer = await again(refused)
    expectRefusal(answer, 404, 'NOT_FOUND')
    expect(answer.body.detail).toContain('was not to be kept')
    const path = `${SETTINGS}/audit-log/${crypto.randomUUID()}/send-again/`
    expectRefusal(await admin.post(path, {}), 404, 'NOT_FOUND')
  })

  it('is 404 for the request of another tenant', async () => {
    const { api } = await kept()
    const refused = await api.post('/orders/', badOrder())
    const other = await openAdmin('other')
    const path = `${SETTINGS}/audit-log/${idOf(refused)}/send-again/`
    expectRefusal(await other.post(path, {}), 404, 'NOT_FOUND')
  })

  it('does not undo a later change of the record, unless it is told to', async () => {
    const { api } = await kept()
    const { sku } = await createProduct(admin)
    const refused = await api.put(`/products/${sku}/`, { quantity: 'seven' })
    expect(refused.status).toBe(400)
    expect((await again(refused)).body.data.status).toBe(400)
    await api.put(`/products/${sku}/`, { quantity: 8 })
    const answer = await again(refused)
    expectRefusal(answer, 400, 'SERVICE_ERROR')
    expect(answer.body.detail).toContain('would undo that')
    expect((await again(refused, { force: true })).body.data.status).toBe(400)
  })

  it('does not undo a later upload', async () => {
    const { api } = await kept()
    const upload = (sku_code: string) =>
      api.post('/inventory/', { inventory: [{ location_code: 'x', sku_code, quantity: 1 }] })
    const [first, second] = [await upload('none'), await upload('none, either')]
    expectRefusal(await again(first), 400, 'SERVICE_ERROR')
    expect((await again(second)).body.data).toMatchObject({
      status: 200,
      answer: { data: { failed: 1 } },
    })
  })

  it('creates nothing twice, even if it is forced', async () => {
    const { api } = await kept()
    const refused = await api.post('/orders/', badOrder())
    const { order_number } = JSON.parse((await documentBody(refused)) as string)
    const { sku } = await createProduct(admin)
    await api.post('/orders/', { order_number, items: [{ sku_code: sku, quantity: 1 }] })
    // Its document is still the old one.
    expect((await again(refused, { force: true })).body.data.status).toBe(400)
    const twice = await api.post('/orders/', {
      order_number,
      items: [{ sku_code: sku, quantity: 1 }],
    })
    expect((await again(twice, { force: true })).body.data).toMatchObject({
      status: 400,
      answer: { error: { fields: { order_number: [expect.stringContaining('already exists')] } } },
    })
  })

  const documentBody = async (answer: Answer) =>
    (await admin.get(`${SETTINGS}/audit-log/${idOf(answer)}/document/`)).body.data.body

  it.each([
    [['settings.read', 'settings.write', 'integrations.*'], 'settings.documents.read'],
    [
      ['settings.documents.read', 'settings.partners.write', 'integrations.*'],
      'settings.deliveries.write',
    ],
    [['settings.*', 'integrations.products.*'], 'integrations.orders.write'],
    [['settings.*', 'integrations.orders.read'], 'integrations.orders.write'],
  ])('is 403 for a key with %s alone, and sends nothing', async (scopes, lacked) => {
    const { api } = await kept()
    const refused = await api.post('/orders/', badOrder())
    admin = client((await createKey(scopes)).value)
    const answer = await again(refused)
    expectRefusal(answer, 403, 'SCOPE_MISSING')
    expect(answer.body.detail).toContain(lacked)
    expect(
      await oneValue('select count(*) from audit_log where replay_of = ?', idOf(refused)),
    ).toBe(0)
  })

  it("is 403 for a partner's own key", async () => {
    const { api } = await kept({ scopes: ['settings.*', 'integrations.*'] })
    const refused = await api.post('/orders/', badOrder())
    admin = api
    expectRefusal(await again(refused), 403, 'SCOPE_MISSING')
  })

  it('refuses a document that lacks what the mapping reads, and names it', async () => {
    const rules = { ...MAPPING.inbound, fields: { ...MAPPING.inbound.fields, notes: 'memo' } }
    const partner = await kept({ mappings: { orders: { inbound: rules } } })
    await keep(partner.admin, partner.id, { ...ERRORS, redact: ['memo', 'email', 'lines[].sku.x'] })
    const order = { ...(await shopOrder(admin)), memo: 'ring', email: 'ada@example.com' }
    const refused = await partner.api.post('/orders/', order)
    const answer = await again(refused)
    expectReason(answer, 400, 'SERVICE_ERROR', 'REDACTED')
    expect(answer.body.detail).toContain('redacted at memo, email, and')
    const dropping = { inbound: { ...rules, unmapped: 'drop' } }
    await saveMapping(partner.admin, partner.id, 'orders', dropping)
    expect((await again(refused)).body.detail).toContain('redacted at memo, and')
    const mended = { inbound: { ...MENDED.inbound, unmapped: 'drop' } }
    await saveMapping(partner.admin, partner.id, 'orders', mended)
    expect((await again(refused)).body.data.status).toBe(201)
  })

  it('refuses a cancellation that lacks its reason, which no mapping reads', async () => {
    const mapping = { inbound: { unmapped: 'drop', fields: { notes: 'memo' } } }
    const partner = await kept({ mappings: { orders: mapping } })
    await keep(partner.admin, partner.id, { ...ERRORS, redact: ['reason'] })
    const refused = await partner.api.call('DELETE', '/orders/none/', { reason: 'a secret' })
    expect(refused.status).toBe(404)
    const answer = await again(refused)
    expectRefusal(answer, 400, 'SERVICE_ERROR')
    expect(answer.body.detail).toContain('redacted at reason')
  })

  it('refuses a document that lacks what a filter looks at', async () => {
    const fields = {
      order_number: 'number',
      'items[]': { each: "lines[?@.kind == 'item']" },
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': 'lines[].qty',
    }
    const mapping = { inbound: { unmapped: 'drop', fields } }
    const partner = await kept({ mappings: { orders: mapping } })
    await keep(partner.admin, partner.id, { ...ERRORS, redact: ['lines[].kind'] })
    const lines = [{ sku: 'x', qty: '2', kind: 'item' }]
    const refused = await partner.api.post('/orders/', { number: unique('O'), lines })
    expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
  })

  it('refuses a place that only a mapping of meanwhile reads', async () => {
    const fields = { ...MAPPING.inbound.fields }
    const dropping = { inbound: { unmapped: 'drop', fields } }
    const partner = await kept({ mappings: { orders: dropping } })
    await keep(partner.admin, partner.id, { ...ERRORS, redact: ['memo'] })
    const refused = await partner.api.post('/orders/', { ...(await shopOrder(admin)), memo: 'x' })
    const reading = {
      inbound: { unmapped: 'drop', fields: { ...MENDED.inbound.fields, notes: 'memo' } },
    }
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      // The document has been chosen; its caller is read next.
      if (calls === 4) await saveMapping(partner.admin, partner.id, 'orders', reading)
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const { status, answer } = (await again(refused, {}, { bindings })).body.data
    expect([status, answer.detail]).toEqual([400, expect.stringContaining('redacted at memo')])
  })

  it('leaves a long answer out', async () => {
    const { api } = await kept()
    const row = { location_code: 'l'.repeat(480), sku_code: 's'.repeat(480), quantity: 1 }
    const inventory = Array.from({ length: 1000 }, () => row)
    const failed = await api.post('/inventory/', { inventory })
    expect(failed.text.length).toBeGreaterThan(1024 * 1024)
    const { status, body } = await again(failed)
    expect([status, body.data.status, body.data.answer]).toEqual([200, 200, null])
  })

  it('sends nothing unmapped when the partner is deleted meanwhile', async () => {
    const partner = await kept({ mappings: { orders: MENDED } })
    const { sku } = await createProduct(admin)
    const number = unique('O')
    const items = [{ sku_code: sku, quantity: 1 }]
    // Without the mapping this would be an order.
    const refused = await partner.api.post('/orders/', { order_number: number, items, lines: 1 })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      // The request has been found; its caller is read next.
      if (calls === 4) {
        await execute("update partners set deleted_at = 'now' where id = ?", partner.id)
      }
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const sent = await again(refused, {}, { bindings })
    expect(sent.text).toMatch(/deleted/)
    expect(await oneValue('select count(*) as n from orders where order_number = ?', number)).toBe(
      0,
    )
  })

  it('begins anew when the mapping changes meanwhile', async () => {
    const partner = await kept({ mappings: { orders: MAPPING } })
    const order = await shopOrder(admin)
    const refused = await partner.api.post('/orders/', order)
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      const result = await call()
      // The last read before the write: the caller's settings.
      if (calls === 4) await saveMapping(partner.admin, partner.id, 'orders', MENDED)
      return result
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const sent = await again(refused, {}, { bindings })
    expect(sent.body.data.status).toBe(201)
  })

  inDeepPass(() => {
    it('is answered for 60 requests of one key at a time', async () => {
      const { api } = await kept()
      const refused = await api.post('/orders/', badOrder())
      const answers = await Promise.all(Array.from({ length: 60 }, () => again(refused)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    })
  })

  it('counts once against the limit of the key', async () => {
    const { api } = await kept()
    const refused = await api.post('/orders/', badOrder())
    const key = await createKey(['settings.*', 'integrations.*'])
    await execute('update api_keys set rate_limit = 1 where id = ?', key.id)
    admin = client(key.value)
    expect((await again(refused)).status).toBe(200)
  })

  it('is 400 for a request of a partner that is deleted', async () => {
    const partner = await kept()
    const refused = await partner.api.post('/orders/', badOrder())
    await admin.delete(`${SETTINGS}/api-keys/${partner.key.id}/`)
    await admin.delete(`${SETTINGS}/partners/${partner.id}/`)
    expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
  })
})
