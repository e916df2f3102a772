import { beforeAll, describe, expect, it } from 'vitest'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openDashboard } from '../fixtures/session.ts'
import { unique } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'
import { wordsOf } from './mapping-forms.ts'

const LIST = '/dashboard/line-differences/'

type Opened = Awaited<ReturnType<typeof openWebhook>>
let shop: Opened
beforeAll(async () => {
  shop = await openWebhook()
})

/** An order of which the shop has delivered another quantity since. */
async function differing(qty = 3, of = shop) {
  const document = await shopDocument(of.partner.api)
  await of.deliver(document)
  const [line] = document.lines
  const again = async (quantity: number) => {
    const lines = [{ ...line, qty: quantity }]
    return (await of.deliver({ ...document, lines })).body.data.delivery_id as string
  }
  const request_id = await again(qty)
  const { id } = (await of.partner.api.get(`/orders/${document.number}/`)).body.data
  const at = `/dashboard/orders/${id}/`
  return { ...document, sku: line?.sku as string, again, request_id, at }
}

describe('GET /dashboard/orders/:id/', () => {
  it('shows what the shop says beside what is stored, with a button', async () => {
    const { at, sku, request_id } = await differing()
    const page = await dashboard.get(at)
    expect(wordsOf(page)).toContain(`SKU Stored here The shop says ${sku} 2 3`)
    expect(page.text).toContain(`action="${at}lines-seen/"`)
    expect(page.text).toContain(`name="request_id" value="${request_id}"`)
    expect(page.text).toContain(`href="/dashboard/audit-log/${request_id}/"`)
  })

  it('shows nothing of it to a key that may not see deliveries, and no button to one that reads', async () => {
    const { at } = await differing()
    const clerk = await openDashboard(['integrations.orders.read'])
    expect((await clerk.get(at)).text).not.toContain('The shop')
    const reader = await openDashboard(['integrations.orders.read', 'settings.documents.read'])
    const page = await reader.get(at)
    expect(wordsOf(page)).toContain('The shop has other lines')
    expect(page.text).not.toContain('lines-seen')
    expect(page.text).not.toContain('/dashboard/audit-log/')
  })
})

describe('GET /dashboard/line-differences/', () => {
  it('offers the rows of the page as CSV', async () => {
    const { number, sku, request_id } = await differing()
    const page = await dashboard.get(LIST)
    expect(page.text).toContain(`href="${LIST}?format=csv"`)
    const file = await dashboard.get(`${LIST}?format=csv`)
    expect(file.headers.get('Content-Type')).toContain('text/csv')
    expect(file.text).toContain('order_number,differences,partner_id,request_id,noted_at')
    expect(file.text).toMatch(
      new RegExp(`^${number},"?${sku}: 2 stored, 3 sent"?,${shop.partner.id},${request_id},`, 'm'),
    )
  })
})

describe('POST /dashboard/orders/:id/lines-seen/', () => {
  it('marks what was shown as seen', async () => {
    const { at, request_id, number } = await differing()
    expect((await dashboard.get(LIST)).text).toContain(number)
    const answer = await dashboard.post(`${at}lines-seen/`, { request_id })
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${at}?done=lines-seen`])
    const page = await dashboard.get(`${at}?done=lines-seen`)
    expect(wordsOf(page)).toContain('Marked as seen.')
    expect(wordsOf(page)).toContain('The shop has other lines')
    expect(page.text).not.toContain(`action="${at}lines-seen/`)
    expect((await dashboard.get(LIST)).text).not.toContain(number)
  })

  it('shows what has come since, and marks nothing', async () => {
    const { at, request_id, again, number, sku } = await differing()
    await again(7)
    const answer = await dashboard.post(`${at}lines-seen/`, { request_id })
    expect(answer.status).toBe(409)
    expect(wordsOf(answer)).toContain('A newer document with other lines has come since.')
    expect(wordsOf(answer)).toContain(`${sku} 2 7`)
    expect((await dashboard.get(LIST)).text).toContain(number)
  })

  it('says so where the lines agree again', async () => {
    const { at, request_id, again } = await differing()
    await again(2)
    const answer = await dashboard.post(`${at}lines-seen/`, { request_id })
    expect(answer.status).toBe(404)
    expect(wordsOf(answer)).toContain('has no differences')
  })
})

describe('GET /dashboard/line-differences/', () => {
  it('lists the orders with their differences, from page to page', async () => {
    const own = await openWebhook()
    const [one, other] = [await differing(5, own), await differing(6, own)]
    const query = `?partner_id=${own.partner.id}&limit=1`
    const first = await dashboard.get(LIST + query)
    expect(wordsOf(first)).toContain(
      `${other.number} ${other.sku}: 2 stored, 6 sent ${own.partner.name}`,
    )
    const next = /href="([^"]*)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&')
    const second = await dashboard.get(next ?? '')
    expect(wordsOf(second)).toContain(`${one.number} ${one.sku}: 2 stored, 5 sent`)
  })

  it('says when there are none, and what is wrong with a filter', async () => {
    const none = await dashboard.get(`${LIST}?partner_id=${crypto.randomUUID()}`)
    expect(wordsOf(none)).toContain('No order has other lines than its shop says')
    const wrong = await dashboard.get(`${LIST}?partner_id=${unique('x')}`)
    expect([wrong.status, wordsOf(wrong)]).toEqual([
      400,
      expect.stringContaining('Must be the id of a partner'),
    ])
  })
})

describe('GET /dashboard/', () => {
  it('says how many orders nobody has seen, with a link', async () => {
    const { at, request_id } = await differing()
    const count = async () => {
      const page = await dashboard.get('/dashboard/')
      if (!page.text.includes('href="/dashboard/line-differences/"')) return 0
      return Number(/(\d+) orders? ha(?:s|ve) other lines than/.exec(wordsOf(page))?.[1] ?? 0)
    }
    const before = await count()
    expect(before).toBeGreaterThan(0)
    await dashboard.post(`${at}lines-seen/`, { request_id })
    expect(await count()).toBe(before - 1)
    const auditor = await openDashboard(['settings.audit.read'])
    expect((await auditor.get('/dashboard/')).text).not.toContain('line-differences')
  })
})

describe('GET /dashboard/partners/:id/', () => {
  it('has a finding about the orders in the check-up', async () => {
    const own = await openWebhook()
    const page = async () => wordsOf(await dashboard.get(`/dashboard/partners/${own.partner.id}/`))
    expect(await page()).not.toContain('other lines')
    await differing(3, own)
    const { number, at, request_id } = await differing(4, own)
    expect(await page()).toContain(
      '2 orders have other lines than the partner has delivered last, and nobody has marked them as seen. The newest: "',
    )
    const path = `/dashboard/partners/${own.partner.id}/`
    const link = `<a href="${at}">${number}</a>`
    expect((await dashboard.get(path)).text).toContain(link)
    const other = await openDashboard(['settings.partners.read', 'settings.audit.read'])
    const { text } = await other.get(path)
    expect([text.includes(number), text.includes(link)]).toEqual([true, false])
    await dashboard.post(`${at}lines-seen/`, { request_id })
    expect(await page()).toContain('An order has other lines')
    const found = await own.admin.get(`/api/settings/v1/partners/${own.partner.id}/check-up/`)
    expect(found.body.data).toMatchObject([{ kind: 'lines_differ', count: 1 }])
    expect(found.body.data[0]).not.toHaveProperty('about')
  })
})
