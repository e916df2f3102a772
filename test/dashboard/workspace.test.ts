import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { cookieOf, openDashboard, submit, withCookie } from '../fixtures/session.ts'
import { createKey, unique } from '../fixtures/tenant.ts'

const PATH = '/dashboard/workspace/'
const SETTINGS = '/api/settings/v1/workspace/'

const inputOf = (text: string, name: string) =>
  new RegExp(`<input [^>]*name="${name}"[^>]*>`).exec(text)?.[0]

const workspace = async () => (await admin.get(SETTINGS)).body.data

describe('GET /dashboard/workspace/', () => {
  it('shows name, tenant, version and state', async () => {
    const { name, settings_version } = await workspace()
    const { text } = await dashboard.get(PATH)
    expect(text).toContain(`value="${name}"`)
    expect(text).toContain('<code>demo</code>')
    expect(text).toContain(`${settings_version} <small>`)
    expect(text).toContain('The integration is on')
    expect(text).toContain('<a href="/dashboard/partners/">all partners</a>')
    expect(inputOf(text, 'audit_retention_days')).toMatch(/value="\d+".* required/)
    expect(text).toContain('<a href="/dashboard/workspace/" aria-current="page">')
  })

  it.each(['nothing', 'constructor', 'toString'])(
    'says of no %s that it was done',
    async (done) => {
      const { status, text } = await dashboard.get(`${PATH}?done=${done}`)
      expect(status).toBe(200)
      expect(text).not.toContain('class="notice"')
    },
  )

  it('offers no change to a session that may only read', async () => {
    const { text } = await (await openDashboard(['settings.read'])).get(PATH)
    expect(inputOf(text, 'name')).toContain(' disabled')
    expect(inputOf(text, 'audit_retention_days')).toContain(' disabled')
    expect(text).not.toMatch(/>Save<|Switch off</)
  })
})

