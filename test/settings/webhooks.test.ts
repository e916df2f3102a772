import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectReason, expectRefusal } from '../fixtures/refusal.ts'
import { addPartner, issueKey, KEYS, utc, uuid } from '../fixtures/settings.ts'
import { execute, oneRow } from '../fixtures/sql.ts'
import { type Api, client, createKey, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import {
  delivered,
  openWebhook,
  SECRET,
  SHOP_RULES,
  shopDocument,
  WEBHOOKS,
} from '../fixtures/webhooks.ts'

const PAST = '2026-01-01T00:00:00.000Z'

const at = (id: string, more = '') => `${WEBHOOKS}/${id}/${more}`
const hmac = SHOP_RULES.verification

/** A body of POST that is taken. */
async function bodyOf(fields: Json = {}): Promise<Json> {
  const { id } = await addPartner()
  return { name: unique('webhook'), partner_id: id, rules: SHOP_RULES, ...fields }
}

async function make(fields: Json = {}): Promise<Json> {
  const { status, body, text } = await admin.post(`${WEBHOOKS}/`, await bodyOf(fields))
  expect([status, text]).toEqual([201, expect.anything()])
  return body.data
}

const rowOf = (id: string) => oneRow<Json>('select * from api_keys where id = ?', id)

async function find(id: string): Promise<Json> {
  return (await admin.get(at(id))).body.data
}

describe('POST /webhooks/', () => {
  it('creates a webhook, and shows its address and no secret', async () => {
    const input = await bodyOf({ secret: SECRET })
    const { status, body, text, headers } = await admin.post(`${WEBHOOKS}/`, input)
    expect([status, body]).toEqual([
      201,
      {
        success: true,
        data: {
          id: uuid,
          name: input.name,
          hint: expect.stringMatching(/^xh_demo_…\w{4}$/),
          partner_id: input.partner_id,
          rules: {
            ...SHOP_RULES,
            verification: {
              ...hmac,
              encoding: 'base64',
              signed: '{body}',
              secret_encoding: 'utf8',
            },
            document: null,
            headers: [],
            query: [],
          },
          secrets: [{ set_at: utc, ends_at: null }],
          needs_secret: false,
          rate_limit: null,
          pause: null,
          expires_at: null,
          revoked_at: null,
          rotated_from: null,
          created_at: utc,
          last_used_at: null,
          status: 'active',
          address: expect.stringMatching(
            /^https:\/\/demo\.example\/webhooks\/v1\/xh_demo_\w{49}\/$/,
          ),
        },
      },
    ])
    expect(text).not.toContain(SECRET)
    const { address, ...shown } = body.data
    expect(await find(shown.id)).toEqual(shown)
    expect((await admin.get(at(shown.id))).headers.get('ETag')).toBe(headers.get('ETag'))
  })

  it('stores the secret encrypted, and the address as a hash', async () => {
    const { id, address } = await make({ secret: SECRET })
    const row = JSON.stringify(await rowOf(id))
    expect(row).not.toContain(SECRET)
    expect(row).not.toContain(address.split('/').at(-2))
  })

  it('gives it the scopes of its resource, and the orders of its partner alone', async () => {
    for (const resource of ['orders', 'products', 'locations', 'inventory']) {
      const { id } = await make({ rules: { resource, verification: { kind: 'address' } } })
      expect(await rowOf(id)).toMatchObject({
        scopes: JSON.stringify([`integrations.${resource}.*`]),
        own_orders_only: 1,
      })
    }
  })

  it('shows no address in a dry run, and makes none', async () => {
    const input = await bodyOf({ secret: SECRET })
    const { status, body, text } = await admin.post(`${WEBHOOKS}/?dry_run=true`, input)
    expect([status, body.dry_run, body.data.address]).toEqual([201, true, null])
    expect(body.warnings).toEqual([
      { field: 'address', message: 'A dry run makes no address, so there is none to show.' },
    ])
    expect(text).not.toContain(SECRET)
    expectRefusal(await admin.get(at(body.data.id)), 404, 'NOT_FOUND')
  })

  it('says that it needs a secret where it has none', async () => {
    expect((await make()).needs_secret).toBe(true)
    for (const kind of ['address', 'public_key']) {
      const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
      const signed = { header: 'X-Signature', algorithm: 'Ed25519', keys: [key] }
      const verification = { kind, ...(kind === 'public_key' && signed) }
      expect((await make({ rules: { resource: 'orders', verification } })).needs_secret).toBe(false)
    }
  })

  it.each<[string, Json, string, string]>([
    ['a secret that is no base64', { secret_encoding: 'base64' }, 'no base64!', 'Must be base64.'],
    [
      'a secret that is none after its prefix',
      { secret_encoding: 'base64', secret_prefix: 'whsec_' },
      'whsec_?',
      'Must be base64, after whsec_.',
    ],
    [
      'a secret where the sender has none',
      { kind: 'address' },
      'hunter2',
      'Has no effect: a webhook with the verification "address" has no secret.',
    ],
    [
      'a token with a line break',
      { kind: 'token', header: 'X-Token' },
      'hunter2\n',
      'Must be what a header can have: no line breaks, no spaces at either end.',
    ],
  ])('refuses %s', async (_, members, secret, message) => {
    const verification = members.kind ? members : { ...hmac, ...members }
    const rules = { resource: 'orders', verification }
    const answer = await admin.post(`${WEBHOOKS}/`, await bodyOf({ rules, secret }))
    expectInvalid(answer, 'secret')
    expect(answer.body.error.fields.secret).toEqual([message])
    expect(answer.text).not.toContain(secret.trim())
  })

  const SIGNED = { kind: 'public_key', header: 'X-Signature', algorithm: 'ES256' }
  const P256_OFF_CURVE = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }
  it.each<[string, Json, string]>([
    ['a verification that is none', { verification: { kind: 'none' } }, 'rules.verification.kind'],
    [
      'a member that the kind does not have',
      { verification: { ...hmac, x: 1 } },
      'rules.verification',
    ],
    ['an action of another resource', { actions: { '*': 'upload' } }, "rules.actions['*']"],
    ['an event without its place', { event: null }, "rules.actions['order.created']"],
    ['a condition that cannot be read', { take_if: 'status = 1' }, 'rules.take_if'],
    ['a path to several values', { changed_at: 'a[].b' }, 'rules.changed_at'],
    ['a header that no sender sets', { event: { header: 'Host' } }, 'rules.event.header'],
    [
      'a time that is not signed',
      { verification: { ...hmac, timestamp: { header: 'X-Time' } } },
      'rules.verification.timestamp',
    ],
    [
      'a public key of another type',
      { verification: { ...SIGNED, keys: [{ kty: 'oct' }] } },
      'rules.verification.keys[0]',
    ],
    [
      'a public key that is none',
      { verification: { ...SIGNED, keys: [P256_OFF_CURVE] } },
      'rules.verification.keys[0]',
    ],
  ])('refuses %s', async (_, members, field) => {
    const { actions, ...rules } = SHOP_RULES
    const needed = members.event === null ? { actions: { 'order.created': 'upsert' } } : {}
    const input = await bodyOf({ rules: { ...rules, ...needed, ...members } })
    expectInvalid(await admin.post(`${WEBHOOKS}/`, input), field)
  })

  it('refuses an unknown partner, none, and one that is deleted', async () => {
    for (const partner_id of [crypto.randomUUID(), null, (await addPartner(PAST)).id]) {
      expectInvalid(await admin.post(`${WEBHOOKS}/`, await bodyOf({ partner_id })), 'partner_id')
    }
  })

  it('refuses a key that may not do what the webhook may', async () => {
    const lesser = client((await createKey(['settings.keys.*', 'integrations.products.*'])).value)
    const answer = await lesser.post(`${WEBHOOKS}/`, await bodyOf())
    expectReason(answer, 403, 'SCOPE_MISSING', 'GRANT_EXCEEDS_KEY')
    const rules = { resource: 'products', verification: { kind: 'address' } }
    expect((await lesser.post(`${WEBHOOKS}/`, await bodyOf({ rules }))).status).toBe(201)
  })

  it('refuses the partner of another linked key', async () => {
    const own = await openPartner({ scopes: ['settings.keys.*', 'integrations.*'] })
    const other = await own.api.post(`${WEBHOOKS}/`, await bodyOf())
    expectReason(other, 403, 'SCOPE_MISSING', 'KEY_IS_OF_PARTNER')
    const made = await own.api.post(`${WEBHOOKS}/`, await bodyOf({ partner_id: own.id }))
    expect(made.status).toBe(201)
  })

  it('refuses a secret without the key that encrypts it, and stores nothing', async () => {
    const input = await bodyOf({ secret: SECRET })
    const bindings = { ...env, WEBHOOK_SECRET_KEY: undefined }
    const answer = await admin.post(`${WEBHOOKS}/`, input, { bindings })
    expectReason(answer, 503, 'UNAVAILABLE', 'NOT_SET_UP')
    expect(answer.headers.get('Retry-After')).toBe('3600')
    const { secret, ...without } = input
    expect((await admin.post(`${WEBHOOKS}/`, without, { bindings })).status).toBe(201)
  })

  it('says what happens with all events where rules read them and name none', async () => {
    const { actions, ...rules } = SHOP_RULES
    const made = await admin.post(`${WEBHOOKS}/`, await bodyOf({ rules }))
    const warned = [
      {
        field: 'rules.actions',
        message: expect.stringContaining(
          'each delivery is applied as "upsert", whatever its event',
        ),
      },
    ]
    expect([made.status, made.body.warnings]).toEqual([201, warned])
    const changed = await admin.put(`${WEBHOOKS}/${made.body.data.id}/`, { rules })
    expect(changed.body.warnings).toEqual(warned)
    const without = await bodyOf({ rules: { ...rules, event: null } })
    expect((await admin.post(`${WEBHOOKS}/`, without)).body.warnings).toBeUndefined()
  })

  it('says that == compares, and shows nothing of a condition that its author did not write', async () => {
    for (const take_if of ['@.status = 5', "@.status == 'paid' && @.total =5"]) {
      const input = await bodyOf({ rules: { ...SHOP_RULES, take_if } })
      const { fields } = (await admin.post(`${WEBHOOKS}/`, input)).body.error
      expect(fields['rules.take_if'][0]).toContain('"==" compares: write it in place of "="')
      expect(fields['rules.take_if'][0]).not.toContain(']')
    }
  })

  it('warns of a member of the rules that does not exist', async () => {
    const rules = { ...SHOP_RULES, cookies: ['X-Shop'] }
    const { body } = await admin.post(`${WEBHOOKS}/`, await bodyOf({ rules }))
    expect(body.warnings).toEqual([
      { field: 'rules.cookies', message: expect.stringContaining('had no effect') },
    ])
  })
})

