import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { hintOf, mintKey } from '../../src/engine/identity/key.ts'
import { newAddress } from '../fixtures/address.ts'
import { ATTEMPTS, attemptsIn, BASE_DOMAIN, hostOf, noAttempts } from '../fixtures/attempts.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import {
  type Answer,
  type CallOptions,
  client,
  createKey,
  type Json,
  ORIGIN,
  openTenant,
  send,
} from '../fixtures/tenant.ts'
import {
  delivered,
  openWebhook,
  shopDocument,
  WEBHOOKS,
  type Webhook,
} from '../fixtures/webhooks.ts'

let shop: Webhook
beforeAll(async () => {
  await openTenant('other')
  shop = await openWebhook()
})

afterEach(() => {
  vi.restoreAllMocks()
})

const PAST = '2026-01-01T00:00:00.000Z'
const UNKNOWN = 'No webhook has this address: copy it again, or rotate it.'

const tokenOf = (address: string) => address.split('/').at(-2) as string
const addressOf = (token: string, origin = ORIGIN) => `${origin}/webhooks/v1/${token}/`
const ask = (address: string, method = 'GET', options: CallOptions = {}) =>
  send(
    new Request(address, { method, redirect: 'manual', headers: options.headers ?? {} }),
    options,
  )
const minted = async (tenant = 'demo') => (await mintKey(tenant, 'xh')).value
const set = (fields: string, id = shop.id) =>
  env.DB_DEMO.prepare(`update api_keys set ${fields} where id = ?`).bind(id).run()
const rowsOf = async (id: string) =>
  (
    await env.DB_DEMO.prepare('select * from audit_log where api_key_id = ? order by seq')
      .bind(id)
      .all<Json>()
  ).results

