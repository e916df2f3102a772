import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshIsolate } from '../fixtures/isolate.ts'
import { admin, db } from '../fixtures/opened.ts'
import { linesOf, NOW, TURNS } from '../fixtures/retention.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { delivered, openWebhook, SECRET, WEBHOOKS } from '../fixtures/webhooks.ts'

// The operator has added a second key for the secrets of webhooks (docs/operations.md).

const { WEBHOOK_SECRET_KEY: FIRST, ...REST } = env as unknown as Json
const SECOND = 'the second key, for tests only, 32 characters'
const BOTH = { ...env, WEBHOOK_SECRET_KEY_2: SECOND }
const ONLY_SECOND = { ...REST, WEBHOOK_SECRET_KEY_2: SECOND }
const DOCUMENT = { status: 'draft' }

beforeAll(async () => {
  await openTenant('other')
})

async function secretsOf(id: string): Promise<Json[]> {
  const read = db.prepare('select webhook_secrets from api_keys where id = ?').bind(id)
  return JSON.parse((await read.first<string>('webhook_secrets')) ?? 'null')
}

/** The numbers of the keys that have sealed the secrets, the newest secret first. */
const numbersOf = async (id: string) =>
  (await secretsOf(id)).map(({ sealed }) => Number(sealed.split('.')[1]))

/** Runs the daily work of every tenant; gives the line that tells of secrets. */
async function runDaily(bindings: object): Promise<Json> {
  await env.KEYS.delete(TURNS)
  const lines = await linesOf(NOW, bindings)
  return lines.find(({ event }) => event === 'webhook_secrets')
}

/** The database of demo, in whose way this gets before each batch with the SQL. */
function getting(inTheWay: () => Promise<unknown>, sql: string): object {
  const prepared: string[] = []
  const demo = {
    prepare: (text: string) => {
      prepared.push(text)
      return env.DB_DEMO.prepare(text)
    },
    batch: async (statements: D1PreparedStatement[]) => {
      const texts = prepared.splice(0)
      if (texts.some((text) => text.includes(sql))) await inTheWay()
      return await env.DB_DEMO.batch(statements)
    },
  }
  return { ...BOTH, DB_DEMO: demo }
}

