import { describe, expect, it } from 'vitest'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { nextIn, roundTrips, wordsOf } from '../fixtures/pages-read.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { execute } from '../fixtures/sql.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'
import { openWebhook, SHOP_MAPPING, shopDocument } from '../fixtures/webhooks.ts'
import {
  API,
  create,
  isWaiting,
  orderOf,
  PATH,
  READ,
  shop,
  unmappable,
  type Waiting,
  waiting,
} from './waiting.ts'

describe('GET /dashboard/deliveries/', () => {
  it('explains itself where nothing waits', async () => {
    const page = await dashboard.get(PATH)
    expect(wordsOf(page)).toMatch(/Nothing waits\. A delivery is a document that a shop/)
    expect(wordsOf(page)).toContain('All deliveries are in the audit log, by outcome: created ,')
    expect(page.text).toContain('/dashboard/audit-log/?area=webhooks&amp;outcome=superseded')
  })

  it('lists what waits, newest first, with its record, need, reason, webhook and partner', async () => {
    const [first, second] = [await waiting(), await waiting()]
    const page = await dashboard.get(PATH)
    const table = wordsOf({ ...page, text: page.text.slice(page.text.lastIndexOf('<table')) })
    expect(table.indexOf(second.document.number)).toBeLessThan(table.indexOf(first.document.number))
    expect(table).toContain(`order ${first.document.number} ${first.id.slice(-8)} order.created`)
    expect(table).toContain(`the product ${first.sku}`)
    expect(table).toContain(`No product has the SKU`)
    expect(table).toContain(`${shop.webhook.name} partner ${shop.webhook.partner_name ?? ''}`)
    expect(page.text).toContain(`href="${first.at}"`)
  })

  it('groups by what is needed, with one remedy for all', async () => {
    const sku = unique('SKU')
    for (let n = 0; n < 3; n++) await waiting(sku)
    const faulty = await unmappable()
    const page = await dashboard.get(PATH)
    const groups = wordsOf({ ...page, text: page.text.split('Filters')[0] ?? '' })
    expect(groups).toMatch(
      new RegExp(`3 deliveries the product ${sku} Create the product ${sku} .* See them`),
    )
    expect(groups).toMatch(
      /1 delivery the mapping of orders of .*, or its webhook Open the mapping of/,
    )
    expect(page.text).toContain(`/dashboard/new/product/?sku=${sku}`)
    expect(page.text).toContain(`${PATH}?needs=product&amp;needs_code=${sku}`)
    expect(page.text).toContain(
      `/dashboard/partners/${shop.partner.id}/mappings/orders/?document=${faulty}`,
    )
  })

  it('says who switches the integration on again, and until then tries nothing', async () => {
    const document = await shopDocument(shop.partner.api)
    await shop.admin.put('/api/settings/v1/workspace/', { integration_enabled: false })
    const { body } = await shop.deliver(document)
    const page = await dashboard.get(PATH)
    await shop.admin.put('/api/settings/v1/workspace/', { integration_enabled: true })
    expect(body.data.outcome).toBe('waiting')
    expect(wordsOf(page)).toContain('the integration of')
    expect(page.text).toContain('href="/dashboard/workspace/integration/"')
    expect(await isWaiting(body.data.delivery_id)).toBe(true)
  })

  it.each([
    ['needs_code', (one: Waiting) => one.sku],
    ['record', (one: Waiting) => one.document.number],
  ])('filters by %s, and offers to try these', async (name, of) => {
    const [one, other] = [await waiting(), await waiting()]
    const { text } = await dashboard.get(`${PATH}?${name}=${of(one)}`)
    expect(text).toContain(one.at)
    expect(text).not.toContain(other.at)
    expect(text).toContain(`/dashboard/apply-deliveries/?${name}=${of(one)}`)
    expect(text).not.toContain('What they need')
  })

  it('filters by time, and says what is wrong with one', async () => {
    const one = await waiting()
    const found = await dashboard.get(`${PATH}?from=2026-01-01`)
    expect(found.text).toContain(one.at)
    const none = await dashboard.get(`${PATH}?to=2026-01-01`)
    expect(wordsOf(none)).toContain('No delivery that waits matches these filters.')
    const bad = await dashboard.get(`${PATH}?from=yesterday`)
    expect(bad.status).toBe(400)
    expect(bad.text).toMatch(/id="from-error">Must be an ISO 8601/)
  })

  it('shows pages that neither skip nor repeat', async () => {
    const made = [await waiting(), await waiting(), await waiting()]
    const first = await dashboard.get(`${PATH}?limit=2`)
    const second = await dashboard.get(nextIn(first) ?? '')
    const table = (text: string) => text.slice(text.lastIndexOf('<table'))
    const shown = [first, second].map(({ text }) =>
      made.filter(({ at }) => table(text).includes(at)).map(({ id }) => id),
    )
    expect(shown).toEqual([[made[1]?.id, made[2]?.id], [made[0]?.id]])
  })

  it('names neither webhooks nor partners to a key that may not see them, and offers it nothing', async () => {
    const { at } = await waiting()
    const reader = await openDashboard(READ)
    const page = await reader.get(PATH)
    expect(page.text).toContain(at)
    expect(page.text).toContain(shop.id)
    expect(page.text).not.toContain(shop.webhook.name)
    expect(page.text).not.toMatch(/Create the product|Open the mapping|by outcome/)
    expect((await reader.get(`${PATH}?needs=product`)).text).not.toContain('Try these now')
  })

  it("is not for a partner's own key, whose navigation leaves it out", async () => {
    const input = { name: unique('key'), scopes: [...READ, 'integrations.*'] }
    const body = { ...input, partner_id: shop.partner.id }
    const { key } = (await shop.admin.post('/api/settings/v1/api-keys/', body)).body.data
    const own = await openDashboard([], { key })
    expect((await own.get(PATH)).status).toBe(403)
    expect((await own.get('/dashboard/orders/')).text).not.toContain('Deliveries')
  })
})

