import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { expectReason, expectRefusal } from '../fixtures/refusal.ts'
import { type Api, findKey, inSeconds, issueKey, KEYS } from '../fixtures/settings.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'

// "Nobody locks a tenant out by one call." In the other tenant: here the keys of a tenant matter.

const PAST = '2026-01-01T00:00:00.000Z'

interface Key {
  id: string
  api: Api
}

/** A key that becomes the only live one of the tenant. */
async function soleKey(scopes = ['settings.*', 'integrations.*']): Promise<Key> {
  const { id, value } = await createKey(scopes, { tenant: 'other' })
  const db = await openTenant('other')
  await db
    .prepare('update api_keys set revoked_at = ? where id <> ? and revoked_at is null')
    .bind(PAST, id)
    .run()
  return { id, api: client(value) }
}

async function contents() {
  const db = await openTenant('other')
  const tables = ['workspace', 'api_keys']
  return await Promise.all(
    tables.map(async (table) => (await db.prepare(`select * from ${table}`).all()).results),
  )
}

/** What would end the key's settings access, and the field that does. */
const LOCK_OUTS: [string, (key: Key) => Promise<Answer>, field?: string][] = [
  [
    'be made to expire',
    ({ api, id }) => api.put(`${KEYS}${id}/`, { expires_at: inSeconds(60) }),
    'expires_at',
  ],
  ['be revoked', ({ api, id }) => api.delete(`${KEYS}${id}/`)],
  [
    'lose the scope',
    ({ api, id }) => api.put(`${KEYS}${id}/`, { scopes: ['settings.read', 'integrations.*'] }),
    'scopes',
  ],
  [
    'lose the scope and be unlinked at once',
    ({ api, id }) =>
      api.put(`${KEYS}${id}/`, { scopes: ['integrations.*'], expires_at: null, partner_id: null }),
    'scopes',
  ],
  [
    'keep the scope and be made to expire',
    ({ api, id }) =>
      api.put(`${KEYS}${id}/`, { scopes: ['settings.keys.write'], expires_at: inSeconds(60) }),
    'expires_at',
  ],
]

const LAST: [string, () => Promise<Key>][] = [
  ['alone', () => soleKey()],
  ['with settings.write', () => soleKey(['settings.read', 'settings.write', 'integrations.*'])],
  [
    'with settings.keys.write',
    () => soleKey(['settings.read', 'settings.keys.write', 'integrations.*']),
  ],
  ['with settings.keys.*', () => soleKey(['settings.read', 'settings.keys.*', 'integrations.*'])],
  [
    // Without Cloudflare Access, nobody signs in as a person.
    'beside a person who owns all',
    async () => {
      const key = await soleKey()
      const person = { name: 'Ada', email: `${unique('ada')}@example.com`, role: 'owner' }
      expect((await key.api.post('/api/settings/v1/people/', person)).status).toBe(201)
      return key
    },
  ],
  [
    'beside an expired one',
    async () => {
      const key = await soleKey()
      await createKey(['settings.*'], { tenant: 'other', expires_at: PAST })
      return key
    },
  ],
  [
    'beside a revoked one',
    async () => {
      const key = await soleKey()
      await createKey(['settings.*'], { tenant: 'other', revoked_at: PAST })
      return key
    },
  ],
  [
    'beside keys that lack the scope',
    async () => {
      const key = await soleKey()
      const others = ['settings.read', 'settings.partners.write', 'settings.workspace.*']
      await createKey(others, { tenant: 'other' })
      await createKey(['integrations.*'], { tenant: 'other' })
      return key
    },
  ],
  [
    'beside one that was itself revoked over HTTP',
    async () => {
      const key = await soleKey()
      const second = await issueKey(key.api, { scopes: ['settings.*'] })
      await key.api.delete(`${KEYS}${second.id}/`)
      return key
    },
  ],
]

describe.each(sample(LAST, 1))('the last live key that may write keys, %s', (_, prepare) => {
  it.each(sample(LOCK_OUTS, 2))('cannot %s, and nothing changes', async (_, lockOut, field) => {
    const key = await prepare()
    const before = await contents()
    const answer = await lockOut(key)
    expectReason(answer, 400, 'SERVICE_ERROR', 'LAST_SETTINGS_KEY')
    const { fields, message } = answer.body.error
    expect(fields).toEqual(field && { [field]: [message] })
    expect(await contents()).toEqual(before)
    expect((await key.api.put(`${KEYS}${key.id}/`, { name: 'still here' })).status).toBe(200)
  })
})

