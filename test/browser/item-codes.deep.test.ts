import { describe, expect, it } from 'vitest'
import { call, openWindow, page, served } from './editor.ts'
import { look } from './look.ts'
import { openShop } from './waiting.ts'

const MAPPING = {
  inbound: {
    unmapped: 'drop',
    fields: {
      order_number: 'number',
      'items[].sku_code': { from: 'lines[].id', as: 'string', code: 'products' },
      'items[].quantity': 'lines[].qty',
    },
  },
}

describe('item codes', () => {
  it('are entered where a delivery lacks one, and imported as a table', async () => {
    await openWindow()
    const shop = await openShop('Kjøpmann')
    await call('PUT', `settings/v1/partners/${shop.id}/mappings/orders/`, MAPPING)
    await call('POST', 'integrations/v1/products/', { sku: 'CUP-GREEN' })
    for (const [number, id] of [
      ['O-1', 4711],
      ['O-2', 4711],
      ['O-3', 52],
    ]) {
      await shop.deliver({ number, lines: [{ id, qty: 2 }] })
    }
    await page.goto(`${served.origin}/dashboard/deliveries/`)
    await page.getByRole('link', { name: 'Enter what 4711 of Kjøpmann stands for' }).click()
    await look('item-codes')
    const row = page.getByRole('row', { name: '4711' })
    await row.getByLabel('Our SKU for 4711').fill('CUP-GREEN')
    await row.getByLabel('Units of 4711').fill('12')
    await row.getByRole('button', { name: 'Save 4711' }).click()
    await page.getByText('The item code was saved.').waitFor()
    await page.getByRole('link', { name: 'Import CSV' }).click()
    await look('item-codes-import')
    await page.getByLabel('Table').fill('code;sku_code;units\n52;CUP-BLUE;6\n53;;1')
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByRole('heading', { name: 'Imported item codes' }).waitFor()
    await look('item-codes-imported')
    await page.getByRole('link', { name: 'Show the item codes' }).click()
    await page.getByRole('row', { name: '52 CUP-BLUE 6' }).waitFor()
    await look('item-codes-list')
    await page.getByRole('link', { name: 'Delete 52' }).click()
    await page.getByRole('button', { name: 'Delete code' }).click()
    await page.getByText('The item code was deleted.').waitFor()
    expect(await page.getByRole('row', { name: '52 CUP-BLUE' }).count()).toBe(0)
  }, 120_000)
})
