import { afterEach, describe, expect, it, vi } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openDashboard } from '../fixtures/session.ts'
import { allRows, execute } from '../fixtures/sql.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'
import { endRelease, inputOf, keyIn, LIST, named, releasesIn, SETTINGS } from './key-pages.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const newKey = async (fields: object = {}) =>
  (await admin.post(`${SETTINGS}/api-keys/`, { name: unique('key'), ...fields })).body.data

const record = async (id: string) => (await admin.get(`${SETTINGS}/api-keys/${id}/`)).body.data

const rowOf = async (name: string) =>
  (await dashboard.get(LIST)).text.split('<tr>').find((row) => row.includes(name)) ?? ''

/** A key of a release that our table has no longer. */
async function keyOfRelease(release: string) {
  const key = await newKey()
  await execute('update api_keys set "release" = ? where id = ?', release, key.id)
  return key
}

describe('GET /dashboard/api-keys/', () => {
  it('shows name, hint, scopes, partner and status of each key', async () => {
    const partner = await admin.post(`${SETTINGS}/partners/`, { name: unique('Partner') })
    const { id, name, hint } = await newKey({ partner_id: partner.body.data.id })
    await admin.delete(`${SETTINGS}/api-keys/${id}/`)
    const { text } = await dashboard.get(LIST)
    for (const shown of [
      name,
      hint,
      'integrations.*',
      `<a href="/dashboard/partners/${partner.body.data.id}/">${partner.body.data.name}</a>`,
      'revoked',
    ]) {
      expect(text).toContain(shown)
    }
    expect(text).not.toContain(`${LIST}${id}/rotate/`)
  })

  it('says since when a key is what it is', async () => {
    const { id, name } = await newKey()
    const { created_at } = await record(id)
    expect(await rowOf(name)).toContain(`since <time datetime="${created_at}"`)
    await admin.delete(`${SETTINGS}/api-keys/${id}/`)
    expect(await rowOf(name)).toContain(`since <time datetime="${(await record(id)).revoked_at}"`)
  })

  it('says to which release a key is pinned, until when, and what it may ask a minute', async () => {
    const pinned = await rowOf((await newKey({ release: '1.0', rate_limit: 2500 })).name)
    expect(pinned.replace(/<\/?time[^>]*>/g, '').replace(/\s+/g, ' ')).toContain(
      '<small class="line">release 1.0, ends 2027-12-01 (UTC)</small>',
    )
    expect(pinned).toContain('<small class="line">2,500 per minute</small>')
    expect(await rowOf((await newKey()).name)).not.toMatch(/release|per minute/)
  })

  it('says that the release of a key has ended', async () => {
    const { name } = await newKey({ release: '1.0' })
    const gone = await keyOfRelease('0.9')
    endRelease()
    expect(await rowOf(name)).toContain('<small class="line ended">release 1.0, ended</small>')
    expect(await rowOf(gone.name)).toContain('<small class="line ended">release 0.9, ended</small>')
  })

  it('offers no rotation of a key that has expired', async () => {
    const { id } = await createKey(['integrations.*'], { expires_at: '2026-01-01T00:00:00.000Z' })
    const { text } = await dashboard.get(LIST)
    expect(text).toContain(`${LIST}${id}/revoke/`)
    expect(text).not.toContain(`${LIST}${id}/rotate/`)
  })

  it('shows names as text, whatever is in them', async () => {
    await newKey({ name: '<script>alert(1)</script>"\'&' })
    const { text } = await dashboard.get(LIST)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
    expect(text).not.toContain('<script>alert')
  })

  it('names the partner of each key, however many there are, deleted ones too', async () => {
    const name = unique('Old partner')
    const partner = await admin.post(`${SETTINGS}/partners/`, { name })
    await newKey({ partner_id: partner.body.data.id })
    await execute(
      `insert into partners (id, name, created_at, updated_at)
       select 'p-' || value, 'Partner ' || value, ?1, ?1 from json_each(?2)`,
      new Date().toISOString(),
      JSON.stringify(Array.from({ length: 250 }, (_, n) => n)),
    )
    const link = `<a href="/dashboard/partners/${partner.body.data.id}/">${name}</a>`
    expect((await dashboard.get(LIST)).text).toContain(link)
    expect((await dashboard.get('/dashboard/new/api-key/')).text).toContain(`>${name}</option>`)
    await execute('update partners set deleted_at = created_at where id = ?', partner.body.data.id)
    expect((await dashboard.get(LIST)).text).toContain(`partner ${name}`)
  })

  it('leads from page to page', async () => {
    await newKey()
    await newKey()
    const first = await dashboard.get(`${LIST}?limit=1&done=key-saved`)
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(next).toMatch(/\?limit=1&cursor=[\w-]+&back=0$/)
    const text = markupOf(await dashboard.get(next))
    expect(text).toContain(`<a href="${LIST}?limit=1">Newest</a>`)
    expect(/xd_demo_…\w{4}/.exec(text)).not.toEqual(/xd_demo_…\w{4}/.exec(first.text))
  })

  it('tells of a bad page', async () => {
    const answer = await dashboard.get(`${LIST}?cursor=nonsense`)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Not a cursor of this list.')
  })

  it('offers no change to a session that may only read', async () => {
    const { text } = await (await openDashboard(['settings.read'])).get(LIST)
    expect(text).not.toMatch(/Create key|Revoke|Rotate|Edit/)
    expect(text).toContain('Requests')
  })
})

