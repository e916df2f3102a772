import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { keep, keysWith } from '../fixtures/kept-documents.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { type Answer, type CallOptions, type Json, send, unique } from '../fixtures/tenant.ts'
import { openWebhook, SECRET, shopDocument, WEBHOOKS, type Webhook } from '../fixtures/webhooks.ts'

// The checks themselves: test/webhooks/. Here they are asked through the Worker's entry.

type Headers = Record<string, string> | [string, string][]

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const MISSING = 'The signature is missing.'
const MISMATCH = 'The signature does not match.'
const TOO_OLD = 'The timestamp is too old.'
const OTHER_SECRET = `${SECRET.slice(0, -1)}T`

const bytes = (text: string) => new TextEncoder().encode(text)
const hmac = (secret: string | Uint8Array, text: string, as: 'base64' | 'hex' = 'base64') =>
  createHmac('sha256', secret).update(text).digest(as)
const seconds = () => Math.floor(Date.now() / 1000)

async function post(shop: Webhook, body: string, headers: Headers, options: CallOptions = {}) {
  const all = new Headers(headers)
  all.set('Content-Type', 'application/json')
  return await send(
    new Request(shop.webhook.address, { method: 'POST', body, headers: all }),
    options,
  )
}

async function keyPair(how: SubtleCryptoGenerateKeyAlgorithm) {
  const pair = (await crypto.subtle.generateKey(how, true, ['sign', 'verify'])) as CryptoKeyPair
  const spki = (await crypto.subtle.exportKey('spki', pair.publicKey)) as ArrayBuffer
  const text = Buffer.from(spki).toString('base64')
  const pem = `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`
  const sign = async (content: string) =>
    Buffer.from(await crypto.subtle.sign(how, pair.privateKey, bytes(content))).toString('base64')
  return { pem, sign }
}

