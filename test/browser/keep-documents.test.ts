import { describe, expect, it } from 'vitest'
import { inDeepPass } from '../depth.ts'
import { open, page, served, signIn } from './pages.ts'

const keep = () => page.getByLabel('Keep')

describe('what is kept of documents', () => {
  it('is set for the workspace and switched off, with all that says what it means', async () => {
    await signIn()
    await open('Workspace')
    expect(await keep().inputValue()).toBe('')
    // The style sheet may still be on its way.
    await expect.poll(() => page.getByLabel('Days', { exact: true }).isVisible()).toBe(false)
    await keep().selectOption('Documents of failed requests')
    await page.getByText('settings.documents.read').waitFor()
    await page.getByLabel('Days', { exact: true }).fill('14')
    await page.getByLabel('Redact').fill('customer.email\nlines[].note\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The workspace was saved.').waitFor()
    expect(await keep().inputValue()).toBe('errors')
    expect(await page.getByLabel('Redact').inputValue()).toBe('customer.email\nlines[].note')
    // What is hidden may be wrong: the form is sent all the same.
    await page.getByLabel('Days', { exact: true }).fill('a year')
    await keep().selectOption('Nothing')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The workspace was saved.').waitFor()
    expect(await keep().inputValue()).toBe('')
    expect(await page.getByLabel('Days', { exact: true }).isVisible()).toBe(false)
  })

  inDeepPass(() => {
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
})