describe('POST /dashboard/api-keys/:id/', () => {
  it('shows the key as it is and saves what was changed', async () => {
    const partner = await admin.post(`${SETTINGS}/partners/`, { name: unique('Partner') })
    const { id, name } = await newKey({
      scopes: ['integrations.orders.*'],
      expires_at: '2126-01-01',
      partner_id: partner.body.data.id,
    })
    const shown = await dashboard.get(`${LIST}${id}/`)
    expect(shown.text).toContain(`value="${name}"`)
    expect(shown.text).toMatch(/value="integrations\.orders\.\*" checked/)
    expect(shown.text).toContain('value="2126-01-01T00:00"')
    const answer = await dashboard.post(`${LIST}${id}/`, { name: 'Renamed', access: 'read' })
    expect(answer.headers.get('Location')).toBe('/dashboard/api-keys/?done=key-saved')
    expect(await record(id)).toMatchObject({
      name: 'Renamed',
      expires_at: null,
      partner_id: null,
    })
  })

  it('keeps what was typed when it is refused', async () => {
    const partner = await admin.post(`${SETTINGS}/partners/`, { name: unique('Partner') })
    const { id } = await newKey()
    const text = markupOf(
      await dashboard.post(`${LIST}${id}/`, {
        name: 'x'.repeat(256),
        access: 'chosen',
        scopes: ['integrations.orders.*', 'settings.read'],
        partner_id: partner.body.data.id,
        release: '1.0',
        rate_limit: '60',
        expires_at: '2126-03-01T09:30',
      }),
      400,
    )
    for (const kept of [
      `value="${'x'.repeat(256)}"`,
      'value="chosen" checked',
      'value="integrations.orders.*" checked',
      'value="settings.read" checked',
      `value="${partner.body.data.id}" selected`,
      'value="1.0" selected',
      'max="30000" value="60"',
      'value="2126-03-01T09:30"',
    ]) {
      expect(text).toContain(kept)
    }
  })

  it('keeps seconds and milliseconds of an expiry that is not touched', async () => {
    const expires_at = '2126-01-01T10:20:30.456Z'
    const { id, name } = await newKey({ expires_at })
    const shown = await dashboard.get(`${LIST}${id}/`)
    const value = /name="expires_at" [^>]*value="([^"]*)"/.exec(shown.text)?.[1] ?? ''
    await dashboard.post(`${LIST}${id}/`, { name, access: 'full', expires_at: value })
    expect((await record(id)).expires_at).toBe(expires_at)
  })

  it('saves release and rate limit as they are shown, or changed', async () => {
    const { id, name } = await newKey({ release: '1.0', rate_limit: 60 })
    const { text } = await dashboard.get(`${LIST}${id}/`)
    expect(releasesIn(text)).toContain('value="1.0" selected')
    expect(inputOf(text, 'rate_limit')).toContain(' value="60"')
    const kept = { name, access: 'full', release: '1.0', rate_limit: '60' }
    await dashboard.post(`${LIST}${id}/`, kept)
    expect(await record(id)).toMatchObject({ release: '1.0', rate_limit: 60 })
    await dashboard.post(`${LIST}${id}/`, { ...kept, release: 'current', rate_limit: '' })
    expect(await record(id)).toMatchObject({ release: 'current', rate_limit: null })
  })

  it.each([
    ['is past its sunset', '1.0', 'This release has ended: set it to current.'],
    ['was taken out', '0.9', 'Must be one of: current, 1.0.'],
  ])('shows a release that %s as it is, and refuses it at the field', async (_, name, message) => {
    const { id } = await keyOfRelease(name)
    endRelease()
    const ended = `<option value="${name}" selected="">${name}, ended</option>`
    const current = '<option value="current">Current</option>'
    expect(releasesIn((await dashboard.get(`${LIST}${id}/`)).text)).toBe(current + ended)
    const fields = { name: 'Renamed', access: 'full', release: name, rate_limit: '' }
    const text = markupOf(await dashboard.post(`${LIST}${id}/`, fields), 400)
    expect(text).toContain(`id="release-error">${message}</small>`)
    expect(releasesIn(text)).toBe(current + ended)
    expect((await record(id)).name).not.toBe('Renamed')
    await dashboard.post(`${LIST}${id}/`, { ...fields, release: 'current' })
    expect(await record(id)).toMatchObject({ name: 'Renamed', release: 'current' })
  })

  it('shows a release and a rate limit as text, whatever is in them', async () => {
    const { id } = await keyOfRelease('<b>"x\'')
    const fields = { name: 'x', access: 'full', release: '<i>"x\'', rate_limit: '<u>"x\'' }
    const texts = [
      (await dashboard.get(LIST)).text,
      (await dashboard.get(`${LIST}${id}/`)).text,
      (await dashboard.post(`${LIST}${id}/`, fields)).text,
    ]
    expect(texts[0]).toContain('release &lt;b&gt;&quot;x&#39;, ended')
    expect(texts[1]).toContain('value="&lt;b&gt;&quot;x&#39;" selected="">&lt;b&gt;')
    expect(texts[2]).toContain('value="&lt;i&gt;&quot;x&#39;" selected="">&lt;i&gt;')
    expect(texts[2]).toContain('value="&lt;u&gt;&quot;x&#39;"')
    for (const text of texts) expect(text).not.toMatch(/<[biu]>/)
  })

  it.each([
    [['integrations.*', 'settings.*']],
    [['integrations.*']],
    [['settings.read', 'integrations.orders.delete']],
  ])('keeps the scopes %j of a key that is saved as it is shown', async (scopes) => {
    const { id, name } = await newKey({ scopes })
    const { text } = await dashboard.get(`${LIST}${id}/`)
    const ticked = [...text.matchAll(/name="scopes" value="([^"]*)" checked/g)].map(
      ([, scope]) => scope ?? '',
    )
    const access = /name="access" value="(\w+)" checked/.exec(text)?.[1] ?? ''
    await dashboard.post(`${LIST}${id}/`, { name, access, scopes: ticked })
    expect((await record(id)).scopes.toSorted()).toEqual(scopes.toSorted())
  })

  it('keeps the link to a partner that is not among the choices', async () => {
    const partner = await admin.post(`${SETTINGS}/partners/`, { name: unique('Partner') })
    const { id } = await newKey({ partner_id: partner.body.data.id, expires_at: '2126-01-01' })
    await execute('update partners set deleted_at = created_at where id = ?', partner.body.data.id)
    const shown = await dashboard.get(`${LIST}${id}/`)
    expect(shown.text).toMatch(new RegExp(`value="${partner.body.data.id}" selected`))
  })

  it("refuses to take away the last key's settings access", async () => {
    const { id, value } = await createKey(['settings.*', 'integrations.*'], { tenant: 'other' })
    const last = await openDashboard([], { key: value })
    const text = markupOf(await last.post(`${LIST}${id}/revoke/`), 400)
    expect(text).toContain('last live key with settings.keys.write')
    const narrowed = await last.post(`${LIST}${id}/`, { name: 'x', access: 'full' })
    expect(narrowed.status).toBe(400)
    expect(narrowed.text).toContain('last live key with settings.keys.write')
  })

  it('is 404 for a key that does not exist', async () => {
    const fields = {
      '': { name: 'x', access: 'full' },
      'rotate/': { overlap_seconds: '0' },
      'revoke/': {},
    }
    for (const [page, filled] of Object.entries(fields)) {
      const path = `${LIST}${unique('none')}/${page}`
      expect((await dashboard.get(path)).status).toBe(404)
      expect((await dashboard.post(path, filled)).status).toBe(404)
    }
  })
})

