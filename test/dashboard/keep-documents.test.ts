import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { cookieOf, openDashboard, submit, withCookie } from '../fixtures/session.ts'
import { createKey, type Json, unique } from '../fixtures/tenant.ts'
import { fieldsOf } from './form-fields.ts'

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
      const { status, text } = await dashboard.post(form.page, fields)
      expect(status).toBe(400)
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
    const { value: key } = await createKey(['settings.*', 'integrations.*'])
    const cookie = cookieOf(await submit('/dashboard/sign-in/', { key }))
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
