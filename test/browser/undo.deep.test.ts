import { expect, it } from 'vitest'
import { findings } from './axe.ts'
import { call, menu, page, row } from './editor.ts'

/** In both colours, and on a phone. */
async function findsNothing() {
  for (const colorScheme of ['light', 'dark'] as const) {
    // A colour that is on its way from the other scheme has no contrast.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await findings(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
  }
}

it('an upload is found in the history of stock, looked at and undone', async () => {
  const upload = (...quantities: number[]) =>
    call('POST', 'integrations/v1/inventory/', {
      inventory: quantities.map((quantity, index) => ({
        location_code: 'SHELF-1',
        sku_code: ['TEA-01', 'TEA-02'][index],
        quantity,
      })),
    })
  await call('POST', 'integrations/v1/locations/', { code: 'SHELF-1' })
  await upload(3)
  await upload(7, 8)
  await upload(9)

  await menu('Inventory')
  await page.getByRole('link', { name: 'History of stock' }).click()
  await page.getByRole('heading', { name: 'History of stock', level: 1 }).waitFor()
  await expect.poll(() => row(/SHELF-1 TEA-01 3 7 bulk import Administrator/).count()).toBe(1)
  await findsNothing()

  await row(/SHELF-1 TEA-02 none 8/)
    .locator('a[href^="/dashboard/audit-log/"]')
    .first()
    .click()
  await page.getByRole('heading', { name: 'What it changed' }).waitFor()
  await expect.poll(() => row(/SHELF-1 TEA-01 quantity 3 7/).count()).toBe(1)
  await findsNothing()

  await page.getByRole('link', { name: 'Undo' }).click()
  await page.getByText('1 quantity is set to 0, because the request created the record').waitFor()
  await page.getByText('1 quantity stays as it is: somebody has changed it since.').waitFor()
  await expect.poll(() => row(/SHELF-1 TEA-02 8 0/).count()).toBe(1)
  await expect.poll(() => row(/SHELF-1 TEA-01 7 9/).count()).toBe(1)
  await findsNothing()

  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The request was undone.').waitFor()
  await expect.poll(() => row(/SHELF-1 TEA-02 quantity 8 0/).count()).toBe(1)
  const { data } = await call('GET', 'integrations/v1/inventory/SHELF-1/')
  expect(data.map(({ quantity }: { quantity: number }) => quantity)).toEqual([0, 9])
})
