import { describe, expect, it } from 'vitest'
import { expectNoSidewaysScroll, findings } from './axe.ts'
import { faintTexts } from './contrast.ts'
import { complaints, menu, page, row, served } from './editor.ts'
import { layRecords } from './records.ts'

describe('the pages of records', () => {
  it('are legible in light and dark, and never scroll sideways', async () => {
    const long = 'x'.repeat(200)
    const { orders, product, location } = await layRecords(`Søndre ${long}`)
    const [order] = orders
    const paths = [
      'orders/',
      'orders/?status=draft&partner_id=x',
      `orders/${order}/`,
      `orders/${order}/cancel/`,
      'products/?is_active=all',
      `products/${product}/`,
      `products/${product}/deactivate/`,
      'locations/',
      `locations/${location}/`,
      'inventory/',
      'inventory/?quantity_below=102',
      'inventory/low/',
      'inventory/?sku_code=none',
    ]
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const path of paths) {
        await page.goto(`${served.origin}/dashboard/${path}`)
        expect([path, await faintTexts(page)]).toEqual([path, []])
      }
    }
    for (const path of paths) {
      await page.goto(`${served.origin}/dashboard/${path}`)
      await expectNoSidewaysScroll(page, path)
    }
    await page.waitForLoadState('networkidle')
    // Chromium complains of each page that is 400.
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
    complaints.length = 0
  }, 120_000)
})

describe('records in the dashboard', () => {
  it('are found: orders of a partner, the lines and history of one, its request, and low stock', async () => {
    await layRecords('Nordvik')
    await layRecords('Fjord')
    await menu('Orders')
    await page.getByText('Filters', { exact: true }).click()
    await page.getByLabel('Partner').selectOption('Nordvik')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/\?partner_id=[0-9a-f-]{36}$/)
    await expect.poll(() => row(/Nordvik-\d/).count()).toBe(2)
    await expect.poll(() => row(/Fjord/).count()).toBe(0)

    await page.getByRole('link', { name: 'Nordvik-1' }).click()
    await page.getByRole('heading', { name: 'Order Nordvik-1', level: 1 }).waitFor()
    await expect.poll(() => row(/^TEA-01 4 0 pending gift$/).count()).toBe(1)
    await page.getByText('Channel', { exact: true }).waitFor()
    await page.getByText('For developers').click()
    await page.getByText('"channel": "web"').waitFor()
    expect(await findings(page)).toEqual([])
    await page.getByRole('link', { name: 'Created', exact: true }).click()
    await page.getByRole('heading', { name: 'Request', exact: true }).waitFor()
    await page.getByText('Key of Nordvik').waitFor()

    await page.goBack()
    await page.getByRole('link', { name: 'TEA-01' }).click()
    await page.getByRole('heading', { name: 'Product TEA-01', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Nordvik-A', exact: true }).click()
    await page.getByRole('link', { name: 'In the inventory' }).click()
    await page.getByLabel('Quantity below').fill('10')
    await page.keyboard.press('Enter')
    await page.waitForURL(/quantity_below=10/)
    await expect.poll(() => row(/^Nordvik-A TEA-01 3 Adjust/).count()).toBe(1)
    await expect.poll(() => row(/TEA-02/).count()).toBe(0)
  })

  it('are cancelled and deactivated by keyboard alone', async () => {
    await layRecords('Vestre')
    await menu('Orders')
    const press = async (name: string) => {
      await page.getByRole('link', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    await press('Vestre-2')
    await press('Cancel order')
    await page.getByLabel('Reason').focus()
    await page.keyboard.type('Sold out')
    await page.keyboard.press('Enter')
    await page.getByText('The order is cancelled.').waitFor()
    await page.getByText('Sold out').waitFor()
    await menu('Locations')
    await press('Vestre-A')
    await press('Deactivate')
    await page.getByRole('button', { name: 'Deactivate location' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('The location is inactive.').waitFor()
  })
})
