import { describe, expect, it } from 'vitest'
import type { Fields } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { openDashboard, versionIn } from '../fixtures/session.ts'
import { issueKey, WORKSPACE } from '../fixtures/settings.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { createOrder, createProduct } from '../fixtures/warehouse.ts'
import { filledIn } from './form-fields.ts'

// docs/behaviour.md, Versions of settings: two people edit the same record.

const SETTINGS = '/api/settings/v1'
const CHANGED = 'Others have changed this since you opened it'

/** Opens the page, lets somebody else change the record, and sends the form as it was opened. */
async function overtaken(page: string, change: () => Promise<unknown>, fields: Fields) {
  const version = versionIn(await dashboard.get(page))
  expect(version).not.toBe('')
  await change()
  return await dashboard.post(page, { version, ...fields })
}

describe('POST /dashboard/partners/{id}/ of a partner that was changed meanwhile', () => {
  it('saves nothing, shows both values and who was faster, and saves at the second time', async () => {
    const { id } = await openPartner()
    const [theirs, mine] = [unique('Theirs'), unique('Mine')]
    const page = `/dashboard/partners/${id}/`
    const change = () => admin.put(`${SETTINGS}/partners/${id}/`, { name: theirs })
    const refused = await overtaken(page, change, { name: mine })
    expect(refused.status).toBe(412)
    expect(refused.text).toContain(CHANGED)
    expect(wordsOf(refused)).toContain(`name ${theirs} ${mine}`)
    expect(wordsOf(refused)).toMatch(/changed name, \d{4}-\d\d-\d\d/)
    expect(refused.text).toContain(`value="${mine}"`)
    expect((await admin.get(`${SETTINGS}/partners/${id}/`)).body.data.name).toBe(theirs)
    const again = await dashboard.post(page, { version: versionIn(refused), name: mine })
    expect(again.status).toBe(303)
    expect((await admin.get(`${SETTINGS}/partners/${id}/`)).body.data.name).toBe(mine)
  })

  it('takes over what the others have changed and nobody has typed', async () => {
    const { id } = await openPartner()
    const page = `/dashboard/partners/${id}/`
    const change = () =>
      admin.put(`${SETTINGS}/partners/${id}/`, { default_identifier_field: 'sku' })
    const mine = unique('Mine')
    const refused = await overtaken(page, change, { name: mine })
    expect(wordsOf(refused)).toContain(
      'The form now has what others have saved in: default identifier field',
    )
    expect(refused.text).toMatch(/value="sku" selected/)
  })

  it('keeps the version of the form while something else is wrong with it', async () => {
    const { id } = await openPartner()
    const page = `/dashboard/partners/${id}/`
    const change = () => admin.put(`${SETTINGS}/partners/${id}/`, { name: unique('Theirs') })
    const version = versionIn(await dashboard.get(page))
    await change()
    const wrong = await dashboard.post(page, { version, name: '' })
    expect([wrong.status, versionIn(wrong)]).toEqual([400, version])
    expect((await dashboard.post(page, { version, name: unique('Mine') })).status).toBe(412)
  })

  it('says so if what was sent is saved already, as by a second click', async () => {
    const { id } = await openPartner()
    const page = `/dashboard/partners/${id}/`
    const fields = { name: unique('Mine'), version: versionIn(await dashboard.get(page)) }
    expect((await dashboard.post(page, fields)).status).toBe(303)
    const again = await dashboard.post(page, fields)
    expect([again.status, wordsOf(again)]).toEqual([
      412,
      expect.stringContaining('What you sent is saved already.'),
    ])
    expect(again.text).not.toContain(CHANGED)
  })

  it('does not say who it was to a key that may not read the history', async () => {
    const limited = await openDashboard(['settings.partners.*'])
    const { id } = await openPartner()
    const page = `/dashboard/partners/${id}/`
    const version = versionIn(await limited.get(page))
    await admin.put(`${SETTINGS}/partners/${id}/`, { name: unique('Theirs') })
    const refused = await limited.post(page, { name: unique('Mine'), version })
    expect(wordsOf(refused)).toMatch(/Somebody changed name, \d{4}-/)
    expect(wordsOf(refused)).not.toContain('test key')
  })

  it.each(['', '0', 'x', '99999999999'])('takes the version "%s" for none', async (version) => {
    const { id } = await openPartner()
    const answer = await dashboard.post(`/dashboard/partners/${id}/`, { version, name: 'x' })
    expect(answer.status).toBe(412)
  })
})

