import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ROLE_NAMES, ROLES } from '../../src/engine/identity/roles.ts'
import { covers, SCOPES } from '../../src/engine/identity/scopes.ts'
import { intercept } from '../fixtures/bindings.ts'
import { sample } from '../fixtures/depth.ts'
import { admin, db } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { type Api, addPartner, findKey, inSeconds, issueKey, KEYS } from '../fixtures/settings.ts'
import { allRows, oneRow } from '../fixtures/sql.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'

// A key grants no scope that it does not hold itself.

const ORDERS = 'integrations.orders.read'

/** The client of a key that may write keys and holds these scopes beside. */
const holderOf = async (...scopes: string[]) =>
  client((await createKey(['settings.keys.read', 'settings.keys.write', ...scopes])).value)

const rowsOf = async () => await allRows('select * from api_keys')
const rowOf = (id: string) => oneRow('select * from api_keys where id = ?', id)

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
    const row = await oneRow(
      'select status, error_code from audit_log where request_id = ?',
      answer.headers.get('X-Request-Id'),
    )
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

const PEOPLE = '/api/settings/v1/people/'

const newPerson = (fields: object = {}) => ({
  name: 'Ada Lund',
  email: `${unique('ada')}@example.com`,
  role: 'operator',
  ...fields,
})

describe('POST /people/', () => {
  it('adds a person with the scopes of a role, and shows no key', async () => {
    const { status, body, text } = await admin.post(
      PEOPLE,
      newPerson({ email: ` ${unique('Ada')}@Example.com` }),
    )
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ name: 'Ada Lund', role: 'operator', status: 'active' })
    expect(body.data.email).toMatch(/^ada-.*@example\.com$/)
    expect(text).not.toContain('xd_')
  })

  it('refuses an address that a person has, in any case, until the access was taken away', async () => {
    const person = newPerson()
    const { id } = (await admin.post(PEOPLE, person)).body.data
    const again = { ...person, email: person.email.toUpperCase() }
    const refused = await admin.post(PEOPLE, again)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'DUPLICATE'])
    await admin.delete(`${PEOPLE}${id}/`)
    expect((await admin.post(PEOPLE, again)).status).toBe(201)
  })

  it.each([
    ['no address', { email: undefined }, 'email'],
    ['what is no address', { email: 'ada' }, 'email'],
    ['a role that is none', { role: 'boss' }, 'role'],
    ['no role', { role: undefined }, 'role'],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ])('refuses %s', async (_, fields, name) => {
    const { status, body } = await admin.post(PEOPLE, newPerson(fields))
    expect(status).toBe(400)
    expect(Object.keys(body.error.fields)).toEqual([name])
  })

  it.each(ROLE_NAMES)('lets nobody grant the role %s with less than it has', async (role) => {
    const own = [...ROLES[role], 'settings.people.*']
    const { value } = await createKey(own)
    expect((await client(value).post(PEOPLE, newPerson({ role }))).status).toBe(201)
    const [, ...less] = own
    const few = client((await createKey(less)).value)
    const refused = await few.post(PEOPLE, newPerson({ role }))
    expect([refused.status, refused.body.error.code]).toEqual([403, 'SCOPE_MISSING'])
  })
})

describe('GET /people/', () => {
  it('lists people alone, and the lists of keys and webhooks have none', async () => {
    const { id } = (await admin.post(PEOPLE, newPerson())).body.data
    const listOf = (of: string) => admin.get(`/api/settings/v1/${of}/?limit=200`)
    const [people, keys, webhooks] = [
      await listOf('people'),
      await listOf('api-keys'),
      await listOf('webhooks'),
    ]
    const idsOf = ({ body }: typeof people) => body.data.map((one: { id: string }) => one.id)
    expect(idsOf(people)[0]).toBe(id)
    for (const { email } of people.body.data) expect(email).toContain('@')
    expect(idsOf(keys)).not.toContain(id)
    expect(idsOf(webhooks)).not.toContain(id)
    expect((await admin.get(`/api/settings/v1/api-keys/${id}/`)).status).toBe(404)
    expect((await admin.post(`/api/settings/v1/api-keys/${id}/rotate/`)).status).toBe(404)
  })
})

describe('PUT /people/:id/', () => {
  it('gives another role, and the history tells of it', async () => {
    const { id } = (await admin.post(PEOPLE, newPerson())).body.data
    const changed = await admin.put(`${PEOPLE}${id}/`, { role: 'viewer' })
    expect(changed.body.data.role).toBe('viewer')
    const { body } = await admin.get(`/api/settings/v1/history/?record_id=${id}`)
    expect(body.data.map(({ fields }: { fields: string[] }) => fields)[0]).toEqual(['scopes'])
  })

  it('has the address in the entry of the history, and no other key has one', async () => {
    const { id, email } = (await admin.post(PEOPLE, newPerson())).body.data
    const HISTORY = '/api/settings/v1/history/'
    const [entry] = (await admin.get(`${HISTORY}?record_id=${id}`)).body.data
    expect((await admin.get(`${HISTORY}${entry.id}/`)).body.data.after.email).toBe(email)
  })

  it('changes nothing at another version', async () => {
    const { body, headers } = await admin.post(PEOPLE, newPerson())
    const tag = headers.get('ETag') ?? ''
    const at = `${PEOPLE}${body.data.id}/`
    await admin.put(at, { role: 'viewer' })
    const refused = await admin.put(at, { role: 'owner' }, { headers: { 'If-Match': tag } })
    expect(refused.status).toBe(412)
    expect((await admin.get(at)).body.data.role).toBe('viewer')
  })
})

describe('DELETE /people/:id/', () => {
  it('takes an owner away, but never the last key that may write keys', async () => {
    const { id } = (await admin.post(PEOPLE, newPerson({ role: 'owner' }))).body.data
    const answer = await admin.delete(`${PEOPLE}${id}/`)
    expect(answer.body.data).toMatchObject({ status: 'revoked', role: 'owner' })
  })
})

describe('a role', () => {
  it.each([
    ['owner', SCOPES.length],
    ['manager', SCOPES.length - 4],
    ['operator', 15],
    ['viewer', 8],
  ] as const)('%s covers %i scopes', (role, count) => {
    expect(SCOPES.filter((scope) => covers(ROLES[role], scope))).toHaveLength(count)
  })

  it('viewer changes nothing, and reads neither documents nor people', () => {
    const held = SCOPES.filter((scope) => covers(ROLES.viewer, scope))
    expect(held.every((scope) => scope.endsWith('.read'))).toBe(true)
    expect(held).not.toContain('settings.documents.read')
    expect(held).not.toContain('settings.people.read')
  })
})