describe('POST /dashboard/workspace/', () => {
  it("leaves the session's next page its one round trip", async () => {
    await dashboard.post(PATH, { name: unique('Warehouse') })
    const { headers } = await dashboard.get(PATH)
    expect(headers.get('Server-Timing')).toMatch(/key;desc="isolate".*round trips 1,/)
  })

  it('saves the name', async () => {
    const name = unique('Warehouse')
    const answer = await dashboard.post(PATH, { name })
    expect(answer.headers.get('Location')).toBe(`${PATH}?done=workspace-saved`)
    expect((await workspace()).name).toBe(name)
  })

  it('saves for how many days the audit log is kept, and shows it', async () => {
    const name = unique('Warehouse')
    const answer = await dashboard.post(PATH, { name, audit_retention_days: ' 90 ' })
    expect(answer.headers.get('Location')).toBe(`${PATH}?done=workspace-saved`)
    expect(await workspace()).toMatchObject({ name, audit_retention_days: 90 })
    const { text } = await dashboard.get(PATH)
    expect(inputOf(text, 'audit_retention_days')).toContain(' value="90"')
  })

  it('saves which stock is low, and says what is wrong with the number', async () => {
    const name = unique('Warehouse')
    await dashboard.post(PATH, { name, low_stock_quantity: '25' })
    expect((await workspace()).low_stock_quantity).toBe(25)
    const bad = await dashboard.post(PATH, { name, low_stock_quantity: '101' })
    expect(bad.text).toContain('id="low_stock_quantity-error">Must be at most 100.</small>')
    expect((await workspace()).low_stock_quantity).toBe(25)
  })

  it('saves how many days of it stay in the database, says what is wrong with them, and what becomes of older ones', async () => {
    await dashboard.post(PATH, { name: unique('Warehouse'), audit_hot_days: '14' })
    expect((await workspace()).audit_hot_days).toBe(14)
    const { text } = await dashboard.get(PATH)
    expect(inputOf(text, 'audit_hot_days')).toMatch(/value="14".* required/)
    expect(text).toContain('Older requests move to the archive')
    const { DOCUMENTS, ...bindings } = env
    const { value: key } = await createKey(['settings.*'])
    const cookie = cookieOf(await submit('/dashboard/sign-in/', { key }))
    expect((await withCookie(cookie, { bindings }).get(PATH)).text).toContain(
      'all requests stay in the database',
    )
    const bad = await dashboard.post(PATH, { name: unique('Warehouse'), audit_hot_days: '0' })
    expect([bad.status, inputOf(bad.text, 'audit_hot_days')]).toEqual([
      400,
      expect.stringContaining(' value="0"'),
    ])
    expect(bad.text).toContain('id="audit_hot_days-error">Must be at least 1.</small>')
    expect((await workspace()).audit_hot_days).toBe(14)
  })

  it.each([
    ['0', 'Must be at least 1.'],
    ['3651', 'Must be at most 3650.'],
    ['-3', 'Must be at least 1.'],
    ['1.5', 'Must be a whole number.'],
    ['a year', 'Must be a whole number.'],
    ['', 'Must be a whole number.'],
  ])('tells what is wrong with "%s" days, keeps the form, saves nothing', async (days, message) => {
    const before = await workspace()
    const name = unique('Warehouse')
    const { status, text } = await dashboard.post(PATH, { name, audit_retention_days: days })
    expect(status).toBe(400)
    expect(text).toContain(`id="audit_retention_days-error">${message}</small>`)
    expect(text).toContain('Correct one field below.')
    expect(inputOf(text, 'audit_retention_days')).toContain(` value="${days}"`)
    expect(inputOf(text, 'audit_retention_days')).toContain(' aria-invalid="true"')
    expect(inputOf(text, 'name')).toContain(` value="${name}"`)
    expect(await workspace()).toEqual(before)
  })

  it('says of a refused form nothing of the one before', async () => {
    const answer = await dashboard.post(`${PATH}?done=workspace-saved`, { name: ' ' })
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain('The workspace was saved.')
  })

  it('tells what is wrong with a name, and keeps it', async () => {
    const before = (await workspace()).name
    const answer = await dashboard.post(PATH, { name: 'x'.repeat(256) })
    expect(answer.status).toBe(400)
    expect(answer.text).toMatch(/id="name-error">Must have at most 255 characters\./)
    expect(answer.text).toContain('x'.repeat(256))
    expect((await workspace()).name).toBe(before)
  })
})

describe('POST /dashboard/workspace/integration/', () => {
  it('asks first, switches off for the very next request, shows it everywhere, switches on', async () => {
    expect((await admin.get('/orders/')).status).toBe(200)
    expect((await dashboard.get(`${PATH}integration/`)).text).toContain(
      'Switch the integration off?',
    )
    expect((await workspace()).integration_enabled).toBe(true)

    const off = await dashboard.post(`${PATH}integration/`, { integration_enabled: 'false' })
    expect(off.headers.get('Location')).toBe(`${PATH}?done=switched-off`)
    expect((await admin.get('/orders/')).body.error.code).toBe('WORKSPACE_DISABLED')
    const banner = 'The integration is switched off: every call'
    for (const path of [PATH, '/dashboard/api-keys/', '/dashboard/partners/']) {
      expect((await dashboard.get(path)).text).toContain(banner)
    }

    expect((await dashboard.get(`${PATH}integration/`)).text).toContain(
      'Switch the integration on?',
    )
    await dashboard.post(`${PATH}integration/`, { integration_enabled: 'true' })
    expect((await admin.get('/orders/')).status).toBe(200)
    expect((await dashboard.get(PATH)).text).not.toContain(banner)
  })

  it('changes nothing for a form that says neither', async () => {
    const answer = await dashboard.post(`${PATH}integration/`, { integration_enabled: 'perhaps' })
    expect(answer.status).toBe(400)
    expect((await workspace()).integration_enabled).toBe(true)
  })
})
