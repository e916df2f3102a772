import { describe, expect, it } from 'vitest'
import { badOrder, idOf, openKept } from '../fixtures/kept-documents.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { MAPPING, shopOrder } from '../fixtures/shop.ts'
import { type Answer, createKey, type Json, ORIGIN, send, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { decode, filledIn } from './form-fields.ts'
import { FORM } from './mapping-forms.ts'

const LIST = '/dashboard/audit-log/'

const kept = (mappings = {}) => openKept({ of: 'errors', days: 7 }, { mappings })

describe('GET /dashboard/audit-log/{request_id}/', () => {
  it('marks the fault in the document as the partner sent it', async () => {
    const { api } = await kept({ orders: MAPPING })
    const number = unique('O')
    const refused = await api.post(
      '/orders/',
      `{"number":"${number}","lines":[{"sku":"x","qty":"two"}],"n":1.50}`,
    )
    expect(refused.status).toBe(400)
    const text = markupOf(await dashboard.get(`${LIST}${idOf(refused)}/`))
    expect(text).toContain(`  &quot;number&quot;: &quot;${number}&quot;,\n`)
    expect(text).toContain(
      '<mark>&quot;two&quot;</mark><span class="fault" role="note">Must be an integer, not a string.</span>',
    )
    expect(text).toContain('&quot;n&quot;: 1.50')
    expect(text).toContain('VALIDATION_ERROR')
  })

  it.each([
    [
      'text/csv; charset=windows-1252',
      Buffer.from('no;name;qty\nB;L\xf6we;two\n', 'latin1'),
      { each: '$[]', group_by: ['$[].no'] },
      {
        order_number: '$[].no',
        customer_name: '$[].name',
        'items[].quantity': { from: '$[].qty', as: 'integer' },
      },
      'row 2, column "qty"',
      'B;Löwe;<mark>two</mark>',
    ],
    [
      'application/xml',
      Buffer.from('<s><o><no>B</no><l>\n<qty u="x">two</qty></l></o></s>'),
      { each: 's.o[]' },
      {
        order_number: 's.o[].no',
        'items[].quantity': { from: 's.o[].l[].qty.#text', as: 'integer' },
      },
      's.o.l.qty.#text',
      '&lt;qty u=&quot;x&quot;&gt;<mark>two</mark>',
    ],
  ])('marks the fault in %s, as it came', async (type, body, records, fields, at, marked) => {
    const { key } = await kept({ orders: { inbound: { records, fields } } })
    const headers = { 'X-API-Key': key.key, 'Content-Type': type }
    const url = `${ORIGIN}/api/integrations/v1/orders/`
    const answer = await send(new Request(url, { method: 'POST', headers, body }))
    const failed = answer.body.data.results.find((one: Json) => one.record === 'B')
    expect(failed.error.message).toContain(`${at}: The mapping expects an integer here`)
    const page = await dashboard.get(`${LIST}${idOf(answer)}/`)
    expect(page.text).toContain(marked)
  })

  it('begins with the first fault and the way out, and ends with what the API calls it', async () => {
    const { api } = await kept({ orders: MAPPING })
    const order = { number: unique('O'), lines: [{ sku: 'x', qty: 'two' }] }
    const refused = await api.post('/orders/', order)
    const page = await dashboard.get(`${LIST}${idOf(refused)}/`)
    expect(wordsOf(page)).toMatch(
      /Request lines\[0\]\.qty Must be an integer.* correct the mapping.* Open in the mapping editor Send again .*The partner's document .*The answer .*In the audit log .*Request id/,
    )
    const unmapped = await openPartner()
    const other = await dashboard.get(`${LIST}${idOf(await unmapped.api.get('/orders/none/'))}/`)
    expect(wordsOf(other)).toMatch(
      /Request No order has the order_number .none.\. The sender corrects/,
    )
  })

  it('shows a document as text, whatever is in it', async () => {
    const { api } = await kept()
    const order = { ...badOrder(), notes: '</code><script>alert(1)</script>' }
    const refused = await api.post('/orders/', order)
    const { text } = await dashboard.get(`${LIST}${idOf(refused)}/`)
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&lt;script&gt;alert(1)')
  })

  it('leads to the mapping, where the document is loaded and tried', async () => {
    const { api, id } = await kept({ orders: MAPPING })
    const refused = await api.post('/orders/', {
      number: unique('O'),
      lines: [{ sku: 'x', qty: '2' }],
    })
    const page = await dashboard.get(`${LIST}${idOf(refused)}/`)
    const at = `/dashboard/partners/${id}/mappings/orders/?document=${idOf(refused)}`
    expect(page.text).toContain(`href="${at}"`)
    const text = markupOf(await dashboard.get(at))
    expect(text).toContain('&quot;qty&quot;: &quot;2&quot;')
    expect(text).toContain('Read it as an integer')
  })

  it.each(['none', crypto.randomUUID()])('opens the mapping without a document: %s', async (id) => {
    const partner = await openPartner()
    const at = `/dashboard/partners/${partner.id}/mappings/orders/?document=${id}`
    expect((await dashboard.get(at)).status).toBe(200)
  })

  it('says why there is no document, and which setting decides it, and lists the faults', async () => {
    const { api, id } = await openPartner()
    const refused = await api.post('/orders/', badOrder())
    const { text } = await dashboard.get(`${LIST}${idOf(refused)}/`)
    expect(text).toContain('was not to be kept')
    expect(text).toContain(
      `<a href="/dashboard/partners/${id}/">The partner</a> says which documents are kept.`,
    )
    expect(text).toContain('<code>items[0].quantity</code> Must be an integer, not a string.')
    expect(text).not.toContain('?document=')
  })

  it('shows no document to a key that may not read documents, nor to one of a partner', async () => {
    const partner = await openKept(
      { of: 'errors', days: 7 },
      { scopes: ['settings.*', 'integrations.*'] },
    )
    const refused = await partner.api.post('/orders/', badOrder())
    for (const key of [(await createKey(['settings.read'])).value, partner.key.key]) {
      const session = await openDashboard([], { key })
      const text = markupOf(await session.get(`${LIST}${idOf(refused)}/`))
      expect(text).toContain('You may not read documents')
      expect(text).not.toContain('ada@example.com')
      const at = `/dashboard/partners/${partner.id}/mappings/orders/?document=${idOf(refused)}`
      expect((await session.get(at)).text).not.toContain('ada@example.com')
    }
  })

  it('is 404 of no request, and of one of another tenant', async () => {
    for (const id of ['none', crypto.randomUUID()]) {
      expect((await dashboard.get(`${LIST}${id}/`)).status).toBe(404)
    }
  })
})

describe('POST /dashboard/audit-log/{request_id}/send-again/', () => {
  /** An order that its mapping could not read, and whose mapping can by now. `at` is the page of the request. */
  async function refusedAndMended() {
    const { api, admin, id } = await kept({ orders: MAPPING })
    const { sku } = await createProduct(admin)
    const number = unique('O')
    const refused = await api.post('/orders/', { number, lines: [{ sku, qty: '2' }] })
    const mended = { 'items[].quantity': { from: 'lines[].qty', as: 'integer' } }
    const fields = { ...MAPPING.inbound.fields, ...mended }
    await saveMapping(admin, id, 'orders', { inbound: { fields } })
    return { api, number, at: `${LIST}${idOf(refused)}/` }
  }

  it('sends the document again, and leads to the page of the new request', async () => {
    const { api, number, at } = await refusedAndMended()
    expect((await dashboard.get(at)).text).toContain(`href="${at}send-again/"`)
    expect((await dashboard.get(`${at}send-again/`)).text).toContain(
      `sends the document of ${number}`,
    )
    const sent = await dashboard.post(`${at}send-again/`)
    expect(sent.status).toBe(303)
    const { text } = await dashboard.get(sent.headers.get('Location') ?? '')
    expect(text).toContain('The request was sent again.')
    expect(text).toContain(`href="${at}"`)
    expect(text).toContain('201')
    expect((await api.get(`/orders/${number}/`)).status).toBe(200)
  })

  it('says why a request is not sent, and sends it when it is told to', async () => {
    const { api, admin } = await kept()
    const { sku } = await createProduct(admin)
    const refused = await api.put(`/products/${sku}/`, { quantity: 'seven' })
    await api.put(`/products/${sku}/`, { quantity: 8 })
    const at = `${LIST}${idOf(refused)}/send-again/`
    const text = markupOf(await dashboard.post(at), 400)
    expect(text).toContain('would undo that')
    expect((await dashboard.post(at, { force: 'on' })).status).toBe(303)
  })

  it('says with a link that the record is there, and sends the document as a change', async () => {
    const { api, admin } = await kept()
    const { sku, id } = await createProduct(admin, { quantity: 1 })
    const refused = await api.post('/products/', { sku, quantity: 9 })
    const at = `${LIST}${idOf(refused)}/send-again/`
    const asked = await dashboard.get(at)
    expect(wordsOf(asked)).toContain(`The product ${sku} is there already`)
    const links = linksIn(asked.text)
    expect(links).toContain(`/dashboard/products/${id}/`)
    const change = links.find((href) => href.endsWith('?as=change')) ?? ''
    const words = wordsOf(await dashboard.get(change))
    expect(words).toContain(`The product ${sku} gets the values of this document.`)
    expect(words).not.toContain('second record')
    expect((await dashboard.post(change)).status).toBe(303)
    expect((await admin.get(`/products/${sku}/`)).body.data).toMatchObject({ id, quantity: 9 })
    await admin.put(`/products/${sku}/`, { quantity: 2 })
    const later = await api.put(`/products/${sku}/`, { quantity: 3 })
    expect(later.status).toBe(200)
    const warned = await dashboard.get(change)
    expect(wordsOf(warned)).toContain('A later request has changed the same record')
    expect((await dashboard.post(change)).status).toBe(400)
  })

  it('says with links that the same was accepted before, and asks', async () => {
    const { api, number, at } = await refusedAndMended()
    expect((await dashboard.get(`${at}send-again/`)).text).not.toContain('accepted before')
    const sent = await dashboard.post(`${at}send-again/`)
    const accepted = (sent.headers.get('Location') ?? '').split('?')[0]
    const order = `href="/dashboard/orders/${(await api.get(`/orders/${number}/`)).body.data.id}/"`
    const page = await dashboard.get(at)
    expect(wordsOf(page)).toContain('and accepted (201): order')
    const asked = await dashboard.get(`${at}send-again/`)
    expect(wordsOf(asked)).toContain('The same was accepted before')
    expect(asked.text).toContain('name="force" required=""')
    for (const { text } of [page, asked]) {
      expect(text).toContain(`href="${accepted}"`)
      expect(text).toContain(order)
    }
    // The page of the new request links back, and to the order.
    const { text } = await dashboard.get(accepted ?? '')
    expect(text).toContain(`href="${at}"`)
    expect(text).toContain(order)
    const unforced = await dashboard.post(`${at}send-again/`)
    expect([unforced.status, wordsOf(unforced)]).toEqual([
      400,
      expect.stringContaining('has brought the same, and was accepted'),
    ])
    expect((await dashboard.post(`${at}send-again/`, { force: 'on' })).status).toBe(303)
  })

  it('is not offered for a success', async () => {
    const { api } = await openKept({ of: 'all', days: 7 })
    const done = await api.post('/products/', { sku: unique('S') })
    const { text } = await dashboard.get(`${LIST}${idOf(done)}/`)
    expect(text).toContain('&quot;sku&quot;')
    expect(text).not.toContain('send-again')
  })
})

describe('an undo', () => {
  it('says what it undid and when, and is linked from there', async () => {
    const { admin } = await openPartner()
    const { sku } = await createProduct(admin)
    const put = await admin.put(`/products/${sku}/`, { quantity: 5 })
    const { code } = (await admin.post('/locations/', { code: unique('L') })).body.data
    const row = { location_code: code, sku_code: sku, quantity: 3 }
    const upload = await admin.post('/inventory/', { inventory: [row] })
    for (const done of [put, upload]) {
      const at = `${LIST}${idOf(done)}/`
      const undone = await dashboard.post(`${at}undo/`)
      const undo = (undone.headers.get('Location') ?? '').split('?')[0] ?? ''
      const page = await dashboard.get(undo)
      expect(wordsOf(page)).toMatch(
        /It undid (?:PUT|POST) \/api\/integrations\/v1\/[^ ]+ of \d{4}-.*, with the key \w/,
      )
      expect(page.text).toContain(`href="${at}"`)
      const original = await dashboard.get(at)
      expect(wordsOf(original)).toContain('It was undone by a later request of')
      expect(original.text).toContain(`href="${undo}"`)
      // An undo can be undone.
      const again = await dashboard.post(`${undo}undo/`)
      const second = (again.headers.get('Location') ?? '').split('?')[0] ?? ''
      expect((await dashboard.get(undo)).text).toContain(`href="${second}"`)
      expect((await dashboard.get(second)).text).toContain(`href="${undo}"`)
    }
  })
})

// The walk of test/browser/failed-order.deep.test.ts, by the links and forms of the pages.

const linksOf = ({ text }: Answer) =>
  Array.from(text.matchAll(/href="([^"]*)"/g), ([, href = '']) => decode(href))

async function follow(page: Answer, isMeant: (href: string) => boolean): Promise<Answer> {
  const answer = await dashboard.get(linksOf(page).find(isMeant) ?? 'no link')
  expect(answer.status).toBe(200)
  return answer
}

describe('a failed order', () => {
  it('leads from the overview to its document, its mapping, and to being accepted', async () => {
    const partner = await openKept({ of: 'errors', days: 7 }, { mappings: { orders: MAPPING } })
    const at = `/dashboard/partners/${partner.id}/`
    const orders: { number: string; id: string }[] = []
    for (let n = 0; n < 5; n++) {
      const order = await shopOrder(partner.admin)
      orders.push({ number: order.number, id: idOf(await partner.api.post('/orders/', order)) })
    }
    expect(wordsOf(await dashboard.get(at))).toContain('was refused in 5 requests')

    const overview = await dashboard.get('/dashboard/')
    const log = await follow(overview, (href) => href.includes('error_code=VALIDATION_ERROR'))
    const request = await follow(log, (href) => href.endsWith(`/${orders[4]?.id}/`))
    expect(request.text).toContain('<mark>&quot;2&quot;</mark>')

    const editor = await follow(request, (href) => href.includes('?document='))
    const mended = filledIn(editor.text, FORM, { 'inbound.as': ['', '', 'integer'] })
    const tried = await dashboard.post(`${at}mappings/orders/replay/`, mended)
    expect(wordsOf(tried)).toContain('5 documents: 5 more would be accepted.')
    const saved = await dashboard.post(`${at}mappings/orders/`, mended)
    expect(saved.status).toBe(303)
    const next = await dashboard.get(saved.headers.get('Location') ?? '')
    expect(linksIn(next.text)).toContain(`/dashboard/send-again/?partner_id=${partner.id}`)

    const requests = await follow(await dashboard.get(at), (href) =>
      href.includes('/audit-log/?partner_id='),
    )
    const asked = await follow(requests, (href) => href.startsWith('/dashboard/send-again/'))
    const run = filledIn(asked.text, 'confirmation', {})
    const sent = await dashboard.post('/dashboard/send-again/', run)
    expect(wordsOf(sent)).toContain('5 of 5 requests are done: 5 accepted.')
    for (const { number } of orders) {
      expect((await partner.api.get(`/orders/${number}/`)).status).toBe(200)
    }
    expect(wordsOf(await dashboard.get(at))).toContain('Nothing was found in this partner')
  })

  it.each(['request_id', 'record_name'])('is found in the log by its %s', async (name) => {
    const partner = await openKept({ of: 'errors', days: 7 }, { mappings: { orders: MAPPING } })
    const order = await shopOrder(partner.admin)
    const id = idOf(await partner.api.post('/orders/', order))
    const value = name === 'request_id' ? id : order.number
    const log = await dashboard.get(`/dashboard/audit-log/?${name}=${value}`)
    const request = await follow(log, (href) => href.endsWith(`/${id}/`))
    expect(request.text).toContain('<mark>&quot;2&quot;</mark>')
  })
})
