import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { RELEASE_GUIDE } from '../../src/middleware/release.ts'
import { inDeepPass, itInDeep, sample } from '../fixtures/depth.ts'
import { browser, served } from './browsing.ts'
import { complaintsOf } from './chromium.ts'
import { faintTexts } from './contrast.ts'

const ORDERS = '/api/integrations/v1/orders/'
const DESKTOP = { viewport: { width: 1400, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

/** What the page and all that it loads may weigh, as files. */
/** For each operation, with all that comes with the page. */
const BYTES_MAX = 9000

const VIEWS: [string, BrowserContextOptions][] = [
  ['on a desktop', DESKTOP],
  ['on a dark desktop', { ...DESKTOP, colorScheme: 'dark' }],
  ['on a phone', PHONE],
]

/** A page that tells what it complained of. */
async function openPage(options: BrowserContextOptions) {
  const page = await (await browser.newContext(options)).newPage()
  return { page, complaints: complaintsOf(page, served.origin) }
}

/** What the reference says of an operation of the integrations API. */
function operation(page: Page, name: string) {
  const section = page.getByRole('region', { name, exact: true })
  return {
    section,
    fold: section.getByText('Try it', { exact: true }),
    key: section.getByLabel('X-API-Key'),
    send: section.getByRole('button', { name: 'Send' }),
    status: section.getByRole('status'),
    curl: section.locator('form pre').first(),
    answered: section.locator('.answered'),
  }
}

async function setUp(): Promise<string> {
  const key = await served.createKey(['integrations.*'])
  await fetch(`${served.origin}/api/integrations/v1/products/`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ sku: 'TEA-EARLGREY-100' }),
  })
  return key
}