describe('the last live key that may write keys', () => {
  it('can be rotated: the new key has the scope', async () => {
    const key = await soleKey()
    const data = dataOf(await key.api.post(`${KEYS}${key.id}/rotate/`), 201)
    expectRefusal(await key.api.get(KEYS), 401, 'KEY_INVALID')
    const heir = client(data.key)
    expect((await heir.put(`${KEYS}${data.id}/`, { name: 'heir' })).status).toBe(200)
  })

  it('can be rotated with an overlap', async () => {
    const key = await soleKey()
    const { body } = await key.api.post(`${KEYS}${key.id}/rotate/`, { overlap_seconds: 60 })
    expect((await key.api.get(KEYS)).status).toBe(200)
    expect((await client(body.data.key).get(KEYS)).status).toBe(200)
  })

  it('can change its name and its other scopes', async () => {
    const { api, id } = await soleKey(['settings.*', 'integrations.*'])
    const { status, body } = await api.put(`${KEYS}${id}/`, {
      name: 'renamed',
      scopes: ['settings.keys.write'],
    })
    expect([status, body.data.scopes]).toEqual([200, ['settings.keys.write']])
  })

  it('can revoke every other key', async () => {
    const { api } = await soleKey()
    const others = [await issueKey(api), await issueKey(api, { scopes: ['settings.*'] })]
    for (const { id } of others) expect((await api.delete(`${KEYS}${id}/`)).status).toBe(200)
  })
})

describe('a key that may write keys beside a second one', () => {
  it.each(sample(LOCK_OUTS, 4))('can %s', async (_, lockOut) => {
    const key = await soleKey()
    const second = await issueKey(key.api, { scopes: ['settings.*'] })
    expect((await lockOut(key)).status).toBe(200)
    expect((await client(second.key).get(KEYS)).status).toBe(200)
  })

  it.each(LOCK_OUTS)(
    'that will expire cannot %s: time would lock the tenant out',
    async (_, lockOut) => {
      const key = await soleKey()
      await issueKey(key.api, { scopes: ['settings.keys.write'], expires_at: inSeconds(3600) })
      expectRefusal(await lockOut(key), 400, 'SERVICE_ERROR')
    },
  )

  it('stays, or the other does, when each revokes the other at once', async () => {
    const first = await soleKey()
    const issued = await issueKey(first.api, { scopes: ['settings.*'] })
    const second = { id: issued.id, api: client(issued.key) }
    await Promise.all([
      first.api.delete(`${KEYS}${second.id}/`),
      second.api.delete(`${KEYS}${first.id}/`),
    ])
    const answers = await Promise.all([first.api.get(KEYS), second.api.get(KEYS)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })

  it('stays, or the other does, when both revoke themselves at once', async () => {
    const first = await soleKey()
    const issued = await issueKey(first.api, { scopes: ['settings.*'] })
    const second = { id: issued.id, api: client(issued.key) }
    await Promise.all([first, second].map(({ api, id }) => api.delete(`${KEYS}${id}/`)))
    const survivors: Json[] = []
    for (const { api, id } of [first, second]) {
      if ((await api.get(KEYS)).status === 200) survivors.push(await findKey(api, id))
    }
    expect(survivors.map(({ status }) => status)).toEqual(['active'])
  })
})

describe('a revoked key that could write keys', () => {
  it.each([
    ['scopes', { scopes: ['settings.read'] }],
    ['expiry', { expires_at: inSeconds(60) }],
  ])('can be given another %s where every live key expires', async (_, change) => {
    const options = { tenant: 'other' } as const
    const live = await createKey(['settings.*'], { ...options, expires_at: inSeconds(3600) })
    const revoked = await createKey(['settings.*'], { ...options, revoked_at: PAST })
    const db = await openTenant('other')
    // The API would not let the last key go that does not expire.
    await db.prepare('delete from api_keys where id not in (?, ?)').bind(live.id, revoked.id).run()
    const { status, body } = await client(live.value).put(`${KEYS}${revoked.id}/`, change)
    expect([status, body.data?.status]).toEqual([200, 'revoked'])
  })
})

describe('DELETE /api-keys/:id/?dry_run=true', () => {
  it('says of the last key what the write would, also beside a person who owns all', async () => {
    const { id, api } = await soleKey()
    const person = { name: 'Ada', email: `${unique('ada')}@example.com`, role: 'owner' }
    await api.post('/api/settings/v1/people/', person)
    for (const query of ['?dry_run=true', '']) {
      const { status, body } = await api.delete(`${KEYS}${id}/${query}`)
      expect([status, body.error.reason]).toEqual([400, 'LAST_SETTINGS_KEY'])
    }
  })
})