describe('POST /webhooks/v1/:token', () => {
  it('takes a delivery with and without the last slash, and with a query', async () => {
    const { address } = shop.webhook
    for (const to of [
      address,
      address.slice(0, -1),
      `${address}?a=b`,
      `${address.slice(0, -1)}?`,
    ]) {
      const answer = await delivered(to, await shopDocument(shop.api))
      expect([answer.status, answer.body.data.outcome]).toEqual([200, 'created'])
      expect(answer.headers.get('Location')).toBeNull()
    }
  })

  it.each([
    ['that nobody was given', () => minted()],
    ['of a tenant that is not here', () => minted('nowhere')],
    ['that is mistyped', async () => `${(await minted()).slice(0, -1)}_`],
    ['that lacks a character', async () => (await minted()).slice(0, -1)],
    ['that has one more', async () => `${await minted()}x`],
    ['that has a path behind it', async () => `${await minted()}/more`],
    ['that has two slashes behind it', async () => `${await minted()}/`],
    ['that is percent-encoded', async () => (await minted()).replaceAll('_', '%5F')],
    ['of 5,000 characters', async () => 'x'.repeat(5000)],
    ['that is __proto__', async () => '__proto__'],
    ['with an escape that is broken', async () => '%E0%A4%A'],
    ['with a line break', async () => '%0d%0aX-Header:1'],
  ])('is 404 for an address %s', async (_, make) => {
    const address = addressOf(await make())
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    for (const to of [address, address.slice(0, -1)]) {
      expectRefusal(await delivered(to, {}), 404, 'NOT_FOUND', UNKNOWN)
      expectRefusal(await ask(to), 404, 'NOT_FOUND', UNKNOWN)
    }
  })

  it.each(['/webhooks', '/webhooks/', '/webhooks/v1', '/webhooks/v1/', '/webhooks/v2/token/'])(
    'is 404 for the path %s, without a redirect',
    async (path) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      for (const method of ['GET', 'POST', 'PUT']) {
        expect((await ask(ORIGIN + path, method)).status).toBe(404)
      }
    },
  )

  it('is 404 for a revoked webhook at once, and 401 for one that has expired', async () => {
    const own = await openWebhook()
    const document = await shopDocument(own.api)
    expect((await own.deliver(document)).status).toBe(200)
    await set(`expires_at = '${PAST}'`, own.id)
    expectRefusal(await own.deliver(document), 401, 'KEY_EXPIRED')
    expectRefusal(await ask(own.webhook.address), 401, 'KEY_EXPIRED')
    await set('expires_at = null', own.id)
    expect((await own.deliver(document)).status).toBe(200)
    expect((await own.admin.delete(`${WEBHOOKS}/${own.id}/`)).status).toBe(200)
    expectRefusal(await own.deliver(document), 404, 'NOT_FOUND', UNKNOWN)
    expectRefusal(await ask(own.webhook.address), 404, 'NOT_FOUND', UNKNOWN)
  })

  it('goes on at both addresses during the overlap of a rotation, then at the new one', async () => {
    const own = await openWebhook()
    const rotated = await own.admin.post(`${WEBHOOKS}/${own.id}/rotate/`, { overlap_seconds: 600 })
    const { address, id } = rotated.body.data
    for (const to of [own.webhook.address, address]) {
      const { body } = await delivered(to, await shopDocument(own.api))
      expect(body.data.outcome).toBe('created')
    }
    const at_once = await own.admin.post(`${WEBHOOKS}/${id}/rotate/`, { overlap_seconds: 0 })
    expect((await delivered(address, {})).status).toBe(404)
    const document = await shopDocument(own.api)
    const { status } = await delivered(at_once.body.data.address, document)
    expect(status).toBe(200)
  })

  it('keeps a document from being applied twice or backwards across a rotation', async () => {
    const own = await openWebhook()
    const document = await shopDocument(own.api)
    const newer = { ...document, customer: 'Grace', modified: '2026-01-01T00:00:00Z' }
    await own.deliver(newer)
    const { body } = await own.admin.post(`${WEBHOOKS}/${own.id}/rotate/`, { overlap_seconds: 0 })
    const { data } = (await delivered(body.data.address, document)).body
    expect(data.outcome).toBe('stale')
  })

  it('keeps its partner from being deleted', async () => {
    const own = await openWebhook()
    const path = `/api/settings/v1/partners/${own.partner.id}/`
    await own.admin.delete(`/api/settings/v1/api-keys/${own.partner.key.id}/`)
    expectRefusal(await own.admin.delete(path), 409, 'IN_USE')
    await own.admin.delete(`${WEBHOOKS}/${own.id}/`)
    expect((await own.admin.delete(path)).status).toBe(200)
  })

  it.each(['PUT', 'DELETE', 'PATCH'])('is 405 for %s', async (method) => {
    for (const to of [shop.webhook.address, shop.webhook.address.slice(0, -1)]) {
      const answer = await ask(to, method)
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
      expect(answer.headers.get('Allow')).toContain('POST')
    }
  })

  it('counts towards the rate limit, readiness checks too', async () => {
    const own = await openWebhook({ settings: { rate_limit: 2 } })
    await own.deliver(await shopDocument(own.api))
    expect((await ask(own.webhook.address)).status).toBe(200)
    const answer = await own.deliver(await shopDocument(own.api))
    expectRefusal(answer, 429, 'RATE_LIMITED')
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
  })

  it('keeps what comes while the integration is off, and is ready all the same', async () => {
    const own = await openWebhook({ tenant: 'other' })
    const document = await shopDocument(own.api)
    const off = (integration_enabled: boolean) =>
      own.admin.put('/api/settings/v1/workspace/', { integration_enabled })
    await off(false)
    expect(await own.told(document)).toMatchObject({
      outcome: 'waiting',
      error: { code: 'WORKSPACE_DISABLED' },
    })
    expect((await ask(own.webhook.address)).status).toBe(200)
    await off(true)
    expect(await own.outcomeOf(document)).toBe('created')
  })

  it.each(['webhook', 'partner', 'workspace'])(
    'keeps what comes during a pause of the %s',
    async (of) => {
      const own = await openWebhook({ tenant: 'other' })
      const document = await shopDocument(own.api)
      const paths: Record<string, string> = {
        webhook: `${WEBHOOKS}/${own.id}/`,
        partner: `/api/settings/v1/partners/${own.partner.id}/`,
        workspace: '/api/settings/v1/workspace/',
      }
      const put = async (pause: object | null) => {
        const answer = await own.admin.put(paths[of] as string, { pause })
        expect([answer.status, answer.text]).toEqual([200, expect.anything()])
      }
      await put({ until: null, note: 'stocktaking' })
      expect(await own.told(document)).toMatchObject({
        outcome: 'waiting',
        error: { reason: 'PAUSED' },
      })
      await put(null)
      expect(await own.outcomeOf(document)).toBe('created')
    },
  )
})

