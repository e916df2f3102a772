import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { intercept } from '../fixtures/bindings.ts'
import { sample } from '../fixtures/depth.ts'
import { admin, db } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { type Api, addPartner, findKey, inSeconds, issueKey, KEYS } from '../fixtures/settings.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'

// A key grants no scope that it does not hold itself.

const ORDERS = 'integrations.orders.read'

/** The client of a key that may write keys and holds these scopes beside. */
const holderOf = async (...scopes: string[]) =>
  client((await createKey(['settings.keys.read', 'settings.keys.write', ...scopes])).value)

const rowsOf = async () => (await db.prepare('select * from api_keys').all()).results
const rowOf = (id: string) => db.prepare('select * from api_keys where id = ?').bind(id).first()

function expectLacking(answer: Answer, ...scopes: string[]) {
  expectRefusal(answer, 403, 'SCOPE_MISSING')
  const named = answer.body.error.message.match(/\b(?:integrations|settings)(?:\.\w+)*(?:\.\*)?/g)
  expect(named).toEqual(scopes)
}

const GRANTS: [held: string[], granted: string[], lacking: string[]][] = [
  [[ORDERS], [ORDERS], []],
  [[ORDERS], ['integrations.orders.write'], ['integrations.orders.write']],
  [[ORDERS], ['integrations.orders.*'], ['integrations.orders.*']],
  [
    [ORDERS, 'integrations.orders.write', 'integrations.orders.delete'],
    ['integrations.orders.*'],
    ['integrations.orders.*'],
  ],
  [['integrations.orders.*'], [ORDERS, 'integrations.orders.delete'], []],
  [['integrations.orders.*'], ['integrations.orders.*'], []],
  [['integrations.orders.*'], ['integrations.*'], ['integrations.*']],
  [['integrations.*'], ['integrations.*', 'integrations.inventory.*', ORDERS], []],
  [
    ['integrations.*'],
    ['settings.*', ORDERS, 'settings.audit.read'],
    ['settings.*', 'settings.audit.read'],
  ],
  [[], ['settings.keys.write', 'settings.keys.read'], []],
  [[], ['settings.keys.*'], ['settings.keys.*']],
  [[], ['settings.read'], ['settings.read']],
  [['settings.read'], ['settings.read', 'settings.audit.read', 'settings.partners.read'], []],
  [
    ['settings.read'],
    ['settings.write', 'settings.partners.write'],
    ['settings.write', 'settings.partners.write'],
  ],
  [['settings.write'], ['settings.write', 'settings.workspace.write'], []],
  [['settings.read', 'settings.write'], ['settings.*'], ['settings.*']],
  [
    ['settings.read', 'settings.write'],
    ['settings.documents.read', 'settings.documents.write'],
    ['settings.documents.read', 'settings.documents.write'],
  ],
  [['settings.documents.*'], ['settings.documents.read', 'settings.documents.write'], []],
  [['settings.*'], ['settings.read', 'settings.write', 'settings.documents.*', 'settings.*'], []],
]

describe.each(sample(GRANTS, 6))(
  'a key that holds %j beside the keys',
  (held, granted, lacking) => {
    const verdict = lacking.length === 0 ? 'gives' : 'does not give'

    it(`${verdict} ${JSON.stringify(granted)} to a new key`, async () => {
      const holder = await holderOf(...held)
      const before = await rowsOf()
      const answer = await holder.post(KEYS, { name: unique('key'), scopes: granted })
      if (lacking.length === 0) {
        expect([answer.status, answer.body.data.scopes]).toEqual([201, granted])
      } else {
        expectLacking(answer, ...lacking)
        expect(await rowsOf()).toEqual(before)
      }
    })

    it(`${verdict} ${JSON.stringify(granted)} to a key that exists`, async () => {
      const holder = await holderOf(...held)
      const { id } = await createKey(['settings.keys.read'])
      const before = await rowOf(id)
      const answer = await holder.put(`${KEYS}${id}/`, { scopes: granted })
      if (lacking.length === 0) {
        expect([answer.status, answer.body.data.scopes]).toEqual([200, granted])
      } else {
        expectLacking(answer, ...lacking)
        expect(await rowOf(id)).toEqual(before)
      }
    })

    it(`${lacking.length === 0 ? 'rotates' : 'does not rotate'} a key with ${JSON.stringify(granted)}`, async () => {
      const holder = await holderOf(...held)
      const { id } = await createKey(granted)
      const before = await rowsOf()
      const answer = await holder.post(`${KEYS}${id}/rotate/`)
      if (lacking.length === 0) {
        expect([answer.status, answer.body.data.scopes]).toEqual([201, granted])
      } else {
        expectLacking(answer, ...lacking)
        expect(await rowsOf()).toEqual(before)
      }
    })
  },
)

/** What gives a key more than it had, or hands it on: all but its name and its end. */
const CHANGES: [string, () => Promise<Json>][] = [
  ['the partner', async () => ({ partner_id: (await addPartner()).id })],
  ['no partner', async () => ({ partner_id: null })],
  ['another expiry', async () => ({ expires_at: inSeconds(3600) })],
  ['no expiry', async () => ({ expires_at: null })],
  ['another release', async () => ({ release: '1.0' })],
  ['another rate limit', async () => ({ rate_limit: 60 })],
  ['no rate limit', async () => ({ rate_limit: null })],
  ['another name and no expiry', async () => ({ name: unique('key'), expires_at: null })],
]

