import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { ITEM_CODE, pathAt } from '../fixtures/endpoints.ts'
import { PAGES } from '../fixtures/pages.ts'
import { expectLegible, oddDates } from './axe.ts'
import { call, complaints, page, served } from './editor.ts'
import { openFailing } from './failures.ts'
import { layRecords } from './records.ts'
import { layWaiting } from './waiting.ts'
import { layWebhook } from './webhooks.ts'

/** By the first part of a path: the record of its pages. */
let ids: Record<string, string> | undefined

async function layAll() {
  const { orders, product, location } = await layRecords('Søndre')
  const failing = await openFailing('Nordre', 3)
  const key = await call('POST', 'settings/v1/api-keys/', { name: 'Shop', scopes: ['settings.*'] })
  const { id } = await layWebhook('Vestre')
  const codes = `settings/v1/partners/${failing.id}/item-codes/products/`
  await call('PUT', `${codes}${ITEM_CODE}/`, { sku_code: 'MUG-2', units: 12 })
  return {
    orders: `${orders[0]}`,
    products: product,
    locations: location,
    partners: failing.id,
    'api-keys': key.data.id as string,
    webhooks: id,
    connect: id,
    'audit-log': `${failing.ids[0]}`,
    deliveries: await layWaiting(),
  }
}

const GETS = PAGES.filter(({ method }) => method === 'GET').map(({ path }) => path)
/** What else people see: filters, errors, a page that is not there, the reference. */
const OTHERS = [
  '/dashboard/orders/?status=draft&partner_id=x',
  '/dashboard/inventory/?quantity_below=102',
  '/dashboard/inventory/?sku_code=none',
  '/dashboard/products/?is_active=all',
  '/dashboard/search/?q=S',
  '/dashboard/search/?q=none',
  '/dashboard/orders/?search=S',
  '/dashboard/locations/?search=none',
  '/dashboard/products/?search=x&is_active=all',
  '/dashboard/webhooks/?state=expired',
  '/dashboard/new/webhook/?preset=stripe',
  '/dashboard/audit-log/?status=400',
  '/dashboard/audit-log/?from=x',
  ...['basic', 'hmac', 'saleor-orders', 'square-orders', 'stripe', 'token'].map(
    (preset) => `/dashboard/connect/${preset}/`,
  ),
  '/dashboard/nowhere/',
  '/docs/',
]

const COLOURS = ['light', 'dark'] as const
const PLACES = COLOURS.flatMap((colours) =>
  [...GETS, ...OTHERS].map((path) => [colours, path] as const),
)

describe('axe', () => {
  it.each(sample(PLACES, 4, 40))('finds nothing in %s colours at %s', async (colorScheme, path) => {
    await page.emulateMedia({ colorScheme })
    ids ??= await layAll()
    const [, , resource = ''] = path.split('/')
    await page.goto(served.origin + pathAt(path, ids[resource] ?? ''))
    await expectLegible(page)
    // The reference shows dates of examples and of releases.
    if (path !== '/docs/') expect(await oddDates(page)).toEqual([])
    // Chromium complains of each page that is 400 or 404.
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !/ 40[04] /.test(text)))
  })
})
