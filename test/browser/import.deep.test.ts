import { describe, expect, it } from 'vitest'
import { call, page, served } from './editor.ts'
import { look } from './look.ts'

const check = () => page.getByRole('button', { name: 'Check it' }).click()

describe('a table', () => {
  it('becomes products by itself, as a spreadsheet of Windows saves it', async () => {
    await call('POST', 'integrations/v1/locations/', { code: 'D-04' })
    await page.goto(`${served.origin}/dashboard/products/`)
    await page.getByRole('link', { name: 'Import CSV' }).click()
    await look('import')
    const skus = Array.from({ length: 200 }, (_, at) => `Gie\xdfkanne ${at}`)
    const table = ['SKU;Quantity;Cost', ...skus.map((sku) => `${sku};4;3.20`), 'Zuviel;x;1']
    const buffer = Buffer.from(table.join('\r\n'), 'latin1')
    const file = { name: 'products.csv', mimeType: 'text/csv', buffer }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByText('products.csv was read as windows-1252.').waitFor()
    await check()
    await page.getByText('1 of 201 rows is wrong, and would be left out.').waitFor()
    await page.getByRole('row', { name: 'row 202, column "Quantity"' }).waitFor()
    await look('import-checked')
    await page.getByRole('button', { name: 'Import 200 rows, without the wrong ones' }).click()
    await page.getByText('200 of 200 rows are done: 200 created').waitFor()
    await look('import-done')
    const { data } = await call('GET', 'integrations/v1/products/Gie%C3%9Fkanne%20199/')
    expect(data).toMatchObject({ quantity: 4, cost: '3.20' })
  }, 120_000)

  it('becomes stock, and is undone', async () => {
    await page.goto(`${served.origin}/dashboard/inventory/`)
    await page.getByRole('link', { name: 'Import CSV' }).click()
    await page
      .getByLabel('Its text')
      .fill('location_code;sku_code;quantity\nD-04;Gießkanne 1;7\nD-04;none;1')
    await check()
    await look('import-stock-checked')
    await page.getByRole('button', { name: 'Import 1 row, without the wrong ones' }).click()
    await page.getByText('1 created, 0 changed.').waitFor()
    await look('import-stock-done')
    await page.getByRole('link', { name: 'see or undo it' }).waitFor()
  }, 120_000)
})
