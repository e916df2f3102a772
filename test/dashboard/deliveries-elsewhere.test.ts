import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { noProduct, skuNotFound } from '../../src/records/near-codes.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'
import { goOn, importOf, numbersOf } from './imports.ts'
import { wordsOf } from './mapping-forms.ts'
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
    const answer = await dashboard.post('/dashboard/new/product/', { sku, quantity: 'x' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('id="quantity-error"')
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
    await env.DB_DEMO.prepare(set).bind(soon, one.id).run()
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
