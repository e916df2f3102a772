import { describe, expect, it } from 'vitest'
import { call, openEditor, openWindow, page, pasted, preview, served } from './editor.ts'
import { look } from './look.ts'

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
