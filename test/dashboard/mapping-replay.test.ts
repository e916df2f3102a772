import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { idOf, keep } from '../fixtures/kept-documents.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { MAPPING, shopOrder } from '../fixtures/shop.ts'
import { createKey } from '../fixtures/tenant.ts'
import { fieldsOf } from './form-fields.ts'
import { at, FORM, rules, wordsOf } from './mapping-forms.ts'

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
    const orders = () => env.DB_DEMO.prepare('select count(*) as n from orders').first('n')
    const [before, { headers, text }] = [await orders(), await replay({ ...MENDED, pane: '1' })]
    expect(text).toMatch(/^<section id="replay"/)
    expect(text).toContain('1 more would be accepted')
    expect(await orders()).toBe(before)
    const saved = (await dashboard.get(at(partner.id))).text
    expect(fieldsOf(saved, FORM)['inbound.as']?.slice(0, 3)).toEqual(['', '', ''])
    const row = await env.DB_DEMO.prepare(
      'select path, status, record_id from audit_log where request_id = ?',
    )
      .bind(headers.get('X-Request-Id'))
      .first()
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
