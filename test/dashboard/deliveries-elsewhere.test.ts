import { describe, expect, it } from 'vitest'
import { noProduct, skuNotFound } from '../../src/records/near-codes.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, nextIn, wordsOf } from '../fixtures/pages-read.ts'
import { openDashboard } from '../fixtures/session.ts'
import { execute } from '../fixtures/sql.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'
import { goOn, importOf, numbersOf } from './imports.ts'
import { API, create, isWaiting, PATH, READ, shop, unmappable, waiting } from './waiting.ts'

/** A delivery of an order with these products. */
async function waitingFor(skus: string[]) {
  const document = await shopDocument(shop.partner.api, {
    lines: skus.map((sku) => ({ sku, qty: 1 })),
  })
  const { body } = await shop.deliver(document)
  const id = body.data.delivery_id as string
  return { id, at: `${PATH}${id}/`, number: document.number }
}

/** The table that the button for all of them sends; null without such a button. */
function tableIn({ text }: Answer, resource = 'products'): string | null {
  const form = new RegExp(`action="${importOf(resource)}">(.*?)</form>`, 's').exec(text)?.[1]
  const value = form && /name="document" value="([^"]*)"/.exec(form)?.[1]
  if (value === undefined) return null
  const texts = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return value.replaceAll(/&(quot|#39|lt|gt|amp);/g, (one) => texts[one as keyof typeof texts])
}

const linesIn = (table: string | null) => table?.trimEnd().split('\r\n')

/** Sends the table, and then what the page of the import asks to confirm. */
async function createAll(document: string | null): Promise<Answer> {
  const checked = await dashboard.post(importOf('products'), { document: document ?? '' })
  expect(checked.status).toBe(200)
  return await goOn(dashboard, 'products', checked)
}

const productOf = async (sku: string) =>
  (await shop.admin.get(`/products/${encodeURIComponent(sku)}/`)).status

describe('GET /dashboard/deliveries/:id/ of several missing products', () => {
  it('offers all of them at once, each of which is a change of its own', async () => {
    const skus = [unique('a;b,'), unique('"q"<i>'), unique('=1+')]
    const { id, at } = await waitingFor(skus)
    const page = await dashboard.get(at)
    expect(wordsOf(page)).toContain('Create all 3 products')
    expect(page.text).not.toContain('<i>')
    const done = await createAll(tableIn(page))
    expect(numbersOf(done)).toEqual({ Created: 3 })
    expect(await Promise.all(skus.map(productOf))).toEqual([200, 200, 200])
    for (const sku of skus) {
      const log = await shop.admin.get(
        `/api/settings/v1/audit-log/?record_name=${encodeURIComponent(sku)}&area=dashboard`,
      )
      expect(log.body.data).toHaveLength(1)
    }
    await dashboard.post(`${at}apply/`, { confirmed: 'yes' })
    expect(await isWaiting(id)).toBe(false)
  })

  it('leaves out a name that the import would take for the guarded cell of another', async () => {
    const [one, two] = [unique('S'), unique('S')]
    const { at } = await waitingFor([one, unique("'=g"), two])
    expect(linesIn(tableIn(await dashboard.get(at)))).toEqual(['sku', one, two])
  })

  it('leaves out what is there by now, and creates nothing twice', async () => {
    const [one, two, three] = [unique('S'), unique('S'), unique('S')]
    const { at } = await waitingFor([one, two, three])
    await create(one)
    const table = tableIn(await dashboard.get(at))
    expect(linesIn(table)).toEqual(['sku', two, three])
    const checked = await dashboard.post(importOf('products'), { document: table ?? '' })
    await create(two)
    const done = await goOn(dashboard, 'products', checked)
    expect([await productOf(three), numbersOf(done).Created]).toEqual([200, 1])
  })

  it('offers nothing for one product, nor to a key that may not create products', async () => {
    const { at } = await waitingFor([unique('S')])
    expect(tableIn(await dashboard.get(at))).toBeNull()
    const several = await waitingFor([unique('S'), unique('S')])
    for (const scopes of [READ, ['settings.*', 'integrations.products.read']]) {
      const page = await (await openDashboard(scopes)).get(several.at)
      expect([page.status, tableIn(page)]).toEqual([200, null])
    }
    expect(tableIn(await (await openDashboard()).get(several.at))).not.toBeNull()
  })
})

describe('GET /dashboard/deliveries/', () => {
  it('offers all products that the groups wait for, without those that are there', async () => {
    const deliveries = [await waiting(), await waiting(), await waiting()]
    const [one, two, three] = deliveries.map(({ sku }) => sku)
    expect(linesIn(tableIn(await dashboard.get(PATH)))?.toSorted()).toEqual(
      [one, two, three, 'sku'].toSorted(),
    )
    await create(one ?? '')
    expect(linesIn(tableIn(await dashboard.get(PATH)))?.toSorted()).toEqual(
      [two, three, 'sku'].toSorted(),
    )
    await create(two ?? '')
    expect(tableIn(await dashboard.get(PATH))).toBeNull()
  })
})

describe('the SKU of a message', () => {
  const near = ' "Tea" differs only in upper and lower case.'
  it.each(['TEA', 'a "b" c', 'ends.', '".', 'a". b', '<b>'])('is %s again', (sku) => {
    expect(skuNotFound(noProduct(sku, new Map()))).toBe(sku)
    expect(skuNotFound(noProduct(sku, new Map([[sku, near]])))).toBe(sku)
  })

  it.each(['', 'No product has the SKU "TE', 'No location has the code "A".'])(
    'is none of %j',
    (message) => {
      expect(skuNotFound(message)).toBeNull()
    },
  )
})

// What other pages of the dashboard say of deliveries that wait.

describe('POST /dashboard/new/product/', () => {
  it('creates what deliveries wait for, and its page says that they are applied', async () => {
    const [one, two] = [await waiting(), await waiting()]
    await waiting(one.sku)
    const at = `/dashboard/new/product/?sku=${one.sku}`
    expect((await dashboard.get(at)).text).toContain(`value="${one.sku}"`)
    const answer = await dashboard.post(at, { sku: one.sku, quantity: '3', cost: '1.50' })
    expect(answer.status).toBe(303)
    const page = await dashboard.get(answer.headers.get('Location') ?? '')
    expect(wordsOf(page)).toContain('The product was created.')
    expect(wordsOf(page)).toContain('2 deliveries waited for this product and are being applied.')
    const { body } = await shop.admin.get(`/products/${one.sku}/`)
    expect(body.data).toMatchObject({ quantity: 3, cost: '1.50' })
    expect(await isWaiting(two.id)).toBe(true)
    const groups = wordsOf(await dashboard.get(PATH))
    expect(groups).toContain(`The product ${one.sku} is there: they are applied within minutes.`)
  })

  it('says what is wrong, and keeps what was typed', async () => {
    const { sku } = await waiting()
    await create(sku)
    const text = markupOf(
      await dashboard.post('/dashboard/new/product/', { sku, quantity: 'x' }),
      400,
    )
    expect(text).toContain('id="quantity-error"')
    const taken = await dashboard.post('/dashboard/new/product/', { sku, quantity: '' })
    expect(taken.status).toBe(409)
    expect(taken.text).toContain(`value="${sku}"`)
  })
})

describe('POST /dashboard/new/location/', () => {
  it('creates a location', async () => {
    const code = unique('L')
    const answer = await dashboard.post('/dashboard/new/location/', { code, zone: 'D' })
    const page = await dashboard.get(answer.headers.get('Location') ?? '')
    expect(wordsOf(page)).toContain('The location was created.')
    expect((await shop.admin.get(`/locations/${code}/`)).body.data).toMatchObject({ zone: 'D' })
  })
})

describe('GET /dashboard/products/', () => {
  it('says of a product that is not found how many deliveries wait for it', async () => {
    const { sku } = await waiting()
    const page = await dashboard.get(`/dashboard/products/?search=${sku}`)
    expect(wordsOf(page)).toContain(`1 delivery waits for the product ${sku}.`)
    const stranger = await openDashboard(['integrations.*'])
    expect((await stranger.get(`/dashboard/products/?search=${sku}`)).text).not.toContain('waits')
  })
})

describe('GET /dashboard/', () => {
  it('says how many wait, for what, and how many end soon', async () => {
    expect(wordsOf(await dashboard.get('/dashboard/'))).not.toContain('Needs you')
    const [one] = [await waiting(), await waiting()]
    await unmappable()
    const set = 'update waiting_deliveries set ends_at = ? where delivery_id = ?'
    const soon = new Date(Date.now() + 86_400_000).toISOString()
    await execute(set, soon, one.id)
    const words = wordsOf(await dashboard.get('/dashboard/'))
    expect(words).toMatch(
      /Needs you 1 delivery is given up within three days if nothing is done on .* 1 delivery waits for a change of the mapping or the webhook since .* 2 deliveries wait for a product that is not there the oldest since /,
    )
    const auditor = await openDashboard(['settings.audit.read'])
    expect((await auditor.get('/dashboard/')).text).not.toContain('Needs you')
  })

  it('shows webhooks that expire soon', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const own = await openWebhook({ settings: { expires_at } })
    const page = await dashboard.get('/dashboard/')
    expect(wordsOf(page)).toContain('Webhooks that expire soon')
    expect(page.text).toContain(`href="/dashboard/webhooks/${own.id}/"`)
    const [, keys = ''] = page.text.split('Keys that expire soon')
    expect(keys.split('Webhooks that expire soon')[0]).not.toContain(own.webhook.name)
  })
})