describe.each(sample(VIEWS, 1))('the reference %s', (_, options) => {
  it('shows both documents, and asks nobody else for anything', async () => {
    const { page, complaints } = await openPage(options)
    await page.goto(`${served.origin}/docs/`)
    for (const name of ['Crossdock integrations API', 'Crossdock settings API']) {
      await page.getByRole('heading', { level: 2, name }).last().waitFor()
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
      page.viewportSize()?.width,
    )
    const background = await page.evaluate<string>(
      'getComputedStyle(document.body).backgroundColor',
    )
    const isDark = Number(background.match(/\d+/)?.[0]) < 128
    expect(isDark).toBe(options.colorScheme === 'dark')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  itInDeep(
    'has no text that is hard to tell from its background, nor anything that is too wide',
    async () => {
      const { page } = await openPage(options)
      await page.goto(`${served.origin}/docs/`)
      await page.evaluate(
        `for (const folded of document.querySelectorAll('details')) folded.open = true`,
      )
      expect(await faintTexts(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
        page.viewportSize()?.width,
      )
      await page.context().close()
    },
  )
})

inDeepPass(() => {
  describe('the reference', () => {
    it('is light', async () => {
      const { page } = await openPage(DESKTOP)
      await page.goto(`${served.origin}/docs/`, { waitUntil: 'networkidle' })
      const bytes = await page.evaluate<number>(`['navigation', 'resource']
        .flatMap((type) => performance.getEntriesByType(type))
        .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)`)
      expect(bytes).toBeGreaterThan(100_000)
      const operations = await page.locator('section.operation').count()
      expect(bytes / operations).toBeLessThan(BYTES_MAX)
      await page.context().close()
    })

    it('can be read without a script, and then offers nothing to send', async () => {
      const { page } = await openPage({ ...DESKTOP, javaScriptEnabled: false })
      await page.goto(`${served.origin}/docs/`)
      const { section, fold, curl } = operation(page, 'Create an order')
      await section.getByText('integrations.orders.write').waitFor()
      await expect.poll(() => curl.textContent()).toContain('"order_number": "SO-3001"')
      await fold.waitFor({ state: 'hidden' })
      await page.context().close()
    })

    it('leads to HTTPS from plain HTTP, before a key can be typed', async () => {
      const { page } = await openPage(DESKTOP)
      await page.route('**/*', async (route) => {
        const { pathname } = new URL(route.request().url())
        const answer = await fetch(served.origin + pathname)
        await route.fulfill({
          status: answer.status,
          headers: { 'Content-Type': `${answer.headers.get('Content-Type')}` },
          body: await answer.text(),
        })
      })
      await page.goto('http://demo.example:8080/docs/#integrations/tag/orders')
      await page.waitForURL('https://demo.example/docs/#integrations/tag/orders')
      await page.context().close()
    })

    it('folds its contents on a phone, and again when something is chosen', async () => {
      const { page } = await openPage(PHONE)
      await page.goto(`${served.origin}/docs/`)
      const link = page.getByRole('navigation').getByRole('link', { name: 'Cancel an order' })
      await link.waitFor({ state: 'hidden' })
      await page.getByText('Contents', { exact: true }).click()
      await link.click()
      await link.waitFor({ state: 'hidden' })
      const { section } = operation(page, 'Cancel an order')
      await expect.poll(async () => (await section.boundingBox())?.y).toBeLessThan(200)
      await page.context().close()
    })
  })
})

inDeepPass(() => {
  describe('the Link of an answer to a pinned key', () => {
    it('leads to what is said of releases', async () => {
      const { page } = await openPage(DESKTOP)
      await page.goto(served.origin + RELEASE_GUIDE)
      const heading = page.getByRole('heading', { name: 'Releases', exact: true })
      await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(100)
      expect(await page.evaluate('scrollY')).toBeGreaterThan(0)
      await page.context().close()
    })
  })
})

describe('an operation', () => {
  it('can be tried with a key, its example as it stands', async () => {
    const { page, complaints } = await openPage(DESKTOP)
    const key = await setUp()
    await page.goto(`${served.origin}/docs/#integrations/tag/orders/POST${ORDERS}`)
    const { fold, key: field, send, status, answered, curl } = operation(page, 'Create an order')
    await fold.click()
    expect(await field.getAttribute('placeholder')).toBe('xd_demo_…')
    await field.fill(key)
    await send.click()
    await expect.poll(() => status.textContent()).toMatch(/^201 Created, \d+ ms$/)
    expect(JSON.parse((await answered.textContent()) ?? '')).toMatchObject({
      success: true,
      data: { order_number: 'SO-3001', status: 'pending' },
    })
    await expect.poll(() => curl.textContent()).not.toContain(key)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  itInDeep('takes the key that was typed at another one, and what its own fields say', async () => {
    const { page } = await openPage(DESKTOP)
    const key = await setUp()
    await page.goto(`${served.origin}/docs/`)
    const list = operation(page, 'List products')
    await list.fold.click()
    await list.key.fill(key)
    const find = operation(page, 'Retrieve a product')
    await find.fold.click()
    await find.section.getByLabel('identifier').fill('TEA / 100 %')
    await expect
      .poll(() => find.curl.textContent())
      .toContain(`curl -s '${served.origin}/api/integrations/v1/products/TEA%20%2F%20100%20%25/'`)
    await find.send.click()
    await expect.poll(() => find.status.textContent()).toMatch(/^404 Not Found, \d+ ms$/)
    await expect.poll(() => find.answered.textContent()).toContain('TEA / 100 %')
    const settings = operation(page, 'Retrieve the workspace')
    await expect.poll(() => settings.key.inputValue()).toBe('')
    await list.section.getByLabel('limit').fill('1')
    await list.send.click()
    await expect.poll(() => list.answered.textContent()).toContain('"limit": 1,')
    await page.context().close()
  })

  itInDeep('asks for a key before anything is sent', async () => {
    const { page } = await openPage(DESKTOP)
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.goto(`${served.origin}/docs/`, { waitUntil: 'networkidle' })
    const { fold, send } = operation(page, 'List orders')
    await fold.click()
    await send.click()
    expect(await page.evaluate('document.activeElement.name')).toBe('X-API-Key')
    expect(sent).toContain('/docs/')
    expect(sent).not.toContain('/api/integrations/v1/orders/')
    await page.context().close()
  })

  itInDeep('says so where no answer comes', async () => {
    const { page } = await openPage(DESKTOP)
    await page.goto(`${served.origin}/docs/`)
    await page.context().setOffline(true)
    const { fold, key, send, status } = operation(page, 'List orders')
    await fold.click()
    await key.fill('xd_demo_any')
    await send.click()
    await expect.poll(() => status.textContent()).toMatch(/^No answer came/)
    await page.context().close()
  })

  itInDeep('can be tried on a phone: its button is whole on the screen', async () => {
    const { page } = await openPage(PHONE)
    await page.goto(`${served.origin}/docs/`)
    const { fold, send } = operation(page, 'Create an order')
    await fold.tap()
    await send.scrollIntoViewIfNeeded()
    const box = await send.boundingBox()
    expect(box?.x).toBeGreaterThan(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(PHONE.viewport.width)
    expect(box?.height).toBeGreaterThan(24)
    await page.context().close()
  })
})
