import { describe, expect, it } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openDashboard } from '../fixtures/session.ts'
import { openOther } from '../fixtures/signed-in.ts'
import { unique } from '../fixtures/tenant.ts'

const LIST = '/dashboard/partners/'
const SETTINGS = '/api/settings/v1/partners/'

const newPartner = async (fields: object = {}) =>
  (await admin.post(SETTINGS, { name: unique('Partner'), ...fields })).body.data

describe('GET /dashboard/partners/', () => {
  it('says what a partner is where there is none', async () => {
    const { text } = await (await openOther(['settings.*'])).get(LIST)
    expect(text).toContain('There are no partners.')
  })

  it('shows each partner, its name as text', async () => {
    const { id } = await newPartner({ name: `${unique('P')} <b>`, default_identifier_field: 'sku' })
    const { text } = await dashboard.get(LIST)
    expect(text).toContain(`${LIST}${id}/`)
    expect(text).toContain(' &lt;b&gt;')
    expect(text).toContain('<code>sku</code>')
  })

  it('leads from page to page', async () => {
    const { name } = await newPartner()
    await newPartner()
    const first = await dashboard.get(`${LIST}?limit=1`)
    expect(first.text).not.toContain(name)
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await dashboard.get(next)).text).toContain(name)
  })
})

describe('POST /dashboard/new/partner/', () => {
  it('creates a partner and shows it', async () => {
    const name = unique('Partner')
    const fields = { name, default_identifier_field: 'external_order_id' }
    const answer = await dashboard.post('/dashboard/new/partner/', fields)
    expect(answer.status).toBe(303)
    const path = answer.headers.get('Location') ?? ''
    const id = path.split('/')[3]
    expect((await admin.get(`${SETTINGS}${id}/`)).body.data).toMatchObject(fields)
    const shown = await dashboard.get(path)
    expect(shown.text).toContain('The partner was created.')
    expect(shown.text).toMatch(/value="external_order_id" selected/)
  })

  it('leads to a form for a key that is linked to it', async () => {
    const { id } = await newPartner()
    const { text } = await dashboard.get(`/dashboard/partners/${id}/`)
    const [, path = ''] = /href="([^"]+)">Create API key/.exec(text) ?? []
    expect((await dashboard.get(path)).text).toContain(`<option value="${id}" selected`)
  })

  it('tells of a name that is taken beside it, and keeps what was typed', async () => {
    const { name } = await newPartner()
    const answer = await dashboard.post('/dashboard/new/partner/', {
      name,
      default_identifier_field: 'sku',
    })
    expect(answer.status).toBe(409)
    expect(answer.text).toMatch(/id="name-error">Already exists\./)
    expect(answer.text).toContain(`value="${name}"`)
    expect(answer.text).toMatch(/value="sku" selected/)
  })

  it('tells of a field that no resource has', async () => {
    const text = markupOf(
      await dashboard.post('/dashboard/new/partner/', {
        name: 'x',
        default_identifier_field: 'colour',
      }),
      400,
    )
    expect(text).toMatch(/id="default_identifier_field-error">Must be a field of/)
  })
})

describe('GET and POST /dashboard/partners/:id/', () => {
  it('shows which resources are mapped', async () => {
    const { id } = await newPartner()
    const mapping = { inbound: { fields: { order_number: 'no', notes: 'text' } } }
    await admin.put(`${SETTINGS}${id}/mappings/orders/`, mapping)
    const { text } = await dashboard.get(`${LIST}${id}/`)
    expect(text).toContain('2 rules')
    expect(text).toContain('created it (mapping of orders)')
    expect(text.match(/Create mapping/g)).toHaveLength(3)
  })

  it('saves what was changed', async () => {
    const { id } = await newPartner({ default_identifier_field: 'sku' })
    const name = unique('Renamed')
    const answer = await dashboard.post(`${LIST}${id}/`, { name })
    expect(answer.headers.get('Location')).toBe(`${LIST}${id}/?done=partner-saved`)
    expect((await admin.get(`${SETTINGS}${id}/`)).body.data).toMatchObject({
      name,
      default_identifier_field: null,
    })
  })

  it('keeps what was typed when it is refused', async () => {
    const { name } = await newPartner()
    const { id } = await newPartner()
    const text = markupOf(await dashboard.post(`${LIST}${id}/`, { name }), 409)
    expect(text).toContain(`value="${name}"`)
  })

  it('can be seen, and not changed, by a session that may only read', async () => {
    const { id } = await newPartner()
    const answer = await (await openDashboard(['settings.read'])).get(`${LIST}${id}/`)
    expect(answer.status).toBe(200)
    expect(answer.text).toMatch(/name="name"[^>]* disabled/)
    expect(answer.text).not.toMatch(/>Save<|>Delete<|Create mapping/)
  })

  it('is 404 for a partner that does not exist', async () => {
    for (const [page, fields] of [
      ['', { name: 'x' }],
      ['delete/', {}],
    ] as const) {
      const path = `${LIST}${unique('none')}/${page}`
      expect((await dashboard.get(path)).status).toBe(404)
      expect((await dashboard.post(path, fields)).status).toBe(404)
    }
  })
})