describe('PUT /api-keys/{id}/', () => {
  it.each(CHANGES)('of %s wants every scope of the key', async (_, change) => {
    const { id } = await createKey(['integrations.products.read', ORDERS, 'settings.audit.read'])
    const [body, before] = [await change(), await rowOf(id)]
    const some = await holderOf(ORDERS)
    expectLacking(
      await some.put(`${KEYS}${id}/`, body),
      'integrations.products.read',
      'settings.audit.read',
    )
    expect(await rowOf(id)).toEqual(before)
    const all = await holderOf('integrations.*', 'settings.audit.read')
    expect((await all.put(`${KEYS}${id}/`, body)).status).toBe(200)
  })

  it('of the name wants none of them', async () => {
    const { id } = await createKey(['integrations.*', 'settings.*'])
    const name = unique('renamed')
    const { status, body } = await (await holderOf()).put(`${KEYS}${id}/`, { name })
    expect([status, body.data.name]).toEqual([200, name])
  })

  it('without a field wants none of them', async () => {
    const { id } = await createKey(['integrations.*'])
    expect((await (await holderOf()).put(`${KEYS}${id}/`, {})).status).toBe(200)
  })

  it('takes scopes away, if what is left is held', async () => {
    const { id } = await createKey([ORDERS, 'integrations.products.read'])
    const holder = await holderOf(ORDERS)
    const fields = { scopes: [ORDERS], expires_at: inSeconds(60) }
    expect((await holder.put(`${KEYS}${id}/`, fields)).body.data).toMatchObject(fields)
  })

  it('is as good for the key that asks as for others', async () => {
    const { id, value } = await createKey(['settings.keys.write', ORDERS])
    const own = client(value)
    expect((await own.put(`${KEYS}${id}/`, { rate_limit: 600 })).status).toBe(200)
    const wider = ['settings.keys.write', 'integrations.*']
    expectLacking(await own.put(`${KEYS}${id}/`, { scopes: wider }), 'integrations.*')
  })

  it('is 404 for an unknown id, whatever the key holds', async () => {
    const holder = await holderOf()
    expectRefusal(await holder.put(`${KEYS}x/`, { rate_limit: 1 }), 404, 'NOT_FOUND')
    expectRefusal(await holder.post(`${KEYS}x/rotate/`), 404, 'NOT_FOUND')
  })

  it('names a scope of an older release by its present name', async () => {
    const holder = await holderOf(ORDERS)
    const fields = { name: 'old', release: '1.0', scopes: ['integrations.inventorys.read'] }
    expectLacking(await holder.post(KEYS, fields), 'integrations.inventory.read')
  })
})

describe('POST /api-keys/', () => {
  it('wants the default scopes too', async () => {
    expectLacking(await (await holderOf()).post(KEYS, { name: 'x' }), 'integrations.*')
    const holder = await holderOf('integrations.*')
    expect((await issueKey(holder)).scopes).toEqual(['integrations.*'])
  })

  it('is not helped by scopes that mean nothing', async () => {
    const { value } = await createKey(['settings.keys.write', '*', 'integrations', '*.*'])
    expectLacking(await client(value).post(KEYS, { name: 'x' }), 'integrations.*')
  })

  it('leaves one row of the refusal in the audit log', async () => {
    const answer = await (await holderOf()).post(KEYS, { name: 'x' })
    const row = await db
      .prepare('select status, error_code from audit_log where request_id = ?')
      .bind(answer.headers.get('X-Request-Id'))
      .first()
    expect(row).toEqual({ status: 403, error_code: 'SCOPE_MISSING' })
  })
})

describe('DELETE /api-keys/{id}/', () => {
  it('wants no scope of the key', async () => {
    const { id } = await createKey(['integrations.*', 'settings.*'])
    const { status, body } = await (await holderOf()).delete(`${KEYS}${id}/`)
    expect([status, body.data.status]).toEqual([200, 'revoked'])
  })
})

describe('a key whose scopes grow while another key changes it', () => {
  /** Bindings that let `happen` come right before each batch that the request sends. */
  const before = (happen: () => Promise<unknown>) => ({
    ...env,
    DB_DEMO: intercept(env.DB_DEMO, { batch: (call) => happen().then(call) }),
  })
  /** As an operator could: settings_version does not tell of it. */
  const widen = (id: string) =>
    db.batch([
      db.prepare('update api_keys set scopes = \'["integrations.*"]\' where id = ?').bind(id),
      db.prepare('update workspace set settings_version = settings_version - 1'),
    ])

  it.each([
    [
      'rotated',
      (api: Api, id: string, bindings: object) =>
        api.post(`${KEYS}${id}/rotate/`, {}, { bindings }),
    ],
    [
      'extended',
      (api: Api, id: string, bindings: object) =>
        api.put(`${KEYS}${id}/`, { expires_at: null }, { bindings }),
    ],
  ])('is not %s by it: the database decides', async (_, change) => {
    const holder = await holderOf(ORDERS)
    const { id } = await createKey([ORDERS])
    await holder.get(KEYS)
    const answer = await change(
      holder,
      id,
      before(() => widen(id)),
    )
    expectLacking(answer, 'integrations.*')
    expect(await findKey(admin, id)).toMatchObject({ expires_at: null, revoked_at: null })
    const heirs = (await rowsOf()).filter(({ rotated_from }) => rotated_from === id)
    expect(heirs).toEqual([])
  })
})
