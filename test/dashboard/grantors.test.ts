import { beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '../../src/engine/identity/roles.ts'
import { admin } from '../fixtures/opened.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { addPerson, dashboardOf } from '../fixtures/signed-in.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, openTenant, unique } from '../fixtures/tenant.ts'

// What a page says to whom it refuses.

const PEOPLE = '/dashboard/people/'
const FULL = ['integrations.*', 'settings.*']

beforeEach(async () => {
  // Nobody of another test is named.
  await execute('delete from sessions')
  const people = "email is not null or name like 'grantor%'"
  await execute(`update api_keys set revoked_at = ? where ${people}`, new Date().toISOString())
})

const add = async (role: Role, name: string) => (await addPerson(role, name)).id

describe('a page that a person may not see', () => {
  it('names the scope, the roles that have it, and the people who can give it', async () => {
    const [ada, bo, eve] = [unique('Ada'), unique('Bo'), unique('Eve')]
    await add('owner', ada)
    await add('manager', bo)
    const own = await dashboardOf(await add('viewer', eve))
    const answer = await own.get(PEOPLE)
    expect(answer.status).toBe(403)
    const words = wordsOf(answer)
    expect(words).toContain('Your account lacks the scope settings.people.read.')
    expect(words).not.toContain('API key lacks')
    expect(words).toContain(`The role owner has it. ${ada}`)
    expect(words).toContain('can give it to you.')
    expect(words).not.toContain(bo)
  })

  it('names all roles that have the scope', async () => {
    const own = await dashboardOf(await add('viewer', unique('Eve')))
    const words = wordsOf(await own.get('/dashboard/deliveries/'))
    expect(words).toContain('The roles owner, manager and operator have it.')
  })

  it('names at most five, people before keys, and links them to those who may see them', async () => {
    const names = Array.from({ length: 6 }, () => unique('Ada'))
    const ids: string[] = []
    for (const name of names) ids.push(await add('owner', name))
    const own = await dashboardOf(await add('manager', unique('Bo')))
    const words = wordsOf(await own.get('/dashboard/workspace/edit/'))
    expect(words).not.toContain('can give it')
    const answer = await own.get('/dashboard/new/person/')
    const said = wordsOf(answer)
    expect(said).toContain(`${names.slice(0, 4).join(', ')} or ${names[4]} can give it to you.`)
    expect(said).not.toContain(names[5])
    expect(linksIn(answer.text)).not.toContain(`${PEOPLE}${ids[0]}/`)
  })
})

describe('a page that a key may not see', () => {
  it('names the keys that can change it, by links for who may see keys', async () => {
    const name = unique('grantor')
    const { id } = await createKey(FULL, { name })
    const weak = await createKey(['settings.keys.*'], { name: unique('grantor') })
    const own = await openDashboard(['settings.keys.read', 'integrations.orders.read'])
    const answer = await own.get('/dashboard/products/')
    expect(answer.status).toBe(403)
    const words = wordsOf(answer)
    expect(words).toContain('This API key lacks the scope integrations.products.read.')
    expect(words).toContain('Of people, the roles owner, manager, operator and viewer have it.')
    expect(words).toContain('the key ')
    expect(answer.text).not.toContain(weak.id)
    expect([name, linksIn(answer.text)]).toEqual([
      name,
      expect.arrayContaining([`/dashboard/api-keys/${id}/`]),
    ])
  })

  it('tells the key of a partner no names', async () => {
    const name = unique('Ada')
    await add('owner', name)
    const partner = (await admin.post('/api/settings/v1/partners/', { name: unique('shop') })).body
    const scopes = ['integrations.orders.read']
    const input = { name: unique('key'), scopes, partner_id: partner.data.id }
    const { key } = (await admin.post('/api/settings/v1/api-keys/', input)).body.data
    const own = await openDashboard(scopes, { key })
    const answer = await own.get('/dashboard/products/')
    expect(answer.status).toBe(403)
    const words = wordsOf(answer)
    expect(words).toContain('Ask the warehouse that gave you the key.')
    expect(words).not.toContain(name)
    expect(words).not.toContain('can give it')
    expect(words).not.toContain('role')
  })
})

describe('a page that a key with own_orders_only may not see', () => {
  it('tells no names, also when its partner is deleted', async () => {
    const name = unique('Ada')
    await add('owner', name)
    const partner = (await admin.post('/api/settings/v1/partners/', { name: unique('shop') })).body
    const scopes = ['integrations.orders.read']
    const input = {
      name: unique('key'),
      scopes,
      partner_id: partner.data.id,
      own_orders_only: true,
    }
    const { key } = (await admin.post('/api/settings/v1/api-keys/', input)).body.data
    const db = await openTenant('demo')
    await db
      .prepare("update partners set deleted_at = 'now' where id = ?")
      .bind(partner.data.id)
      .run()
    const answer = await (await openDashboard(scopes, { key })).get('/dashboard/products/')
    expect(answer.status).toBe(403)
    expect(wordsOf(answer)).toContain('Ask the warehouse that gave you the key.')
    expect(wordsOf(answer)).not.toContain(name)
  })
})

describe('a form that a person may not send in full', () => {
  it('speaks of the account', async () => {
    const own = await dashboardOf(await add('manager', unique('Bo')))
    const answer = await own.post('/dashboard/new/api-key/', {
      name: unique('key'),
      access: 'chosen',
      scopes: ['settings.people.read'],
    })
    expect(answer.status).toBe(403)
    expect(wordsOf(answer)).toContain('Your account lacks the scope settings.people.read: a key')
    expect(wordsOf(answer)).not.toContain('This API key lacks')
  })
})
