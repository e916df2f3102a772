import { describe, expect, it } from 'vitest'
import { drawn, plots, table, visit } from './overview.ts'

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
