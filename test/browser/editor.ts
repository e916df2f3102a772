import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { Json } from '../fixtures/tenant.ts'
import { browser, served } from './browsing.ts'
import { complaintsOf } from './chromium.ts'

export const DOCUMENT = {
  header: { number: 'A-1', id: 'erp-1' },
  lines: [
    { article: { code: 'TEA-01' }, qty: 4 },
    { article: { code: 'TEA-02' }, qty: 1 },
  ],
}

export { browser, served }

export let context: BrowserContext

export let page: Page

export let admin: string

export let complaints: string[]

beforeAll(async () => {
  admin = await served.createKey(['settings.*', 'integrations.*'], 'Administrator')
  for (const sku of ['TEA-01', 'TEA-02']) await call('POST', 'integrations/v1/products/', { sku })
})

afterEach(async () => {
  expect(complaints).toEqual([])
  await context.close()
})

beforeEach(() => openWindow())

export async function openWindow(options: { javaScriptEnabled?: boolean } = {}): Promise<void> {
  await context?.close()
  context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  page = await context.newPage()
  complaints = complaintsOf(page, served.origin)
  await page.goto(`${served.origin}/dashboard/api-keys/`)
  await page.getByLabel('API key').fill(admin)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
}

export async function call(
  method: string,
  path: string,
  body?: object,
  key = admin,
): Promise<Json> {
  const answer = await fetch(`${served.origin}/api/${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, ...((await answer.json()) as object) }
}

export const menu = (name: string) =>
  page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click()

export const row = (name: string | RegExp) => page.getByRole('row', { name })

let last = 0

/** A new partner, with the editor of one of its mappings open. */
export async function openEditor(mapping?: object, resource = 'orders'): Promise<string> {
  last += 1
  const { id } = (await call('POST', 'settings/v1/partners/', { name: `Partner ${last}` })).data
  if (mapping) await call('PUT', `settings/v1/partners/${id}/mappings/${resource}/`, mapping)
  await page.goto(`${served.origin}/dashboard/partners/${id}/mappings/${resource}/`)
  return id
}

export const inbound = () => page.locator('[data-rules="inbound"]')

export const rows = () => inbound().locator('tbody tr')

export const pasted = () =>
  page.getByLabel('Try it: paste a document of the partner: JSON, XML, CSV or a form')

export const preview = () => page.getByRole('region', { name: 'Our record' })

export const paste = (document: object) => pasted().fill(JSON.stringify(document, null, 2))

export const see = (text: string) => preview().getByText(text).first().waitFor()

export const MAPPING = {
  inbound: {
    unmapped: 'drop',
    fields: {
      order_number: 'header.number',
      'items[].sku_code': 'lines[].article.code',
      'items[].quantity': 'lines[].qty',
    },
  },
}