describe('a question about a record that was changed since its page was opened', () => {
  it.each([
    ['partner', (at: string) => `${at}delete/`, (at: string) => at, { name: 'x' }],
    [
      'mapping',
      (at: string) => `${at}mappings/orders/delete/`,
      (at: string) => `${at}mappings/orders/`,
      { identifier_field: 'notes' },
    ],
  ] as const)('says so of a %s', async (_, questionAt, pageAt, body) => {
    const { id } = await openPartner({ mappings: { orders: {} } })
    const at = `/dashboard/partners/${id}/`
    const { text } = await dashboard.get(pageAt(at))
    const [link = ''] = new RegExp(`${questionAt(at)}\\?version=\\d+`).exec(text) ?? []
    expect((await dashboard.get(link)).text).not.toContain('has been changed since')
    const change = 'name' in body ? { name: unique('Theirs') } : body
    await admin.put(pageAt(at).replace('/dashboard/', '/api/settings/v1/'), change)
    expect((await dashboard.get(link)).text).toContain('has been changed since')
  })
})

describe('other forms of a record that was changed meanwhile', () => {
  it('are those of a key', async () => {
    const { id, name } = await issueKey(admin)
    const page = `/dashboard/api-keys/${id}/`
    const change = () => admin.put(`${SETTINGS}/api-keys/${id}/`, { rate_limit: 60 })
    const refused = await overtaken(page, change, { name, access: 'full', rate_limit: '90' })
    expect([refused.status, wordsOf(refused)]).toEqual([
      412,
      expect.stringContaining('rate limit 60 90'),
    ])
  })

  it('are one choice of access and scopes: what one narrows is not widened by what the other sets', async () => {
    const [orders, products] = ['integrations.orders.read', 'integrations.products.read']
    const { id, name } = await issueKey(admin, { scopes: [orders, products] })
    const change = () => admin.put(`${SETTINGS}/api-keys/${id}/`, { scopes: ['integrations.*'] })
    const mine = { name, access: 'chosen', scopes: [String(orders)] }
    const page = `/dashboard/api-keys/${id}/`
    const refused = await overtaken(page, change, mine)
    expect([refused.status, wordsOf(refused)]).toEqual([
      412,
      expect.stringContaining(`scopes full ${orders}`),
    ])
    expect(refused.text).toMatch(/value="chosen" checked/)
    const again = await dashboard.post(page, { ...mine, version: versionIn(refused) })
    expect(again.status).toBe(303)
    expect((await admin.get(`${SETTINGS}/api-keys/${id}/`)).body.data.scopes).toEqual([orders])
  })

  it('take over scopes that only the others have changed, in whatever order they are', async () => {
    const [orders, products] = ['integrations.orders.read', 'integrations.products.read']
    const stock = 'integrations.inventory.read'
    const { id } = await issueKey(admin, { scopes: [products, orders] })
    const change = () =>
      admin.put(`${SETTINGS}/api-keys/${id}/`, { scopes: [products, orders, stock] })
    const scopes = [String(orders), String(products)]
    const fields = { name: unique('Mine'), access: 'chosen', scopes }
    const refused = await overtaken(`/dashboard/api-keys/${id}/`, change, fields)
    expect(wordsOf(refused)).toContain('what others have saved in: scopes')
  })

  it('offer only the name where others have given scopes that the session cannot give', async () => {
    const limited = await openDashboard(['settings.keys.*', 'integrations.orders.read'])
    const { id } = await issueKey(admin, { scopes: ['integrations.orders.read'] })
    const page = `/dashboard/api-keys/${id}/`
    const version = versionIn(await limited.get(page))
    const scopes = ['integrations.orders.read', 'integrations.products.read']
    await admin.put(`${SETTINGS}/api-keys/${id}/`, { scopes })
    const mine = { name: unique('Mine'), access: 'chosen', scopes: ['integrations.orders.read'] }
    const refused = await limited.post(page, { ...mine, version })
    expect([refused.status, wordsOf(refused)]).toEqual([
      412,
      expect.stringContaining('You can only rename, pause or revoke it'),
    ])
    const renamed = { name: mine.name, version: versionIn(refused) }
    expect((await limited.post(page, renamed)).status).toBe(303)
    expect((await admin.get(`${SETTINGS}/api-keys/${id}/`)).body.data).toMatchObject({
      name: mine.name,
      scopes,
    })
  })

  it('are those of the workspace', async () => {
    const change = () => admin.put(WORKSPACE, { undo_days: 9 })
    const fields = { name: 'Home', undo_days: '8' }
    const refused = await overtaken('/dashboard/workspace/', change, fields)
    expect([refused.status, wordsOf(refused)]).toEqual([
      412,
      expect.stringContaining('undo days 9 8'),
    ])
    await admin.put(WORKSPACE, { undo_days: 7 })
  })

  it.each<[string, () => Promise<Json>, (id: string) => string, Fields]>([
    ['revocation', () => issueKey(admin), (id) => `/dashboard/api-keys/${id}/revoke/`, {}],
    ['rotation', () => issueKey(admin), (id) => `/dashboard/api-keys/${id}/rotate/`, {}],
  ])('are the question about the %s of a key', async (_, make, pageOf, fields) => {
    const { id } = await make()
    const change = () => admin.put(`${SETTINGS}/api-keys/${id}/`, { name: unique('key') })
    const refused = await overtaken(pageOf(id), change, fields)
    expect([refused.status, wordsOf(refused)]).toEqual([
      412,
      expect.stringContaining('has been changed since'),
    ])
    expect((await admin.get(`${SETTINGS}/api-keys/${id}/`)).body.data.status).toBe('active')
  })

  it('are the off-switch', async () => {
    const change = () => admin.put(WORKSPACE, { name: unique('Home') })
    const page = '/dashboard/workspace/integration/'
    const refused = await overtaken(page, change, { integration_enabled: 'false' })
    expect(refused.status).toBe(412)
  })
})

