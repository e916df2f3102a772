import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { shop } from '../fixtures/opened-shop.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'

const PATH = '/api/settings/v1/line-differences'

type Lines = { sku: unknown; qty?: unknown }[]

/** A document that the shop has delivered, and what it delivers later: each is newer. */
async function delivered(lines?: Lines, of = shop) {
  const document = await shopDocument(of.api, lines && { lines })
  expect(await of.outcomeOf(document)).toBe('created')
  let second = 0
  const again = async (fields: { lines?: Lines; customer?: string }, delivery = {}) => {
    second += 1
    const modified = `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`
    return await of.deliver(
      { ...document, modified, ...fields },
      { event: 'order.updated', ...delivery },
    )
  }
  const { id } = await of.orderOf(document.number)
  return { document, id: id as string, again, sku: document.lines[0]?.sku as string }
}

async function newest(id: string): Promise<Json | undefined> {
  const { body } = await shop.admin.get(`${PATH}/?limit=200`)
  return body.data.find(({ order_id }: Json) => order_id === id)
}

const rowOf = (id: string) =>
  env.DB_DEMO.prepare('select * from line_differences where order_id = ?').bind(id).first<Json>()

const seen = (id: string, body: object = {}) => shop.admin.post(`${PATH}/${id}/seen/`, body)

describe('POST /webhooks/v1/:token/', () => {
  it('remembers which quantities differ, with the order and the request', async () => {
    const { document, id, again, sku } = await delivered()
    const { sku: other } = await createProduct(shop.api)
    const lines = [
      { sku, qty: 3 },
      { sku: other, qty: 1 },
    ]
    const { body } = await again({ lines, customer: 'Grace' })
    expect(body.data.outcome).toBe('updated')
    expect(await newest(id)).toEqual({
      order_id: id,
      order_number: document.number,
      partner_id: shop.partner.id,
      request_id: body.data.delivery_id,
      differences: [
        { sku_code: sku, stored: 2, sent: 3 },
        { sku_code: other, stored: null, sent: 1 },
      ].toSorted((one, two) => (one.sku_code < two.sku_code ? -1 : 1)),
      total: 2,
      noted_at: expect.any(String),
    })
  })

  it('remembers nothing of an order with the same quantities in other lines', async () => {
    const [{ sku }, { sku: other }] = [await createProduct(shop.api), await createProduct(shop.api)]
    const lines = [
      { sku, qty: 2 },
      { sku: other, qty: 1 },
    ]
    const { id, again } = await delivered(lines)
    await again({ lines: lines.toReversed() })
    await again({ lines: [...lines.slice(1), { sku, qty: 1 }, { sku, qty: 1 }] })
    await again({ customer: 'Grace' })
    expect(await rowOf(id)).toBeNull()
  })

  it.each([
    ['a line that is missing', []],
    ['a quantity that is no number', [{ qty: 'two' }]],
    ['a quantity of null', [{ qty: null }]],
    ['a quantity of true', [{ qty: true }]],
    ['a quantity with a fraction', [{ qty: 2.5 }]],
    ['a quantity beyond any integer', [{ qty: 1e300 }]],
    ['a SKU that is a number', [{ sku: 5, qty: 2 }]],
    ['no SKU', [{ sku: null, qty: 2 }]],
    ['a SKU of 3,000 characters', [{ sku: 'x'.repeat(3000), qty: 2 }]],
    ['2,000 lines', Array.from({ length: 2000 }, (_, at) => ({ sku: `S${at}`, qty: 1 }))],
  ])('takes %s for a difference, and answers 200', async (_, lines) => {
    const { id, again, sku } = await delivered()
    const { status } = await again({ lines: lines.map((line) => ({ sku, ...line })) })
    expect(status).toBe(200)
    const { differences, total } = (await newest(id)) as Json
    expect(total).toBeGreaterThan(0)
    expect(differences.length).toBe(Math.min(total, 20))
    expect(JSON.stringify(await rowOf(id)).length).toBeLessThan(50_000)
  })

  it('forgets them when a later document agrees again', async () => {
    const { id, again, sku } = await delivered()
    await again({ lines: [{ sku, qty: 3 }] })
    expect(await rowOf(id)).not.toBeNull()
    await again({})
    expect(await rowOf(id)).toBeNull()
  })

  it('remembers nothing of a document that is older than the last one', async () => {
    const { document, id, again, sku } = await delivered()
    await again({})
    expect(await shop.outcomeOf({ ...document, lines: [{ sku, qty: 9 }] })).toBe('stale')
    expect(await rowOf(id)).toBeNull()
  })

  it('remembers nothing that a client sends with a key', async () => {
    const { document, id, sku } = await delivered()
    const items = { lines: [{ sku, qty: 9 }] }
    const answer = await shop.api.put(`/orders/${document.number}/`, items)
    expect(answer.body.warnings).toEqual([expect.objectContaining({ code: 'LINES_DIFFER' })])
    expect(await rowOf(id)).toBeNull()
  })

  it('lets the row go with its order', async () => {
    const { id, again, sku } = await delivered()
    await again({ lines: [{ sku, qty: 3 }] })
    await env.DB_DEMO.batch(
      ['order_items where order_id = ?', 'orders where id = ?'].map((rows) =>
        env.DB_DEMO.prepare(`delete from ${rows}`).bind(id),
      ),
    )
    expect(await rowOf(id)).toBeNull()
  })
})