describe('the navigation', () => {
  const countIn = (text: string) =>
    /Deliveries\s*(?:<span class="counted">(\d+)<span)?/.exec(text)?.[1]

  it('says on every page how many wait, without a further round trip', async () => {
    // From now on the isolate knows the session.
    await dashboard.get('/dashboard/workspace/')
    const before = await dashboard.get('/dashboard/products/')
    expect(countIn(before.text)).toBeUndefined()
    await waiting()
    await waiting()
    const after = await dashboard.get('/dashboard/products/')
    expect(countIn(after.text)).toBe('2')
    expect(roundTrips(after)).toBe(roundTrips(before))
    expect(roundTrips(after)).toBeGreaterThan(0)
  })

  it('does not say so to a key that may not see them', async () => {
    await waiting()
    const { text } = await (await openDashboard(['integrations.*'])).get('/dashboard/products/')
    expect(text).not.toContain('Deliveries')
  })
})

describe('a delivery of a partner without a mapping', () => {
  it('says so, and leads to where it is made', async () => {
    const own = await openWebhook({ mappings: {} })
    const id = await unmappable(own)
    const { name, id: partner } = own.partner
    const link = `href="/dashboard/partners/${partner}/mappings/orders/?document=${id}"`
    const needs = `a mapping of orders of ${name} : there is none yet`
    for (const at of [PATH, `${PATH}${id}/`]) {
      const page = await dashboard.get(at)
      expect(wordsOf(page).replaceAll(' :', ':')).toContain(needs.replaceAll(' :', ':'))
      expect(wordsOf(page)).toContain(`Make the mapping of orders of ${name}`)
      expect(page.text).toContain(link)
    }
    expect((await dashboard.get(`/dashboard/partners/${partner}/mappings/orders/`)).status).toBe(
      200,
    )
  })
})

