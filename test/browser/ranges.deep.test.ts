import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { recordsOf } from '../fixtures/csv.ts'
import { inDeepPass, itInDeep } from '../fixtures/depth.ts'
import { complaints, plots, served, table, visit } from './overview.ts'

// Ranges of time, by readers in other time zones than UTC. The requests in the log are of this moment.

const HOUR = 3_600_000
const LOG = '/dashboard/audit-log/?area=integrations'

const NEW_YORK = { timezoneId: 'America/New_York', locale: 'en-US' }
const TOKYO = { timezoneId: 'Asia/Tokyo', locale: 'en-GB' }

/** As a field for local time holds the moment, to the minute. */
function localIn(zone: string, time: number): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  return parts.format(time).replace(' ', 'T')
}

const minuteOf = (time: number) => Math.floor(time / 60_000) * 60_000

const utc = (time: number) => new Date(time).toISOString().replace('.000Z', 'Z')

const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

const rowsIn = (page: Page) => page.locator('tbody tr').count()

async function enter(page: Page, from: string, to: string, button: string) {
  await page.getByLabel(/^From \(/).fill(from)
  await page.getByLabel(/^To \(/).fill(to)
  await page.getByRole('button', { name: button }).click()
}

describe('an own range in the audit log', () => {
  it('is entered and shown in local time, and shared as the same moments', async () => {
    const now = minuteOf(Date.now())
    const [from, to] = [now - HOUR, now + HOUR]
    const page = await visit(LOG, NEW_YORK)
    await page.getByText('Filters: area integrations').click()
    await page.getByText('From (America/New York)').waitFor()
    const local = [from, to].map((time) => localIn(NEW_YORK.timezoneId, time))
    await enter(page, local[0] ?? '', local[1] ?? '', 'Filter')
    await page.waitForURL(/from=/)
    expect(queryOf(page)).toEqual({ area: 'integrations', from: utc(from), to: utc(to) })
    expect(await rowsIn(page)).toBe(3)
    await expect.poll(() => page.getByLabel(/^From \(/).inputValue()).toBe(local[0])
    await page.getByLabel(/^From \(/).waitFor()

    const { pathname, search } = new URL(page.url())
    const other = await visit(pathname + search, TOKYO)
    await other.waitForURL(/from=/)
    await other.getByText('From (Asia/Tokyo)').waitFor()
    await expect
      .poll(() => other.getByLabel(/^From \(/).inputValue())
      .toBe(localIn(TOKYO.timezoneId, from))
    expect(await rowsIn(other)).toBe(3)

    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has('from'))
    await expect.poll(() => page.getByLabel(/^From \(/).inputValue()).toBe('')
  })

  itInDeep('holds nothing of another day', async () => {
    const page = await visit(LOG, TOKYO)
    await page.getByText('Filters: area integrations').click()
    const day = (back: number) => localIn(TOKYO.timezoneId, Date.now() - back * 24 * HOUR)
    await enter(page, day(2), day(1), 'Filter')
    await page.getByText('No request matches these filters.').waitFor()
  })

  itInDeep('keeps the moment of a local time that occurs twice', async () => {
    const range = 'from=2026-10-25T01:30:00Z&to=2026-10-25T05:00:15.250Z'
    const page = await visit(`${LOG}&${range}`, { timezoneId: 'Europe/Berlin' })
    await page.waitForURL(/from=/)
    const field = page.getByLabel(/^From \(/)
    await expect.poll(() => field.inputValue()).toBe('2026-10-25T02:30')
    await page.getByLabel('Status').fill('404')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/status=404/)
    expect(queryOf(page)).toMatchObject({
      from: '2026-10-25T01:30:00Z',
      to: '2026-10-25T05:00:15.250Z',
    })
  })

  itInDeep('says at the field what is wrong, and keeps what was entered', async () => {
    const page = await visit(LOG, NEW_YORK)
    await page.getByText('Filters: area integrations').click()
    await enter(page, '2026-03-02T09:30', '2026-03-01T09:30', 'Filter')
    await page.getByText('Must be later than “From”.').waitFor()
    const field = page.getByLabel(/^To \(/)
    await expect.poll(() => field.inputValue()).toBe('2026-03-01T09:30')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('to')
    complaints.length = 0
  })

  itInDeep('replaces a preset, and a preset replaces it', async () => {
    const page = await visit(`${LOG}&range=7d&status=404`, NEW_YORK)
    await page.waitForURL(/range=7d/)
    const now = minuteOf(Date.now())
    const local = [now - HOUR, now + HOUR].map((time) => localIn(NEW_YORK.timezoneId, time))
    await enter(page, local[0] ?? '', local[1] ?? '', 'Filter')
    await page.waitForURL(/from=/)
    expect(Object.keys(queryOf(page)).toSorted()).toEqual(['area', 'from', 'status', 'to'])
    await page.getByRole('link', { name: '30 days' }).click()
    await page.waitForURL(/range=30d/)
    expect(queryOf(page)).toEqual({ area: 'integrations', range: '30d', status: '404' })
    expect(await rowsIn(page)).toBe(1)
  })

  itInDeep('works in UTC where no script runs, and says so', async () => {
    const page = await visit(`${LOG}&status=404&range=7d`, { ...TOKYO, javaScriptEnabled: false })
    await page.getByText('From (UTC)').waitFor()
    const now = Date.now()
    await enter(page, localIn('UTC', now - HOUR), localIn('UTC', now + HOUR), 'Filter')
    await page.waitForURL(/from=20/)
    expect(await rowsIn(page)).toBe(1)
    await expect.poll(() => page.locator('tbody time').first().textContent()).toMatch(/ UTC$/)
  })

  itInDeep('is downloaded as CSV with its filters', async () => {
    const page = await visit(`${LOG}&status=404`)
    const begun = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download CSV' }).click()
    const download = await begun
    expect(download.suggestedFilename()).toMatch(/^audit-log-demo-.*Z\.csv$/)
    const text = await readFile(await download.path(), 'utf8')
    expect(text.startsWith('\ufeffrequest_id,')).toBe(true)
    const rows = recordsOf(text.slice(1))
    expect(rows.map(({ path, status }) => [path, status])).toEqual([
      ['/api/integrations/v1/orders/unknown/', '404'],
    ])
  })
})

inDeepPass(() => {
  describe('an own range on the overview', () => {
    it('is entered in local time, and its charts tell it', async () => {
      const page = await visit('/dashboard/?range=7d', TOKYO)
      await plots(page).first().waitFor()
      const now = minuteOf(Date.now())
      const local = [now - HOUR / 2, now + HOUR / 2].map((time) => localIn('Asia/Tokyo', time))
      await enter(page, local[0] ?? '', local[1] ?? '', 'Show')
      await page.waitForURL(/from=/)
      expect(queryOf(page)).toEqual({ from: utc(now - HOUR / 2), to: utc(now + HOUR / 2) })
      await plots(page).first().waitFor()
      expect(await plots(page).first().getAttribute('aria-label')).toContain('3 in all')
      await page.getByText('The numbers as a table').click()
      await expect.poll(() => table(page).getByRole('row').count()).toBe(61)
    })

    it('narrows to the key that is chosen, and keeps the preset', async () => {
      const page = await visit('/dashboard/?range=1h')
      await page.getByRole('link', { name: /^Only this/ }).click()
      await page.waitForURL(/api_key_id=/)
      expect(queryOf(page)).toEqual({ range: '1h', api_key_id: expect.any(String) })
      await expect.poll(() => page.getByLabel('API key').inputValue()).not.toBe('')
      await page.getByLabel('API key').selectOption('')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.waitForURL((url) => !url.searchParams.has('api_key_id'))
      expect(page.url()).toBe(`${served.origin}/dashboard/?range=1h`)
    })
  })
})
