import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { requestIdIn } from '../../src/requests/send-again/run.ts'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { intercept } from '../fixtures/bindings.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { badOrder, idOf, keep, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { type Dashboard, linksIn, openDashboard, withCookie } from '../fixtures/session.ts'
import { issueKey } from '../fixtures/settings.ts'
import { MAPPING, MENDED, shopOrder } from '../fixtures/shop.ts'
import { newCookie } from '../fixtures/signed-in.ts'
import { allRows } from '../fixtures/sql.ts'
import { type Answer, type CallOptions, createKey, openTenant } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { fieldsOf } from './form-fields.ts'

const PATH = '/dashboard/send-again/'
const LOG = '/dashboard/audit-log/'

type Partner = Awaited<ReturnType<typeof openKept>>

let dashboard: Dashboard
let partner: Partner

beforeEach(async () => {
  await openTenant()
  dashboard = await openDashboard()
  partner = await openKept({ of: 'errors', days: 7 }, { mappings: { orders: MAPPING } })
})

const pathOf = (more = '') => `${PATH}?partner_id=${partner.id}${more}`

const refuse = async (qty: unknown = '2') => {
  const order = await shopOrder(partner.admin, qty)
  return { number: order.number, answer: await partner.api.post('/orders/', order) }
}

const mend = () => saveMapping(partner.admin, partner.id, 'orders', MENDED)

const ask = async (path = pathOf()) => {
  const page = await dashboard.get(path)
  expect(page.status).toBe(200)
  return page
}

const confirm = (page: Answer, path = pathOf()) =>
  dashboard.post(path, fieldsOf(page.text, 'confirmation'))

const goOn = (page: Answer) => dashboard.post(pathOf(), fieldsOf(page.text, 'sending'))

/** The rows of requests that repeat this one. */
async function repeatsOf(answer: Answer) {
  return await allRows<{ request_id: string; status: number }>(
    'select request_id, status from audit_log where replay_of = ?',
    idOf(answer),
  )
}

describe('GET /dashboard/send-again/', () => {
  it('says which failed requests of the filters it would send, the oldest first', async () => {
    const refused = [await refuse(), await refuse()]
    await partner.api.post('/orders/', await shopOrder(partner.admin, 1))
    const { text, ...page } = await ask(pathOf('&status=4xx&range=24h'))
    const words = wordsOf({ text, ...page })
    expect(words).toContain('Send 2 failed requests again?')
    const [first, second] = refused.map(({ number }) => text.indexOf(`>${number}<`))
    expect(first).toBeGreaterThan(0)
    expect(second).toBeGreaterThan(first ?? 0)
    expect(fieldsOf(text, 'confirmation').ids).toEqual([
      refused.map(({ answer }) => idOf(answer)).join(' '),
    ])
    expect(text).toContain(`href="${LOG}?partner_id=${partner.id}&amp;status=4xx&amp;range=24h"`)
    for (const filter of ['&status=409', '&method=PUT', '&area=settings', '&to=2020-01-01']) {
      expect(wordsOf(await ask(pathOf(filter)))).toContain('There is nothing to send again')
    }
  })

  it('says how many have no document, and how many were accepted since', async () => {
    await refuse()
    await mend()
    await confirm(await ask())
    await keep(partner.admin, partner.id, null)
    await refuse('two')
    const words = wordsOf(await ask())
    expect(words).toContain('There is nothing to send again')
    expect(words).toContain('1 failed request has no kept document and cannot be sent.')
    expect(words).toContain('1 failed request was sent again before, and accepted.')
  })

  it('is reached from the audit log with its filters, by keys that may send', async () => {
    const link = 'Send failed requests again'
    const { text } = await dashboard.get(`${LOG}?partner_id=${partner.id}&limit=2`)
    expect(text).toContain(`href="${pathOf()}"`)
    expect(text).toContain(link)
    const reader = await createKey(['settings.read', 'settings.documents.read'])
    const own = await openKept(null, { scopes: ['settings.*', 'integrations.*'] })
    for (const key of [reader.value, own.key.key]) {
      const other = await openDashboard([], { key })
      expect((await other.get(LOG)).text).not.toContain(link)
      expect((await other.get(PATH)).status).toBe(403)
      expect((await other.post(PATH)).status).toBe(403)
    }
  })

  it('is 400 for filters that are wrong', async () => {
    expect((await dashboard.get(`${PATH}?status=9`)).status).toBe(400)
  })
})

