import { beforeEach, describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { idOf, keep } from '../fixtures/kept-documents.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { cookieOf, openDashboard, submit, withCookie } from '../fixtures/session.ts'
import { MAPPING, shopOrder } from '../fixtures/shop.ts'
import { oneRow, oneValue } from '../fixtures/sql.ts'
import { countingStatements } from '../fixtures/statements.ts'
import { type Answer, createKey, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { fieldsOf } from './form-fields.ts'
import { at, FORM, rules } from './mapping-forms.ts'

const BUTTON = 'Try on the last 200 documents'

const RULES = rules(
  ['order_number', 'path', 'number'],
  ['items[].sku_code', 'path', 'lines[].sku'],
  ['items[].quantity', 'path', 'lines[].qty'],
)
const MENDED = { ...RULES, 'inbound.as': ['', '', 'integer'] }

type Partner = Awaited<ReturnType<typeof openPartner>>

let partner: Partner

beforeEach(async () => {
  partner = await openPartner({ mappings: { orders: MAPPING } })
})

const keepAll = (of = 'all') => keep(partner.admin, partner.id, { of, days: 7 })

const push = async (qty: unknown) =>
  partner.api.post('/orders/', await shopOrder(partner.admin, qty))

const replay = (fields: object = MENDED) =>
  dashboard.post(`${at(partner.id)}replay/`, { ...fields })

describe('POST /dashboard/partners/{id}/mappings/{resource}/replay/', () => {
  it('shows what the rules in the form make of the kept documents, and keeps the form', async () => {
    await keepAll()
    await push(1)
    const refused = await push('2')
    const bad = await push('two')
    const answer = await replay()
    expect(answer.status).toBe(200)
    const words = wordsOf(answer)
    expect(words).toContain('3 documents: 1 more would be accepted.')
    expect(words).toContain('Same 1 Changed 1 Newly refused 0 Newly accepted 1 Not readable 0')
    for (const request of [refused, bad]) {
      expect(answer.text).toContain(`href="/dashboard/audit-log/${idOf(request)}/"`)
    }
    expect(words).toContain(
      'Saved mapping: lines[0].qty: Must be an integer, not a string. These rules: lines[0].qty: The mapping expects an integer here, not "two".',
    )
    expect(fieldsOf(answer.text, FORM)['inbound.as']?.slice(0, 3)).toEqual(['', '', 'integer'])
    expect(answer.text).toContain(`data-address="${at(partner.id)}"`)
  })

  it('says which values change, and how many documents would newly be refused', async () => {
    await keepAll()
    await push(3)
    const dropped = { ...RULES, 'inbound.source': ['number', 'lines[].sku', 'lines[].none'] }
    const words = wordsOf(await replay(dropped))
    expect(words).toContain('1 document: 1 more would be refused.')
    expect(words).toContain('would be refused, and is accepted by the saved mapping')
    const renamed = {
      ...RULES,
      'inbound.source': ['lines[?@.sku].sku', 'lines[].sku', 'lines[].qty'],
    }
    expect(wordsOf(await replay(renamed))).toMatch(/order_number : "\S+" becomes "\S+"/)
    expect(wordsOf(await replay(RULES))).toContain('1 document: nothing changes.')
  })

  it('leads to every document whose result would change', async () => {
    await keepAll()
    const accepted = []
    for (let n = 0; n < 8; n++) accepted.push(await push(3))
    const refused = []
    for (let n = 0; n < 7; n++) refused.push(await push('2'))
    const renamed = {
      ...MENDED,
      'inbound.source': ['lines[?@.sku].sku', 'lines[].sku', 'lines[].qty'],
    }
    const answer = await replay(renamed)
    for (const request of [...accepted, ...refused])
      expect(answer.text).toContain(`href="/dashboard/audit-log/${idOf(request)}/"`)
    const words = wordsOf(answer)
    expect(words).toContain('3 more would change')
    expect(words).toContain('2 more would be accepted, and is refused by the saved mapping')
  })

  it('gives the script the result alone, and writes nothing', async () => {
    await keepAll()
    await push('2')
    const orders = () => oneValue('select count(*) as n from orders')
    const [before, { headers, text }] = [await orders(), await replay({ ...MENDED, pane: '1' })]
    expect(text).toMatch(/^<section id="replay"/)
    expect(text).toContain('1 more would be accepted')
    expect(await orders()).toBe(before)
    const saved = (await dashboard.get(at(partner.id))).text
    expect(fieldsOf(saved, FORM)['inbound.as']?.slice(0, 3)).toEqual(['', '', ''])
    const row = await oneRow(
      'select path, status, record_id from audit_log where request_id = ?',
      headers.get('X-Request-Id'),
    )
    expect(row).toEqual({ path: `${at(partner.id)}replay/`, status: 200, record_id: partner.id })
  })

  it('also shows what the rules make of the document in the form', async () => {
    const document = JSON.stringify(await shopOrder(partner.admin))
    const words = wordsOf(await replay({ ...MENDED, document }))
    expect(words).toContain('This document would be accepted.')
    expect(words).toContain('There is no kept document of orders')
  })

  it('says where documents are kept if none are, and what is missing of those that are', async () => {
    const answer = await replay()
    expect(wordsOf(answer)).toContain('Documents of this partner are not kept. Switch it on')
    expect(answer.text).toContain(`href="/dashboard/partners/${partner.id}/#keep_documents.of"`)
    await keepAll('errors')
    expect(wordsOf(await replay())).toContain('Documents of failed requests are kept, and none')
    await push('2')
    expect(wordsOf(await replay())).toContain('Only documents of failed requests are kept.')
    await keepAll()
    const none = await dashboard.post(`${at(partner.id, 'products')}replay/`, {})
    expect(wordsOf(none)).toContain('There is no kept document of products')
  })

  it('names what keeps the rules from being tried', async () => {
    const words = wordsOf(await replay(rules(['colour', 'path', 'a'])))
    expect(words).toContain('The mapping cannot be tried: it is not valid. inbound colour There is')
  })

  it('is 404 of no partner', async () => {
    expect((await dashboard.post(`${at('none')}replay/`, { ...MENDED })).status).toBe(404)
  })

  it('is offered to keys that may read documents; others are told what they lack', async () => {
    expect((await dashboard.get(at(partner.id))).text).toContain(BUTTON)
    const { value } = await createKey(['settings.partners.*'])
    const { text } = await (await openDashboard([], { key: value })).get(at(partner.id))
    expect(text).not.toContain(BUTTON)
    expect(text).toContain(
      'you lack the scope settings.documents.read, or your key is linked to a partner',
    )
    expect(text).toContain('Save mapping')
  })

  inDeepPass(() => {
    it('tries nothing of another tenant', async () => {
      const stranger = await openPartner({ tenant: 'other', mappings: { orders: MAPPING } })
      expect((await dashboard.post(`${at(stranger.id)}replay/`, { ...MENDED })).status).toBe(404)
    })
  })
})

describe('the saved mapping', () => {
  it('is what drafts are compared with', async () => {
    await keepAll()
    await push('2')
    const fields = {
      ...MAPPING.inbound.fields,
      'items[].quantity': { from: 'lines[].qty', as: 'integer' },
    }
    await saveMapping(partner.admin, partner.id, 'orders', { inbound: { fields } })
    expect(wordsOf(await replay(RULES))).toContain('1 more would be refused')
  })
})

const STOCK = {
  inbound: {
    fields: {
      'inventory[]': { each: '$[]' },
      'inventory[].sku_code': '$[].Artikel',
      'inventory[].location_code': '$[].Lager',
      'inventory[].quantity': { from: '$[].Menge', as: 'integer', decimal: ',' },
    },
  },
}
const ORDERS = {
  inbound: {
    records: { each: '$[]', group_by: ['$[].no'] },
    fields: {
      order_number: { from: '$[].no', required: true },
      customer_name: '$[].name',
      'items[].sku_code': '$[].sku',
      'items[].quantity': { from: '$[].qty', as: 'integer' },
    },
  },
}

async function openSupplier() {
  const partner = await openPartner({ mappings: { inventory: STOCK, orders: ORDERS } })
  const { sku } = await createProduct(partner.admin)
  const { code } = await createLocation(partner.admin)
  const at = (resource: string) => `/dashboard/partners/${partner.id}/mappings/${resource}/file/`
  return { partner, sku: sku as string, code: code as string, at }
}

const openWordsOf = ({ text }: Answer) =>
  wordsOf({ text: text.replace(/<details.*?<\/details>/gs, ' ') })

describe('POST /dashboard/partners/:id/mappings/:resource/file/', () => {
  it('checks a CSV and changes nothing, and then it is sent', async () => {
    const { partner, sku, code, at } = await openSupplier()
    const document = `Artikel;Lager;Menge\n${sku};${code};1.200\n`
    const checked = await dashboard.post(at('inventory'), { document })
    expect(openWordsOf(checked)).toContain('It would be taken. Nothing has changed yet. Total 1')
    expect(checked.text).toContain(`formaction="${at('inventory')}send/"`)
    expect((await partner.admin.get(`/inventory/${sku}/?by=sku`)).body.data).toEqual([])
    const sent = await dashboard.post(`${at('inventory')}send/`, { document })
    expect(openWordsOf(sent)).toContain('It has been taken. Total 1 Created 1')
    const { body } = await partner.admin.get(`/inventory/${sku}/?by=sku`)
    expect(body.data[0]).toMatchObject({ quantity: 1200 })
    const [, id = ''] = /audit-log\/([^/"]+)\//.exec(sent.text) ?? []
    const log = `/api/settings/v1/audit-log/?partner_id=${partner.id}&resource=inventory`
    const [row] = (await partner.admin.get(log)).body.data
    expect(row).toMatchObject({ request_id: id, replay_of: null, status: 200 })
  })

  it('names the rows and the columns that are refused, as a spreadsheet counts them', async () => {
    const { sku, code, at } = await openSupplier()
    const rows = [`none;${code};1`, '', `${sku};${code};x`]
    const document = `Artikel;Lager;Menge\n${rows.join('\n')}\n`
    const words = openWordsOf(await dashboard.post(at('inventory'), { document }))
    expect(words).toContain('row 2, column "Artikel" No product has the SKU "none".')
    expect(words).toContain('row 4, column "Menge" The mapping expects an integer here, not "x".')
  })

  it('tells of each order of a file, and offers to send it', async () => {
    const { sku, at } = await openSupplier()
    const [good, bad] = [unique('A'), unique('B')]
    const document = `no;name;sku;qty\n${good};Ada;${sku};1\n${bad};Bob;none;1\n`
    const checked = await dashboard.post(at('orders'), { document })
    expect(openWordsOf(checked)).toContain('Created 1 Updated 0 Unchanged 0 Skipped 0 Failed 1')
    expect(openWordsOf(checked)).toContain('row 3, column "sku" No product has the SKU "none".')
  })

  it.each([
    ['', 'Choose a file, or paste its text.'],
    ['hello', 'This is neither JSON, nor XML, nor CSV with a row of names, nor a form.'],
    ['no,no\n1,2', 'It is refused: Row 1 has the column "no" twice: name each once.'],
    ['<a>', 'It is refused: Line 1, column 3, in a: the document ends before'],
    ['{"no": 1}', 'It is refused:'],
  ])('says what is wrong with %j, and keeps it in the form', async (document, told) => {
    const { at } = await openSupplier()
    const page = await dashboard.post(at('orders'), { document })
    expect(openWordsOf(page)).toContain(told)
    expect(page.text).not.toContain('formaction=')
    expect(page.text).toContain('name="document"')
  })

  it('says what the request was told where the database fails, and sends it once', async () => {
    const { partner, sku, code, at } = await openSupplier()
    const document = `Artikel;Lager;Menge\n${sku};${code};5\n`
    const cookie = cookieOf(
      await submit('/dashboard/sign-in/', {
        key: (await createKey(['settings.*', 'integrations.*'])).value,
      }),
    )
    const { bindings, sent } = countingStatements((statements) => statements > 4)
    const broken = withCookie(cookie, { bindings })
    const failed = await broken.post(`${at('inventory')}send/`, { document })
    expect(openWordsOf(failed)).toContain('It is refused:')
    expect(failed.text).toContain('name="document"')
    expect((await partner.admin.get(`/inventory/${sku}/?by=sku`)).body.data).toEqual([])
    expect(sent.statements).toBeGreaterThan(0)
    const again = await withCookie(cookie).post(`${at('inventory')}send/`, { document })
    expect(openWordsOf(again)).toContain('It has been taken. Total 1 Created 1')
  })

  it('is there where a mapping is, for a key that may write the resource', async () => {
    const { partner, at } = await openSupplier()
    const path = `/dashboard/partners/${partner.id}/mappings/`
    expect((await dashboard.get(`${path}inventory/`)).text).toContain(`href="${at('inventory')}"`)
    expect((await dashboard.get(`${path}products/`)).text).not.toContain('Use a file')
    expect((await dashboard.get(at('products'))).status).toBe(404)
    const document = JSON.stringify({ sku: unique('S') })
    expect((await dashboard.post(`${at('products')}send/`, { document })).status).toBe(404)
    expect((await partner.admin.get(`/products/${JSON.parse(document).sku}/`)).status).toBe(404)
    const reader = await openDashboard(['settings.partners.read', 'integrations.orders.read'])
    expect((await reader.get(`${path}orders/`)).text).not.toContain('Use a file')
    expect((await reader.post(`${at('orders')}send/`, { document: 'a\n1' })).status).toBe(403)
  })

  it('is closed to a key of a partner, and where there is no such partner', async () => {
    const { sku, at } = await openSupplier()
    const other = await openPartner({ scopes: ['settings.*', 'integrations.*'] })
    const document = JSON.stringify({
      order_number: unique('N'),
      items: [{ sku_code: sku, quantity: 1 }],
    })
    const theirs = await openDashboard([], { key: other.key.key })
    const refused = await theirs.post(`${at('orders')}send/`, { document })
    expect(refused.status).toBe(403)
    expect(openWordsOf(refused)).toContain('use a key without a partner')
    const nowhere = `/dashboard/partners/${crypto.randomUUID()}/mappings/orders/file/send/`
    expect((await dashboard.post(nowhere, { document })).status).toBe(404)
    const made = await other.admin.get(`/orders/${JSON.parse(document).order_number}/`)
    expect(made.status).toBe(404)
  })
})
