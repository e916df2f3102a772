import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { freshIsolate } from '../fixtures/isolate.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { cookieOf, openDashboard, submit, withCookie } from '../fixtures/session.ts'
import { createKey, openAdmin, unique } from '../fixtures/tenant.ts'

const PATH = '/dashboard/sessions/'
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Signs in with the key, and gives what the browser holds then. */
async function signIn(key: string, headers: Record<string, string> = {}) {
  const cookie = cookieOf(await submit('/dashboard/sign-in/', { key }, headers))
  return { cookie, browser: withCookie(cookie) }
}

async function idsOf(key_id: string): Promise<string[]> {
  const read = 'select id from sessions where api_key_id = ? order by seq'
  const { results } = await env.DB_DEMO.prepare(read).bind(key_id).all<{ id: string }>()
  return results.map(({ id }) => id)
}

describe('POST /dashboard/sign-out/', () => {
  it('ends the session on the server: a copied cookie is worthless, in every isolate', async () => {
    const { value } = await createKey(['settings.*'])
    const { cookie, browser } = await signIn(value)
    const elsewhere = withCookie(cookie, await freshIsolate())
    expect((await browser.get('/dashboard/workspace/')).status).toBe(200)
    expect((await elsewhere.get('/dashboard/workspace/')).status).toBe(200)
    expect((await browser.post('/dashboard/sign-out/')).status).toBe(303)
    for (const copy of [withCookie(cookie), elsewhere]) {
      const answer = await copy.get('/dashboard/workspace/')
      expect([answer.status, answer.headers.get('Location')]).toEqual([
        303,
        '/dashboard/sign-in/?next=%2Fdashboard%2Fworkspace%2F',
      ])
      expect((await copy.post('/dashboard/workspace/', { name: 'x', version: '1' })).status).toBe(
        303,
      )
    }
  })

  it('ends no other session of the key, also where one isolate has seen both', async () => {
    const { value } = await createKey(['settings.*'])
    const [one, other] = [await signIn(value), await signIn(value)]
    for (const { browser } of [one, other]) await browser.get('/dashboard/workspace/')
    await one.browser.post('/dashboard/sign-out/')
    expect((await other.browser.get('/dashboard/workspace/')).status).toBe(200)
    expect((await one.browser.get('/dashboard/workspace/')).status).toBe(303)
  })

  it('is as good the second time', async () => {
    const { browser } = await signIn((await createKey(['settings.*'])).value)
    await browser.post('/dashboard/sign-out/')
    const answer = await browser.post('/dashboard/sign-out/')
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      '/dashboard/sign-in/?done=signed-out',
    ])
  })
})

describe('GET /dashboard/sessions/', () => {
  it('shows who is signed in, with what and since when', async () => {
    const name = unique('office')
    const { value } = await createKey(['settings.*'], { name })
    const { browser } = await signIn(value, { 'User-Agent': AGENT })
    const { text } = await browser.get(PATH)
    const [own = ''] = text.split('<tr>').filter((part) => part.includes(`>${name}<`))
    const row = wordsOf({ text: own } as never)
    expect(row).toContain('this session')
    expect(row).toContain('Firefox on Linux')
  })

  it('shows a key without the scope of keys its own sessions alone', async () => {
    const [own, other] = [unique('own'), unique('other')]
    const { value } = await createKey(['integrations.orders.read'], { name: own })
    await signIn((await createKey(['settings.*'], { name: other })).value)
    const { browser } = await signIn(value)
    const { text } = await browser.get(PATH)
    expect(text).toContain(own)
    expect(text).not.toContain(other)
    const asked = await browser.get(`${PATH}?api_key_id=${crypto.randomUUID()}`)
    expect(asked.text).toContain(own)
  })

  it('escapes what a browser calls itself', async () => {
    const { value } = await createKey(['settings.*'])
    const { browser } = await signIn(value, { 'User-Agent': '<script>alert(1)</script>' })
    expect((await browser.get(PATH)).text).not.toContain('<script>alert')
  })
})

describe('POST /dashboard/sessions/:id/end/', () => {
  it('signs another browser of the same key out', async () => {
    const { value, id } = await createKey(['integrations.orders.read'])
    const [here, there] = [await signIn(value), await signIn(value)]
    expect((await there.browser.get('/dashboard/orders/')).status).toBe(200)
    const [, ended] = await idsOf(id)
    expect((await here.browser.post(`${PATH}${ended}/end/`)).status).toBe(303)
    expect((await there.browser.get('/dashboard/orders/')).status).toBe(303)
    expect((await here.browser.get('/dashboard/orders/')).status).toBe(200)
  })

  it.each([
    ['reads keys', ['settings.keys.read', 'settings.audit.read'], 404],
    ['writes keys', ['settings.keys.*', 'settings.audit.read'], 303],
  ])('of another key is for who %s', async (_, scopes, status) => {
    const { value, id } = await createKey(['integrations.orders.read'])
    const { browser } = await signIn(value)
    const [session] = await idsOf(id)
    const other = await openDashboard(scopes)
    expect((await other.post(`${PATH}${session}/end/`)).status).toBe(status)
    expect((await browser.get('/dashboard/orders/')).status).toBe(status === 303 ? 303 : 200)
  })
})

describe('POST /dashboard/end-sessions/', () => {
  it('leaves this session alone, and those of other keys', async () => {
    const { value } = await createKey(['settings.*'])
    const [one, two, here] = [await signIn(value), await signIn(value), await signIn(value)]
    const other = await openDashboard()
    expect((await here.browser.post('/dashboard/end-sessions/')).status).toBe(303)
    const statuses = [one, two, here].map(({ browser }) => browser.get('/dashboard/workspace/'))
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([303, 303, 200])
    expect((await other.get('/dashboard/workspace/')).status).toBe(200)
  })
})

describe('the table of sessions', () => {
  it('forgets those that have been over for a day when somebody signs in', async () => {
    const { value, id } = await createKey(['settings.*'])
    await signIn(value)
    const past = '2026-01-01T00:00:00.000Z'
    const [session] = await idsOf(id)
    await (await openAdmin()).delete(`/api/settings/v1/sessions/${session}/`)
    await env.DB_DEMO.prepare('update sessions set ends_at = ? where id = ?')
      .bind(past, session)
      .run()
    await signIn(value)
    expect(await idsOf(id)).not.toContain(session)
    const left = env.DB_DEMO.prepare('select * from settings_changes where subject = ?')
    expect(await left.bind(session).first()).toBeNull()
  })

  it('holds no token', async () => {
    const { cookie } = await signIn((await createKey(['settings.*'])).value)
    const [, claims = ''] = cookie.split('.')
    const { token } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
    const { results } = await env.DB_DEMO.prepare('select * from sessions').all()
    expect(JSON.stringify(results)).not.toContain(token)
  })

  it('has at most 100 live ones of a key: a further one ends the oldest', async () => {
    const { value, id } = await createKey(['settings.*'])
    const first = await signIn(value)
    const rows = Array.from({ length: 100 }, () =>
      env.DB_DEMO.prepare(
        `insert into sessions (id, hash, api_key_id, created_at, ends_at)
         values (?1, ?1, ?2, '2026-01-01', '2999-01-01')`,
      ).bind(crypto.randomUUID(), id),
    )
    await env.DB_DEMO.batch(rows)
    await signIn(value)
    expect((await first.browser.get('/dashboard/workspace/')).status).toBe(303)
    const live = 'select count(*) as live from sessions where api_key_id = ? and ended_at is null'
    expect(await env.DB_DEMO.prepare(live).bind(id).first('live')).toBe(100)
  })
})
