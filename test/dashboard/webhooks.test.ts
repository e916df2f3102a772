import { describe, expect, it } from 'vitest'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, nextIn, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { execute } from '../fixtures/sql.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { delivered, openWebhook, shopDocument, WEBHOOKS } from '../fixtures/webhooks.ts'

const LIST = '/dashboard/webhooks/'
const DAY_MS = 86_400_000

const pageOf = async (id: string) => wordsOf(await dashboard.get(`${LIST}${id}/`))
const rowIn = ({ text }: Answer, name: string) => {
  const row = text.split('<tr>').find((part) => part.includes(name)) ?? ''
  return row.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
}

/** A delivery that waits for a product. */
const deliverUnknown = async ({ deliver, partner }: Awaited<ReturnType<typeof openWebhook>>) =>
  await deliver(await shopDocument(partner.api, { lines: [{ sku: unique('SKU'), qty: 1 }] }))

describe('GET /dashboard/webhooks/', () => {
  it('shows name, partner, resource, state, last use and how many deliveries wait', async () => {
    const shop = await openWebhook({ settings: { rate_limit: 1500 } })
    await deliverUnknown(shop)
    await deliverUnknown(shop)
    const row = rowIn(await dashboard.get(LIST), shop.webhook.name)
    expect(row).toContain(`${shop.partner.name} orders 1,500 per minute active since`)
    expect(row).toContain(` 2 deliveries to ${shop.webhook.name} wait `)
    const idle = await openWebhook()
    expect(rowIn(await dashboard.get(LIST), idle.webhook.name)).toContain('not in the log none')
  })

  it('says which one needs a secret, is paused, has expired and is revoked', async () => {
    const { id, webhook, admin } = await openWebhook({ secret: null })
    const row = async () => rowIn(await dashboard.get(`${LIST}?limit=200`), webhook.name)
    expect(await row()).toContain('needs a secret since')
    await admin.put(`${WEBHOOKS}/${id}/`, { pause: {} })
    expect(await row()).toContain('paused until resumed')
    await execute('update api_keys set expires_at = ? where id = ?', '2026-01-01T00:00:00.000Z', id)
    expect(await row()).toMatch(/ expired since 2026-01-01/)
    await admin.delete(`${WEBHOOKS}/${id}/`)
    expect(await row()).toContain(' revoked since')
  })

  it('finds by partner, resource and state', async () => {
    const { webhook, partner, admin, id } = await openWebhook()
    const shows = async (query: string) =>
      (await dashboard.get(`${LIST}?limit=200&${query}`)).text.includes(webhook.name)
    expect(await shows(`partner_id=${partner.id}`)).toBe(true)
    expect(await shows(`partner_id=${(await openPartner()).id}`)).toBe(false)
    expect([await shows('resource=orders'), await shows('resource=products')]).toEqual([
      true,
      false,
    ])
    expect([await shows('state=active'), await shows('state=paused')]).toEqual([true, false])
    await admin.put(`${WEBHOOKS}/${id}/`, { pause: { until: null, note: null } })
    expect([await shows('state=active'), await shows('state=paused')]).toEqual([false, true])
    await admin.delete(`${WEBHOOKS}/${id}/`)
    expect([await shows('state=paused'), await shows('state=revoked')]).toEqual([false, true])
    expect(await shows('state=expired')).toBe(false)
  })

  it('refuses a filter that is none, at its field', async () => {
    const answer = await dashboard.get(`${LIST}?state=asleep`)
    expect(answer.status).toBe(400)
    expect(wordsOf(answer)).toContain('Must be one of: active, paused, expired, revoked.')
  })

  it('offers to connect a system where there is none', async () => {
    const answer = await dashboard.get(`${LIST}?partner_id=${(await openPartner()).id}`)
    expect(wordsOf(answer)).toContain('No webhook matches these filters.')
    expect(answer.text).toContain('href="/dashboard/connect/"')
  })

  it('keeps its filters on the next page', async () => {
    const { partner, webhook } = await openWebhook()
    const { id } = partner
    const second = unique('second')
    const body = { name: second, partner_id: id, rules: webhook.rules }
    await partner.admin.post(`${WEBHOOKS}/`, body)
    const first = await dashboard.get(`${LIST}?partner_id=${id}&limit=1`)
    const older = await dashboard.get(nextIn(first) ?? '')
    expect([rowIn(first, second), rowIn(first, webhook.name)]).toEqual([
      expect.stringMatching(/./),
      '',
    ])
    expect([rowIn(older, second), rowIn(older, webhook.name)]).toEqual([
      '',
      expect.stringMatching(/./),
    ])
  })
})

