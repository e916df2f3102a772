import { describe, expect, it } from 'vitest'
import { ROLE_NAMES, ROLES } from '../../src/engine/identity/roles.ts'
import { covers, SCOPES } from '../../src/engine/identity/scopes.ts'
import { admin } from '../fixtures/opened.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'

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
