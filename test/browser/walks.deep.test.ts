import { describe, expect, it } from 'vitest'
import { call, MAPPING, menu, page, served } from './editor.ts'
import { openFailing } from './failures.ts'
import { look } from './look.ts'
import { layWaiting } from './waiting.ts'

// What people of a warehouse come for, from the overview on, by what is written on the pages alone.

const click = (name: string | RegExp) => page.getByRole('link', { name }).first().click()

const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()

async function search(text: string): Promise<void> {
  await page.goto(`${served.origin}/dashboard/`)
  await page.getByLabel('Find anything').fill(text)
  await page.getByRole('search', { name: 'Everything' }).getByRole('button').click()
}

const stock = (quantity: number) =>
  call('POST', 'integrations/v1/inventory/', {
    inventory: [{ location_code: 'W-01', sku_code: 'TEA-01', quantity }],
  })

describe('a person of the warehouse', () => {
  it('looks for an order by its customer, and finds why it has not come in', async () => {
    await layWaiting('KRUG-9')
    await search('Bauernfeind')
    await page.getByText('Is an order missing?').waitFor()
    await look('walk-nothing-found')
    await click('what waits')
    await click(/^order K-/)
    await page.getByText('It waits for the product KRUG-9.').waitFor()
    await click('Create the product KRUG-9')
    await press('Create a product')
    await page.getByText('waited for this product and is being applied').waitFor()
  })

  it('looks for an order that was refused, corrects the mapping, and sends it again', async () => {
    const shop = await openFailing('Walk', 5)
    await page.goto(`${served.origin}/dashboard/partners/${shop.id}/`)
    await page.getByText('was refused in 5 requests').waitFor()
    await look('walk-check-up')
    await search('Walk-1')
    await click('what was refused in the last 7 days')
    await page.getByText('Walk-1 · lines[0].qty').click()
    await click('Document and details')
    await click('Open in the mapping editor')
    await press('Read it as an integer')
    await press('Save mapping')
    await page.getByText('The mapping was saved.').waitFor()
    await look('walk-mapping-saved')
    await click('Send the failed ones of this partner again')
    await look('walk-send-again')
    await press('Send 5 failed requests again')
    await page.getByText('5 of 5 requests are done: 5 accepted.').waitFor()
    await look('walk-sent-again')
    expect((await call('GET', 'integrations/v1/orders/Walk-1/')).status).toBe(200)
  })

  it('returns a mapping to what it was before somebody else changed it', async () => {
    const { id } = (await call('POST', 'settings/v1/partners/', { name: 'Walk, broken' })).data
    const at = `settings/v1/partners/${id}/mappings/orders/`
    await call('PUT', at, MAPPING)
    const broken = { ...MAPPING.inbound.fields, order_number: 'header.id' }
    await call('PUT', at, { inbound: { ...MAPPING.inbound, fields: broken } })
    await page.goto(`${served.origin}/dashboard/`)
    await menu('Partners')
    await click('Walk, broken')
    await page
      .getByText(/changed inbound \(mapping of orders\)/)
      .getByRole('link', { name: /Show change/ })
      .click()
    await page.getByRole('row', { name: 'inbound order_number header.number header.id' }).waitFor()
    await look('walk-change')
    await click('The rules before this change')
    await press('Save mapping')
    await page.getByText('The mapping was saved.').waitFor()
    expect((await call('GET', at)).data.inbound.fields.order_number).toBe('header.number')
  })

  it('sees where a quantity came from, and takes the upload back', async () => {
    await call('POST', 'integrations/v1/locations/', { code: 'W-01' })
    await stock(5)
    await stock(50)
    await page.goto(`${served.origin}/dashboard/`)
    await menu('Products')
    await click('TEA-01')
    await click('History of its stock')
    await page.getByRole('columnheader', { name: 'Who' }).waitFor()
    await page.getByRole('row').nth(1).getByRole('link').first().click()
    await click('Undo')
    await press('Undo')
    await page.getByText('The request was undone.').waitFor()
    const { data } = await call('GET', 'integrations/v1/inventory/W-01/')
    expect(data.map(({ quantity }: { quantity: number }) => quantity)).toEqual([5])
  })

  it("finds from the import of stock what a supplier's file needs", async () => {
    await page.goto(`${served.origin}/dashboard/`)
    await menu('Inventory')
    await click('Import CSV')
    await page.getByLabel('Its text').fill('sku_code;location_code;quantity\nTEA-01;none;two\n')
    await press('Check it')
    await page.getByText('Must be a whole number.').waitFor()
    await look('walk-import-wrong')
    await click('Correct the table')
    await menu('Inventory')
    await click('Import CSV')
    await look('walk-import')
    await click('all partners')
    await page.getByRole('heading', { name: 'Partners', level: 1 }).waitFor()
  })
})
