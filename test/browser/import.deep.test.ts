import { describe, expect, it } from 'vitest'
import { call, openEditor, openWindow, page, pasted, preview, served } from './editor.ts'
import { look } from './look.ts'
import { openShop } from './waiting.ts'

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

// As suppliers send it: semicolons, decimal commas, windows-1252, and names in their own language.
const FILE = [
  'Artikel;Bezeichnung;Lagerplatz;Menge',
  'KANNE-1;Gießkanne 3 €;D-04;1.200',
  'TASSE-1;Täßchen;D-04;12',
]

describe("a supplier's CSV", () => {
  it('becomes stock in the list by the dashboard alone', async () => {
    await openWindow()
    for (const sku of ['KANNE-1', 'TASSE-1'])
      await call('POST', 'integrations/v1/products/', { sku })
    await call('POST', 'integrations/v1/locations/', { code: 'D-04' })
    await openEditor(undefined, 'inventory')
    await pasted().fill(FILE.join('\n'))
    await page.getByRole('button', { name: 'Fill in what fits' }).waitFor()
    await look('supplier-file-offers')
    await page.getByRole('button', { name: 'Fill in what fits' }).click()
    await preview().getByText('1200').first().waitFor()
    await look('supplier-file-mapping')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByRole('link', { name: 'Use a file' }).click()
    const [windows, sheet] = [
      Buffer.from(FILE.join('\r\n').replace('€', '\x80'), 'latin1'),
      'stock.csv',
    ]
    await page
      .getByLabel('File')
      .setInputFiles({ name: sheet, mimeType: 'text/csv', buffer: windows })
    await page.getByText('stock.csv was read as windows-1252.').waitFor()
    expect(await page.getByLabel('Its text').inputValue()).toContain('Gießkanne 3 €')
    await page.getByRole('button', { name: 'Check it' }).click()
    await page.getByText('It would be taken. Nothing has changed yet.').waitFor()
    await look('supplier-file-checked')
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('It has been taken.').waitFor()
    await look('supplier-file-sent')
    await page.goto(`${served.origin}/dashboard/inventory/`)
    await page.getByRole('row', { name: /KANNE-1.*1,200/ }).waitFor()
  }, 120_000)
})

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