describe('the daily work with a second key', () => {
  it('seals anew what the first has sealed, so that the first can go', async () => {
    const { webhook, id } = await openWebhook()
    // An isolate remembers what it has decrypted, and a deployment begins with new ones.
    const status = async (bindings: object) =>
      (await delivered(webhook.address, DOCUMENT, { bindings, ...(await freshIsolate()) })).status
    expect([await numbersOf(id), await status(BOTH), await status(ONLY_SECOND)]).toEqual([
      [1],
      200,
      503,
    ])
    const { webhooks_sealed, level } = await runDaily(BOTH)
    expect([level, webhooks_sealed > 0, await numbersOf(id)]).toEqual(['log', true, [2]])
    expect([await status(BOTH), await status(ONLY_SECOND)]).toEqual([200, 200])
    expect((await runDaily(BOTH)).webhooks_sealed).toBe(0)
  })

  it('is no change of the webhook: neither its version nor its history says so', async () => {
    const { webhook, id } = await openWebhook()
    const { sealed, ...before } = (await secretsOf(id))[0]
    const historyOf = async () =>
      (await admin.get(`/api/settings/v1/history/?record_id=${id}`)).body.data
    const known = await historyOf()
    const { headers } = await admin.get(`${WEBHOOKS}/${id}/`)
    await runDaily(BOTH)
    expect((await secretsOf(id))[0]).toEqual({ ...before, sealed: expect.any(String) })
    expect((await secretsOf(id))[0].sealed).not.toBe(sealed)
    const after = await admin.get(`${WEBHOOKS}/${id}/`)
    expect(after.headers.get('ETag')).toBe(headers.get('ETag'))
    expect(after.body.data.secrets).toEqual(webhook.secrets)
    expect(await historyOf()).toEqual(known)
  })

  it('reaches the secrets of a webhook whose address was rotated, and both of two', async () => {
    const { id } = await openWebhook()
    const secret = unique('another secret')
    await admin.put(`${WEBHOOKS}/${id}/secret/`, { secret, overlap_seconds: 3600 })
    const { body } = await admin.post(`${WEBHOOKS}/${id}/rotate/`, {})
    await runDaily(BOTH)
    expect(await numbersOf(body.data.id)).toEqual([2, 2])
    const { address } = body.data
    for (const one of [SECRET, secret]) {
      const sent = { secret: one, bindings: ONLY_SECOND }
      expect((await delivered(address, DOCUMENT, sent)).status).toBe(200)
    }
    // The old address is revoked: nothing checks by its secrets any more.
    expect(await numbersOf(id)).toEqual([1, 1])
  })

  it('goes on to the next chunk, however many there are', async () => {
    const { id } = await openWebhook()
    await db
      .prepare(
        `with recursive turn (n) as (select 1 union all select n + 1 from turn where n < 70)
         insert into api_keys (id, hash, hint, name, scopes, partner_id, created_at, webhook, webhook_secrets)
         select ?2 || n, ?2 || n, hint, name, scopes, partner_id, created_at, webhook, webhook_secrets
         from turn, api_keys where id = ?1`,
      )
      .bind(id, unique('copy'))
      .run()
    expect((await runDaily(BOTH)).webhooks_sealed).toBeGreaterThan(70)
    const left = await db
      .prepare(
        "select count(*) as n from api_keys where revoked_at is null and webhook_secrets like '%\"1.1.%'",
      )
      .first('n')
    expect(left).toBe(0)
  })

  it('leaves alone what does not open, and tells of no failure', async () => {
    const { id } = await openWebhook()
    const read = await secretsOf(id)
    const moved = [{ ...read[0], sealed_for: 'another webhook' }]
    await db
      .prepare('update api_keys set webhook_secrets = ? where id = ?')
      .bind(JSON.stringify(moved), id)
      .run()
    const line = await runDaily(BOTH)
    expect([line.failed, line.unfinished]).toEqual([0, 0])
    expect(await secretsOf(id)).toEqual(moved)
  })

  it('overwrites no secret that is set while it seals', async () => {
    const { webhook, id } = await openWebhook()
    const secret = unique('set in between')
    const set = () => admin.put(`${WEBHOOKS}/${id}/secret/`, { secret }, { bindings: BOTH })
    await runDaily(getting(set, 'update "api_keys"'))
    for (const [one, expected] of [
      [SECRET, 401],
      [secret, 200],
    ] as const) {
      const sent = { secret: one, bindings: ONLY_SECOND }
      expect((await delivered(webhook.address, DOCUMENT, sent)).status).toBe(expected)
    }
  })

  it('lets a secret be set that was read before it sealed, and keeps the one before', async () => {
    const { webhook, id } = await openWebhook()
    const secret = unique('read before')
    const body = { secret, overlap_seconds: 3600 }
    const bindings = getting(() => runDaily(BOTH), 'update "api_keys"')
    expect((await admin.put(`${WEBHOOKS}/${id}/secret/`, body, { bindings })).status).toBe(200)
    expect(await numbersOf(id)).toEqual([2, 2])
    for (const one of [SECRET, secret]) {
      const sent = { secret: one, bindings: ONLY_SECOND }
      expect((await delivered(webhook.address, DOCUMENT, sent)).status).toBe(200)
    }
  })

  it('does not run with one key', async () => {
    await openWebhook()
    expect(await runDaily(env)).toBeUndefined()
    expect(await runDaily({ ...env, WEBHOOK_SECRET_KEY: undefined })).toBeUndefined()
    expect(FIRST).toEqual(expect.any(String))
  })
})

describe('PUT /webhooks/{id}/secret/ with a second key', () => {
  it('seals the new secret with it, and the one before anew', async () => {
    const { id } = await openWebhook()
    const body = { secret: unique('next'), overlap_seconds: 3600 }
    await admin.put(`${WEBHOOKS}/${id}/secret/`, body, { bindings: BOTH })
    expect(await numbersOf(id)).toEqual([2, 2])
  })
})
