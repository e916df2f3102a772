import { describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { openOther } from '../fixtures/signed-in.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { createOrder, createProduct, oneLine } from '../fixtures/warehouse.ts'

const LIST = '/dashboard/orders/'
const READ = 'integrations.orders.read'

const find = (query: Record<string, string>) =>
  dashboard.get(`${LIST}?${new URLSearchParams(query)}`)
const linkIn = (text: string, name: string) =>
  new RegExp(`href="([^"]*)"[^>]*>\\s*${name}`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
const errorAt = ({ text }: Answer, field: string) =>
  new RegExp(`id="${field}-error">([^<]*)<`).exec(text)?.[1]

describe('GET /dashboard/orders/', () => {
  it('says how an order arrives where there is none', async () => {
    const { text } = await (await openOther([READ])).get(LIST)
    expect(text).toContain('No orders yet.')
    expect(text).toContain(
      'curl &#39;https://demo.example/api/integrations/v1/orders/&#39; -H &#39;X-API-Key: …',
    )
  })

  it('shows the newest first, with a link to each, names as text', async () => {
    const customer_name = '<script>alert("1")</script>'
    const older = await createOrder(admin, { customer_name })
    const newer = await createOrder(admin, { order_number: unique('<b>') })
    const { text } = await dashboard.get(LIST)
    expect(text).toContain(`href="${LIST}${older.id}/">${older.order_number}<`)
    expect(text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;')
    expect(text).not.toMatch(/<script>alert|<b>/)
    expect(text.indexOf(`${LIST}${newer.id}/`)).toBeLessThan(text.indexOf(`${LIST}${older.id}/`))
  })

  it('finds orders of a partner, and keeps the filter from page to page', async () => {
    const { id, name, api } = await openPartner()
    const items = await oneLine(admin)
    const numbers = [unique('O'), unique('O'), unique('O')]
    for (const order_number of numbers) await createOrder(api, { order_number, items })
    await createOrder(admin, { items })
    const first = await find({ partner_id: id, limit: '2' })
    const numbersIn = (text: string) => numbers.filter((number) => text.includes(number))
    expect(first.text).toContain(`<option value="${id}" selected="">${name}</option>`)
    expect(numbersIn(first.text)).toEqual(numbers.slice(1))
    const second = await dashboard.get(linkIn(first.text, 'Older'))
    expect(numbersIn(second.text)).toEqual(numbers.slice(0, 1))
    expect(second.text.match(/<tr>/g)).toHaveLength(2)
    expect(second.text).toContain(`<option value="${id}" selected="">`)
  })

  it('finds orders by status, external id and the time at which they were created', async () => {
    const external_order_id = unique('E')
    const shown = await createOrder(admin, { external_order_id })
    await admin.put(`/orders/${shown.order_number}/`, { status: 'in_progress' })
    const day = shown.created_at.slice(0, 10)
    const queries = [
      { status: 'in_progress,draft' },
      { external_order_id },
      { created_from: `${day}T00:00`, created_to: '2126-01-01T00:00' },
    ]
    for (const query of queries) expect((await find(query)).text).toContain(shown.order_number)
    const misses = [{ status: 'draft' }, { created_to: '2020-01-01T00:00' }]
    for (const query of misses) {
      expect((await find(query)).text).toContain('Nothing matches these filters.')
    }
  })

  it('tells of filters that are wrong at their fields, and shows them as they were sent', async () => {
    const both = await find({ status: 'draft', partner_id: 'p-1' })
    expect(both.status).toBe(400)
    expect(errorAt(both, 'status')).toBe('Send only one of: status, partner_id.')
    expect(errorAt(both, 'partner_id')).toBe('Send only one of: status, partner_id.')
    expect(both.text).toContain('<option value="draft" selected="">')
    const backwards = await find({
      created_from: '2026-02-01T00:00',
      created_to: '2026-01-01T00:00',
    })
    expect(errorAt(backwards, 'created_to')).toBe('created_to is before created_from.')
    const unknown = await find({ status: 'lost' })
    expect(errorAt(unknown, 'status')).toMatch(/^Must be 1 to 4 of these/)
  })

  it.each([{ cursor: 'x' }, { limit: '0' }])(
    'says above the form what is wrong: %j',
    async (query) => {
      const text = markupOf(await find(query as Record<string, string>), 400)
      expect(text).toMatch(/class="form-error" role="alert">\s*(cursor|limit): /)
    },
  )

  it('offers no partners to a key that may not see them', async () => {
    const { name } = await openPartner()
    const { text } = await (await openDashboard([READ])).get(LIST)
    expect(text).not.toContain(name)
    expect(text).toContain('Any partner')
  })
})

describe('GET /dashboard/orders/:id/', () => {
  it('shows every field, the lines with their products, and the call that reads it', async () => {
    const { name, id: partnerId, api } = await openPartner()
    const product = await createProduct(admin)
    const order = await createOrder(api, {
      order_number: unique("o'<i>/"),
      external_order_id: unique('E'),
      customer_name: 'Ada Lund',
      customer_info: { phone: '+45 <1>' },
      notes: 'Leave at\nthe door',
      order_date: '2026-03-01T00:00:00Z',
      due_date: '2026-03-09T00:00:00Z',
      metadata: { channel: { id: 12 } },
      items: [{ sku_code: product.sku, quantity: 1200, notes: 'gift' }],
    })
    const text = markupOf(await dashboard.get(`${LIST}${order.id}/`))
    for (const shown of [
      'Ada Lund',
      order.external_order_id,
      'Leave at\nthe door',
      '>Who<',
      'datetime="2026-03-01T00:00:00.000Z"',
      'datetime="2026-03-09T00:00:00.000Z"',
      `datetime="${order.created_at}"`,
      `<code>${order.id}</code>`,
      '<span class="status order-pending">pending</span>',
      `href="/dashboard/partners/${partnerId}/">${name}<`,
      '<dt>Phone</dt><dd>+45 &lt;1&gt;</dd>',
      '<dt>Channel</dt><dd><dl class="record"><div><dt>Id</dt><dd>12</dd></div></dl></dd>',
      '&quot;phone&quot;: &quot;+45 &lt;1&gt;&quot;',
      '{\n  &quot;channel&quot;: {\n    &quot;id&quot;: 12\n  }\n}',
      `href="/dashboard/products/${product.id}/">${product.sku}<`,
      '1,200',
      'gift',
      'integrations/v1/orders/o%27%3Ci%3E%2F-',
    ]) {
      expect(text).toContain(shown)
    }
    expect(text).not.toContain('<i>')
  })

  it('shows which requests changed it, and no other record or request', async () => {
    const name = unique('O')
    const partner = await openPartner()
    const items = await oneLine(admin)
    const made = await partner.api.post('/orders/', { order_number: name, items })
    const changed = await admin.put(`/orders/${name}/`, { status: 'in_progress' })
    const others = [
      await admin.get(`/orders/${name}/`),
      await admin.put(`/orders/${name}/`, { status: 'lost' }),
      await admin.post('/products/', { sku: name }),
    ]
    const { text } = await dashboard.get(`${LIST}${made.body.data.id}/`)
    const ids = Array.from(text.matchAll(/audit-log\/([0-9a-f-]{36})\//g), ([, id]) => id)
    const idOf = ({ headers }: Answer) => headers.get('X-Request-Id')
    expect(ids).toEqual([idOf(changed), idOf(made)])
    for (const other of others) expect(ids).not.toContain(idOf(other))
    expect(text).toContain(`<a href="/dashboard/partners/${partner.id}/">${partner.name}</a>`)
    expect(text).toContain(`POST /api/integrations/v1/orders/`)
    const log = await dashboard.get(linkIn(text, 'All requests about this record'))
    expect(log.text).toContain(`data-copy="${idOf(others[0]!)}"`)
    expect(log.text).not.toContain(`data-copy="${idOf(others[2]!)}"`)
  })

  it('says which scope a part needs, and links nothing that the key may not see', async () => {
    const { api } = await openPartner({ scopes: ['integrations.*'] })
    const product = await createProduct(admin)
    const order = await createOrder(api, { items: [{ sku_code: product.sku, quantity: 1 }] })
    const { text } = await (await openDashboard([READ])).get(`${LIST}${order.id}/`)
    expect(text).toContain('lack the scope <code>settings.audit.read</code>')
    expect(text).toContain(product.sku)
    expect(text).not.toMatch(/href="\/dashboard\/(products|partners|audit-log)/)
    expect(text).not.toContain('Cancel order')
  })

  inDeepPass(() => {
    it('shows the lines of a long order in parts, bounded in size', async () => {
      const { sku } = await createProduct(admin)
      const notes = '"'.repeat(10_000)
      const items = Array.from({ length: 150 }, (_, n) => ({
        sku_code: sku,
        quantity: n + 1001,
        notes,
      }))
      const order = await createOrder(admin, { items, notes, metadata: { a: notes.repeat(3) } })
      const first = await dashboard.get(`${LIST}${order.id}/`)
      expect(first.text).toContain('Lines 1 to 100 of 150')
      expect(first.text).toContain('1,100')
      expect(first.text).not.toContain('1,101')
      expect(first.text.length).toBeLessThan(512 * 1024)
      const rest = await dashboard.get(`${LIST}${order.id}/${linkIn(first.text, 'Lines after')}`)
      expect(rest.text).toContain('Lines 101 to 150 of 150')
      expect(rest.text).toContain('1,150')
      expect((await dashboard.get(`${LIST}${order.id}/?line=9999`)).text).toContain('1,150')
    })
  })

  it.each(['none', '%3Cscript%3E', crypto.randomUUID()])(
    'is 404 without such an order: %s',
    async (id) => {
      const text = markupOf(await dashboard.get(`${LIST}${id}/`), 404)
      expect(text).toContain('No order has the id')
      expect(text).not.toContain('<script>')
    },
  )

  it('is a row of the audit log that names the order', async () => {
    const { id, order_number } = await createOrder(admin)
    const { headers } = await dashboard.get(`${LIST}${id}/`)
    const path = `/api/settings/v1/audit-log/${headers.get('X-Request-Id')}/`
    expect((await admin.get(path)).body.data).toMatchObject({
      path: `${LIST}${id}/`,
      record_name: order_number,
      status: 200,
    })
  })
})

describe('POST /dashboard/orders/:id/cancel/', () => {
  it('cancels with a reason after a confirmation, and is in the history', async () => {
    const order = await createOrder(admin)
    const page = await dashboard.get(`${LIST}${order.id}/`)
    const ask = await dashboard.get(linkIn(page.text, 'Cancel order'))
    expect(ask.text).toContain(`Cancel the order “${order.order_number}”?`)
    const answer = await dashboard.post(`${LIST}${order.id}/cancel/`, { reason: ' Sold out ' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      `${LIST}${order.id}/?done=order-cancelled`,
    ])
    const { data } = (await admin.get(`/orders/${order.order_number}/`)).body
    expect(data).toMatchObject({ status: 'cancelled', cancel_reason: 'Sold out' })
    const shown = await dashboard.get(answer.headers.get('Location') ?? '')
    expect(shown.text).toContain('The order is cancelled.')
    expect(shown.text).toContain('Sold out')
    expect(shown.text).toContain(`POST ${LIST}${order.id}/cancel/`)
    expect(shown.text).not.toContain('>Cancel order<')
  })

  it('says that a second reason has no effect', async () => {
    const order = await createOrder(admin)
    await admin.delete(`/orders/${order.order_number}/`, { reason: 'First' })
    const answer = await dashboard.post(`${LIST}${order.id}/cancel/`, { reason: 'Second' })
    const { text } = await dashboard.get(answer.headers.get('Location') ?? '')
    expect(text).toContain('yours had no effect')
    expect(text).toContain('First')
  })

  it('says on its form why it cannot be, and keeps the reason', async () => {
    const order = await createOrder(admin)
    const path = `${LIST}${order.id}/cancel/`
    const long = await dashboard.post(path, { reason: 'x'.repeat(1001) })
    expect(long.status).toBe(400)
    expect(errorAt(long, 'reason')).toBe('Must have at most 1000 characters.')
    await admin.put(`/orders/${order.order_number}/`, { status: 'shipped' })
    const shipped = await dashboard.post(path, { reason: 'Late' })
    expect(shipped.status).toBe(400)
    expect(shipped.text).toMatch(/role="alert">\s*The order is shipped and cannot be cancelled\./)
    expect(shipped.text).toContain('value="Late"')
    expect((await dashboard.get(`${LIST}${order.id}/`)).text).not.toContain('>Cancel order<')
  })
})