describe('GET /dashboard/deliveries/:id/', () => {
  it('shows what it needs, the remedy, the document with the mark, and its requests', async () => {
    const id = await unmappable()
    const page = await dashboard.get(`${PATH}${id}/`)
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toMatch(/It waits for the mapping of orders of .* Open the mapping of/)
    expect(page.text).toContain('<mark>&quot;two&quot;</mark>')
    expect(page.text).toContain(`/dashboard/audit-log/${id}/`)
    expect(page.text).toContain(`/dashboard/webhooks/${shop.id}/`)
    expect(page.text).toContain(`action="${PATH}${id}/apply/"`)
  })

  it('has the document that its request has not kept, and sends nobody to fields of the API', async () => {
    const lines = [unique('A'), unique('B')].map((sku) => ({ sku, qty: 1 }))
    const document = await shopDocument(shop.partner.api, { lines })
    const id = (await shop.deliver(document)).body.data.delivery_id
    expect((await dashboard.get(`/dashboard/audit-log/${id}/`)).text).toContain(
      `<a href="${PATH}${id}/">its delivery</a> has it`,
    )
    const { text } = await dashboard.get(`${PATH}${id}/`)
    expect(text).toContain('(and 1 more)')
    expect(text).not.toContain('see fields')
  })

  it('leaves out what the key may not see or do', async () => {
    const { at } = await waiting()
    const { text } = await (await openDashboard(READ)).get(at)
    expect(text).not.toMatch(/Apply now|Dismiss|\/dashboard\/webhooks\//)
    expect(text).toContain('you lack the scope <code>settings.audit.read</code>')
  })

  it('says of one that does not wait any more what became of it', async () => {
    const one = await waiting()
    await create(one.sku)
    await shop.admin.post(`${API}/${one.id}/apply/`, {})
    const page = await dashboard.get(one.at)
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('This delivery does not wait any more: created')
    expect((await (await openDashboard(READ)).get(one.at)).status).toBe(404)
  })

  it('is 404 for a request that is no delivery, and for none', async () => {
    const { body } = await shop.admin.post('/api/settings/v1/partners/', {})
    expect((await dashboard.get(`${PATH}${body.request_id}/`)).status).toBe(404)
    expect((await dashboard.get(`${PATH}${unique('none')}/`)).status).toBe(404)
  })

  it('leads to the editor, which begins with its document', async () => {
    const id = await unmappable()
    const at = `/dashboard/partners/${shop.partner.id}/mappings/orders/?document=${id}`
    const { text } = await dashboard.get(at)
    expect(text).toMatch(/<textarea[^>]*id="document"[^>]*>[^<]*&quot;qty&quot;: &quot;two&quot;/)
  })

  it('leads to the editor with the record alone, where the document is an envelope', async () => {
    const own = await openWebhook({ rules: { document: 'data.object' } })
    const object = await shopDocument(own.partner.api, { lines: [{ sku: 'X', qty: 'two' }] })
    const { body } = await own.deliver({ data: { object }, seal: 'of the envelope' })
    const id = body.data.delivery_id
    const at = `/dashboard/partners/${own.partner.id}/mappings/orders/?document=${id}`
    const { text } = await dashboard.get(at)
    expect(text).toContain(object.number)
    expect(text).not.toContain('of the envelope')
  })
})

describe('POST /dashboard/deliveries/:id/apply/', () => {
  it('applies it, and leads to the request that did', async () => {
    const one = await waiting()
    await create(one.sku)
    const answer = await dashboard.post(`${one.at}apply/`)
    expect(answer.status).toBe(303)
    const page = await dashboard.get(answer.headers.get('Location') ?? '')
    expect(wordsOf(page)).toContain('The delivery was tried. This page shows what became of it.')
    expect(wordsOf(page)).toContain('Outcome created')
    expect(await orderOf(one)).toBe(200)
  })

  it('says so if it still waits', async () => {
    const one = await waiting()
    const answer = await dashboard.post(`${one.at}apply/`)
    expect(answer.headers.get('Location')).toBe(`${one.at}?done=delivery-waits`)
    const page = await dashboard.get(one.at)
    expect(wordsOf(page)).toContain('Tried again 1 ')
  })

  it('says what became of one that was applied meanwhile, and changes nothing', async () => {
    const one = await waiting()
    await create(one.sku)
    await shop.admin.post(`${API}/${one.id}/apply/`, {})
    const answer = await dashboard.post(`${one.at}apply/`)
    expect(answer.status).toBe(404)
    expect(wordsOf(answer)).toContain('This delivery does not wait any more: created')
  })

  it('is refused without the scope, and applies nothing', async () => {
    const one = await waiting()
    await create(one.sku)
    const answer = await (await openDashboard(READ)).post(`${one.at}apply/`)
    expect(answer.status).toBe(403)
    expect(await orderOf(one)).toBe(404)
  })

  it('says why where the webhook has expired', async () => {
    const own = await openWebhook()
    const one = await waiting(unique('SKU'), own)
    const end = 'update api_keys set expires_at = ? where id = ?'
    await execute(end, '2026-01-01T00:00:00.000Z', own.id)
    const answer = await dashboard.post(`${one.at}apply/`)
    expect(answer.status).toBe(409)
    expect(wordsOf(answer)).toContain('The delivery could not be tried.')
    expect(await isWaiting(one.id)).toBe(true)
  })
})

describe('POST /dashboard/deliveries/:id/dismiss/', () => {
  it('asks first, and then ends the waiting', async () => {
    const one = await waiting()
    const asked = await dashboard.get(`${one.at}dismiss/`)
    expect(wordsOf(asked)).toContain(`Dismiss the delivery of order ${one.document.number}?`)
    expect(await isWaiting(one.id)).toBe(true)
    const answer = await dashboard.post(`${one.at}dismiss/`)
    expect(answer.headers.get('Location')).toBe(`${PATH}?done=delivery-dismissed`)
    expect(await isWaiting(one.id)).toBe(false)
    expect(wordsOf(await dashboard.get(one.at))).toContain('does not wait any more: dismissed')
    const late = await dashboard.get(`${one.at}dismiss/`)
    expect([late.status, wordsOf(late)]).toEqual([404, expect.stringContaining('dismissed')])
    const row = await shop.admin.get(`/api/settings/v1/audit-log/${one.id}/`)
    expect(row.body.data.delivery.outcome).toBe('dismissed')
  })

  it('is in the audit log with the delivery', async () => {
    const one = await waiting()
    await dashboard.post(`${one.at}dismiss/`)
    const { body } = await shop.admin.get('/api/settings/v1/audit-log/?area=dashboard&limit=5')
    expect(body.data[0]).toMatchObject({ method: 'POST', path: `${one.at}dismiss/`, status: 200 })
  })

  it('of two people lets one dismiss, and tells the other', async () => {
    const one = await waiting()
    const other = await openDashboard()
    const answers = await Promise.all(
      [dashboard, other].map((person) => person.post(`${one.at}dismiss/`)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
  })

  it('of two people who apply and dismiss at once lets one succeed', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await waiting()
      await create(one.sku)
      const [applied, dismissed] = await Promise.all([
        dashboard.post(`${one.at}apply/`),
        (await openDashboard()).post(`${one.at}dismiss/`),
      ])
      const isDismissed = dismissed.status === 303
      expect(await orderOf(one)).toBe(isDismissed ? 404 : 200)
      if (!isDismissed) expect([applied.status, dismissed.status]).toEqual([303, 404])
      expect(await isWaiting(one.id)).toBe(false)
    }
  })
})

describe('the mapping that is corrected', () => {
  it('frees what waited for it: the page says that it is tried within minutes', async () => {
    const own = await openWebhook()
    const id = await unmappable(own)
    const fields = {
      ...SHOP_MAPPING.inbound.fields,
      'items[].quantity': { from: 'lines[].qty', values: { two: 2 } },
    }
    await saveMapping(own.admin, own.partner.id, 'orders', {
      inbound: { unmapped: 'drop', fields },
    })
    expect(wordsOf(await dashboard.get(`${PATH}${id}/`))).toContain('Next try within minutes')
  })
})

describe('a key with settings.documents.read alone', () => {
  it('signs in, and begins with the deliveries', async () => {
    const { value } = await createKey(READ)
    expect((await client(value).get(`${API}/`)).status).toBe(200)
    const { text } = await (await openDashboard([], { key: value })).get(PATH)
    expect(text).toContain('<h1>Deliveries</h1>')
  })
})