const RSA = await keyPair({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
})
const EC = await keyPair({ name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' })
const ED = await keyPair({ name: 'Ed25519' })

interface Kind {
  name: string
  verification: object
  secret: string | null
  /** Of the header with the signature. */
  header: string
  headers: (body: string, secret: string) => Promise<Record<string, string>>
}

const WHSEC = `whsec_${Buffer.from('thirty-two bytes of a secret key').toString('base64')}`

const KINDS: Kind[] = [
  {
    name: 'hmac in base64',
    verification: { kind: 'hmac', header: 'X-Sig', algorithm: 'sha256' },
    secret: SECRET,
    header: 'X-Sig',
    headers: async (body, secret) => ({ 'X-Sig': hmac(secret, body) }),
  },
  {
    name: 'hmac in hex after a prefix',
    verification: {
      kind: 'hmac',
      header: 'X-Hub-Signature-256',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'sha256=',
    },
    secret: SECRET,
    header: 'X-Hub-Signature-256',
    headers: async (body, secret) => ({
      'X-Hub-Signature-256': `sha256=${hmac(secret, body, 'hex')}`,
    }),
  },
  {
    name: 'hmac with a time in the list of signatures',
    verification: {
      kind: 'hmac',
      header: 'Sig-List',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'v1=',
      separator: ',',
      signed: '{timestamp}.{body}',
      timestamp: { member: 't' },
    },
    secret: SECRET,
    header: 'Sig-List',
    headers: async (body, secret) => {
      const t = seconds()
      return { 'Sig-List': `t=${t},v1=${hmac(secret, `${t}.${body}`, 'hex')}` }
    },
  },
  {
    name: 'hmac of Standard Webhooks',
    verification: {
      kind: 'hmac',
      header: 'webhook-signature',
      algorithm: 'sha256',
      prefix: 'v1,',
      separator: ' ',
      signed: '{id}.{timestamp}.{body}',
      timestamp: { header: 'webhook-timestamp' },
      id: { header: 'webhook-id' },
      secret_encoding: 'base64',
      secret_prefix: 'whsec_',
    },
    secret: WHSEC,
    header: 'webhook-signature',
    headers: async (body, secret) => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      const t = String(seconds())
      const signature = `v1,${hmac(key, `m-1.${t}.${body}`)}`
      return { 'webhook-id': 'm-1', 'webhook-timestamp': t, 'webhook-signature': signature }
    },
  },
  ...(
    [
      ['RS256', RSA],
      ['ES256', EC],
      ['Ed25519', ED],
    ] as const
  ).map(
    ([algorithm, { pem, sign }]): Kind => ({
      name: `public_key ${algorithm}`,
      verification: { kind: 'public_key', header: 'X-Sig', algorithm, keys: [pem] },
      secret: null,
      header: 'X-Sig',
      headers: async (body) => ({ 'X-Sig': await sign(body) }),
    }),
  ),
  {
    name: 'basic',
    verification: { kind: 'basic', username: 'shop' },
    secret: SECRET,
    header: 'Authorization',
    headers: async (_, secret) => ({ Authorization: `Basic ${btoa(`shop:${secret}`)}` }),
  },
  {
    name: 'token',
    verification: { kind: 'token', header: 'Authorization', prefix: 'Bearer ' },
    secret: SECRET,
    header: 'Authorization',
    headers: async (_, secret) => ({ Authorization: `Bearer ${secret}` }),
  },
]

const rules = (verification: object) => ({
  verification,
  event: null,
  delivery_id: null,
  actions: {},
})

function expectUnsigned(answer: Answer, message: string) {
  expectRefusal(answer, 401, 'SIGNATURE_INVALID', message)
}

const rowOf = async ({ headers }: Answer) =>
  await env.DB_DEMO.prepare('select * from audit_log where request_id = ?')
    .bind(headers.get('X-Request-Id'))
    .first<Json>()

describe.each(KINDS)('a delivery checked by $name', ({ verification, secret, header, headers }) => {
  let shop: Webhook
  beforeAll(async () => {
    shop = await openWebhook({ rules: rules(verification), secret })
  })
  const isOfBody = !['basic', 'token'].includes(Reflect.get(verification, 'kind'))
  const document = async () => JSON.stringify(await shopDocument(shop.api))
  const signed = async (body: string) => await headers(body, secret ?? '')

  it('is applied', async () => {
    const body = await document()
    const { status, body: told } = await post(shop, body, await signed(body))
    expect([status, told.data?.outcome]).toEqual([200, 'created'])
  })

  it('is refused without the header, and leaves its row', async () => {
    const body = await document()
    const { [header]: _, ...rest } = await signed(body)
    const answer = await post(shop, body, rest)
    expectUnsigned(answer, MISSING)
    expect(await rowOf(answer)).toMatchObject({
      status: 401,
      error_code: 'SIGNATURE_INVALID',
      api_key_id: shop.id,
      partner_id: shop.partner.id,
      message: MISSING,
      outcome: null,
      sender_event: null,
      sender_id: null,
    })
  })

  if (isOfBody)
    it('is refused if one byte of its body is another', async () => {
      const body = await document()
      const sent = await signed(body)
      for (const other of [body.replace('Ada', 'Adb'), `${body} `, body.slice(0, -1), '', '{}']) {
        expectUnsigned(await post(shop, other, sent), MISMATCH)
      }
    })

  it('is refused if the header is changed, cut off, doubled, empty or very long', async () => {
    const body = await document()
    const { [header]: right = '', ...rest } = await signed(body)
    const at = right.length - 10
    const changed = right.slice(0, at) + (right[at] === 'a' ? 'b' : 'a') + right.slice(at + 1)
    const wrong: [string, string][] = [
      [changed, MISMATCH],
      // Base64 may lack its padding.
      [right.replace(/=*$/, '').slice(0, -1), MISMATCH],
      [right.slice(0, -8), MISMATCH],
      [right.slice(1), MISMATCH],
      [`A${right}`, MISMATCH],
      ['', MISMATCH],
      ['x'.repeat(100_000), MISMATCH],
      [`${right}${' ,'.repeat(50_000)}`, MISMATCH],
      [`${'A'.repeat(99_000)}${right}`, MISMATCH],
    ]
    for (const [value, message] of wrong) {
      expectUnsigned(await post(shop, body, { ...rest, [header]: value }), message)
    }
    const doubled = new Headers({ ...rest, [header]: right })
    doubled.append(header, right)
    const answer = await post(shop, body, [...doubled])
    // A list of signatures may have one twice.
    if (answer.status !== 200) expectUnsigned(answer, MISMATCH)
    expect(answer.status === 200).toBe('separator' in verification)
  })

  if (secret !== null)
    it('is refused with another secret', async () => {
      const body = await document()
      const other = secret === WHSEC ? WHSEC.replace('dGhp', 'dGhq') : OTHER_SECRET
      expectUnsigned(await post(shop, body, await headers(body, other)), MISMATCH)
      expectUnsigned(await post(shop, body, await headers(body, `x${secret}`)), MISMATCH)
    })
})

describe('a delivery with a time', () => {
  it.each(KINDS.filter(({ verification }) => 'timestamp' in verification))(
    'is refused when it is too old or of the future: $name',
    async ({ verification, secret, headers }) => {
      const shop = await openWebhook({ rules: rules(verification), secret })
      const now = Date.now()
      for (const [ms, status] of [
        [-301_000, 401],
        [-290_000, 200],
        [290_000, 200],
        [301_000, 401],
      ] as const) {
        const body = JSON.stringify(await shopDocument(shop.api))
        vi.useFakeTimers({ toFake: ['Date'], now: now + ms })
        const sent = await headers(body, secret ?? '')
        vi.setSystemTime(now)
        const answer = await post(shop, body, sent)
        expect([ms, answer.status]).toEqual([ms, status])
        if (status === 401) expectUnsigned(answer, TOO_OLD)
        vi.useRealTimers()
      }
    },
  )

  it('is a retry within the tolerance, and does nothing again', async () => {
    const [, , kind] = KINDS as [Kind, Kind, Kind]
    const shop = await openWebhook({ rules: rules(kind.verification) })
    const body = JSON.stringify(await shopDocument(shop.api))
    const sent = await kind.headers(body, SECRET)
    const outcomes = []
    for (let n = 0; n < 3; n++) outcomes.push((await post(shop, body, sent)).body.data.outcome)
    expect(outcomes).toEqual(['created', 'unchanged', 'unchanged'])
  })
})

describe('two secrets', () => {
  it('are both good until the overlap ends, then the new one alone', async () => {
    const shop = await openWebhook()
    const document = await shopDocument(shop.api)
    const next = unique('next-secret')
    const path = `${WEBHOOKS}/${shop.id}/secret/`
    const set = await shop.admin.put(path, { secret: next, overlap_seconds: 600 })
    expect([set.status, set.body.data.secrets.length]).toEqual([200, 2])
    const statuses = async () =>
      [
        await shop.deliver(document),
        await shop.deliver(document, { secret: next }),
        await shop.deliver(document, { secret: OTHER_SECRET }),
      ].map(({ status }) => status)
    expect(await statuses()).toEqual([200, 200, 401])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
    expect(await statuses()).toEqual([401, 200, 401])
  })

  it('without an overlap, the old one ends with the next request', async () => {
    const shop = await openWebhook()
    const document = await shopDocument(shop.api)
    await shop.deliver(document)
    const next = unique('next-secret')
    await shop.admin.put(`${WEBHOOKS}/${shop.id}/secret/`, { secret: next, overlap_seconds: 0 })
    expectUnsigned(await shop.deliver(document), MISMATCH)
    expect((await shop.deliver(document, { secret: next })).status).toBe(200)
  })

  it('go with the webhook when its address is rotated', async () => {
    const shop = await openWebhook()
    const next = unique('next-secret')
    await shop.admin.put(`${WEBHOOKS}/${shop.id}/secret/`, { secret: next, overlap_seconds: 600 })
    const { body } = await shop.admin.post(`${WEBHOOKS}/${shop.id}/rotate/`, { overlap_seconds: 0 })
    const rotated = { ...shop, webhook: body.data }
    for (const secret of [SECRET, next]) {
      const text = JSON.stringify(await shopDocument(shop.api))
      const headers = { 'X-Shop-Signature': hmac(secret, text), 'X-Shop-Topic': 'order.created' }
      expect((await post(rotated, text, headers)).status).toBe(200)
    }
  })
})

describe('a secret that cannot be decrypted', () => {
  const expectUnreadable = (answer: Answer) => {
    expectRefusal(answer, 503, 'UNAVAILABLE')
    expect(answer.body.error.reason).toBe('SECRET_UNREADABLE')
    expect(answer.headers.get('Retry-After')).toBe('300')
  }

  it('is 503 where the environment has another key, none, or the secret was never entered', async () => {
    const shop = await openWebhook()
    const document = await shopDocument(shop.api)
    const body = JSON.stringify(document)
    const headers = { 'X-Shop-Signature': hmac(SECRET, body), 'X-Shop-Topic': 'order.created' }
    const { WEBHOOK_SECRET_KEY, ...without } = env as unknown as Record<string, unknown>
    const other = { ...without, WEBHOOK_SECRET_KEY: 'another key, another key, another key' }
    for (const bindings of [other, without]) {
      // The isolate keeps what it has decrypted until the webhook changes.
      expectUnreadable(await post(shop, body, headers, { bindings }))
    }
    expect((await post(shop, body, headers)).body.data.outcome).toBe('created')
    const none = await openWebhook({ secret: null })
    expectUnreadable(await none.deliver(document))
    const path = `${WEBHOOKS}/${none.id}/secret/`
    await none.admin.put(path, { secret: SECRET, overlap_seconds: 0 })
    expect((await none.deliver(await shopDocument(none.partner.api))).status).toBe(200)
  })

  it('is 503 where it was sealed for another webhook', async () => {
    const [one, other] = [await openWebhook(), await openWebhook()]
    await env.DB_DEMO.prepare(
      'update api_keys set webhook_secrets = replace(webhook_secrets, ?1, ?2) where id = ?1',
    )
      .bind(one.id, other.id)
      .run()
    expectUnreadable(await one.deliver(await shopDocument(one.api)))
  })

  it('is no matter where another one is in force', async () => {
    const shop = await openWebhook()
    const next = unique('next-secret')
    const path = `${WEBHOOKS}/${shop.id}/secret/`
    await shop.admin.put(path, { secret: next, overlap_seconds: 600 })
    const text = await env.DB_DEMO.prepare('select webhook_secrets from api_keys where id = ?')
      .bind(shop.id)
      .first<string>('webhook_secrets')
    const [newest, older] = JSON.parse(text ?? '[]')
    const broken = [newest, { ...older, sealed: `${older.sealed.slice(0, -2)}AA` }]
    await env.DB_DEMO.prepare('update api_keys set webhook_secrets = ? where id = ?')
      .bind(JSON.stringify(broken), shop.id)
      .run()
    const document = await shopDocument(shop.api)
    expect((await shop.deliver(document, { secret: next })).status).toBe(200)
    expectUnsigned(await shop.deliver(document), MISMATCH)
  })
})

describe('the bytes of a body', () => {
  it('are signed as they came: escapes, blanks and all', async () => {
    const shop = await openWebhook()
    const { number, modified, lines } = await shopDocument(shop.api)
    const text = `{ "number":"${number}" ,"status":"processing","customer":"J\\u00fcrgen \\/ S\\u00f6hne","modified":"${modified}",\n"lines":[{"sku":"${lines[0]?.sku}","qty":2}]}\r\n`
    const { body } = await shop.deliver(text)
    expect(body.data.outcome).toBe('created')
    const { body: order } = await shop.api.get(`/orders/${number}/`)
    expect(order.data.customer_name).toBe('Jürgen / Söhne')
    const rewritten = JSON.stringify(JSON.parse(text))
    const headers = { 'X-Shop-Signature': hmac(SECRET, text), 'X-Shop-Topic': 'order.created' }
    expectUnsigned(await post(shop, rewritten, headers), MISMATCH)
  })

  it('are kept nowhere if they are refused, and their event is not read', async () => {
    const shop = await openWebhook()
    await keep(shop.admin, shop.partner.id, { of: 'all', days: 7 })
    const mark = unique('Mark')
    const document = await shopDocument(shop.api, { customer: mark })
    const answer = await shop.deliver(document, { secret: OTHER_SECRET, sender_id: mark })
    expectUnsigned(answer, MISMATCH)
    expect(await keysWith(answer.headers.get('X-Request-Id') ?? '?')).toEqual([])
    expect(JSON.stringify(await rowOf(answer))).not.toContain(mark)
    expect(answer.text).not.toContain(mark)
  })

  it('are checked before they are parsed, and before their type is', async () => {
    const shop = await openWebhook()
    for (const [body, headers] of [
      ['{"broken', {}],
      ['<a/>', { 'Content-Type': 'application/xml' }],
      ['a=%', { 'Content-Type': 'application/x-www-form-urlencoded' }],
      ['\ufeff{}', {}],
    ] as const) {
      expectUnsigned(await shop.deliver(body, { headers, secret: OTHER_SECRET }), MISMATCH)
    }
    expect((await shop.deliver('{"broken')).status).toBe(400)
    const other = { 'Content-Type': 'application/yaml' }
    expectRefusal(await shop.deliver('a: 1', { headers: other }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    const latin = { 'Content-Type': 'application/json; charset=iso-8859-1' }
    expectRefusal(await shop.deliver('{"a":1}', { headers: latin }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    const packed = { 'Content-Encoding': 'br' }
    expectRefusal(await shop.deliver('{"a":1}', { headers: packed }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it('may be too many', async () => {
    const shop = await openWebhook()
    const answer = await shop.deliver(`{"a":"${'x'.repeat(10 * 1024 * 1024)}"}`)
    expectRefusal(answer, 413, 'PAYLOAD_TOO_LARGE')
  })
})

describe('a body of nearly 10 MB', () => {
  it('that cannot be mapped gets the error, and is kept nowhere', async () => {
    const shop = await openWebhook()
    const document = { ...(await shopDocument(shop.api)), lines: 'none' }
    const body = JSON.stringify({ ...document, more: 'x'.repeat(10 * 1024 * 1024 - 1000) })
    const { status, body: refused } = await shop.deliver(body)
    expect([status, refused.error.code]).toEqual([422, 'MAPPING_ERROR'])
    const kept = 'select count(*) as n from waiting_deliveries where api_key_id = ?'
    expect(await env.DB_DEMO.prepare(kept).bind(shop.id).first('n')).toBe(0)
    // What it took is given back.
    const order = await shopDocument(shop.api)
    expect(await shop.outcomeOf(order)).toBe('created')
  })
})

describe('an address that is not signed', () => {
  it('takes what anybody sends who knows it', async () => {
    const shop = await openWebhook({ rules: rules({ kind: 'address' }), secret: null })
    const body = JSON.stringify(await shopDocument(shop.api))
    expect((await post(shop, body, {})).body.data.outcome).toBe('created')
  })
})
