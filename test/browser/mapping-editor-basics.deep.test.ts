import { describe, expect, it } from 'vitest'
import {
  call,
  DOCUMENT,
  inbound,
  MAPPING,
  openEditor,
  page,
  paste,
  pasted,
  preview,
  rows,
  see,
} from './editor.ts'

const source = (target: string) =>
  rows()
    .filter({ has: page.locator(`[value="${target}"]`) })
    .getByLabel('Their path')

describe('the editor of a mapping', () => {
  it('shows what the rules make of a document while they are written, and saves them', async () => {
    const id = await openEditor()
    await expect.poll(() => rows().count()).toBe(3)
    await paste(DOCUMENT)
    await see('This document would be refused')
    await source('order_number').fill('header.number')
    await source('items[].sku_code').fill('lines[].article.code')
    await source('items[].quantity').fill('lines[].qty')
    await see('This document would be accepted.')
    await preview()
      .getByRole('row', { name: 'items[1].sku_code "TEA-02" lines[1].article.code' })
      .waitFor()

    await inbound().getByRole('button', { name: 'Add rule' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('metadata.source')
    await page.keyboard.press('Tab')
    await page.keyboard.type('fixed')
    await page.keyboard.press('Tab')
    await page.keyboard.type('acme')
    await see('The mapping cannot be saved yet.')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('"acme"')
    await preview().getByRole('row', { name: 'metadata.source "acme" fixed' }).waitFor()

    await paste({ ...DOCUMENT, lines: [{ article: 'TEA-01', qty: 4 }] })
    await see('The mapping expects an object here, not a string.')
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
    await expect.poll(() => pasted().inputValue()).toBe(JSON.stringify(DOCUMENT, null, 2))
    await see('This document would be accepted.')

    const linked = { name: 'Linked', partner_id: id }
    const { key } = (await call('POST', 'settings/v1/api-keys/', linked)).data
    const order = await call('POST', 'integrations/v1/orders/', DOCUMENT, key)
    expect(order.status).toBe(201)
    expect(order.data).toMatchObject({ order_number: 'A-1', metadata: { source: 'acme' } })
  })

  it('fills in the paths of the document that fit, with their conversions', async () => {
    const id = await openEditor()
    const header = { number: 1001, created: 1712345678 }
    const lines = [{ article: { code: 'TEA-01' }, qty: '4' }]
    await paste({ header, buyer: 'Fjord Kaffe', lines })
    await rows().nth(2).getByRole('button', { name: 'lines[].qty, as integer' }).click()
    await expect.poll(() => rows().nth(2).getByLabel('Their path').inputValue()).toBe('lines[].qty')
    await expect.poll(() => rows().nth(2).getByLabel('Conversion').inputValue()).toBe('integer')
    await page.getByRole('button', { name: 'Fill in what fits' }).press('Enter')
    await see('This document would be accepted.')
    await page.getByRole('button', { name: 'order_date from header.created, Unix seconds' }).click()
    await expect.poll(() => rows().nth(3).getByLabel('Our field').inputValue()).toBe('order_date')
    await preview()
      .getByRole('row', { name: 'order_date "2024-04-05T19:34:38.000Z" header.created' })
      .waitFor()
    await expect.poll(() => page.locator('.source .offers').count()).toBe(0)
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
    const { data } = await call('GET', `settings/v1/partners/${id}/mappings/orders/`)
    expect(data.inbound.fields).toEqual({
      order_number: { from: 'header.number', as: 'string' },
      'items[].sku_code': 'lines[].article.code',
      'items[].quantity': { from: 'lines[].qty', as: 'integer' },
      order_date: { from: 'header.created', as: 'datetime', format: 'epoch_seconds' },
    })
  })

  it('mends what the preview finds by one click', async () => {
    await openEditor(MAPPING)
    const lines = [
      { article: { code: 'TEA-01' }, qty: '4' },
      { article: {}, qty: '1' },
    ]
    await paste({ header: { number: 'A-2' }, lines })
    await preview().getByRole('button', { name: 'Read it as an integer' }).press('Enter')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      'Conversion',
    )
    await preview().getByRole('button', { name: 'lines[?length(@.article.code) > 0]' }).click()
    await see('This document would be accepted.')
    await expect.poll(() => rows().nth(1).getByLabel('Our field').inputValue()).toBe('items[]')
    await expect.poll(() => rows().nth(1).getByLabel('Kind').inputValue()).toBe('each')
    await rows().nth(1).getByLabel('Conversion').waitFor({ state: 'hidden' })
    await expect.poll(() => rows().nth(3).getByLabel('Conversion').inputValue()).toBe('integer')
  })
})