describe('POST /dashboard/partners/:id/delete/', () => {
  it('asks first, then deletes', async () => {
    const { id, name } = await newPartner()
    expect((await dashboard.get(`${LIST}${id}/delete/`)).text).toContain(`Delete “${name}”?`)
    const answer = await dashboard.post(`${LIST}${id}/delete/`)
    expect(answer.headers.get('Location')).toBe(`${LIST}?done=partner-deleted`)
    expect((await admin.get(`${SETTINGS}${id}/`)).status).toBe(404)
  })

  it('tells that a live key is linked', async () => {
    const { id } = await newPartner()
    await admin.post('/api/settings/v1/api-keys/', { name: 'k', partner_id: id })
    const text = markupOf(await dashboard.post(`${LIST}${id}/delete/`), 409)
    expect(text).toContain('is linked to 1 live API key: first revoke each')
    expect((await admin.get(`${SETTINGS}${id}/`)).status).toBe(200)
  })
})

describe('the parts of GET /dashboard/partners/:id/', () => {
  it('are linked, with what the check-up says, and the newest five requests are there', async () => {
    const { id } = await newPartner()
    const failed = { error_code: 'X', error_fields: '\nstatus\n', record_name: 'O-1' }
    await insertRequests([{ partner_id: id, method: 'POST', status: 400, ...failed }], 6)
    const page = await dashboard.get(`${LIST}${id}/`)
    const words = wordsOf(page)
    expect(words).toContain('Check-up: 2 findings Last requests Mappings and item codes')
    for (const part of ['check-up', 'last-requests', 'mappings', 'keys', 'settings']) {
      expect(page.text).toContain(`href="#${part}"`)
      expect(page.text).toContain(`id="${part}"`)
    }
    expect(page.text).toContain(`href="/dashboard/orders/?partner_id=${id}"`)
    expect(words.match(/POST \/api\/integrations\/v1\/orders\/ O-1 400/g)).toHaveLength(5)
  })

  it('tell a key that sees no requests and no keys of neither', async () => {
    const { id } = await newPartner()
    const { text } = await (await openDashboard(['settings.partners.read'])).get(`${LIST}${id}/`)
    for (const part of ['check-up', 'last-requests', 'keys']) {
      expect(text).not.toContain(`href="#${part}"`)
    }
    expect(text).not.toContain('Last requests')
    expect(text).not.toContain('Orders of this partner')
  })
})

describe('the check-up on GET /dashboard/partners/:id/', () => {
  it('leads to a key that ends soon, for who may open its page', async () => {
    const { id } = await newPartner()
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const input = { name: '<i>"key"', scopes: ['integrations.orders.read'], partner_id: id }
    const { data } = (await admin.post('/api/settings/v1/api-keys/', { ...input, expires_at })).body
    const sentence = (name: string) => `The key &quot;${name}&quot; (${data.hint}) expires at`
    const escaped = '&lt;i&gt;&quot;key&quot;'
    const link = `<a href="/dashboard/api-keys/${data.id}/">${escaped}</a>`
    expect((await dashboard.get(`${LIST}${id}/`)).text).toContain(sentence(link))
    const scopes = ['settings.partners.read', 'settings.audit.read', 'settings.keys.read']
    const other = await openDashboard(scopes)
    expect((await other.get(`${LIST}${id}/`)).text).toContain(sentence(escaped))
  })

  it('leads from a name that was refused again and again to the search', async () => {
    const { id } = await newPartner()
    const refused = {
      partner_id: id,
      method: 'POST',
      status: 400,
      error_code: 'VALIDATION_ERROR',
      record_name: 'O&1',
      message: 'status: "O&1" is no status.',
      error_fields: '\nstatus\n',
    }
    await insertRequests([refused], 3)
    const sentence = (name: string) => `&quot;${name}&quot; was sent 3 times`
    const link = '<a href="/dashboard/search/?q=O%261">O&amp;1</a>'
    expect((await dashboard.get(`${LIST}${id}/`)).text).toContain(sentence(link))
  })
})