describe('POST /dashboard/api-keys/:id/rotate/', () => {
  it('shows a new key and lets the old one end after the overlap', async () => {
    const { id, name } = await newKey()
    expect((await dashboard.get(`${LIST}${id}/rotate/`)).text).toContain(`Rotate “${name}”?`)
    const text = markupOf(
      await dashboard.post(`${LIST}${id}/rotate/`, { overlap_seconds: '3600' }),
      201,
    )
    expect((await client(keyIn(text)).get('/orders/')).status).toBe(200)
    const left = Date.parse((await record(id)).expires_at) - Date.now()
    expect(Math.abs(left - 3_600_000)).toBeLessThan(60_000)
  })

  it.each(sample(['-1', 'soon', '604801', '', '0x10', '1e3', '60'], 4))(
    'refuses an overlap of %s',
    async (overlap_seconds) => {
      const { id } = await newKey()
      const text = markupOf(await dashboard.post(`${LIST}${id}/rotate/`, { overlap_seconds }), 400)
      expect(text).toContain('id="overlap_seconds-error"')
      expect((await record(id)).status).toBe('active')
    },
  )

  it('keeps the release and the rate limit, and says so', async () => {
    const { id, name } = await newKey({ release: '1.0', rate_limit: 60 })
    const { text } = await dashboard.get(`${LIST}${id}/rotate/`)
    expect(text).toContain('the same name, scopes, partner, orders, release, rate limit and expiry')
    await dashboard.post(`${LIST}${id}/rotate/`, { overlap_seconds: '3600' })
    const rotated = (await named(name)).find((key: { id: string }) => key.id !== id)
    expect(rotated).toMatchObject({ rotated_from: id, release: '1.0', rate_limit: 60 })
  })

  it('keeps the overlap that was chosen when it is refused', async () => {
    const { id } = await newKey()
    await admin.delete(`${SETTINGS}/api-keys/${id}/`)
    const { text } = await dashboard.post(`${LIST}${id}/rotate/`, { overlap_seconds: '604800' })
    expect(text).toMatch(/value="604800" selected/)
  })

  it('says when the old key ends', async () => {
    const { id } = await newKey()
    const { text } = await dashboard.post(`${LIST}${id}/rotate/`, { overlap_seconds: '604800' })
    expect(text).toContain('The old key ends in a week.')
  })

  it("warns of rotating the session's own key", async () => {
    const { id, value } = await createKey(['settings.*'])
    const own = await openDashboard([], { key: value })
    expect((await own.get(`${LIST}${id}/rotate/`)).text).toContain(
      'You are signed in with this key',
    )
  })

  it('tells that an ended key cannot be rotated', async () => {
    const { id } = await newKey()
    await admin.delete(`${SETTINGS}/api-keys/${id}/`)
    const text = markupOf(
      await dashboard.post(`${LIST}${id}/rotate/`, { overlap_seconds: '0' }),
      400,
    )
    expect(text).toContain('The key is revoked: create a new one instead.')
  })
})