describe('POST /dashboard/partners/{id}/mappings/{resource}/ of a mapping that was changed meanwhile', () => {
  const FORM = 'mapping-editor'
  const rulesOf = (fields: object) => ({ inbound: { unmapped: 'drop', fields } })

  it('keeps the rules of both, and shows those that both have changed', async () => {
    const { id } = await openPartner({
      mappings: { orders: rulesOf({ order_number: 'no', notes: 'text', customer_name: 'who' }) },
    })
    const page = `/dashboard/partners/${id}/mappings/orders/`
    const { text } = await dashboard.get(page)
    await saveMapping(
      admin,
      id,
      'orders',
      rulesOf({ order_number: 'nr', notes: 'remark', customer_name: 'who' }),
    )
    const sources = ['no', 'mine', 'person']
    const refused = await dashboard.post(page, filledIn(text, FORM, { 'inbound.source': sources }))
    expect(refused.status).toBe(412)
    expect(wordsOf(refused)).toMatch(/inbound notes remark mine/)
    expect(wordsOf(refused)).toContain('what others have saved in: inbound order_number')
    const again = await dashboard.post(page, filledIn(refused.text, FORM, {}))
    expect(again.status).toBe(303)
    const saved = await admin.get(`${SETTINGS}/partners/${id}/mappings/orders/`)
    expect(saved.body.data.inbound.fields).toEqual({
      order_number: 'nr',
      notes: 'mine',
      customer_name: 'person',
    })
  })

  it('names who has deleted it, and keeps every rule that was typed', async () => {
    const { id } = await openPartner({ mappings: { orders: rulesOf({ order_number: 'no' }) } })
    const page = `/dashboard/partners/${id}/mappings/orders/`
    const { text } = await dashboard.get(page)
    await admin.delete(`${SETTINGS}/partners/${id}/mappings/orders/`)
    const refused = await dashboard.post(page, filledIn(text, FORM, { 'inbound.source': ['mine'] }))
    expect(refused.status).toBe(412)
    expect(wordsOf(refused)).toMatch(/deleted it, \d{4}-\d\d-\d\d/)
    const again = await dashboard.post(page, filledIn(refused.text, FORM, {}))
    expect(again.status).toBe(303)
    const saved = await admin.get(`${SETTINGS}/partners/${id}/mappings/orders/`)
    expect(saved.body.data.inbound.fields).toEqual({ order_number: 'mine' })
  })

  it('is that of two people who both make the first one', async () => {
    const { id } = await openPartner()
    const page = `/dashboard/partners/${id}/mappings/orders/`
    const { text } = await dashboard.get(page)
    await saveMapping(admin, id, 'orders', rulesOf({ order_number: 'no' }))
    const sources = ['a', 'b[].c', 'b[].d']
    const refused = await dashboard.post(page, filledIn(text, FORM, { 'inbound.source': sources }))
    expect(refused.status).toBe(412)
    expect(refused.text).toContain(CHANGED)
  })
})

