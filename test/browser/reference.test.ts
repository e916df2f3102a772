import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RELEASE_GUIDE } from '../../src/middleware/release.ts'
import { type Served, startServer } from '../served/server.ts'
import { openChromium } from './chromium.ts'

const ORDERS = '/api/integrations/v1/orders/'

let served: Served
let browser: Browser

beforeAll(async () => {
  served = await startServer()
  browser = await openChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.close()
})

const VIEWS: [string, BrowserContextOptions][] = [
  ['on a desktop', { viewport: { width: 1400, height: 900 } }],
  ['on a dark desktop', { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 380, height: 800 } }],
]

/** A page that tells what it asked for and what it complained of. */
async function openPage(options: BrowserContextOptions) {
  const page = await (await browser.newContext(options)).newPage()
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (line) => {
    // A violation of the content security policy is one of these, too.
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== served.origin && protocol !== 'data:') foreign.push(request.url())
  })
  return { page, complaints, foreign }
}

async function read(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(`${served.origin}/docs/${path}`)
  await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
}

describe.each(VIEWS)('the reference %s', (_, options) => {
  it('shows both documents, and asks nobody else for anything', async () => {
    const { page, complaints, foreign } = await openPage(options)
    await read(page, '', 'Crossdock integrations API')
    await read(page, '?api=settings', 'Crossdock settings API')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
      page.viewportSize()?.width,
    )
    const isDark = await page.evaluate(`document.body.classList.contains('dark-mode')`)
    expect(isDark).toBe(options.colorScheme === 'dark')
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
    await page.context().close()
  })
})

describe('the Link of an answer to a pinned key', () => {
  it('leads to what is said of releases', async () => {
    const { page } = await openPage({ viewport: { width: 1400, height: 900 } })
    await page.goto(served.origin + RELEASE_GUIDE)
    const heading = page.getByRole('heading', { name: 'Releases', exact: true }).first()
    await heading.waitFor()
    await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(900)
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0)
    await page.context().close()
  })
})

describe('an operation', () => {
  it('can be tried with a key, its example as it stands', async () => {
    const { page, complaints, foreign } = await openPage({ viewport: { width: 1400, height: 900 } })
    const key = await served.createKey(['integrations.*'])
    await fetch(`${served.origin}/api/integrations/v1/products/`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sku: 'TEA-EARLGREY-100' }),
    })
    await read(page, '', 'Crossdock integrations API')
    // The only text field of the page so far, next to the header's name.
    await page.locator('input[autocomplete="off"]').first().fill(key)
    await page.goto(`${served.origin}/docs/#integrations/tag/orders/POST${ORDERS}`)
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    const answer = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: /^Send/ }).first().click()
    expect((await answer).status()).toBe(201)
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
    await page.context().close()
  })
})
