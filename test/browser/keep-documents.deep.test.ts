import { describe, expect, it } from 'vitest'
import { open, page, served, signIn } from './pages.ts'

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