describe('GET /webhooks/v1/:token', () => {
  it('is ready, with and without the last slash, and so is HEAD', async () => {
    const { address } = shop.webhook
    for (const to of [address, address.slice(0, -1), `${address}?x=1`]) {
      const { status, body } = await ask(to)
      expect([status, body]).toMatchObject([200, { success: true, data: { ready: true } }])
      const head = await ask(to, 'HEAD')
      expect([head.status, head.text]).toEqual([200, ''])
    }
  })

  it.each(['abc', 'a.b~c:d+e/f=g-h_i', 'x'.repeat(200), '0'])(
    'echoes the challenge %s as text',
    async (challenge) => {
      const { status, text, headers } = await ask(
        `${shop.webhook.address}?challenge=${encodeURIComponent(challenge)}`,
      )
      expect([status, text]).toEqual([200, challenge])
      expect(headers.get('Content-Type')).toMatch(/^text\/plain\b/)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    },
  )

  it.each([
    '',
    '<script>alert(1)</script>',
    'a b',
    'a\r\nSet-Cookie: b=c',
    'x'.repeat(201),
    'é',
    '{"a":1}',
  ])('does not echo the challenge %j', async (challenge) => {
    const { text, body } = await ask(
      `${shop.webhook.address}?challenge=${encodeURIComponent(challenge)}`,
    )
    expect(body.data).toEqual({ ready: true })
    if (challenge !== '') expect(text).not.toContain(challenge)
  })

  it('echoes no address that was pasted as the challenge', async () => {
    const other = await minted()
    const { text } = await ask(`${shop.webhook.address}?challenge=${other}`)
    expect(text).not.toContain(other)
  })
})

describe('an address and a key', () => {
  it('are no good for each other', async () => {
    const api = client(tokenOf(shop.webhook.address))
    const isAddress = expect.stringContaining('is the address of a webhook')
    expectRefusal(await api.get('/orders/'), 401, 'KEY_INVALID', isAddress)
    expectRefusal(await api.get(`${WEBHOOKS}/`), 401, 'KEY_INVALID', isAddress)
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const key = (await createKey(['integrations.*', 'settings.*'])).value
    const isKey = expect.stringContaining('an API key stands in it')
    expectRefusal(await ask(addressOf(key)), 404, 'NOT_FOUND', isKey)
    const beside = await ask(addressOf(await minted()), 'GET', { headers: { 'X-API-Key': key } })
    expectRefusal(beside, 404, 'NOT_FOUND', UNKNOWN)
  })

  it('are refused for their form alone, whether there is such a one or not', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const told = ({ body: { request_id, ...body } }: Answer) => body
    const { address } = shop.webhook
    const here = [tokenOf(address), address, await minted(), await minted('nobody'), 'xh_demo_x']
    const [first, ...others] = await Promise.all(here.map((sent) => client(sent).get('/orders/')))
    for (const other of others)
      expect([other.status, told(other)]).toEqual([401, told(first as Answer)])
    const key = (await createKey(['integrations.*'])).value
    const keys = [key, (await mintKey('demo')).value, (await mintKey('nobody')).value, 'xd_demo_x']
    const [own, ...strange] = await Promise.all(keys.map((sent) => ask(addressOf(sent))))
    for (const other of strange)
      expect([other.status, told(other)]).toEqual([404, told(own as Answer)])
  })

  it('of another tenant opens nothing at this one', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const bindings = { ...env, BASE_DOMAIN }
    const token = tokenOf(shop.webhook.address)
    const document = await shopDocument(shop.api)
    const stray = await delivered(addressOf(token, hostOf('other')), document, { bindings })
    expectRefusal(stray, 404, 'NOT_FOUND', UNKNOWN)
    const home = await delivered(addressOf(token, hostOf('demo')), document, { bindings })
    expect(home.body.data.outcome).toBe('created')
  })

  it('over plain HTTP are refused before they are looked at, without a redirect', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const options = await noAttempts()
    const plain = addressOf(tokenOf(shop.webhook.address), 'http://demo.example')
    for (const to of [plain, plain.slice(0, -1)]) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const answer = await ask(to, method, options)
        expect([answer.status, answer.headers.get('Location')]).toEqual([403, null])
      }
    }
    expectRefusal(await ask(plain, 'POST', options), 403, 'HTTPS_REQUIRED')
    expect(await attemptsIn()).toEqual([
      expect.objectContaining({
        hint: hintOf(tokenOf(shop.webhook.address)),
        reason: 'plain_http',
      }),
    ])
  })
})