describe('GET /api/settings/v1/line-differences/', () => {
  it('pages, newest first, and filters by partner', async () => {
    const own = await openWebhook()
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      const { id, again, sku } = await delivered(undefined, own)
      await again({ lines: [{ sku, qty: 3 + n }] })
      ids.unshift(id)
    }
    const query = `?partner_id=${own.partner.id}&limit=2`
    const first = await own.admin.get(`${PATH}/${query}`)
    const { next_cursor } = first.body.pagination
    const second = await own.admin.get(`${PATH}/${query}&cursor=${next_cursor}`)
    const found = [first, second].flatMap(({ body }) => body.data)
    expect(found.map(({ order_id }: Json) => order_id)).toEqual(ids)
    expect(second.body.pagination.next_cursor).toBeNull()
  })

  it('is closed to keys of a partner', async () => {
    const { api } = await openPartner({ scopes: ['settings.*', 'integrations.*'] })
    expectRefusal(await api.get(`${PATH}/`), 403, 'SCOPE_MISSING')
    expectRefusal(await api.post(`${PATH}/${crypto.randomUUID()}/seen/`, {}), 403, 'SCOPE_MISSING')
  })
})

describe('POST /api/settings/v1/line-differences/:id/seen/', () => {
  it('takes the order off the list, and can be repeated', async () => {
    const { document, id, again, sku } = await delivered()
    const { body } = await again({ lines: [{ sku, qty: 3 }] })
    const request_id = body.data.delivery_id
    const answer = await seen(id, { request_id })
    expect([answer.status, answer.body.data]).toEqual([
      200,
      { order_id: id, request_id, seen_at: expect.any(String) },
    ])
    expect(await newest(id)).toBeUndefined()
    expect((await seen(id, { request_id })).body.data).toEqual(answer.body.data)
    const at = `/api/settings/v1/audit-log/${answer.headers.get('X-Request-Id')}/`
    expect((await shop.admin.get(at)).body.data.record_name).toBe(document.number)
  })

  it('stays seen while the shop delivers the same lines, and not when it delivers others', async () => {
    const { id, again, sku } = await delivered()
    await again({ lines: [{ sku, qty: 3 }] })
    await seen(id)
    await again({ lines: [{ sku, qty: 3 }], customer: 'Grace' })
    expect(await newest(id)).toBeUndefined()
    await again({ lines: [{ sku, qty: 4 }] })
    expect(await newest(id)).toMatchObject({ differences: [{ stored: 2, sent: 4 }] })
  })

  it('leaves differences that nobody was shown', async () => {
    const { id, again, sku } = await delivered()
    const { body } = await again({ lines: [{ sku, qty: 3 }] })
    await again({ lines: [{ sku, qty: 4 }] })
    const answer = await seen(id, { request_id: body.data.delivery_id })
    expectRefusal(answer, 409, 'IN_USE')
    expect(answer.body.error.message).toContain('A newer document')
    expect(await newest(id)).toMatchObject({ differences: [{ sent: 4 }] })
  })

  it('has nothing to mark where there are no differences', async () => {
    const { id } = await delivered()
    for (const one of [id, unique('none')]) expectRefusal(await seen(one), 404, 'NOT_FOUND')
  })

  it('says in a dry run what it would do', async () => {
    const { id, again, sku } = await delivered()
    await again({ lines: [{ sku, qty: 3 }] })
    const { body } = await shop.admin.post(`${PATH}/${id}/seen/?dry_run=true`, {})
    expect(body.data).toMatchObject({ order_id: id, seen_at: expect.any(String) })
    expect(await newest(id)).toBeDefined()
  })

  it('needs the scope of deliveries', async () => {
    const { value } = await createKey(['settings.documents.read'])
    expectRefusal(
      await client(value).post(`${PATH}/${unique('x')}/seen/`, {}),
      403,
      'SCOPE_MISSING',
    )
  })
})
