import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { openDashboard, withCookie } from '../fixtures/session.ts'
import { newCookie } from '../fixtures/signed-in.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { fieldsOf } from './form-fields.ts'

const PATH = '/dashboard/workspace/'
const WORKSPACE = '/api/settings/v1/workspace/'

const inputOf = (text: string, name: string) =>
  new RegExp(`<input [^>]*name="${name}"[^>]*>`).exec(text)?.[0]

const workspace = async () => (await admin.get(WORKSPACE)).body.data

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
      const text = markupOf(await dashboard.get(`${PATH}?done=${done}`))
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
    const cookie = await newCookie(['settings.*'])
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
    const text = markupOf(await dashboard.post(PATH, { name, audit_retention_days: days }), 400)
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
    const text = markupOf(await dashboard.post(PATH, { name: 'x'.repeat(256) }), 400)
    expect(text).toMatch(/id="name-error">Must have at most 255 characters\./)
    expect(text).toContain('x'.repeat(256))
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

const SETTINGS = '/api/settings/v1'
const POLICY = { of: 'errors', days: 14, redact: ['customer.email', "lines[]['any & key']"] }
const OF = 'keep_documents.of'
const DAYS = 'keep_documents.days'
const REDACT = 'keep_documents.redact'

interface Form {
  page: string
  api: string
  /** What the form must have besides. */
  name: string
}

const FORMS: [string, () => Promise<Form>][] = [
  [
    '/dashboard/workspace/',
    async () => ({
      page: '/dashboard/workspace/',
      api: `${SETTINGS}/workspace/`,
      name: unique('Warehouse'),
    }),
  ],
  [
    '/dashboard/partners/:id/',
    async () => {
      const name = unique('Partner')
      const { id } = (await admin.post(`${SETTINGS}/partners/`, { name })).body.data
      return { page: `/dashboard/partners/${id}/`, api: `${SETTINGS}/partners/${id}/`, name }
    },
  ],
]

const policyAt = async ({ api }: Form): Promise<Json> =>
  (await admin.get(api)).body.data.keep_documents
const setPolicy = (form: Form, keep_documents: object | null) =>
  admin.put(form.api, { keep_documents })
const sent = (text: string) => {
  const { [OF]: of, [DAYS]: days, [REDACT]: redact } = fieldsOf(text, 'documents')
  return { of, days, redact }
}
const controlOf = (text: string, name: string) =>
  new RegExp(`<(?:select|input|textarea) id="${name}"[^>]*>`).exec(text)?.[0] ?? ''

describe.each(FORMS)('%s', (_, open) => {
  it('shows what is kept as the form would send it, and sent again it changes nothing', async () => {
    const form = await open()
    await setPolicy(form, POLICY)
    const { text } = await dashboard.get(form.page)
    const [of, days, redact] = [['errors'], ['14'], [POLICY.redact.join('\r\n')]]
    expect(sent(text)).toEqual({ of, days, redact })
    const fields = { name: form.name, [OF]: of, [DAYS]: days, [REDACT]: redact }
    expect((await dashboard.post(form.page, fields)).status).toBe(303)
    expect(await policyAt(form)).toEqual(POLICY)
  })

  it('shows that nothing is kept, and offers 30 days', async () => {
    const form = await open()
    await setPolicy(form, null)
    const { text } = await dashboard.get(form.page)
    expect(sent(text)).toEqual({ of: [''], days: ['30'], redact: [''] })
  })

  it('says what is kept, how long, who can read it, and how it is deleted', async () => {
    const { text } = await dashboard.get((await open()).page)
    for (const told of [
      'send with POST, PUT or DELETE, and what they are answered',
      'not 401, 403, 413 or 429, and uploads with failed rows',
      '1 to 90.',
      '<code>settings.documents.read</code>, which <code>settings.*</code> includes, can read',
      'holds from the next request on',
      'What is kept already is not rewritten',
      /<code>DELETE .api.settings.v1.[^<]*<.code> deletes /,
    ]) {
      expect(text.replace(/\s+/g, ' ')).toMatch(told)
    }
  })

  it('takes a path from each line that is not empty', async () => {
    const form = await open()
    const redact = ' customer.email \r\n\r\n$[].x\r\n   \r\n'
    const fields = { name: form.name, [OF]: 'all', [DAYS]: ' 7 ', [REDACT]: redact }
    expect((await dashboard.post(form.page, fields)).status).toBe(303)
    expect(await policyAt(form)).toEqual({
      of: 'all',
      days: 7,
      redact: ['customer.email', '$[].x'],
    })
  })

  it('switches off, whatever else was typed', async () => {
    const form = await open()
    await setPolicy(form, POLICY)
    const fields = { name: form.name, [OF]: '', [DAYS]: 'x', [REDACT]: '[' }
    expect((await dashboard.post(form.page, fields)).status).toBe(303)
    expect(await policyAt(form)).toBeNull()
  })

  it.each(
    sample(
      [
        [DAYS, { [DAYS]: '91' }, 'Must be at most 90.'],
        [DAYS, { [DAYS]: '' }, 'This field is required.'],
        [DAYS, { [DAYS]: 'x' }, 'Must be an integer, not a string.'],
        [REDACT, { [REDACT]: 'a\r\nlines[' }, 'The path &quot;lines[&quot; is not a path from'],
        [OF, { [OF]: 'some' }, 'Must be one of: errors, all.'],
      ],
      3,
    ),
  )(
    'tells what is wrong beside %s, keeps the form, saves nothing: %j',
    async (at, wrong, message) => {
      const form = await open()
      await setPolicy(form, POLICY)
      const fields = { name: form.name, [OF]: 'all', [DAYS]: '7', [REDACT]: 'a', ...wrong }
      const text = markupOf(await dashboard.post(form.page, fields), 400)
      expect(text).toContain(`id="${at}-error">${message}`)
      expect(controlOf(text, at)).toContain('aria-invalid="true"')
      if (at !== OF) expect(sent(text)).toMatchObject({ of: ['all'], days: [fields[DAYS]] })
      expect(sent(text).redact).toEqual([fields[REDACT]])
      expect(await policyAt(form)).toEqual(POLICY)
    },
  )

  it('offers no change where there is no bucket, says so, and keeps what is set', async () => {
    const form = await open()
    await setPolicy(form, POLICY)
    const cookie = await newCookie()
    const bare = withCookie(cookie, { bindings: { ...env, DOCUMENTS: undefined } })
    const { text } = await bare.get(form.page)
    expect(text).toContain('this deployment has no bucket for them')
    for (const name of [OF, DAYS, REDACT]) expect(controlOf(text, name)).toContain(' disabled')
    // A disabled field is not sent.
    expect((await bare.post(form.page, { name: form.name })).status).toBe(303)
    expect(await policyAt(form)).toEqual(POLICY)
    const forced = { name: form.name, [OF]: 'all', [DAYS]: '7', [REDACT]: '' }
    const refused = await bare.post(form.page, forced)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('no binding DOCUMENTS')
  })

  it('offers no change to who may only read', async () => {
    const { text } = await (await openDashboard(['settings.read'])).get((await open()).page)
    for (const name of [OF, DAYS, REDACT]) expect(controlOf(text, name)).toContain(' disabled')
    expect(text).not.toContain('no bucket')
  })
})