describe('an address that fails', () => {
  let options: CallOptions
  beforeEach(async () => {
    options = await noAttempts()
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })

  const KINDS: [string, () => Promise<string>][] = [
    ['malformed', async () => `${(await minted()).slice(0, -4)}typo`],
    ['unknown', () => minted()],
    [
      'revoked',
      async () => {
        const own = await openWebhook()
        await set(`revoked_at = '${PAST}'`, own.id)
        return tokenOf(own.webhook.address)
      },
    ],
    [
      'expired',
      async () => {
        const own = await openWebhook()
        await set(`expires_at = '${PAST}'`, own.id)
        return tokenOf(own.webhook.address)
      },
    ],
  ]

  it.each(KINDS)('counts as an attempt with its hint: %s', async (reason, make) => {
    const token = await make()
    await delivered(addressOf(token, hostOf('demo')), {}, options)
    expect(await attemptsIn()).toMatchObject([{ hint: hintOf(token), reason, count: 1 }])
    expect((await shop.admin.get(ATTEMPTS)).text).not.toContain(token)
  })

  it('closes its network after a hundred, and no address that is known', async () => {
    const fresh = await freshIsolate()
    const own = await openWebhook()
    const network = newAddress()
    const at = (address: string, from = network) =>
      ask(address, 'GET', { ...fresh, headers: { 'CF-Connecting-IP': from } })
    expect((await at(own.webhook.address)).status).toBe(200)
    const { tried, closed } = await triesUntilClosed(async () => at(addressOf(await minted())))
    expectRefusal(closed, 429, 'RATE_LIMITED')
    // The binding counts by the minute of the clock: a test that goes past its end has up to a hundred more.
    expect(tried).toBeGreaterThanOrEqual(100)
    expect(closed.body.error.reason).toBe('UNKNOWN_KEYS')
    expect((await at(own.webhook.address)).status).toBe(200)
    expect((await at(addressOf(await minted()), newAddress())).status).toBe(404)
  })
})

describe('the address in what is stored and logged', () => {
  it('is a hint in the rows of deliveries and refusals', async () => {
    const own = await openWebhook()
    const token = tokenOf(own.webhook.address)
    const document = await shopDocument(own.api)
    await own.deliver(document)
    await own.deliver(document, { secret: 'wrong' })
    await ask(own.webhook.address)
    await ask(own.webhook.address.slice(0, -1))
    await ask(`${own.webhook.address}?token=${token}`)
    await ask(own.webhook.address, 'PUT')
    const paths = (await rowsOf(own.id)).map(({ path }) => path)
    expect(paths.length).toBe(6)
    for (const path of paths) expect(path).toMatch(/^\/webhooks\/v1\/xh_demo_….{4}\/?$/)
  })

  it.each([
    ['without its last character', (token: string) => token.slice(0, -1)],
    ['without its first characters', (token: string) => token.slice(3)],
    ['cut in two', (token: string) => `${token.slice(0, 40)}/${token.slice(40)}`],
    ['with a space in it', (token: string) => `${token.slice(0, 40)}%20${token.slice(40)}`],
    ['with percent-encoding', (token: string) => token.replaceAll('_', '%5f')],
    ['in capitals', (token: string) => token.toUpperCase()],
  ])('is in no line of the log, %s', async (_, change) => {
    const lines: string[] = []
    vi.spyOn(console, 'warn').mockImplementation((line) => lines.push(String(line)))
    vi.spyOn(console, 'error').mockImplementation((line) => lines.push(String(line)))
    const token = tokenOf(shop.webhook.address)
    const answer = await ask(addressOf(change(token)), 'POST')
    expect(answer.status).toBe(404)
    const secret = change(token).slice(-60).replaceAll('%20', ' ')
    const pieces = [...secret.matchAll(/[0-9A-Za-z]{8}/g)].map(([piece]) => piece)
    const all = [...lines, answer.text, ...[...answer.headers].flat()].join('\n')
    expect(pieces.filter((piece) => all.includes(piece))).toEqual([])
    expect(lines.length).toBeGreaterThan(0)
  })

  it('is in no header of an answer', async () => {
    const { headers } = await shop.deliver(await shopDocument(shop.api))
    const all = JSON.stringify([...headers])
    expect(all).not.toContain(tokenOf(shop.webhook.address).slice(8, 30))
    expect(headers.get('Server-Timing')).toMatch(
      /^key;desc="\w+", d1;dur=\d+;desc="round trips 1"$/,
    )
  })

  it('is a hint where the sender sends it as event, id or value', async () => {
    const own = await openWebhook({
      rules: {
        event: { path: 'topic' },
        delivery_id: { path: 'id' },
        actions: { '*': 'upsert', stop: 'skip' },
      },
    })
    const token = tokenOf(own.webhook.address)
    const document = await shopDocument(own.api, { topic: token, id: own.webhook.address })
    expect((await own.deliver(document)).status).toBe(200)
    await own.deliver({ ...document, status: 'draft' })
    for (const { sender_event, sender_id, message } of await rowsOf(own.id)) {
      expect(`${sender_event} ${sender_id} ${message}`).not.toContain(token)
      expect(sender_event).toBe(hintOf(token))
    }
  })
})

/** How many of these were 404 before the first other answer, which this gives. */
async function triesUntilClosed(ask: () => Promise<Answer>) {
  for (let tried = 0; tried <= 200; tried++) {
    const closed = await ask()
    if (closed.status !== 404) return { tried, closed }
  }
  throw new Error('never closed')
}
