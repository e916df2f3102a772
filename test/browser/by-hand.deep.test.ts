import { describe, expect, it } from 'vitest'
import { call, complaints, page, served } from './editor.ts'
import { look } from './look.ts'

// What people of a warehouse do by hand, by the dashboard alone.

const open = (path: string) => page.goto(`${served.origin}/dashboard/${path}`)

/** The browser complains of each answer that refuses. */
const expectRefusals = () =>
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !/ 4\d\d /.test(text)))

const press = (name: string) => page.getByRole('button', { name }).click()

describe('records by hand', () => {
  it('creates a product and a location, and changes a field of one', async () => {
    await open('products/')
    await page.getByRole('link', { name: 'New product' }).click()
    await page.getByLabel('SKU').fill('LAMP-1')
    await page.getByLabel('Cost').fill('12.50')
    await page.getByLabel('Custom fields').fill('{"colour": "red"')
    await press('Create a product')
    await page.getByText('not valid JSON (line 1, column 17)').waitFor()
    await look('new-product-refused')
    expectRefusals()
    await page.getByLabel('Custom fields').fill('{"colour": "red"}')
    await press('Create a product')
    await page.getByText('The product was created.').waitFor()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Cost').fill('13')
    await look('edit-product')
    await press('Save product')
    await page.getByText('The product was saved.').waitFor()
    await page.getByText('13', { exact: true }).waitFor()
    await open('new/location/?code=SHELF-1')
    await press('Create a location')
    await page.getByText('The location was created.').waitFor()
  })

  it('corrects a miscount while an upload runs, and asks again if the upload was faster', async () => {
    const pair = { location_code: 'SHELF-1', sku_code: 'LAMP-1' }
    const upload = (quantity: number) =>
      call('POST', 'integrations/v1/inventory/', { inventory: [{ ...pair, quantity }] })
    await upload(40)
    await open('products/?search=LAMP-1')
    await page.getByRole('link', { name: 'LAMP-1' }).click()
    await page.getByRole('link', { name: 'Adjust LAMP-1 at SHELF-1' }).click()
    await page.getByLabel('Quantity', { exact: true }).fill('38')
    await page.getByLabel('In words').fill('Counted twice')
    await upload(41)
    await press('Adjust stock')
    await page.getByText('Another was faster.').waitFor()
    await look('adjust-conflict')
    expect(await page.getByLabel('In words').inputValue()).toBe('Counted twice')
    await press('Adjust stock')
    await page.getByText('The stock was adjusted.').waitFor()
    await page.getByRole('link', { name: 'History of stock' }).click()
    await page.getByText('Counted: Counted twice').waitFor()
    await look('stock-history')
  })

  it('tells of a product that two people edit at once, and loses nothing', async () => {
    await open('products/?search=LAMP-1')
    await page.getByRole('link', { name: 'LAMP-1' }).click()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Quantity').fill('5')
    await call('PUT', 'integrations/v1/products/LAMP-1/', { quantity: 7, cost: '14' })
    await press('Save product')
    await page.getByText('Others have changed this since you opened it.').waitFor()
    await look('edit-conflict')
    expectRefusals()
    expect(await page.getByLabel('Cost').inputValue()).toBe('14')
    await press('Save product')
    await page.getByText('The product was saved.').waitFor()
  })
})

describe('people', () => {
  it('adds somebody who may only read, changes the role, and takes the access away', async () => {
    await open('people/')
    await look('no-people')
    await page.getByRole('link', { name: 'Add a person' }).click()
    await page.getByLabel('Name').fill('Ada Lund')
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await look('new-person')
    await press('Add person')
    await page.getByText('ada@example.com, viewer').waitFor()
    await page.getByLabel('Role').selectOption('operator')
    await press('Save')
    await page.getByText('ada@example.com, operator').waitFor()
    await look('person')
    await page.getByRole('link', { name: 'Take access away' }).click()
    await press('Take access away')
    await page.getByText('The access was taken away.').waitFor()
    await look('people')
  })

  it('shows who is signed in', async () => {
    await open('sessions/')
    await page.getByText('this session').waitFor()
    await look('sessions')
  })
})
