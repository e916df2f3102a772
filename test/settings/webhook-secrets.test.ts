import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { expectInvalid, expectReason, expectRefusal } from '../fixtures/refusal.ts'
import { issueKey, utc } from '../fixtures/settings.ts'
import { allRows, oneValue } from '../fixtures/sql.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import {
  delivered,
  openWebhook,
  SECRET,
  type Sent,
  SHOP_RULES,
  WEBHOOKS,
} from '../fixtures/webhooks.ts'

const SETTINGS = '/api/settings/v1'

const at = (id: string, more = '') => `${WEBHOOKS}/${id}/${more}`
const otherSecret = () => unique('another secret of the shop')

/** Signs with each of these secrets, and tells which are right. The rules skip the document. */
async function rightOf(address: string, ...secrets: string[]): Promise<boolean[]> {
  const answers = await Promise.all(
    secrets.map((secret) => delivered(address, { status: 'draft' }, { secret })),
  )
  for (const { status } of answers) expect([200, 401]).toContain(status)
  return answers.map(({ status }) => status === 200)
}

async function storedSecrets(id: string): Promise<Json[]> {
  const row = await oneValue<string>('select webhook_secrets from api_keys where id = ?', id)
  return JSON.parse(row ?? 'null')
}

describe('PUT /webhooks/{id}/secret/', () => {
  it('sets the first secret, with which deliveries begin', async () => {
    const { webhook, id } = await openWebhook({ secret: null })
    const before = await delivered(webhook.address, { status: 'draft' })
    expectRefusal(before, 503, 'UNAVAILABLE')
    const { status, body, text } = await admin.put(at(id, 'secret/'), { secret: SECRET })
    const { address, ...made } = webhook
    expect([status, body.data]).toEqual([
      200,
      {
        ...made,
        secrets: [{ set_at: utc, ends_at: null }],
        needs_secret: false,
        last_used_at: utc,
      },
    ])
    expect(text).not.toContain(SECRET)
    expect(await rightOf(address, SECRET)).toEqual([true])
  })

  it('ends the secret before at once without an overlap', async () => {
    const { webhook, id } = await openWebhook()
    const secret = otherSecret()
    await admin.put(at(id, 'secret/'), { secret })
    expect(await rightOf(webhook.address, SECRET, secret)).toEqual([false, true])
  })

  it('leaves both valid while they overlap, and no third one', async () => {
    const { webhook, id } = await openWebhook()
    const [second, third] = [otherSecret(), otherSecret()]
    const { body } = await admin.put(at(id, 'secret/'), { secret: second, overlap_seconds: 3600 })
    expect(body.data.secrets).toEqual([
      { set_at: utc, ends_at: null },
      { set_at: webhook.secrets[0].set_at, ends_at: utc },
    ])
    expect(Date.parse(body.data.secrets[1].ends_at) - Date.now()).toBeLessThanOrEqual(3_600_000)
    expect(await rightOf(webhook.address, SECRET, second)).toEqual([true, true])
    await admin.put(at(id, 'secret/'), { secret: third, overlap_seconds: 3600 })
    expect(await rightOf(webhook.address, SECRET, second, third)).toEqual([false, true, true])
  })

  it('counts a secret that has ended no more', async () => {
    const { webhook, id } = await openWebhook()
    const secret = otherSecret()
    await admin.put(at(id, 'secret/'), { secret, overlap_seconds: 1 })
    await scheduler.wait(1100)
    expect(await rightOf(webhook.address, SECRET, secret)).toEqual([false, true])
    expect((await admin.get(at(id))).body.data.secrets).toHaveLength(1)
  })

  it('can be repeated: the same secret again keeps the one before', async () => {
    const { webhook, id } = await openWebhook()
    const secret = otherSecret()
    for (let turn = 0; turn < 2; turn++) {
      await admin.put(at(id, 'secret/'), { secret, overlap_seconds: 3600 })
    }
    expect(await rightOf(webhook.address, SECRET, secret)).toEqual([true, true])
  })

  it('is refused for a secret that the check cannot use', async () => {
    const verification = {
      ...SHOP_RULES.verification,
      secret_encoding: 'base64',
      secret_prefix: 'whsec_',
    }
    const { id } = await openWebhook({ rules: { verification }, secret: 'whsec_c2VjcmV0' })
    const before = await storedSecrets(id)
    const answer = await admin.put(at(id, 'secret/'), { secret: 'whsec_<no base64>' })
    expectInvalid(answer, 'secret')
    expect(answer.body.error.fields.secret).toEqual(['Must be base64, after whsec_.'])
    expect(answer.text).not.toContain('<no base64>')
    expect(await storedSecrets(id)).toEqual(before)
  })

  it.each<[string, unknown]>([
    ['none', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a number', 12345678],
    ['a text that is too long', 'x'.repeat(1001)],
  ])('is refused for %s', async (_, secret) => {
    const { id } = await openWebhook()
    const answer = await admin.put(at(id, 'secret/'), { secret })
    expectInvalid(answer, 'secret')
    expect(answer.text).not.toContain('12345678')
  })

  it('is refused without the key that encrypts it', async () => {
    const { id } = await openWebhook()
    const bindings = { ...env, WEBHOOK_SECRET_KEY: 'too short' }
    const answer = await admin.put(at(id, 'secret/'), { secret: otherSecret() }, { bindings })
    expectReason(answer, 503, 'UNAVAILABLE', 'NOT_SET_UP')
  })

  it('is refused for a key that may not do what the webhook may', async () => {
    const { id } = await openWebhook()
    const lesser = client((await createKey(['settings.keys.*', 'integrations.products.*'])).value)
    const answer = await lesser.put(at(id, 'secret/'), { secret: otherSecret() })
    expectRefusal(answer, 403, 'SCOPE_MISSING')
  })

  it('is 404 for a key that clients send', async () => {
    const { id } = await issueKey(admin)
    expectRefusal(await admin.put(at(id, 'secret/'), { secret: 'x' }), 404, 'NOT_FOUND')
  })

  it('changes nothing in a dry run', async () => {
    const { webhook, id } = await openWebhook()
    const before = await storedSecrets(id)
    const secret = otherSecret()
    const { body } = await admin.put(`${at(id, 'secret/')}?dry_run=true`, { secret })
    expect([body.dry_run, body.data.secrets]).toEqual([true, [{ set_at: utc, ends_at: null }]])
    expect(await storedSecrets(id)).toEqual(before)
    expect(await rightOf(webhook.address, SECRET, secret)).toEqual([true, false])
  })

  it('keeps each secret of two that are set at once, or the one that came last', async () => {
    const { webhook, id } = await openWebhook()
    const secrets = [otherSecret(), otherSecret(), otherSecret()]
    const answers = await Promise.all(
      secrets.map((secret) => admin.put(at(id, 'secret/'), { secret, overlap_seconds: 3600 })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const right = await rightOf(webhook.address, ...secrets)
    expect(right.filter(Boolean)).toHaveLength(2)
    expect(await storedSecrets(id)).toHaveLength(2)
  })
})

describe('POST /webhooks/{id}/rotate/', () => {
  it('makes a new address with the same rules and secrets, and ends the old one', async () => {
    const { webhook, id } = await openWebhook({ settings: { rate_limit: 60 } })
    const { status, body, text } = await admin.post(at(id, 'rotate/'), {})
    expect([status, body.data]).toEqual([
      201,
      {
        ...webhook,
        id: expect.not.stringContaining(id),
        hint: expect.not.stringContaining(webhook.hint),
        address: expect.not.stringContaining(webhook.address),
        created_at: utc,
        rotated_from: id,
      },
    ])
    expect(text).not.toContain('sealed')
    expect(await rightOf(body.data.address, SECRET, 'wrong')).toEqual([true, false])
    expectRefusal(await delivered(webhook.address, {}), 404, 'NOT_FOUND')
    expect((await admin.get(at(id))).body.data.status).toBe('revoked')
  })

  it('leaves both addresses valid while they overlap', async () => {
    const { webhook, id } = await openWebhook()
    const { body } = await admin.post(at(id, 'rotate/'), { overlap_seconds: 60 })
    for (const address of [webhook.address, body.data.address]) {
      expect(await rightOf(address, SECRET)).toEqual([true])
    }
  })

  it('keeps secrets that open, however often the address is rotated', async () => {
    const { id } = await openWebhook()
    const secret = otherSecret()
    let last: Json = { id }
    for (let turn = 0; turn < 3; turn++) {
      last = (await admin.post(at(last.id, 'rotate/'), {})).body.data
      if (turn > 0) continue
      await admin.put(at(last.id, 'secret/'), { secret, overlap_seconds: 3600 })
    }
    expect((await storedSecrets(last.id)).map(({ sealed_for }) => sealed_for)).toEqual([
      expect.any(String),
      id,
    ])
    expect(await rightOf(last.address, SECRET, secret)).toEqual([true, true])
    expect((await admin.get(at(last.id))).body.data.needs_secret).toBe(false)
  })

  it('shows no address in a dry run, and ends nothing', async () => {
    const { webhook, id } = await openWebhook()
    const { status, body } = await admin.post(`${at(id, 'rotate/')}?dry_run=true`, {})
    expect([status, body.data.address, body.data.needs_secret]).toEqual([201, null, false])
    expect(await rightOf(webhook.address, SECRET)).toEqual([true])
    expectRefusal(await admin.get(at(body.data.id)), 404, 'NOT_FOUND')
  })

  it('is refused for one that has ended, and says what to do', async () => {
    const { id } = await openWebhook()
    await admin.delete(at(id))
    const message = 'The webhook is revoked: create a new one instead.'
    expectRefusal(await admin.post(at(id, 'rotate/'), {}), 400, 'SERVICE_ERROR', message)
  })

  it('is refused for a key that may not do what the webhook may', async () => {
    const { id } = await openWebhook()
    const lesser = client((await createKey(['settings.keys.*', 'integrations.products.*'])).value)
    expectRefusal(await lesser.post(at(id, 'rotate/'), {}), 403, 'SCOPE_MISSING')
  })
})

describe('an address', () => {
  it('is no key, and no key is an address', async () => {
    const { webhook } = await openWebhook()
    const token = webhook.address.split('/').at(-2)
    expectRefusal(await client(token).get('/orders/'), 401, 'KEY_INVALID')
    const { key } = await issueKey(admin)
    const answer = await delivered(webhook.address.replace(token, key), {})
    expectRefusal(answer, 404, 'NOT_FOUND')
  })
})

describe('a delivery that is refused', () => {
  it('gets the reason, and no more than that', async () => {
    const timed = {
      ...SHOP_RULES.verification,
      signed: '{timestamp}{body}',
      timestamp: { header: 'X-Shop-Time' },
    }
    const { webhook } = await openWebhook()
    const { webhook: guarded } = await openWebhook({ rules: { verification: timed } })
    const byToken = { kind: 'token', header: 'X-Shop-Token' }
    const { webhook: token } = await openWebhook({ rules: { verification: byToken } })
    const [body, then] = ['{"status":"draft"}', '1000000000']
    const old = createHmac('sha256', SECRET)
      .update(then + body)
      .digest('base64')
    const refused: [string, string, Sent][] = [
      ['SIGNATURE_MISSING', token.address, {}],
      ['SIGNATURE_MISMATCH', webhook.address, { secret: 'wrong' }],
      [
        'TIMESTAMP_TOO_OLD',
        guarded.address,
        { headers: { 'X-Shop-Time': then, 'X-Shop-Signature': old } },
      ],
    ]
    for (const [reason, address, sent] of refused) {
      const answer = await delivered(address, body, sent)
      expectReason(answer, 401, 'SIGNATURE_INVALID', reason)
    }
    await admin.delete(at(webhook.id))
    const gone = await delivered(webhook.address, body)
    expectReason(gone, 404, 'NOT_FOUND', 'UNKNOWN_WEBHOOK')
  })
})

describe('the history of settings', () => {
  const changesOf = async (id: string): Promise<Json[]> => {
    const { body } = await admin.get(`${SETTINGS}/history/?record_id=${id}`)
    const found = body.data.map((change: Json) => admin.get(`${SETTINGS}/history/${change.id}/`))
    return (await Promise.all(found)).map((answer: Json) => answer.body.data)
  }

  it('has a webhook as the API calls its members, and shows a new secret by its moments', async () => {
    const { webhook, id } = await openWebhook()
    const { body } = await admin.put(at(id, 'secret/'), {
      secret: otherSecret(),
      overlap_seconds: 60,
    })
    const [changed, made] = await changesOf(id)
    expect(made).toMatchObject({ kind: 'api_key', action: 'created', name: webhook.name })
    expect(made?.fields).toEqual(expect.arrayContaining(['rules', 'secrets']))
    expect(made?.after).toMatchObject({ rules: webhook.rules, secrets: webhook.secrets })
    expect(changed).toMatchObject({
      fields: ['secrets'],
      before: { secrets: webhook.secrets },
      after: { secrets: body.data.secrets },
    })
  })

  it('shows what changed in the rules', async () => {
    const { id } = await openWebhook()
    await admin.put(at(id), { rules: { ...SHOP_RULES, take_if: null } })
    const [changed] = await changesOf(id)
    expect(changed?.fields).toEqual(['rules'])
    expect(changed?.before.rules.take_if).toBe(SHOP_RULES.take_if)
    expect(changed?.after.rules.take_if).toBeNull()
  })

  it('has no members of webhooks for a key that clients send', async () => {
    const { id } = await issueKey(admin)
    const [made] = await changesOf(id)
    for (const name of ['rules', 'secrets', 'webhook', 'webhook_secrets']) {
      expect(made?.after).not.toHaveProperty(name)
    }
  })
})

describe('a secret', () => {
  let text: string
  const secrets = [otherSecret(), otherSecret(), otherSecret()] as const
  let id: string
  let sealed: string[]

  // Once each way, with all documents kept.
  beforeAll(async () => {
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: { of: 'all', days: 7 } })
    const opened = await openWebhook({ secret: secrets[0] })
    id = opened.id
    const [, second, wrong] = secrets
    const answers = [
      await admin.put(at(id, 'secret/'), { secret: second, overlap_seconds: 60 }),
      await admin.put(at(id, 'secret/'), { secret: [wrong] }),
      await admin.put(at(id), { secret: wrong, rules: { secret: wrong, resource: wrong } }),
      await admin.post(`${WEBHOOKS}/`, { secret: wrong, partner_id: 'x', name: 'x' }),
      await admin.put(at(id, 'secret/'), `{"secret": "${wrong}", }`),
      await admin.post(at(id, 'rotate/'), { overlap_seconds: 60 }),
      await admin.get(at(id)),
      await admin.get(`${WEBHOOKS}/`),
    ]
    const requests = answers.map(({ headers }) => headers.get('X-Request-Id'))
    await vi.waitFor(async () => {
      const results = await allRows<Json>('select request_id from audit_log')
      const logged = results.map(({ request_id }) => request_id)
      expect(requests.filter((one) => !logged.includes(one))).toEqual([])
    })
    const told = [
      ...requests.flatMap((one) => [
        `${SETTINGS}/audit-log/${one}/`,
        `${SETTINGS}/audit-log/${one}/document/`,
      ]),
      `${SETTINGS}/history/?limit=200`,
      `${SETTINGS}/audit-log/?limit=200`,
    ]
    for (const path of told) answers.push(await admin.get(path))
    for (const { id: change } of (await admin.get(`${SETTINGS}/history/?record_id=${id}`)).body
      .data) {
      answers.push(await admin.get(`${SETTINGS}/history/${change}/`))
    }
    sealed = (await storedSecrets(id)).map((one) => one.sealed)
    text = answers.map((answer) => answer.text).join('\n')
  })

  it('is in no answer, error, warning, entry of the log or the history, and no kept document', () => {
    for (const secret of secrets) expect(text).not.toContain(secret)
  })

  it('is in none of them as it is stored either', () => {
    expect(sealed).toHaveLength(2)
    for (const one of sealed) expect(text).not.toContain(one)
    expect(text).not.toContain('sealed')
  })

  it('is in no table of the database', async () => {
    const read = "select name from sqlite_master where type = 'table' and name not glob '_cf_*'"
    const results = await allRows<Json>(read)
    for (const { name } of results) {
      const rows = JSON.stringify(await allRows(`select * from ${name}`))
      for (const secret of secrets) expect(rows).not.toContain(secret)
      if (name !== 'api_keys') for (const one of sealed) expect(rows).not.toContain(one)
    }
  })

  it('is in no snapshot of a caller but encrypted', async () => {
    const { keys } = await env.KEYS.list()
    for (const { name } of keys) {
      const value = await env.KEYS.get(name)
      for (const secret of secrets) expect(value).not.toContain(secret)
    }
  })
})
