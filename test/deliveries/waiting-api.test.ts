import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { APPLIED_MAX } from '../../src/requests/deliveries/schema.ts'
import { shop } from '../fixtures/opened-shop.ts'
import { databaseWhere } from '../fixtures/statements.ts'
import { client, createKey, openAdmin, unique } from '../fixtures/tenant.ts'
import { lackingDocument, openWebhook } from '../fixtures/webhooks.ts'

const DELIVERIES = '/api/settings/v1/deliveries'

/** A delivery of an order whose product is not there. */
async function waiting(sku = unique('SKU')) {
  const document = await lackingDocument(shop.api, sku)
  const { body } = await shop.deliver(document, { sender_id: unique('d') })
  return { document, sku, id: body.data.delivery_id as string }
}

describe('GET /api/settings/v1/deliveries/', () => {
  it('lists what waits, the newest first, with what it needs', async () => {
    const [first, second] = [await waiting(), await waiting()]
    const { body } = await shop.admin.get(`${DELIVERIES}/?webhook_id=${shop.id}&limit=2`)
    expect(body.data.map((row: { delivery_id: string }) => row.delivery_id)).toEqual([
      second.id,
      first.id,
    ])
    expect(body.data[1]).toMatchObject({
      webhook_id: shop.id,
      partner_id: shop.partner.id,
      resource: 'orders',
      record: first.document.number,
      event: 'order.created',
      needs: 'product',
      needs_code: first.sku,
      error_code: 'SERVICE_ERROR',
      tries: 0,
    })
    expect(body.data[1]).not.toHaveProperty('body')
  })

  it.each([
    ['needs_code', (one: Awaited<ReturnType<typeof waiting>>) => one.sku],
    ['record', (one: Awaited<ReturnType<typeof waiting>>) => one.document.number],
  ])('filters by %s', async (name, of) => {
    const one = await waiting()
    await waiting()
    const { body } = await shop.admin.get(`${DELIVERIES}/?${name}=${of(one)}`)
    expect(body.data.map((row: { delivery_id: string }) => row.delivery_id)).toEqual([one.id])
  })
})

describe('the administrators of another tenant', () => {
  it('neither see what waits nor try or dismiss it', async () => {
    const first = await waiting()
    await waiting()
    const other = await openAdmin('other')
    const at = `${DELIVERIES}/${first.id}/`
    expect((await other.get(`${DELIVERIES}/?webhook_id=${shop.id}`)).body.data).toEqual([])
    const tried = [other.get(at), other.post(`${at}apply/`, {}), other.post(`${at}dismiss/`, {})]
    expect((await Promise.all(tried)).map(({ status }) => status)).toEqual([404, 404, 404])
    const all = await other.post('/api/settings/v1/apply-deliveries/', { webhook_id: shop.id })
    expect(all.body.data).toEqual([])
    const { pagination } = (await shop.admin.get(`${DELIVERIES}/?limit=1`)).body
    const next = `${DELIVERIES}/?limit=1&cursor=${pagination.next_cursor}`
    expect((await other.get(next)).status).toBe(400)
    expect((await shop.admin.get(next)).body.data).toHaveLength(1)
    expect((await shop.admin.get(at)).status).toBe(200)
  })
})

describe('GET /api/settings/v1/deliveries/:id/', () => {
  it('shows the body as it was sent', async () => {
    const { id, document } = await waiting()
    const { body } = await shop.admin.get(`${DELIVERIES}/${id}/`)
    expect(JSON.parse(body.data.body)).toEqual(document)
  })

  it('answers 404 to one that does not wait', async () => {
    expect((await shop.admin.get(`${DELIVERIES}/${unique('none')}/`)).status).toBe(404)
  })

  it("is not for a partner's own key", async () => {
    const { id } = await waiting()
    const { value } = await createKey(['settings.documents.read'])
    expect((await client(value).get(`${DELIVERIES}/${id}/`)).status).toBe(200)
    const input = {
      name: unique('key'),
      scopes: ['settings.documents.read'],
      partner_id: shop.partner.id,
    }
    const { key } = (await shop.admin.post('/api/settings/v1/api-keys/', input)).body.data
    expect((await client(key).get(`${DELIVERIES}/${id}/`)).status).toBe(403)
  })
})

describe('POST /api/settings/v1/deliveries/:id/apply/', () => {
  it('applies it as the webhook, by a request that names it', async () => {
    const { id, sku, document } = await waiting()
    await shop.api.post('/products/', { sku })
    const { status, body } = await shop.admin.post(`${DELIVERIES}/${id}/apply/`, {})
    expect([status, body.data]).toEqual([
      200,
      {
        delivery_id: id,
        request_id: expect.any(String),
        status: 200,
        outcome: 'created',
        record: document.number,
        reason: null,
        error: null,
      },
    ])
    const row = await shop.admin.get(`/api/settings/v1/audit-log/${body.data.request_id}/`)
    expect(row.body.data).toMatchObject({
      replay_of: id,
      api_key: { id: shop.id },
      status: 201,
      delivery: { outcome: 'created', event: 'order.created' },
    })
    expect((await shop.admin.get(`${DELIVERIES}/${id}/`)).status).toBe(404)
  })

  it('lets it wait on, and says for what, where that is not there yet', async () => {
    const { id } = await waiting()
    const { body } = await shop.admin.post(`${DELIVERIES}/${id}/apply/`, {})
    expect(body.data).toMatchObject({ outcome: 'waiting', error: { reason: 'UNKNOWN_SKU' } })
    const { data } = (await shop.admin.get(`${DELIVERIES}/${id}/`)).body
    expect(data).toMatchObject({ tries: 1, needs: 'product' })
  })

  it('changes nothing by a dry run', async () => {
    const { id, sku, document } = await waiting()
    await shop.api.post('/products/', { sku })
    const { body } = await shop.admin.post(`${DELIVERIES}/${id}/apply/?dry_run=true`, {})
    expect(body).toMatchObject({ dry_run: true, data: { outcome: 'created' } })
    expect((await shop.admin.get(`${DELIVERIES}/${id}/`)).status).toBe(200)
    expect((await shop.api.get(`/orders/${document.number}/`)).status).toBe(404)
  })
})

