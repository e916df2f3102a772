import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openDashboard } from '../fixtures/session.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'
import { CONNECT, connect, deliverWoo, wooOrder, wordsOf } from './connections.ts'

const SETTINGS = '/api/settings/v1'

const webhookAt = async (id: string) => (await admin.get(`${SETTINGS}/webhooks/${id}/`)).body.data

describe('POST /dashboard/connect/:preset/:id/undo/', () => {
  it('removes webhook, partner and mapping, with a change of each in the history', async () => {
    const name = unique('shop')
    const { at, id, address, secret } = await connect(dashboard, undefined, { name })
    const { partner_id } = await webhookAt(id)
    expect(wordsOf(await dashboard.get(`${at}undo/`))).toContain(
      'the partner, its mapping, the webhook',
    )
    const undone = await dashboard.post(`${at}undo/`)
    expect(undone.status).toBe(303)
    expect(undone.headers.get('Location')).toBe(`${CONNECT}?done=connection-undone`)
    expect((await webhookAt(id)).status).toBe('revoked')
    expect((await admin.get(`${SETTINGS}/partners/${partner_id}/`)).status).toBe(404)
    expect((await deliverWoo(address, secret, await wooOrder())).status).toBe(404)
    const db = await openTenant()
    const { results } = await db
      .prepare(
        `select kind, action, source from settings_history where request_id = ? order by seq`,
      )
      .bind(undone.headers.get('X-Request-Id'))
      .all()
    expect(results).toEqual([
      { kind: 'mapping', action: 'deleted', source: 'dashboard' },
      { kind: 'api_key', action: 'changed', source: 'dashboard' },
      { kind: 'partner', action: 'changed', source: 'dashboard' },
    ])
    expect((await connect(dashboard, undefined, { name })).answer.status).toBe(201)
  })

  it('keeps a partner and a mapping that were there before', async () => {
    const partner = (await admin.post(`${SETTINGS}/partners/`, { name: unique('p') })).body.data
    const path = `${SETTINGS}/partners/${partner.id}/mappings/orders/`
    await admin.put(path, { inbound: { fields: { order_number: 'own' } } })
    const { at, id } = await connect(dashboard, undefined, { name: '', partner_id: partner.id })
    expect(wordsOf(await dashboard.get(`${at}undo/`))).toContain('what was made: the webhook.')
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
    expect((await webhookAt(id)).status).toBe('revoked')
    expect((await admin.get(path)).status).toBe(200)
  })

  it('removes a mapping that was made for a partner that was there', async () => {
    const partner = (await admin.post(`${SETTINGS}/partners/`, { name: unique('p') })).body.data
    const { at } = await connect(dashboard, undefined, { name: '', partner_id: partner.id })
    const path = `${SETTINGS}/partners/${partner.id}/mappings/orders/`
    expect((await admin.get(path)).status).toBe(200)
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
    expect((await admin.get(path)).status).toBe(404)
    expect((await admin.get(`${SETTINGS}/partners/${partner.id}/`)).status).toBe(200)
  })

  it('is refused after the first delivery, also of one that waits, and says so before', async () => {
    const { at, id, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    expect((await deliverWoo(address, secret, await wooOrder())).body.data.outcome).toBe('waiting')
    expect((await dashboard.get(at)).text).not.toContain(`${at}undo/`)
    expect(wordsOf(await dashboard.get(`${at}undo/`))).toContain('can no longer be undone')
    const refused = await dashboard.post(`${at}undo/`)
    expect(refused.status).toBe(409)
    expect(wordsOf(refused)).toContain('A delivery has arrived')
    expect((await webhookAt(id)).status).toBe('active')
  })

  it('is refused after a delivery that was applied', async () => {
    const { at, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    const sku = unique('S')
    await admin.post('/products/', { sku })
    const order = await wooOrder({ line_items: [lineOf(sku)] })
    expect((await deliverWoo(address, secret, order)).body.data.outcome).toBe('created')
    expect((await dashboard.post(`${at}undo/`)).status).toBe(409)
  })

  it('is possible after a delivery with a wrong signature, and after a test', async () => {
    const { at, id, address, carried } = await connect(dashboard)
    expect((await deliverWoo(address, 'wrong', await wooOrder())).status).toBe(401)
    await dashboard.post(`${at}test/`, carried)
    const db = await openTenant()
    const logged = () =>
      db.prepare('select count(*) as n from audit_log where api_key_id = ?').bind(id).first('n')
    await expect.poll(logged).toBe(2)
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
  })

  it('loses against a delivery that comes between the question and the answer', async () => {
    const { at, id, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    const [, version = ''] =
      /name="version" value="(\d+)"/.exec((await dashboard.get(`${at}undo/`)).text) ?? []
    await deliverWoo(address, secret, await wooOrder())
    const late = await dashboard.post(`${at}undo/`, { confirmed: 'true', version })
    expect(late.status).toBe(409)
    expect((await webhookAt(id)).status).toBe('active')
  })

  it('and a delivery at the same time: either the order is kept or there is no webhook', async () => {
    const { at, id, address, secret } = await connect(dashboard, undefined, { prefix: unique('P') })
    const [undone, delivered] = await Promise.all([
      dashboard.post(`${at}undo/`),
      deliverWoo(address, secret, await wooOrder()),
    ])
    const isUndone = undone.status === 303
    expect(delivered.status).toBe(isUndone ? 404 : 200)
    expect((await webhookAt(id)).status).toBe(isUndone ? 'revoked' : 'active')
  })

  it('is refused once another key is linked to the partner that it made', async () => {
    const { at, id } = await connect(dashboard)
    const { partner_id } = await webhookAt(id)
    await admin.post(`${SETTINGS}/api-keys/`, { name: unique('key'), partner_id })
    const refused = await dashboard.post(`${at}undo/`)
    expect(refused.status).toBe(409)
    expect(wordsOf(refused)).toContain('Another key or webhook is linked to the partner')
    expect((await webhookAt(id)).status).toBe('active')
  })

  it('is refused the second time', async () => {
    const { at } = await connect(dashboard)
    expect((await dashboard.post(`${at}undo/`)).status).toBe(303)
    const again = await dashboard.post(`${at}undo/`)
    expect(again.status).toBe(409)
    expect(wordsOf(again)).toContain('there is nothing to undo')
  })

  it('is refused of another version', async () => {
    const { at, id } = await connect(dashboard)
    await admin.put(`${SETTINGS}/webhooks/${id}/`, { name: unique('renamed') })
    expect((await dashboard.post(`${at}undo/`, { confirmed: 'true', version: '1' })).status).toBe(
      412,
    )
  })
})

describe('GET /dashboard/connect/:preset/:id/arrived/', () => {
  const arrivedAt = async (at: string) => wordsOf(await dashboard.get(`${at}arrived/`))

  it('tells what has arrived, one after the other', async () => {
    const prefix = unique('P')
    const { at, address, secret } = await connect(dashboard, undefined, { prefix })
    expect(await arrivedAt(at)).toContain('Nothing yet.')
    await deliverWoo(address, 'wrong', await wooOrder())
    await expect
      .poll(() => arrivedAt(at))
      .toMatch(
        /A delivery with a wrong signature, \d+ s ago\. The signature does not match\. Compare the secret in WooCommerce/,
      )
    await deliverWoo(address, secret, await wooOrder({ status: 'pending' }))
    await expect.poll(() => arrivedAt(at)).toContain('A delivery was skipped')
    const sku = unique('S')
    await deliverWoo(address, secret, await wooOrder({ line_items: [lineOf(sku)] }))
    await expect.poll(() => arrivedAt(at)).toMatch(/A delivery waits, .*No product has the SKU/)
    await admin.post('/products/', { sku })
    const order = await wooOrder({ line_items: [lineOf(sku)] })
    await deliverWoo(address, secret, order)
    await expect
      .poll(() => arrivedAt(at))
      .toContain(`First order: created ${prefix}${order.number}`)
    await deliverWoo(address, secret, { ...order, status: 'cancelled' })
    await expect
      .poll(() => arrivedAt(at))
      .toContain(`The newest delivery: cancelled ${prefix}${order.number}`)
    expect(await arrivedAt(at)).toContain(`First order: created ${prefix}${order.number}`)
  })

  it('tells nothing to a key that may not read the log', async () => {
    const { at } = await connect(dashboard)
    const limited = await openDashboard([
      'settings.keys.*',
      'settings.partners.*',
      'integrations.*',
    ])
    expect(wordsOf(await limited.get(at))).toContain('you lack the scope settings.audit.read')
    expect((await limited.get(at)).text).not.toContain('data-arrived')
  })
})

/** A line of a WooCommerce order. */
function lineOf(sku: string) {
  return {
    id: 1,
    name: 'Bowl',
    product_id: 1,
    variation_id: 0,
    quantity: 1,
    sku,
    total: '1.00',
    price: 1,
    meta_data: [],
  }
}
