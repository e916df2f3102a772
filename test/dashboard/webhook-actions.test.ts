import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { openDashboard, versionIn } from '../fixtures/session.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'
import { delivered, openWebhook, SECRET, shopDocument, WEBHOOKS } from '../fixtures/webhooks.ts'

const LIST = '/dashboard/webhooks/'

type Shop = Awaited<ReturnType<typeof openWebhook>>

const at = (id: string, more = '') => `${LIST}${id}/${more}`
const find = async (id: string): Promise<Json> => (await admin.get(`${WEBHOOKS}/${id}/`)).body.data
const addressIn = ({ text }: Answer) => /data-copy="([^"]*)"/.exec(text)?.[1] ?? ''
const idIn = ({ text }: Answer) =>
  /data-address="\/dashboard\/webhooks\/([^/]*)\/"/.exec(text)?.[1] ?? ''

/** The status of a delivery to this address, signed with this secret. */
async function statusAt({ partner }: Shop, address: string, secret = SECRET) {
  return (await delivered(address, await shopDocument(partner.api), { secret })).status
}

const deliverUnknown = async ({ deliver, partner }: Shop): Promise<string> => {
  const document = await shopDocument(partner.api, { lines: [{ sku: unique('SKU'), qty: 1 }] })
  return (await deliver(document)).body.data.delivery_id
}

describe('POST /dashboard/webhooks/:id/rotate/', () => {
  it('shows a new address, while the old one works until its end', async () => {
    const shop = await openWebhook()
    const asked = await dashboard.get(at(shop.id, 'rotate/'))
    expect(wordsOf(asked)).toContain('The old address ends')
    const made = await dashboard.post(at(shop.id, 'rotate/'), { overlap_seconds: '3600' })
    expect([made.status, wordsOf(made)]).toEqual([
      201,
      expect.stringContaining('The old address ends in an hour.'),
    ])
    expect(await statusAt(shop, addressIn(made))).toBe(200)
    expect(await statusAt(shop, shop.webhook.address)).toBe(200)
    const { expires_at } = await find(shop.id)
    const left = Date.parse(expires_at) - Date.now()
    expect([left > 3_500_000, left <= 3_600_000]).toEqual([true, true])
    expect((await dashboard.get(at(idIn(made)))).text).toContain(shop.webhook.name)
  })

  it('ends the old address at once if asked to, and keeps what waits', async () => {
    const shop = await openWebhook()
    const delivery = await deliverUnknown(shop)
    const made = await dashboard.post(at(shop.id, 'rotate/'), { overlap_seconds: '0' })
    expect(await statusAt(shop, shop.webhook.address)).toBe(404)
    const { body } = await admin.get(`/api/settings/v1/deliveries/${delivery}/`)
    expect(body.data.webhook_id).toBe(idIn(made))
  })

  it('says at once that a webhook which has ended cannot rotate', async () => {
    const { id } = await openWebhook()
    await admin.delete(`${WEBHOOKS}/${id}/`)
    const asked = await dashboard.get(at(id, 'rotate/'))
    expect(wordsOf(asked)).toContain('The webhook is revoked: create a new one instead.')
    const answer = await dashboard.post(at(id, 'rotate/'), { overlap_seconds: '0' })
    expect([answer.status, wordsOf(answer)]).toEqual([400, expect.stringContaining('is revoked')])
  })

  it.each(['', '12', 'soon'])('refuses the overlap "%s", and rotates nothing', async (overlap) => {
    const { id } = await openWebhook()
    const answer = await dashboard.post(at(id, 'rotate/'), { overlap_seconds: overlap })
    expect([answer.status, (await find(id)).expires_at]).toEqual([400, null])
  })

  it('is refused without a scope that the webhook has', async () => {
    const { id } = await openWebhook()
    const limited = await openDashboard(['settings.*'])
    expect(wordsOf(await limited.get(at(id, 'rotate/')))).toContain(
      'lacks the scope integrations.orders',
    )
    const answer = await limited.post(at(id, 'rotate/'), { overlap_seconds: '0' })
    expect([answer.status, (await find(id)).status]).toEqual([403, 'active'])
  })
})