describe('a try that fails in a way that nobody has foreseen', () => {
  it('is made again later, so that it does not come first for ever', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { id, sku } = await waiting()
    await shop.api.post('/products/', { sku })
    const DB_DEMO = databaseWhere((statements) => {
      if (statements.length > 8) throw new Error('Something new.')
    })
    const bindings = { ...env, DB_DEMO }
    const { body } = await shop.admin.post(`${DELIVERIES}/${id}/apply/`, {}, { bindings })
    expect(body.data).toMatchObject({ outcome: 'waiting', error: { code: 'INTERNAL_ERROR' } })
    const { data } = (await shop.admin.get(`${DELIVERIES}/${id}/`)).body
    expect(data).toMatchObject({ needs: 'time', tries: 1, due_at: expect.any(String) })
  })
})

describe('POST /api/settings/v1/apply-deliveries/', () => {
  it('makes no more tries than fit into the statements of an invocation', async () => {
    const skus = Array.from({ length: APPLIED_MAX + 1 }, () => unique('SKU'))
    for (const sku of skus) await waiting(sku)
    let statements = 0
    const DB_DEMO = databaseWhere((batch) => {
      statements += batch.length
    })
    const tried = { webhook_id: shop.id, needs: 'product' }
    const bindings = { ...env, DB_DEMO }
    const { body } = await shop.admin.post('/api/settings/v1/apply-deliveries/', tried, {
      bindings,
    })
    expect(body.data).toHaveLength(APPLIED_MAX)
    expect(statements).toBeGreaterThan(APPLIED_MAX * 5)
    expect(statements).toBeLessThan(1000)
  })

  it('tries all that match, and needs a filter', async () => {
    const sku = unique('SKU')
    const both = [await waiting(sku), await waiting(sku)]
    await waiting()
    await shop.api.post('/products/', { sku })
    const { body } = await shop.admin.post('/api/settings/v1/apply-deliveries/', {
      needs_code: sku,
    })
    expect(
      body.data.map((one: { delivery_id: string; outcome: string }) => [
        one.delivery_id,
        one.outcome,
      ]),
    ).toEqual(both.map(({ id }) => [id, 'created']))
    expect((await shop.admin.post('/api/settings/v1/apply-deliveries/', {})).status).toBe(400)
  })
})

describe('POST /api/settings/v1/deliveries/:id/dismiss/', () => {
  it('ends the waiting, and the row of the delivery says so', async () => {
    const { id } = await waiting()
    const { body } = await shop.admin.post(`${DELIVERIES}/${id}/dismiss/`, {})
    expect(body.data).toEqual({ delivery_id: id, outcome: 'dismissed' })
    expect((await shop.admin.get(`${DELIVERIES}/${id}/`)).status).toBe(404)
    expect((await shop.admin.post(`${DELIVERIES}/${id}/dismiss/`, {})).status).toBe(404)
  })
})

describe('DELETE /api/settings/v1/webhooks/:id/', () => {
  it('is 409 while deliveries wait', async () => {
    const own = await openWebhook()
    const document = await lackingDocument(own.api)
    const { delivery_id } = await own.told(document)
    const end = () => own.admin.delete(`/api/settings/v1/webhooks/${own.id}/`)
    const refused = await end()
    expect([refused.status, refused.body.error.code]).toEqual([409, 'IN_USE'])
    await own.admin.post(`${DELIVERIES}/${delivery_id}/dismiss/`, {})
    expect((await end()).status).toBe(200)
  })
})

describe('POST /api/settings/v1/webhooks/:id/rotate/', () => {
  it('gives what waits to the new webhook', async () => {
    const own = await openWebhook()
    const sku = unique('SKU')
    const document = await lackingDocument(own.api, sku)
    const { delivery_id } = await own.told(document)
    const rotated = await own.admin.post(`/api/settings/v1/webhooks/${own.id}/rotate/`, {})
    const { data } = (await own.admin.get(`${DELIVERIES}/${delivery_id}/`)).body
    expect(data.webhook_id).toBe(rotated.body.data.id)
    await own.api.post('/products/', { sku })
    const applied = await own.admin.post(`${DELIVERIES}/${delivery_id}/apply/`, {})
    expect(applied.body.data.outcome).toBe('created')
  })
})
