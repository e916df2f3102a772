import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../served/server.ts'
import { complaintsOf, openChromium } from './chromium.ts'

let served: Served
let browser: Browser
let key: string
let complaints: string[] = []

beforeAll(async () => {
  served = await startServer()
  browser = await openChromium()
  key = await served.createKey(['settings.*', 'integrations.*'])
  const ask = (path: string) =>
    fetch(`${served.origin}/api/integrations/v1/${path}`, { headers: { 'X-API-Key': key } })
  for (const path of ['orders/', 'orders/', 'orders/unknown/']) await ask(path)
})
afterAll(async () => {
  await browser.close()
  await served.close()
})
afterEach(() => {
  expect(complaints).toEqual([])
})

/** A page of a signed-in visitor whose browser is set up like this. */
async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  complaints = complaintsOf(page, served.origin)
  await page.goto(`${served.origin}/dashboard/sign-in/?next=${encodeURIComponent(path)}`)
  await page.getByLabel('Settings key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

const table = (page: Page) => page.getByRole('table', { name: /^Requests by class of status/ })
const plots = (page: Page) => page.getByRole('img', { name: /over time/ })

/** How many pixels of the first plot have this colour. */
const drawn = (page: Page, colour: string) =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const wanted = [1, 3, 5].map((at) => parseInt('${colour}'.slice(at, at + 2), 16)).join()
    let pixels = 0
    for (let at = 0; at < data.length; at += 4) {
      if ([data[at], data[at + 1], data[at + 2]].join() === wanted) pixels += 1
    }
    return pixels
  })()`)
const shows = async (page: Page, colour: string) => (await drawn(page, colour)) > 0

describe('the overview', () => {
  it('draws its plots from the table, which it folds up', async () => {
    const page = await visit('/dashboard/')
    await plots(page).first().waitFor()
    expect(await plots(page).count()).toBe(2)
    expect(await plots(page).first().getAttribute('aria-label')).toContain('3 in all, 1 of them')
    expect(await table(page).isVisible()).toBe(false)
    await page.getByText('The numbers as a table').click()
    expect(await table(page).getByRole('row').count()).toBe(25)
  })

  it('draws what the table tells', async () => {
    const page = await visit('/dashboard/', { colorScheme: 'light' })
    await plots(page).first().waitFor()
    const [taken, refused] = [await drawn(page, '#2b7bb9'), await drawn(page, '#c26a00')]
    expect(taken / refused).toBeGreaterThan(1.7)
    expect(taken / refused).toBeLessThan(2.1)
  })

  it('leaves the table open where the plots cannot be loaded', async () => {
    const page = await visit('/dashboard/workspace/')
    await page.route('**/charts-*.js', (route) => route.abort())
    await page.goto(`${served.origin}/dashboard/`)
    await expect.poll(() => complaints.length).toBeGreaterThan(0)
    expect(await table(page).isVisible()).toBe(true)
    complaints.length = 0
  })

  it('draws them anew in the colours of a scheme that has changed', async () => {
    const page = await visit('/dashboard/', { colorScheme: 'light' })
    await plots(page).first().waitFor()
    expect([await shows(page, '#2b7bb9'), await shows(page, '#58aee6')]).toEqual([true, false])
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => shows(page, '#58aee6')).toBe(true)
    expect(await shows(page, '#2b7bb9')).toBe(false)
  })

  it('shows the table where no script runs', async () => {
    const page = await visit('/dashboard/', { javaScriptEnabled: false })
    await table(page).waitFor()
    expect(await plots(page).count()).toBe(0)
  })

  it('loads what draws plots on no other page', async () => {
    const page = await visit('/dashboard/workspace/')
    const loaded = async () =>
      await page.evaluate<string[]>(
        `performance.getEntriesByType('resource').map(({ name }) => name)`,
      )
    await page.waitForLoadState('networkidle')
    expect((await loaded()).filter((name) => name.includes('charts'))).toEqual([])
    await page.goto(`${served.origin}/dashboard/`)
    await plots(page).first().waitFor()
    expect((await loaded()).filter((name) => name.includes('charts'))).toHaveLength(1)
  })

  it('leads from an error to its request', async () => {
    const page = await visit('/dashboard/')
    await page.getByRole('link', { name: 'Requests with NOT_FOUND' }).click()
    await page.getByText('/api/integrations/v1/orders/unknown/').first().waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
  })
})

describe('the audit log', () => {
  it("tells times in the reader's time zone, and the exact one on hover", async () => {
    const options = { timezoneId: 'Asia/Tokyo', locale: 'en-GB' }
    const page = await visit('/dashboard/audit-log/?area=integrations', options)
    const time = page.locator('tbody time').first()
    const instant = (await time.getAttribute('title')) ?? ''
    const inTokyo = new Date(Date.parse(instant) + 9 * 3_600_000).toISOString()
    expect(await time.textContent()).toContain(inTokyo.slice(11, 19).replace(/^0/, ''))
    expect(instant).toMatch(/Z$/)
  })

  it('opens a request by keyboard', async () => {
    const page = await visit('/dashboard/audit-log/?area=integrations')
    const request = page.locator('summary', { hasText: '/orders/unknown/' })
    await request.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy id' }).waitFor()
  })

  it('leaves empty filters out of its address', async () => {
    const page = await visit('/dashboard/audit-log/?area=integrations')
    await page.getByText('Filters: area integrations').click()
    await page.getByLabel('Status').fill('404')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/status=404/)
    expect(new URL(page.url()).search).toBe('?area=integrations&status=404')
    expect(await page.getByLabel('Status').inputValue()).toBe('404')
  })
})
