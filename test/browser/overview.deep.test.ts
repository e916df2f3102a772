import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { complaints, drawn, plots, served, table, visit } from './overview.ts'

const shows = async (page: Page, colour: string) => (await drawn(page, colour)) > 0

describe('the overview', () => {
  it('leaves the table open where the plots cannot be loaded', async () => {
    const page = await visit('/dashboard/workspace/')
    await page.route('**/charts-*.js', (route) => route.abort())
    await page.goto(`${served.origin}/dashboard/`)
    await expect.poll(() => complaints.length).toBeGreaterThan(0)
    await table(page).waitFor()
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
    await expect.poll(() => plots(page).count()).toBe(0)
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
})

describe('the audit log', () => {
  it("tells times in the reader's time zone, and the exact one on hover", async () => {
    const options = { timezoneId: 'Asia/Tokyo', locale: 'en-GB' }
    const page = await visit('/dashboard/audit-log/?area=integrations', options)
    const time = page.locator('tbody time').first()
    await expect.poll(() => time.getAttribute('title')).toMatch(/Z$/)
    const instant = (await time.getAttribute('title')) ?? ''
    const inTokyo = new Date(Date.parse(instant) + 9 * 3_600_000).toISOString()
    await expect.poll(() => time.textContent()).toContain(inTokyo.slice(11, 19).replace(/^0/, ''))
  })

  it('leaves empty filters out of its address', async () => {
    const page = await visit('/dashboard/audit-log/?area=integrations')
    await page.getByText('Filters: area integrations').click()
    await page.getByLabel('Status').fill('404')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/status=404/)
    expect(new URL(page.url()).search).toBe('?area=integrations&status=404')
    await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('404')
  })
})

describe('the overview', () => {
  it('draws its plots from the table, which it folds up', async () => {
    const page = await visit('/dashboard/')
    await plots(page).first().waitFor()
    await expect.poll(() => plots(page).count()).toBe(3)
    expect(await plots(page).first().getAttribute('aria-label')).toContain('3 in all, 1 of them')
    await table(page).waitFor({ state: 'hidden' })
    await page.getByText('The numbers as a table').click()
    await expect.poll(() => table(page).getByRole('row').count()).toBe(25)
  })

  it('draws what the table tells', async () => {
    const page = await visit('/dashboard/', { colorScheme: 'light' })
    await plots(page).first().waitFor()
    const [taken, refused] = [await drawn(page, '#2b7bb9'), await drawn(page, '#c26a00')]
    expect(taken / refused).toBeGreaterThan(1.7)
    expect(taken / refused).toBeLessThan(2.1)
  })

  it('leads from an error to its request', async () => {
    const page = await visit('/dashboard/')
    await page.getByRole('link', { name: 'Requests with NOT_FOUND' }).click()
    await page.getByText('/api/integrations/v1/orders/unknown/').first().waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  })
})

describe('the audit log', () => {
  it('opens a request by keyboard', async () => {
    const page = await visit('/dashboard/audit-log/?area=integrations')
    const request = page.locator('summary', { hasText: '/orders/unknown/' })
    await request.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy id' }).waitFor()
  })
})