describe('POST /dashboard/webhooks/:id/secret/', () => {
  it('enters the first secret, after which deliveries are taken', async () => {
    const shop = await openWebhook({ secret: null })
    const { address } = shop.webhook
    expect(await statusAt(shop, address)).toBe(503)
    const asked = await dashboard.get(at(shop.id, 'secret/'))
    expect(asked.text).toContain('Enter the secret of')
    const answer = await dashboard.post(at(shop.id, 'secret/'), {
      secret: ` ${SECRET} `,
      overlap_seconds: '0',
    })
    expect(answer.headers.get('Location')).toBe(`${at(shop.id)}?done=secret-saved`)
    expect(await statusAt(shop, address)).toBe(200)
  })

  it('lets both secrets be valid meanwhile, and shows when the old one ends', async () => {
    const shop = await openWebhook()
    const { address } = shop.webhook
    const fields = { secret: 'another one', overlap_seconds: '86400' }
    await dashboard.post(at(shop.id, 'secret/'), fields)
    expect(await statusAt(shop, address)).toBe(200)
    expect(await statusAt(shop, address, 'another one')).toBe(200)
    const { secrets } = await find(shop.id)
    const { text } = await dashboard.get(at(shop.id))
    expect(text).toContain(`, ends <time datetime="${secrets[1].ends_at}"`)
  })

  it('ends the old secret at once if asked to', async () => {
    const shop = await openWebhook()
    const fields = { secret: 'another one', overlap_seconds: '0' }
    await dashboard.post(at(shop.id, 'secret/'), fields)
    expect(await statusAt(shop, shop.webhook.address)).toBe(401)
  })

  it.each([
    [{ secret: '' }, 400, 'Must have at least 1 character.'],
    [{ secret: 'x'.repeat(1001) }, 400, 'Must have at most 1000 characters.'],
    [{ secret: 'x', overlap_seconds: '5' }, 400, 'Must be one of'],
  ])('says what is wrong with %j, and shows no secret again', async (fields, status, message) => {
    const { id } = await openWebhook()
    const answer = await dashboard.post(at(id, 'secret/'), fields)
    expect([answer.status, wordsOf(answer)]).toEqual([status, expect.stringContaining(message)])
    expect(answer.text).not.toContain('value="x')
    expect((await find(id)).secrets).toHaveLength(1)
  })

  it('refuses a secret that the check cannot use', async () => {
    const verification = {
      kind: 'hmac',
      header: 'X-S',
      algorithm: 'sha256',
      secret_encoding: 'base64',
    }
    const { id } = await openWebhook({ rules: { verification }, secret: null })
    const answer = await dashboard.post(at(id, 'secret/'), { secret: '%%%' })
    expect([answer.status, wordsOf(answer)]).toEqual([
      400,
      expect.stringContaining('Must be base64.'),
    ])
  })

  it('changes nothing if others have changed the webhook meanwhile', async () => {
    const { id } = await openWebhook()
    const version = versionIn(await dashboard.get(at(id, 'secret/')))
    await admin.put(`${WEBHOOKS}/${id}/`, { name: unique('Theirs') })
    const fields = { secret: 'another one', overlap_seconds: '0', version }
    const answer = await dashboard.post(at(id, 'secret/'), fields)
    expect([answer.status, (await find(id)).secrets.length]).toEqual([412, 1])
  })

  it('is refused without a scope that the webhook has, and says so at once', async () => {
    const { id } = await openWebhook()
    const limited = await openDashboard(['settings.*'])
    expect(wordsOf(await limited.get(at(id, 'secret/')))).toContain('lacks the scope')
    const answer = await limited.post(at(id, 'secret/'), { secret: 'x', overlap_seconds: '0' })
    expect(answer.status).toBe(403)
  })
})

