import { beforeEach, describe, expect, it } from 'vitest'
import { idOf, openKept } from '../fixtures/kept-documents.ts'
import { type Dashboard, linksIn, openDashboard } from '../fixtures/session.ts'
import { MAPPING, shopOrder } from '../fixtures/shop.ts'
import { type Answer, openTenant } from '../fixtures/tenant.ts'
import { decode, filledIn } from './form-fields.ts'
import { FORM, wordsOf } from './mapping-forms.ts'

// The walk of test/browser/failed-order.deep.test.ts, by the links and forms of the pages.

let dashboard: Dashboard

beforeEach(async () => {
  await openTenant()
  dashboard = await openDashboard()
})

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