describe('POST /dashboard/send-again/', () => {
  it('sends them, and shows the result of each', async () => {
    const [good, bad] = [await refuse(), await refuse('two')]
    await mend()
    const sent = await confirm(await ask())
    expect(sent.status).toBe(200)
    const words = wordsOf(sent)
    expect(words).toContain('2 of 2 requests are done: 1 accepted, 1 refused again.')
    expect(words).toMatch(
      new RegExp(
        `${bad.number} [\\da-f]{8} Refused again 422 .*${good.number} [\\da-f]{8} Accepted order ${good.number} 201`,
      ),
    )
    const order = (await partner.admin.get(`/orders/${good.number}/`)).body.data
    expect(linksIn(sent.text)).toContain(`/dashboard/orders/${order.id}/`)
    expect(sent.text).not.toContain('Continue')
    expect(sent.text).toContain(`data-address="${pathOf()}"`)
    const [repeat] = await repeatsOf(good.answer)
    expect(sent.text).toContain(`href="${LOG}${repeat?.request_id}/"`)
    expect((await partner.api.get(`/orders/${good.number}/`)).status).toBe(200)
    const results = await allRows(
      'select path, status, record_id from audit_log where request_id = ?',
      sent.headers.get('X-Request-Id'),
    )
    expect(results).toEqual([{ path: PATH, status: 200, record_id: idOf(good.answer) }])
  })

  inDeepPass(() => {
    it('sends 50 at a time, until all of those that were chosen are sent', async () => {
      const { sku } = await createProduct(partner.admin)
      const push = (number: number) =>
        partner.api.post('/orders/', { number: `${sku}-${number}`, lines: [{ sku, qty: '1' }] })
      for (let number = 0; number < 52; number++) await push(number)
      await mend()
      const asked = await ask()
      const late = await partner.api.post('/orders/', { number: `${sku}-late`, lines: [] })
      const first = await confirm(asked)
      expect(wordsOf(first)).toContain('50 of 52 requests are done: 50 accepted.')
      expect(first.text).toContain('data-goes-on')
      const last = await goOn(first)
      expect(wordsOf(last)).toContain('52 of 52 requests are done: 52 accepted.')
      expect(last.text).not.toContain('data-goes-on')
      expect(await repeatsOf(late)).toEqual([])
      expect(wordsOf(await ask())).toContain('Send 1 failed request again?')
    }, 60_000)

    it('sends nothing twice if its form is sent twice, one after the other or at once', async () => {
      const refused = [await refuse(), await refuse('two'), await refuse()]
      await mend()
      const fields = fieldsOf((await ask()).text, 'confirmation')
      const pages = await Promise.all(
        [fields, fields].map((form) => dashboard.post(pathOf(), form)),
      )
      pages.push(await dashboard.post(pathOf(), fields))
      const rowOf = ({ text }: Answer) =>
        text.slice(text.indexOf('<tbody>'), text.indexOf('</tbody>'))
      expect(new Set(pages.map(rowOf)).size).toBe(1)
      for (const page of pages) expect(wordsOf(page)).toContain('2 accepted, 1 refused again')
      for (const { answer } of refused) expect(await repeatsOf(answer)).toHaveLength(1)
    })
  })

  it('skips what another run has sent since, and had accepted', async () => {
    const { answer } = await refuse()
    const [one, other] = [await ask(), await ask()]
    await mend()
    expect(wordsOf(await confirm(one))).toContain('1 of 1 requests are done: 1 accepted.')
    const words = wordsOf(await confirm(other))
    expect(words).toContain('1 of 1 requests are done: 1 not sent.')
    expect(words).toContain('It was not sent: it has been sent again since, and accepted.')
    expect(await repeatsOf(answer)).toHaveLength(1)
  })

  it("does not count towards the rate limit of the administrator's key", async () => {
    const scopes = ['settings.*', 'integrations.*']
    const { key } = await issueKey(partner.admin, { scopes, rate_limit: 1 })
    dashboard = await openDashboard([], { key })
    for (let n = 0; n < 3; n++) await refuse()
    await mend()
    expect(wordsOf(await confirm(await ask()))).toContain('3 of 3 requests are done: 3 accepted.')
  })

  it('accepts nothing that another call of the run has refused meanwhile, and stops', async () => {
    const { answer, number } = await refuse()
    await mend()
    const asked = fieldsOf((await ask()).text, 'confirmation')
    const request_id = await requestIdIn(String(asked.run), idOf(answer))
    // The document is read when nothing of the run is in the log yet.
    const get = async (call: () => unknown) => {
      await insertRequests([{ request_id, status: 503, replay_of: idOf(answer) }])
      return call()
    }
    const bindings = { ...env, DOCUMENTS: intercept(env.DOCUMENTS, { get }) }
    const cookie = await newCookie()
    const page = await withCookie(cookie, { bindings } as CallOptions).post(pathOf(), asked)
    expect(wordsOf(page)).toContain('1 of 1 requests are done: 1 not answered in time.')
    expect(wordsOf(page)).toContain(`503 ${request_id.slice(-8)}`)
    expect(wordsOf(page)).toContain('Some requests were not answered in time')
    expect((await partner.api.get(`/orders/${number}/`)).status).toBe(404)
  })

  it('skips what a later request has overtaken, and what lost its document', async () => {
    const { sku } = await createProduct(partner.admin)
    await partner.api.put(`/products/${sku}/`, { quantity: 'seven' })
    await partner.api.put(`/products/${sku}/`, { quantity: 8 })
    const lost = await refuse()
    const asked = await ask()
    await partner.admin.delete(`${SETTINGS}/audit-log/${idOf(lost.answer)}/document/`)
    await mend()
    const words = wordsOf(await confirm(asked))
    expect(words).toContain('2 of 2 requests are done: 2 not sent.')
    expect(words).toMatch(
      new RegExp(`${sku} [\\da-f]{8} Not sent It was not sent: a later request has changed`),
    )
    expect(words).toContain(
      `${lost.number} ${idOf(lost.answer).slice(-8)} Not sent The document of the request "${idOf(lost.answer)}" has been deleted`,
    )
    expect((await partner.api.get(`/products/${sku}/`)).body.data.quantity).toBe(8)
  })

  it('counts an upload in which rows fail again as accepted in part', async () => {
    const inventory = [{ location_code: 'none', sku_code: 'none', quantity: 1 }]
    await partner.api.post('/inventory/', { inventory })
    const words = wordsOf(await confirm(await ask()))
    expect(words).toContain('1 accepted in part')
    expect(words).toContain('Accepted in part: 1 row failed')
    expect(wordsOf(await ask())).toContain('Send 1 failed request again?')
  })

  it('sends nothing that the key may not send itself', async () => {
    await refuse()
    await mend()
    const { value } = await createKey(['settings.*', 'integrations.products.*'])
    dashboard = await openDashboard([], { key: value })
    expect(wordsOf(await confirm(await ask()))).toContain(
      'Not sent This API key lacks the scope integrations.orders.write.',
    )
  })

  it('stops where documents cannot be read, and goes on later', async () => {
    const { answer, number } = await refuse()
    await mend()
    const asked = fieldsOf((await ask()).text, 'confirmation')
    const get = () => Promise.reject(new Error('no R2'))
    const bindings = { ...env, DOCUMENTS: intercept(env.DOCUMENTS, { get }) }
    const cookie = await newCookie()
    const options = { bindings } as CallOptions
    const stopped = await withCookie(cookie, options).post(pathOf(), asked)
    expect(stopped.status).toBe(200)
    expect(wordsOf(stopped)).toContain('0 of 1 requests are done.')
    expect(wordsOf(stopped)).toContain('The store of documents did not answer.')
    expect(stopped.text).not.toContain('data-goes-on')
    expect(await repeatsOf(answer)).toEqual([])
    expect(wordsOf(await goOn(stopped))).toContain('1 of 1 requests are done: 1 accepted.')
    expect((await partner.api.get(`/orders/${number}/`)).status).toBe(200)
  })

  it.each([
    ['nothing', {}],
    ['no id of a run', { run: 'x', ids: crypto.randomUUID(), results: '[]' }],
    ['no ids', { run: crypto.randomUUID(), ids: 'x', results: '[]' }],
    ['no results', { run: crypto.randomUUID(), ids: crypto.randomUUID(), results: '{' }],
    [
      'more than 1,000 ids',
      {
        run: crypto.randomUUID(),
        ids: Array.from({ length: 1001 }, () => crypto.randomUUID()).join(' '),
        results: '[]',
      },
    ],
  ])('is 400 for a form with %s', async (_, fields) => {
    const answer = await dashboard.post(PATH, fields)
    expect(answer.status).toBe(400)
  })

  it('finds no request of another tenant', async () => {
    const stranger = await openKept({ of: 'errors', days: 7 }, { tenant: 'other' })
    const refused = await stranger.api.post('/orders/', badOrder())
    const page = await dashboard.get(PATH)
    expect(page.text).not.toContain(idOf(refused))
    const run = { run: crypto.randomUUID(), ids: idOf(refused), results: '[]' }
    expect(wordsOf(await dashboard.post(PATH, run))).toContain('The audit log has no request')
    const rows = env.DB_OTHER.prepare('select count(*) as n from audit_log where replay_of = ?')
    expect(await rows.bind(idOf(refused)).first('n')).toBe(0)
  })
})