describe('POST /dashboard/api-keys/:id/revoke/', () => {
  it('asks first, then revokes at once', async () => {
    const { id, name, key } = await newKey()
    const caller = client(key)
    const question = await dashboard.get(`${LIST}${id}/revoke/`)
    expect(question.text).toContain(`Revoke “${name}”?`)
    expect(question.text).not.toContain('you will be signed out')
    expect((await caller.get('/orders/')).status).toBe(200)
    const answer = await dashboard.post(`${LIST}${id}/revoke/`)
    expect(answer.headers.get('Location')).toBe('/dashboard/api-keys/?done=key-revoked')
    expect((await caller.get('/orders/')).status).toBe(401)
    const list = await dashboard.get('/dashboard/api-keys/?done=key-revoked')
    expect(list.text).toContain('The API key was revoked.')
  })

  it("warns of revoking the session's own key", async () => {
    const { id, value } = await createKey(['settings.*'])
    const own = await openDashboard([], { key: value })
    expect((await own.get(`${LIST}${id}/revoke/`)).text).toContain('you will be signed out')
    await own.post(`${LIST}${id}/revoke/`)
    expect((await own.get(LIST)).headers.get('Location')).toContain('/dashboard/sign-in/')
  })

  it('is in the audit log, under the name of the key that was signed in with', async () => {
    const { id } = await newKey()
    await dashboard.post(`${LIST}${id}/revoke/`)
    const results = await allRows(
      'select method, status, record_id, api_key_name from audit_log where path = ? order by seq',
      `${LIST}${id}/revoke/`,
    )
    expect(results).toEqual([
      { method: 'GET', status: 200, record_id: null, api_key_name: 'test key' },
      { method: 'POST', status: 200, record_id: id, api_key_name: 'test key' },
    ])
  })
})