describe('POST /dashboard/webhooks/:id/pause/', () => {
  it('keeps what arrives until the webhook is resumed', async () => {
    const shop = await openWebhook()
    const { id } = shop
    const page = await dashboard.get(at(id))
    expect(wordsOf(page)).toContain('each delivery to this webhook is answered with 200 and kept.')
    const note = unique('Counting')
    const paused = await dashboard.post(at(id, 'pause/'), { length: '3600', note })
    expect(paused.headers.get('Location')).toBe(`${at(id)}?done=webhook-paused`)
    const kept = await shop.deliver(await shopDocument(shop.partner.api))
    expect([kept.status, kept.body.data.outcome]).toEqual([200, 'waiting'])
    const shown = await dashboard.get(at(id))
    expect(wordsOf(shown)).toContain(`Note: ${note}`)
    const version = versionIn(shown)
    const resumed = await dashboard.post(at(id, 'pause/'), { confirmed: 'true', version })
    expect(resumed.status).toBe(303)
  })

  it('is told of on the pages of partners and of the workspace, which pause webhooks too', async () => {
    const { partner } = await openWebhook()
    for (const page of [`/dashboard/partners/${partner.id}/`, '/dashboard/workspace/']) {
      expect(wordsOf(await dashboard.get(page))).toContain('Deliveries to webhooks are kept')
    }
    const key = await dashboard.get(`/dashboard/api-keys/${partner.key.id}/pause/`)
    expect(wordsOf(key)).not.toContain('Deliveries to webhooks are kept')
  })

  it('asks for the settings.keys.write scope', async () => {
    const { id } = await openWebhook()
    const reader = await openDashboard(['settings.keys.read'])
    expect((await reader.get(at(id, 'pause/'))).status).toBe(403)
  })
})

describe('POST /dashboard/webhooks/:id/revoke/', () => {
  it('ends the address', async () => {
    const shop = await openWebhook()
    expect(wordsOf(await dashboard.get(at(shop.id, 'revoke/')))).toContain('is refused with 404')
    const answer = await dashboard.post(at(shop.id, 'revoke/'))
    expect(answer.headers.get('Location')).toBe(`${at(shop.id)}?done=webhook-revoked`)
    expect(await statusAt(shop, shop.webhook.address)).toBe(404)
    const { text } = await dashboard.get(at(shop.id))
    expect(text).not.toMatch(/\/(edit|rotate|secret|revoke)\//)
  })

  it('says at once that deliveries wait, with links to them, and revokes nothing', async () => {
    const shop = await openWebhook()
    const delivery = await deliverUnknown(shop)
    for (const answer of [
      await dashboard.get(at(shop.id, 'revoke/')),
      await dashboard.post(at(shop.id, 'revoke/')),
    ]) {
      expect(wordsOf(answer)).toContain(
        '1 delivery to this webhook waits: first apply or dismiss what waits',
      )
      expect(wordsOf(answer)).toContain('One delivery waits: apply or dismiss what waits')
      expect(answer.text).toContain(`href="/dashboard/deliveries/?webhook_id=${shop.id}"`)
      expect(answer.text).toContain(`href="${at(shop.id, 'rotate/')}"`)
    }
    expect((await dashboard.post(at(shop.id, 'revoke/'))).status).toBe(409)
    expect((await find(shop.id)).status).toBe('active')
    await admin.post(`/api/settings/v1/deliveries/${delivery}/dismiss/`, {})
    expect((await dashboard.post(at(shop.id, 'revoke/'))).status).toBe(303)
  })

  it('is 404 for an API key', async () => {
    const { partner } = await openWebhook()
    expect((await dashboard.get(at(partner.key.id, 'revoke/'))).status).toBe(404)
  })
})

describe('the history of settings', () => {
  it('names webhooks as what they are, and leads to their pages', async () => {
    const { id, webhook, partner } = await openWebhook()
    const { text } = await dashboard.get(`/dashboard/history/?record_id=${id}`)
    expect(text).toContain(`<a href="${at(id)}">Webhook ${webhook.name}</a>`)
    const key = await dashboard.get(`/dashboard/history/?record_id=${partner.key.id}`)
    expect(key.text).toContain(`API key ${partner.key.name}</a>`)
    const [, change = ''] = /href="(\/dashboard\/history\/\d+\/)"/.exec(text) ?? []
    expect((await dashboard.get(change)).text).toContain(`Webhook ${webhook.name}: created`)
  })

  it('names the webhook that a request has changed', async () => {
    const { id, webhook } = await openWebhook()
    const paused = await dashboard.post(at(id, 'pause/'), { length: '', until: '', note: '' })
    const request = paused.headers.get('X-Request-Id')
    const { text } = await dashboard.get(`/dashboard/audit-log/${request}/`)
    expect(text).toContain(`<a href="${at(id)}">Webhook ${webhook.name}</a>`)
  })
})