describe('GET /dashboard/webhooks/:id/', () => {
  it('says in words what the webhook does', async () => {
    const { id, partner } = await openWebhook({ rules: { headers: ['X-Shop'], query: ['at'] } })
    const text = await pageOf(id)
    for (const words of [
      partner.name,
      'HMAC with SHA-256 in the header X-Shop-Signature, as base64, over the body.',
      'header X-Shop-Topic',
      'order.created order.updated creates or changes the order',
      'order.deleted cancels the order',
      'all other events: skipped',
      "Cancels it if @.status == 'cancelled'",
      'The one with the later modified : an older document changes nothing.',
      "Sender's id header X-Shop-Delivery",
      'Also mapped header X-Shop parameter at',
    ]) {
      expect(text).toContain(words)
    }
  })

  it.each([
    [{ kind: 'address' }, 'Nothing but the address: whoever knows it may deliver.'],
    [{ kind: 'basic', username: 'shop' }, 'A user name (shop) and a password.'],
    [
      { kind: 'token', header: 'Authorization', prefix: 'Bearer ' },
      'The secret in the header Authorization after “Bearer ”.',
    ],
  ])('says of %j what proves the sender', async (verification, words) => {
    const { id } = await openWebhook({ rules: { verification }, secret: null })
    expect(await pageOf(id)).toContain(words)
  })

  it('counts deliveries by day and outcome, and shows the newest with their requests', async () => {
    const shop = await openWebhook()
    const document = await shopDocument(shop.partner.api)
    const made = await shop.deliver(document, { event: 'order.created' })
    await shop.deliver(await shopDocument(shop.partner.api), { event: 'order.other' })
    await deliverUnknown(shop)
    await shop.deliver(document, { secret: 'wrong' })
    const answer = await dashboard.get(`${LIST}${shop.id}/`)
    const text = wordsOf(answer)
    const today = new Date().toISOString().slice(0, 10)
    expect(text).toContain('Day Applied Nothing to do Kept Wrong signature')
    expect(text).toContain(`${today} 1 1 1 1`)
    expect(answer.text).toContain(
      'aria-label="Deliveries by day: applied 1, nothing to do 1, kept 1, wrong signature 1."',
    )
    expect(text).toMatch(/created 1 .*skipped 1 .*wrong signature 1/)
    expect(answer.text).toContain(`/dashboard/audit-log/${made.body.data.delivery_id}/`)
    expect(text).toContain(`order.created ${document.number} created`)
    expect(text).toContain('order.other — skipped The rules skip the event')
    expect(text).toContain('wrong signature (401) The signature does not match.')
    expect(text).toMatch(/Waiting 1 delivery to/)
    expect(answer.text).toContain(`href="/dashboard/deliveries/?webhook_id=${shop.id}"`)
  })

  it('warns of wrong signatures until a delivery is proven', async () => {
    const shop = await openWebhook()
    const document = await shopDocument(shop.partner.api)
    expect(await pageOf(shop.id)).toContain('Wrong signatures none in these days')
    await shop.deliver(document, { secret: 'wrong' })
    await shop.deliver(document, { secret: 'wrong' })
    const text = await pageOf(shop.id)
    expect(text).toMatch(/Wrong signatures 2 , at last \d{4}-/)
    expect(text).toContain('The newest delivery was refused with 401')
    await shop.deliver(document)
    expect(await pageOf(shop.id)).not.toContain('The newest delivery was refused')
  })

  it('counts no dry run, no try of what waits and no delivery of another webhook', async () => {
    const [shop, other] = [await openWebhook(), await openWebhook()]
    await other.deliver(await shopDocument(other.partner.api))
    const { body } = await deliverUnknown(shop)
    await shop.admin.post(`/api/settings/v1/deliveries/${body.data.delivery_id}/apply/`, {})
    const answer = await dashboard.get(`${LIST}${shop.id}/`)
    expect(answer.text).toContain('aria-label="Deliveries by day: kept 1."')
  })

  it('leaves out what is older than the days that it shows', async () => {
    const shop = await openWebhook()
    await shop.deliver(await shopDocument(shop.partner.api))
    await execute(
      'update audit_log set created_at = ? where api_key_id = ?',
      new Date(Date.now() - 15 * DAY_MS).toISOString(),
      shop.id,
    )
    const text = await pageOf(shop.id)
    expect(text).toContain('Nothing has arrived.')
    expect(text).toContain('Last delivery none in these days')
  })

  it('says that the secret is needed, and links to where it is entered', async () => {
    const { id } = await openWebhook({ secret: null })
    const answer = await dashboard.get(`${LIST}${id}/`)
    expect(wordsOf(answer)).toContain('This webhook needs its secret')
    expect(answer.text).toContain(`href="${LIST}${id}/secret/"`)
  })

  it('says that an address that has ended is still called', async () => {
    const { id, webhook, admin, partner } = await openWebhook()
    await admin.delete(`${WEBHOOKS}/${id}/`)
    await execute(
      "insert into key_attempts values (?, 'revoked', 7, ?2, ?2, 'none')",
      webhook.hint,
      new Date().toISOString(),
    )
    const answer = await delivered(webhook.address, await shopDocument(partner.api))
    expect(answer.status).toBe(404)
    expect(await pageOf(id)).toMatch(
      /The address has ended and is still called: \d+ times, at last/,
    )
  })

  it('shows no log to a key that may not read it, and no action to one that may not write', async () => {
    const { id, deliver, partner } = await openWebhook()
    await deliver(await shopDocument(partner.api))
    const reader = await openDashboard(['settings.keys.read'])
    const answer = await reader.get(`${LIST}${id}/`)
    expect(answer.status).toBe(200)
    expect(wordsOf(answer)).toContain('settings.audit.read')
    expect(answer.text).not.toContain('Deliveries by day')
    expect(answer.text).not.toMatch(/\/(edit|rotate|secret|revoke|pause)\//)
    expect(answer.text).not.toContain(partner.name)
  })

  it('is 404 for an API key, and for no id at all', async () => {
    const { partner } = await openWebhook()
    expect((await dashboard.get(`${LIST}${partner.key.id}/`)).status).toBe(404)
    expect((await dashboard.get(`${LIST}none/`)).status).toBe(404)
  })

  it('never shows the address or the secret', async () => {
    const { id, webhook } = await openWebhook({ secret: 'very-own-secret' })
    const { text } = await dashboard.get(`${LIST}${id}/`)
    expect(text).toContain(webhook.hint)
    expect(text).not.toContain(webhook.address.split('/').at(-2))
    expect(text).not.toContain('very-own-secret')
  })
})

describe('GET /dashboard/partners/:id/', () => {
  it('lists the webhooks and keys of the partner that are not revoked', async () => {
    const { partner, webhook, admin, id } = await openWebhook()
    const other = await openWebhook()
    const page = `/dashboard/partners/${partner.id}/`
    const answer = await dashboard.get(page)
    expect(answer.text).toContain(`${LIST}${id}/`)
    expect(rowIn(answer, partner.key.name)).toContain('active')
    expect(rowIn(answer, other.webhook.name)).toBe('')
    await admin.delete(`${WEBHOOKS}/${id}/`)
    expect(rowIn(await dashboard.get(page), webhook.name)).toBe('')
  })

  it('lists none to a key that may not read keys', async () => {
    const { partner, webhook } = await openWebhook()
    const reader = await openDashboard(['settings.partners.read'])
    const text = markupOf(await reader.get(`/dashboard/partners/${partner.id}/`))
    expect(text).not.toContain(webhook.name)
    expect(text).not.toContain(partner.key.name)
  })
})
