import { beforeAll, describe, expect, it } from 'vitest'
import { ROLE_NAMES, ROLES } from '../../src/engine/identity/roles.ts'
import { covers } from '../../src/engine/identity/scopes.ts'
import { pathAt } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { PAGES } from '../fixtures/pages.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { type Dashboard, linksIn, openDashboard } from '../fixtures/session.ts'
import { addPerson, dashboardOf, openOther } from '../fixtures/signed-in.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'

const PEOPLE = '/dashboard/people/'

let owner: Dashboard

beforeAll(async () => {
  owner = await openDashboard()
})

describe('a person', () => {
  it('is named in the audit log and in the history', async () => {
    const { id, name } = await addPerson('owner')
    const own = await dashboardOf(id)
    await own.post('/dashboard/new/partner/', { name: unique('partner') })
    const { body } = await admin.get(`/api/settings/v1/audit-log/?api_key_id=${id}&method=POST`)
    expect(body.data[0].api_key.name).toBe(name)
    const history = await owner.get('/dashboard/history/')
    expect(wordsOf(history)).toContain(`Person ${name}`)
    expect(linksIn(history.text)).toContain(`${PEOPLE}${id}/`)
  })

  it('loses its access at the next request, in every session', async () => {
    const { id } = await addPerson('viewer')
    const [one, other] = [await dashboardOf(id), await dashboardOf(id)]
    expect((await one.get('/dashboard/orders/')).status).toBe(200)
    expect((await other.get('/dashboard/orders/')).status).toBe(200)
    expect((await owner.post(`${PEOPLE}${id}/remove/`)).status).toBe(303)
    for (const each of [one, other]) expect((await each.get('/dashboard/orders/')).status).toBe(303)
  })

  it('has another role from the next request on, also between showing and saving', async () => {
    const { id } = await addPerson('manager')
    const own = await dashboardOf(id)
    const at = '/dashboard/new/partner/'
    expect((await own.get(at)).status).toBe(200)
    await owner.post(`${PEOPLE}${id}/`, { name: 'Ada', role: 'viewer' })
    const name = unique('partner')
    expect((await own.post(at, { name })).status).toBe(403)
    expect((await admin.get('/api/settings/v1/partners/?limit=200')).text).not.toContain(name)
  })
})

describe.each(ROLE_NAMES)('the role %s', (role) => {
  it('opens exactly the pages that its scopes open', async () => {
    const own = await dashboardOf((await addPerson(role)).id)
    for (const { method, path, scopes } of PAGES.filter((page) => page.scopes !== null)) {
      const place = pathAt(path, crypto.randomUUID())
      const answer =
        method === 'GET' ? await own.get(place) : await own.post(place, { version: '' })
      const isOpen = (scopes ?? []).every((scope) => covers(ROLES[role], scope))
      expect([method, path, answer.status === 403]).toEqual([method, path, !isOpen])
      if (path.includes('sign-out') || path.includes('end-sessions')) break
    }
  })

  it('is led only to what it may open', async () => {
    const own = await dashboardOf((await addPerson(role)).id)
    const { text } = await own.get('/dashboard/orders/')
    const nav = text.slice(text.indexOf('aria-label="Dashboard"'), text.indexOf('</nav>'))
    for (const [, href = ''] of nav.matchAll(/href="([^"]*)"/g)) {
      expect([href, (await own.get(href.replaceAll('&amp;', '&'))).status]).toEqual([href, 200])
    }
  })
})

describe('GET /dashboard/people/', () => {
  it('leads to the keys where there are no people', async () => {
    await openTenant('other')
    const { text } = await (await openOther(['settings.*'])).get(PEOPLE)
    expect(text).toContain('<a href="/dashboard/api-keys/">All API keys</a>')
  })
})

describe('POST /dashboard/new/person/', () => {
  it('adds a person, who is listed with role and address', async () => {
    const [name, email] = [unique('Ada'), `${unique('ada')}@example.com`]
    const answer = await owner.post('/dashboard/new/person/', { name, email, role: 'operator' })
    expect(answer.status).toBe(303)
    const words = wordsOf(await owner.get(answer.headers.get('Location') ?? ''))
    expect(words).toContain('The person was added')
    expect(words).toContain(`${email}, operator, active`)
    expect(wordsOf(await owner.get(PEOPLE))).toContain(email)
  })

  it('says what is wrong at its field, and keeps what was typed', async () => {
    const { email } = await addPerson('viewer')
    const text = markupOf(
      await owner.post('/dashboard/new/person/', { name: 'Ada', email: 'x' }),
      400,
    )
    expect(text).toContain('id="email-error">Must be an e-mail address.')
    const taken = await owner.post('/dashboard/new/person/', { name: 'Ada', email })
    expect(taken.status).toBe(409)
    expect(taken.text).toContain(`value="${email}"`)
  })
})

describe('POST /dashboard/people/:id/', () => {
  it('overwrites no change that another has made meanwhile', async () => {
    const { id } = await addPerson('viewer')
    await admin.put(`/api/settings/v1/people/${id}/`, { role: 'operator' })
    const text = markupOf(
      await owner.post(`${PEOPLE}${id}/`, { name: 'Eve', role: 'owner', version: '1' }),
      412,
    )
    const { data } = (await admin.get(`/api/settings/v1/people/${id}/`)).body
    expect(data).toMatchObject({ role: 'operator' })
    expect(text).toContain('value="Eve"')
  })
})
