import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../served/server.ts'
import type { Json } from '../tenant.ts'
import { complaintsOf, openChromium } from './chromium.ts'

const DOCUMENT = {
  header: { number: 'A-1', id: 'erp-1' },
  lines: [
    { article: { code: 'TEA-01' }, qty: 4 },
    { article: { code: 'TEA-02' }, qty: 1 },
  ],
}

let served: Served
let browser: Browser
let context: BrowserContext
let page: Page
let admin: string
let complaints: string[]

beforeAll(async () => {
  served = await startServer()
  browser = await openChromium()
  admin = await served.createKey(['settings.*', 'integrations.*'], 'Administrator')
})
afterAll(async () => {
  await browser.close()
  await served.close()
})

beforeEach(async () => {
  await openWindow()
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await context.close()
})

async function openWindow(options: { javaScriptEnabled?: boolean } = {}): Promise<void> {
  await context?.close()
  context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  page = await context.newPage()
  complaints = complaintsOf(page, served.origin)
  await page.goto(`${served.origin}/dashboard/api-keys/`)
  await page.getByLabel('Settings key').fill(admin)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
}

async function call(method: string, path: string, body?: object, key = admin): Promise<Json> {
  const answer = await fetch(`${served.origin}/api/${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, ...((await answer.json()) as object) }
}

let last = 0

/** A new partner, with the editor of one of its mappings open. */
async function openEditor(mapping?: object, resource = 'orders'): Promise<string> {
  last += 1
  const { id } = (await call('POST', 'settings/v1/partners/', { name: `Partner ${last}` })).data
  if (mapping) await call('PUT', `settings/v1/partners/${id}/mappings/${resource}/`, mapping)
  await page.goto(`${served.origin}/dashboard/partners/${id}/mappings/${resource}/`)
  return id
}

const inbound = () => page.locator('[data-rules="inbound"]')
const rows = () => inbound().locator('tbody tr')
const source = (target: string) =>
  rows()
    .filter({ has: page.locator(`[value="${target}"]`) })
    .getByLabel('Their path')
const pasted = () => page.getByLabel('Try it: a document of theirs, as JSON')
const preview = () => page.getByRole('region', { name: 'Our record' })
const paste = (document: object) => pasted().fill(JSON.stringify(document, null, 2))
const see = (text: string) => preview().getByText(text).first().waitFor()

const MAPPING = {
  inbound: {
    unmapped: 'drop',
    fields: {
      order_number: 'header.number',
      'items[].sku_code': 'lines[].article.code',
      'items[].quantity': 'lines[].qty',
    },
  },
}

describe('the editor of a mapping', () => {
  it('shows what the rules make of a document while they are written, and saves them', async () => {
    const id = await openEditor()
    expect(await rows().count()).toBe(3)
    await paste(DOCUMENT)
    await see('This document would be refused')
    await source('order_number').fill('header.number')
    await source('items[].sku_code').fill('lines[].article.code')
    await source('items[].quantity').fill('lines[].qty')
    await see('This document would be accepted.')
    await preview()
      .getByRole('row', { name: 'items[1].sku_code "TEA-02" lines[1].article.code' })
      .waitFor()

    await inbound().getByRole('button', { name: 'Add rule' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('metadata.source')
    await page.keyboard.press('Tab')
    await page.keyboard.type('fixed')
    await page.keyboard.press('Tab')
    await page.keyboard.type('acme')
    await see('The mapping cannot be saved yet.')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('"acme"')
    await preview().getByRole('row', { name: 'metadata.source "acme" fixed' }).waitFor()

    await paste({ ...DOCUMENT, lines: [{ article: 'TEA-01', qty: 4 }] })
    await see('The mapping expects an object here, not a string.')
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
    expect(await pasted().inputValue()).toBe(JSON.stringify(DOCUMENT, null, 2))
    await see('This document would be accepted.')

    for (const sku of ['TEA-01', 'TEA-02']) {
      await call('POST', 'integrations/v1/products/', { sku })
    }
    const linked = { name: 'Linked', partner_id: id }
    const { key } = (await call('POST', 'settings/v1/api-keys/', linked)).data
    const order = await call('POST', 'integrations/v1/orders/', DOCUMENT, key)
    expect(order.status).toBe(201)
    expect(order.data).toMatchObject({ order_number: 'A-1', metadata: { source: 'acme' } })
  })

  it('asks once for what is typed in one go, and shows the answer to the last of it', async () => {
    await openEditor(MAPPING)
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    const { promise, resolve: letGo } = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/preview/', async (route) => {
      asked += 1
      if (asked > 1) return await route.continue()
      const response = await route.fetch()
      await promise
      // The page has given up on it.
      await route.fulfill({ response }).catch(() => undefined)
    })
    await rows().nth(0).getByLabel('Their path').fill('header.id')
    await expect.poll(() => asked).toBe(1)
    await rows().nth(0).getByLabel('Their path').fill('')
    await rows().nth(0).getByLabel('Their path').pressSequentially('lines[0].article.code')
    const last = preview().getByRole('row', {
      name: 'order_number "TEA-01" lines[0].article.code',
    })
    await last.waitFor()
    letGo()
    await page.waitForTimeout(300)
    expect([asked, await last.isVisible()]).toEqual([2, true])
  })

  it('keeps a document with the mapping that it was pasted for', async () => {
    await openEditor()
    await paste(DOCUMENT)
    const pastedAt = page.url()
    await openEditor()
    expect(await pasted().inputValue()).toBe('')
    await page.goto(pastedAt)
    expect(await pasted().inputValue()).toBe(JSON.stringify(DOCUMENT, null, 2))
  })

  it('suggests the paths of the pasted document', async () => {
    await openEditor()
    await paste({ ...DOCUMENT, 'odd key': [1], none: [] })
    const suggested = () =>
      page
        .locator('datalist[id="inbound.sources"] option')
        .evaluateAll((options) => options.map((option) => option.getAttribute('value')))
    await expect
      .poll(suggested)
      .toEqual([
        'header',
        'header.number',
        'header.id',
        'lines[]',
        'lines[].article',
        'lines[].article.code',
        'lines[].qty',
        "['odd key'][]",
        'none',
      ])
  })

  it('takes rules away, and moves the focus to where one goes on', async () => {
    const id = await openEditor(MAPPING)
    await rows().nth(1).getByRole('button', { name: 'Remove rule' }).click()
    expect(await rows().count()).toBe(2)
    expect(await page.evaluate('document.activeElement.matches("[data-remove]")')).toBe(true)
    await rows().nth(1).getByRole('button', { name: 'Remove rule' }).press('Enter')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
    const { data } = await call('GET', `settings/v1/partners/${id}/mappings/orders/`)
    expect(data.inbound).toEqual({ unmapped: 'drop', fields: { order_number: 'header.number' } })
  })

  it('maps a direction as soon as it is given a rule', async () => {
    await openEditor(MAPPING)
    const outbound = page.locator('[data-rules="outbound"]')
    await page.getByText('Outbound: our record to theirs').click()
    await outbound.getByRole('button', { name: 'Add rule' }).click()
    expect(await outbound.getByLabel('Records').inputValue()).toBe('drop')
  })

  it('shows what is wrong beside its row, and keeps the rest', async () => {
    await openEditor(MAPPING)
    await rows().nth(0).getByLabel('Our field').fill('colour')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByRole('alert').waitFor()
    await rows().nth(0).getByText('There is no field "colour"').waitFor()
    expect(await rows().nth(2).getByLabel('Their path').inputValue()).toBe('lines[].qty')
    complaints.splice(
      0,
      complaints.length,
      ...complaints.filter((text) => !text.includes('status of 400')),
    )
    await page.reload()
    expect(await rows().nth(0).getByLabel('Our field').inputValue()).toBe('order_number')
  })

  it('says so where the session has ended, and keeps what is typed', async () => {
    await openEditor(MAPPING)
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    await context.clearCookies()
    await rows().nth(0).getByLabel('Their path').fill('header.id')
    await see('You are signed out.')
    expect(await rows().nth(0).getByLabel('Their path').inputValue()).toBe('header.id')
    expect(await preview().getByLabel('Settings key').count()).toBe(0)
  })

  it('says so where the preview is refused', async () => {
    await openEditor(MAPPING)
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    await page.route('**/preview/', (route) => route.abort())
    await rows().nth(0).getByLabel('Their path').fill('header.id')
    await see('The preview could not be loaded: there was no answer.')
    await page.unroute('**/preview/')
    const body = '<h1>Partner: orders</h1><p class="form-error">Try again.</p><p id="preview">'
    const refused = { status: 503, contentType: 'text/html', body }
    await page.route('**/preview/', (route) => route.fulfill(refused))
    await rows().nth(0).getByLabel('Their path').fill('header.number')
    await see('Try again.')
    await preview().getByRole('row', { name: 'order_number "A-1" header.number' }).waitFor()
    complaints.splice(
      0,
      complaints.length,
      ...complaints.filter((text) => !/ERR_FAILED|status of 503/.test(text)),
    )
  })

  it('previews by a button where there is no script', async () => {
    await openWindow({ javaScriptEnabled: false })
    await openEditor(MAPPING)
    expect(await rows().count()).toBe(6)
    await paste(DOCUMENT)
    await rows().nth(3).getByLabel('Our field').fill('notes')
    await rows().nth(3).getByLabel('Their path').fill('header.id')
    await page.getByRole('button', { name: 'Preview' }).click()
    await see('This document would be accepted.')
    await preview().getByRole('row', { name: 'notes "erp-1" header.id' }).waitFor()
    expect(await rows().count()).toBe(7)
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
  })

  it('stays usable with 200 rules and a document of a megabyte', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 197 }, (_, index) => [`metadata.field${index}`, `header.field${index}`]),
    )
    await openEditor({ inbound: { fields: { ...MAPPING.inbound.fields, ...fields } } })
    const line = { article: { code: 'TEA-01' }, qty: 1, text: 'x'.repeat(60) }
    const lines = Array.from({ length: 900 }, () => line)
    const text = JSON.stringify({ ...DOCUMENT, lines, pad: 'y'.repeat(9e5) }, null, 2)
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await pasted().focus()
    const started = Date.now()
    await page.keyboard.press('ControlOrMeta+V')
    await see('This document would be accepted.')
    expect(Date.now() - started).toBeLessThan(5000)
  })

  it.each([320, 390, 768, 1024, 1600])('never scrolls sideways at a width of %i', async (width) => {
    await page.setViewportSize({ width, height: 800 })
    await openEditor(MAPPING)
    await paste({ ...DOCUMENT, ['long'.repeat(40)]: 'x'.repeat(300) })
    await see('This document would be accepted.')
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
  })
})