describe('GET /dashboard/partners/:id/', () => {
  it('says how many deliveries of the partner wait', async () => {
    const own = await openWebhook()
    await waiting(unique('SKU'), own)
    await waiting()
    const page = await dashboard.get(`/dashboard/partners/${own.partner.id}/`)
    expect(wordsOf(page)).toContain('1 delivery waits until what it needs is there.')
    expect(page.text).toContain(`${PATH}?partner_id=${own.partner.id}`)
    const reader = await openDashboard(['settings.partners.read'])
    expect((await reader.get(`/dashboard/partners/${own.partner.id}/`)).text).not.toContain('waits')
  })
})

describe('GET /dashboard/audit-log/:id/', () => {
  it('leads from a delivery that could not be applied to its page', async () => {
    const one = await waiting()
    const page = await dashboard.get(`/dashboard/audit-log/${one.id}/`)
    expect(page.text).toContain(`href="${one.at}"`)
    expect(wordsOf(page)).toMatch(/Outcome waiting .*Event order\.created .*Sender.s id d/)
    const { body } = await shop.admin.post(`${API}/${one.id}/apply/`, {})
    const tried = await dashboard.get(`/dashboard/audit-log/${body.data.request_id}/`)
    expect(tried.text).toContain(`href="${one.at}"`)
  })
})

describe('GET /dashboard/audit-log/?outcome=', () => {
  it('finds deliveries by what became of them', async () => {
    const [one, other] = [await waiting(), await waiting()]
    await shop.admin.post(`${API}/${one.id}/dismiss/`, {})
    const { text } = await dashboard.get('/dashboard/audit-log/?area=webhooks&outcome=dismissed')
    expect(text).toContain(one.id)
    expect(text).not.toContain(other.id)
  })
})

const LIST = '/dashboard/line-differences/'

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
    const second = await dashboard.get(nextIn(first) ?? '')
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