// A page that asks for confirmation makes a dry run first: what would be refused says so before anybody confirms it.

const ALERT = /<p class="form-error" role="alert">([^<]*)<\/p>/

const alertOn = async (path: string) => {
  const text = markupOf(await dashboard.get(path))
  return ALERT.exec(text)?.[1] ?? null
}

const made = async (path: string, body: object): Promise<Json> =>
  (await admin.post(SETTINGS + path, body)).body.data

describe('a page that asks for confirmation', () => {
  it('says that a shipped order cannot be cancelled', async () => {
    const order = await createOrder(admin)
    const path = `/dashboard/orders/${order.id}/cancel/`
    expect(await alertOn(path)).toBe(null)
    await admin.put(`/orders/${order.order_number}/`, { status: 'shipped' })
    expect(await alertOn(path)).toBe('The order is shipped and cannot be cancelled.')
  })

  it('says that a partner with a live key cannot be deleted', async () => {
    const { id } = await made('/partners/', { name: unique('Partner') })
    const path = `/dashboard/partners/${id}/delete/`
    expect(await alertOn(path)).toBe(null)
    await made('/api-keys/', { name: unique('key'), partner_id: id })
    expect(await alertOn(path)).toContain('key')
  })

  it('says that a revoked key cannot be rotated', async () => {
    const { id } = await made('/api-keys/', { name: unique('key') })
    const path = `/dashboard/api-keys/${id}/rotate/`
    expect(await alertOn(path)).toBe(null)
    await admin.delete(`${SETTINGS}/api-keys/${id}/`)
    expect(await alertOn(path)).toContain('revoked')
  })

  it('says that the last key with settings access cannot be revoked', async () => {
    const { id, value } = await createKey(['settings.*'], { tenant: 'other' })
    const own = await openDashboard([], { key: value })
    const path = `/dashboard/api-keys/${id}/revoke/`
    expect(ALERT.exec((await own.get(path)).text)?.[1]).toContain('last live key')
    await createKey(['settings.*'], { tenant: 'other' })
    expect(ALERT.exec((await own.get(path)).text)).toBe(null)
  })

  it('changes nothing', async () => {
    const { sku, id } = await createProduct(admin)
    const key = await made('/api-keys/', { name: unique('key') })
    for (const path of [
      `/dashboard/products/${id}/deactivate/`,
      `/dashboard/api-keys/${key.id}/revoke/`,
    ]) {
      expect(await alertOn(path)).toBe(null)
    }
    expect((await admin.get(`/products/${sku}/`)).body.data.is_active).toBe(true)
    expect((await client(key.key).get('/products/')).status).toBe(200)
  })
})
