import { describe, expect, it } from 'vitest'
import { startServer } from '../fixtures/server.ts'
import { overflow } from './axe.ts'
import { open, orders, page, row, served, signIn } from './pages.ts'

describe('the dashboard', () => {
  it('shows the scopes only of a choice among them', async () => {
    await signIn()
    await open('API keys')
    await page.getByRole('link', { name: 'Create key' }).click()
    await page.waitForURL('**/new/api-key/')
    const scope = page.getByRole('checkbox', { name: 'integrations.orders.read' })
    await scope.waitFor({ state: 'hidden' })
    await page.getByLabel('Chosen scopes').check()
    await scope.check()
    await page.getByLabel('Name').fill('Order reader')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await row('Order reader').getByText('integrations.orders.read').waitFor()
  })

  it('pins a key to a release and limits it, within the bounds that the form has', async () => {
    await signIn()
    await open('API keys')
    await page.getByRole('link', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Old client')
    await page.getByLabel('Release').selectOption('1.0, ends 2027-12-01 (UTC)')
    const limit = page.getByLabel('Requests per minute')
    for (const refused of ['0', '30001', '1.5']) {
      await limit.fill(refused)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.locator('#rate_limit:focus:invalid').waitFor()
    }
    await limit.fill('60')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await row('Old client')
      .getByText(/release 1\.0, ends Dec 1, 2027 \(UTC\)/)
      .waitFor()
    await row('Old client').getByText('60 per minute').waitFor()

    await row('Old client').getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Release').selectOption('Current')
    await expect.poll(() => limit.inputValue()).toBe('60')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The API key was saved.').waitFor()
    await row('Old client').getByText('60 per minute').waitFor()
    await expect.poll(() => row('Old client').getByText('release').count()).toBe(0)
  })

  it.each([320, 390, 768])('never scrolls sideways at a width of %i', async (width) => {
    await orders(await served.createKey(['integrations.*']))
    await expectNoSidewaysScroll(width)
  })
})

describe('the dashboard of a tenant that nobody has called yet', () => {
  it('never scrolls sideways at a width of 320', async () => {
    const quiet = await startServer()
    try {
      await expectNoSidewaysScroll(320, quiet)
      await page.waitForLoadState('networkidle')
    } finally {
      await quiet.close()
    }
  })
})

async function expectNoSidewaysScroll(width: number, at = served): Promise<void> {
  await page.setViewportSize({ width, height: 700 })
  await signIn(undefined, at)
  for (const path of ['', 'api-keys/', 'new/api-key/', 'partners/', 'workspace/', 'audit-log/']) {
    await page.goto(`${at.origin}/dashboard/${path}`)
    expect([path, await overflow(page)]).toEqual([path, 0])
  }
}

const keep = () => page.getByLabel('Keep')

/** Saves, and waits for the page that says so: the page before may say it too. */
async function save() {
  const loaded = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Save' }).click()
  await loaded
  await page.getByText('The workspace was saved.').waitFor()
}

describe('what is kept of documents', () => {
  it('is set for the workspace and switched off, with all that says what it means', async () => {
    await signIn()
    await open('Workspace')
    await expect.poll(() => keep().inputValue()).toBe('')
    await page.getByLabel('Days', { exact: true }).waitFor({ state: 'hidden' })
    await keep().selectOption('Documents of failed requests')
    await page.getByText('settings.documents.read').waitFor()
    await page.getByLabel('Days', { exact: true }).fill('14')
    await page.getByLabel('Redact').fill('customer.email\nlines[].note\n')
    await save()
    await expect.poll(() => keep().inputValue()).toBe('errors')
    await expect
      .poll(() => page.getByLabel('Redact').inputValue())
      .toBe('customer.email\nlines[].note')
    // What is hidden may be wrong: the form is sent all the same.
    await page.getByLabel('Days', { exact: true }).fill('a year')
    await keep().selectOption('Nothing')
    await save()
    await expect.poll(() => keep().inputValue()).toBe('')
    await page.getByLabel('Days', { exact: true }).waitFor({ state: 'hidden' })
  })

  it('fits a phone', async () => {
    await signIn()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${served.origin}/dashboard/new/partner/`)
    await page.getByLabel('Name').fill('Nordvik')
    await page.getByRole('button', { name: 'Create partner' }).click()
    await keep().selectOption('Documents of all requests')
    await page.getByText(/deletes it/).scrollIntoViewIfNeeded()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })
})
