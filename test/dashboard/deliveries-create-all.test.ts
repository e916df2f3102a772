import { describe, expect, it } from 'vitest'
import { noProduct, skuNotFound } from '../../src/records/near-codes.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { shopDocument } from '../fixtures/webhooks.ts'
import { goOn, importOf, numbersOf, wordsOf } from './imports.ts'
import { ALL, create, dashboard, isWaiting, PATH, READ, shop, waiting } from './waiting.ts'

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
    expect(tableIn(await (await openDashboard(ALL)).get(several.at))).not.toBeNull()
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