describe('GET /webhooks/', () => {
  it('lists webhooks, newest first, with those that have ended, and no other key', async () => {
    const first = await make({ secret: SECRET })
    const { id } = await issueKey(admin)
    const last = await make()
    await admin.delete(at(first.id))
    const { body, text } = await admin.get(`${WEBHOOKS}/?limit=2`)
    expect(body.data.map((one: Json) => [one.id, one.status])).toEqual([
      [last.id, 'active'],
      [first.id, 'revoked'],
    ])
    expect(body.data[0]).toEqual(await find(last.id))
    for (const left of [id, 'address', 'sealed', '"seq"']) expect(text).not.toContain(left)
  })

  it('has pages', async () => {
    for (let made = 0; made < 3; made++) await make()
    const { body } = await admin.get(`${WEBHOOKS}/?limit=2`)
    const next = await admin.get(`${WEBHOOKS}/?limit=2&cursor=${body.pagination.next_cursor}`)
    const ids = [...body.data, ...next.body.data].map(({ id }: Json) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cursor = body.pagination.next_cursor
    expectInvalid(await admin.get(`${KEYS}?cursor=${cursor}`), 'cursor')
  })

  it('is empty for a tenant without any', async () => {
    const other = await openAdmin('other')
    expect((await other.get(`${WEBHOOKS}/`)).body.data).toEqual([])
  })
})

describe('GET /webhooks/{id}/', () => {
  it('says that a secret is needed where the stored one cannot be decrypted', async () => {
    const { id } = await make({ secret: SECRET })
    const other = {
      bindings: { ...env, WEBHOOK_SECRET_KEY: 'another key, another key, another key' },
    }
    expect((await admin.get(at(id), other)).body.data).toMatchObject({
      needs_secret: true,
      secrets: [{ set_at: utc, ends_at: null }],
    })
    const listed = (await admin.get(`${WEBHOOKS}/`, other)).body.data
    expect(listed.find((one: Json) => one.id === id).needs_secret).toBe(true)
    expect(await find(id)).toMatchObject({ needs_secret: false })
  })

  it('goes on where a second key was added, and the first one is still there', async () => {
    const { id } = await make({ secret: SECRET })
    const added = { ...env, WEBHOOK_SECRET_KEY_2: 'a second key, a second key, a second key' }
    const { body } = await admin.get(at(id), { bindings: added })
    expect(body.data.needs_secret).toBe(false)
  })

  it('is 404 for a key that clients send, and so is its change, rotation and end', async () => {
    const { id } = await issueKey(admin)
    expectUnknown(await everyCall(at(id)), 'webhook')
    expect((await admin.get(`${KEYS}${id}/`)).body.data.status).toBe('active')
  })

  it('does not tell of a webhook at /api-keys/, nor lets it be changed there', async () => {
    const { id } = await make()
    const before = await rowOf(id)
    expectUnknown(await everyCall(`${KEYS}${id}/`), 'API key')
    const { text } = await admin.get(`${KEYS}?limit=200`)
    expect(text).not.toContain(id)
    expect(await rowOf(id)).toEqual(before)
  })
})

const CALLS: [method: string, more: string, body?: Json][] = [
  ['GET', ''],
  ['PUT', '', { name: 'x' }],
  ['PUT', '', { rate_limit: 5 }],
  ['POST', 'rotate/', {}],
  ['DELETE', ''],
]

async function everyCall(path: string) {
  const dry = CALLS.filter(([method]) => method !== 'GET').map(
    ([method, more, body]): (typeof CALLS)[number] => [method, `${more}?dry_run=true`, body],
  )
  const calls = [...dry, ...CALLS].map(([method, more, body]) =>
    admin.call(method, path + more, body),
  )
  return await Promise.all(calls)
}

function expectUnknown(answers: Awaited<ReturnType<Api['get']>>[], one: string) {
  for (const answer of answers) {
    expectRefusal(answer, 404, 'NOT_FOUND', expect.stringContaining(`No ${one} has the id`))
  }
}

describe('PUT /webhooks/{id}/', () => {
  it('changes what is sent, and leaves the rest', async () => {
    const { address, ...made } = await make({ secret: SECRET })
    let expected = made
    for (const change of [{ name: unique('renamed') }, { rate_limit: 60 }, { rate_limit: null }]) {
      expected = { ...expected, ...change }
      const { status, body } = await admin.put(at(made.id), change)
      expect([status, body.data]).toEqual([200, expected])
    }
    expect(await find(made.id)).toEqual(expected)
  })

  it('replaces the rules as a whole', async () => {
    const { id } = await make()
    const rules = { resource: 'orders', verification: { kind: 'address' } }
    const { body } = await admin.put(at(id), { rules })
    expect(body.data.rules).toMatchObject({
      event: null,
      take_if: null,
      actions: {},
      changed_at: null,
    })
  })

  it('changes what it may do with its resource', async () => {
    const { id } = await make()
    await admin.put(at(id), { rules: { resource: 'products', verification: { kind: 'address' } } })
    expect(await rowOf(id)).toMatchObject({
      scopes: '["integrations.products.*"]',
      own_orders_only: 1,
    })
  })

  it('refuses a resource whose scopes the key does not have, and that of another webhook', async () => {
    const { id } = await make()
    const lesser = client((await createKey(['settings.keys.*', 'integrations.orders.*'])).value)
    const rules = { resource: 'products', verification: { kind: 'address' } }
    expectRefusal(await lesser.put(at(id), { rules }), 403, 'SCOPE_MISSING')
    expect((await lesser.put(at(id), { rules: SHOP_RULES })).status).toBe(200)
    const other = await make({ rules })
    expectRefusal(await lesser.put(at(other.id), { rate_limit: 1 }), 403, 'SCOPE_MISSING')
    expect((await lesser.put(at(other.id), { name: 'mine' })).status).toBe(200)
  })

  it('says that a secret is needed where the one that is stored does not fit the new rules', async () => {
    const { webhook, deliver, partner } = await openWebhook()
    const verification = { ...hmac, secret_encoding: 'base64' }
    const { body } = await admin.put(at(webhook.id), { rules: { ...SHOP_RULES, verification } })
    expect(body.data).toMatchObject({ needs_secret: true, secrets: [{ ends_at: null }] })
    const answer = await deliver(await shopDocument(partner.api))
    expectReason(answer, 503, 'UNAVAILABLE', 'SECRET_UNREADABLE')
  })

  it('takes effect with the very next delivery', async () => {
    const { webhook, deliver, partner } = await openWebhook()
    const document = await shopDocument(partner.api)
    await admin.put(at(webhook.id), { rules: { ...SHOP_RULES, actions: { '*': 'skip' } } })
    expect((await deliver(document)).body.data.outcome).toBe('skipped')
    await admin.put(at(webhook.id), { rules: SHOP_RULES })
    expect((await deliver(document)).body.data.outcome).toBe('created')
  })

  it('has no member that sets a secret', async () => {
    const { id } = await make({ secret: SECRET })
    const before = (await rowOf(id))?.webhook_secrets
    const { status, body, text } = await admin.put(at(id), { secret: 'another secret' })
    expect([status, body.warnings]).toEqual([
      200,
      [{ field: 'secret', message: expect.stringContaining('had no effect') }],
    ])
    expect(text).not.toContain('another secret')
    expect((await rowOf(id))?.webhook_secrets).toBe(before)
  })

  it('refuses a later end while its partner is deleted, and says what to do', async () => {
    const { id, partner_id } = await make({ expires_at: inAnHour() })
    await execute('update partners set deleted_at = ? where id = ?', PAST, partner_id)
    const answer = await admin.put(at(id), { expires_at: null })
    expectRefusal(answer, 400, 'SERVICE_ERROR')
    expect(answer.body.error.fields.expires_at).toEqual([
      'The webhook is linked to a deleted partner: send the partner_id of another one.',
    ])
    const { id: other } = await addPartner()
    expect((await admin.put(at(id), { expires_at: null, partner_id: other })).status).toBe(200)
  })
})

function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString()
}

describe('DELETE /webhooks/{id}/', () => {
  it('ends the webhook at once, and keeps its record', async () => {
    const { webhook, deliver, partner } = await openWebhook()
    const { status, body } = await admin.delete(at(webhook.id))
    expect([status, body.data]).toEqual([
      200,
      { ...(await find(webhook.id)), revoked_at: utc, status: 'revoked' },
    ])
    const answer = await deliver(await shopDocument(partner.api))
    expectRefusal(answer, 404, 'NOT_FOUND')
    expect((await admin.delete(at(webhook.id))).body.data.revoked_at).toBe(body.data.revoked_at)
  })

  it('lets the partner be deleted, which cannot be before', async () => {
    const { id, name } = await addPartner()
    const { id: webhook } = await make({ partner_id: id })
    const path = `/api/settings/v1/partners/${id}/`
    const linked = `"${name}" is linked to 1 live webhook: first revoke each`
    expectRefusal(await admin.delete(path), 409, 'IN_USE', expect.stringContaining(linked))
    await admin.delete(at(webhook))
    expect((await admin.delete(path)).status).toBe(200)
  })
})

describe('a version of a webhook', () => {
  it('that If-Match does not name is not changed, rotated or ended', async () => {
    const { id } = await make({ secret: SECRET })
    const outdated = { headers: { 'If-Match': '"9.ffffffff.0"' } }
    const before = await rowOf(id)
    const calls: [string, string, Json][] = [
      ['PUT', '', { name: 'x' }],
      ['PUT', 'secret/', { secret: 'other' }],
      ['POST', 'rotate/', {}],
      ['DELETE', '', {}],
    ]
    for (const [method, more, body] of calls) {
      const answer = await admin.call(method, at(id, more), body, outdated)
      expectRefusal(answer, 412, 'PRECONDITION_FAILED', expect.stringContaining('The webhook'))
      expect(answer.headers.get('ETag')).toBe((await admin.get(at(id))).headers.get('ETag'))
    }
    expect(await rowOf(id)).toEqual(before)
  })

  it('that If-Match names is changed, and is another one afterwards', async () => {
    const { id } = await make({ secret: SECRET })
    const calls: [string, string, Json][] = [
      ['PUT', '', { name: 'x' }],
      ['PUT', 'secret/', { secret: 'other' }],
      ['POST', 'rotate/', { overlap_seconds: 60 }],
      ['DELETE', '', {}],
    ]
    const tags = new Set<string | null>()
    for (const [method, more, body] of calls) {
      const tag = (await admin.get(at(id))).headers.get('ETag') ?? ''
      tags.add(tag)
      const { status } = await admin.call(method, at(id, more), body, {
        headers: { 'If-Match': tag },
      })
      expect(status).toBeLessThan(300)
    }
    expect(tags.size).toBe(4)
  })
})

describe('a key that makes webhooks', () => {
  it('needs no more than the scopes of keys and of the resource', async () => {
    const maker = client((await createKey(['settings.keys.*', 'integrations.orders.*'])).value)
    const { body } = await maker.post(`${WEBHOOKS}/`, await bodyOf({ secret: SECRET }))
    const answer = await delivered(body.data.address, { status: 'draft' })
    expect([answer.status, answer.body.data.outcome]).toEqual([200, 'skipped'])
  })
})
