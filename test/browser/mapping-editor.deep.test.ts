import { describe, expect, it } from 'vitest'
import { overflow } from './axe.ts'
import { reload } from './chromium.ts'
import { faintTexts } from './contrast.ts'
import {
  call,
  complaints,
  context,
  DOCUMENT,
  inbound,
  MAPPING,
  openEditor,
  openWindow,
  page,
  paste,
  pasted,
  preview,
  rows,
  see,
} from './editor.ts'

describe('the editor of a mapping', () => {
  it('suggests the paths of the pasted document', async () => {
    await openEditor()
    await paste({ ...DOCUMENT, 'odd key': [1], none: [] })
    const suggested = () =>
      page
        .locator('datalist[id="inbound.sources"] option')
        .evaluateAll((options) => options.map((option) => option.getAttribute('value')))
    await expect
      .poll(suggested)
      .toEqual([
        'header',
        'header.number',
        'header.id',
        'lines[]',
        'lines[].article',
        'lines[].article.code',
        'lines[].qty',
        "['odd key'][]",
        'none',
      ])
  })

  it('shows the whole of a path that is cut off, under the pointer', async () => {
    await openEditor(MAPPING)
    const path = `lines[?@.article.code == '${'T'.repeat(80)}'].qty`
    const cell = rows().nth(2).getByLabel('Their path')
    await cell.fill(path)
    await cell.hover()
    await expect.poll(() => cell.getAttribute('title')).toBe(path)
  })

  it('shows what is wrong beside its row, and keeps the rest', async () => {
    await openEditor(MAPPING)
    await rows().nth(0).getByLabel('Our field').fill('colour')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByRole('alert').waitFor()
    await rows().nth(0).getByText('There is no field "colour"').waitFor()
    await expect.poll(() => rows().nth(2).getByLabel('Their path').inputValue()).toBe('lines[].qty')
    complaints.splice(
      0,
      complaints.length,
      ...complaints.filter((text) => !text.includes('status of 400')),
    )
    // The script has run: it puts the address of the editor in place of that of the form.
    await inbound().getByRole('button', { name: 'Add rule' }).waitFor()
    await reload(page)
    await expect.poll(() => rows().nth(0).getByLabel('Our field').inputValue()).toBe('order_number')
  })

  it('asks once for what is typed in one go, and shows the answer to the last of it', async () => {
    await openEditor(MAPPING)
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    const { promise, resolve: letGo } = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/preview/', async (route) => {
      asked += 1
      if (asked > 1) return await route.continue()
      const response = await route.fetch()
      await promise
      // The page has given up on it.
      await route.fulfill({ response }).catch(() => undefined)
    })
    await rows().nth(0).getByLabel('Their path').fill('header.id')
    await expect.poll(() => asked).toBe(1)
    await rows().nth(0).getByLabel('Their path').fill('')
    await rows().nth(0).getByLabel('Their path').pressSequentially('lines[?@.qty > 1].article.code')
    const last = preview().getByRole('row', {
      name: 'order_number "TEA-01" lines[0].article.code',
    })
    await last.waitFor()
    letGo()
    await page.waitForTimeout(300)
    expect([asked, await last.isVisible()]).toEqual([2, true])
  })

  it('shows of a rule what counts for its kind', async () => {
    await openEditor({
      inbound: {
        fields: {
          order_number: { join: [{ value: 'S-' }, 'header.number'], with: '' },
          notes: { from: 'state', values: { new: 'open' }, default: 'none' },
          'items[].sku_code': 'lines[].article.code',
        },
      },
    })
    const [joined, table, plain] = [rows().nth(0), rows().nth(1), rows().nth(2)]
    await expect.poll(() => joined.getByLabel('Between the texts').inputValue()).toBe('""')
    await expect.poll(() => table.getByLabel('Values, one a line').inputValue()).toBe('new = open')
    await expect
      .poll(() => table.getByLabel('Without a value, as JSON').inputValue())
      .toBe('"none"')
    await table.getByLabel('Between the texts').waitFor({ state: 'hidden' })
    await plain.getByLabel('Values, one a line').waitFor({ state: 'hidden' })
    await plain.locator('summary').press('Enter')
    await plain.getByLabel('Values, one a line').waitFor()
    for (const kind of ['each', 'value']) {
      await plain.getByLabel('Kind').selectOption(kind)
      await plain.getByLabel('Conversion').waitFor({ state: 'hidden' })
      await plain.getByLabel('Values, one a line').waitFor({ state: 'hidden' })
    }
  })

  it('adds an entry to the values by one click', async () => {
    await openEditor({
      inbound: {
        ...MAPPING.inbound,
        fields: {
          ...MAPPING.inbound.fields,
          notes: { from: 'header.id', values: { new: 'open' } },
        },
      },
    })
    await paste(DOCUMENT)
    await preview().getByRole('button', { name: 'erp-1 = erp-1' }).click()
    const values = rows().nth(3).getByLabel('Values, one a line')
    await expect.poll(() => values.inputValue()).toBe('new = open\nerp-1 = erp-1')
    await see('This document would be accepted.')
  })

  it('offers fields of an update only where an update is tried', async () => {
    await openEditor()
    await paste({ ...DOCUMENT, state: 'processing', due: '2026-01-31' })
    const offer = (name: string) => page.getByRole('button', { name })
    await offer('due_date from due').waitFor()
    await expect.poll(() => offer('status from state').count()).toBe(0)
    await page.getByLabel('Sent as').selectOption('PUT')
    await offer('status from state').click()
    await preview().getByRole('button', { name: 'processing = pending' }).waitFor()
  })

  it('leaves the focus on an offer while others change', async () => {
    await openEditor()
    await paste(DOCUMENT)
    await rows().nth(0).getByLabel('Their path').fill('header.number')
    await rows().nth(1).getByRole('button', { name: 'lines[].article.code' }).focus()
    await expect
      .poll(() => rows().nth(0).getByRole('button', { name: 'header.number' }).count())
      .toBe(0)
    const focused = 'document.activeElement.textContent'
    expect(await page.evaluate(focused)).toBe('lines[].article.code')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => rows().nth(1).getByLabel('Their path').inputValue())
      .toBe('lines[].article.code')
  })

  it('offers an each for arrays in an array', async () => {
    await openEditor(undefined, 'inventory')
    await paste({ warehouses: [{ code: 'W1', stock: [{ item: 'TEA-01', qty: '4' }] }] })
    await page.getByRole('button', { name: 'Fill in what fits' }).click()
    await expect
      .poll(() =>
        rows()
          .getByLabel('Their path')
          .evaluateAll((cells) => cells.map((cell) => Reflect.get(cell, 'value'))),
      )
      .toEqual([
        'warehouses[].stock[]',
        'warehouses[].code',
        'warehouses[].stock[].item',
        'warehouses[].stock[].qty',
      ])
  })

  it('keeps a document with the mapping that it was pasted for', async () => {
    await openEditor()
    await paste(DOCUMENT)
    const pastedAt = page.url()
    await openEditor()
    await expect.poll(() => pasted().inputValue()).toBe('')
    await page.goto(pastedAt)
    await expect.poll(() => pasted().inputValue()).toBe(JSON.stringify(DOCUMENT, null, 2))
  })

  it('takes rules away, and moves the focus to where one goes on', async () => {
    const id = await openEditor(MAPPING)
    await rows().nth(1).getByRole('button', { name: 'Remove rule' }).click()
    await expect.poll(() => rows().count()).toBe(2)
    expect(await page.evaluate('document.activeElement.matches("[data-remove]")')).toBe(true)
    await rows().nth(1).getByRole('button', { name: 'Remove rule' }).press('Enter')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
    const { data } = await call('GET', `settings/v1/partners/${id}/mappings/orders/`)
    expect(data.inbound).toEqual({ unmapped: 'drop', fields: { order_number: 'header.number' } })
  })

  it('maps a direction as soon as it is given a rule', async () => {
    await openEditor(MAPPING)
    const outbound = page.locator('[data-rules="outbound"]')
    await page.getByText('Outbound: our record to theirs').click()
    await outbound.getByRole('button', { name: 'Add rule' }).click()
    await expect.poll(() => outbound.getByLabel('Records').inputValue()).toBe('drop')
  })

  it('says so where the session has ended, and keeps what is typed', async () => {
    await openEditor(MAPPING)
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    await context.clearCookies()
    await rows().nth(0).getByLabel('Their path').fill('header.id')
    await see('You are signed out.')
    await expect.poll(() => rows().nth(0).getByLabel('Their path').inputValue()).toBe('header.id')
    await expect.poll(() => preview().getByLabel('API key').count()).toBe(0)
  })

  it('says so where the preview is refused', async () => {
    await openEditor(MAPPING)
    await paste(DOCUMENT)
    await see('This document would be accepted.')
    await page.route('**/preview/', (route) => route.abort())
    await rows().nth(0).getByLabel('Their path').fill('header.id')
    await see('The server did not answer. Check your connection, then edit a rule to try again.')
    await page.unroute('**/preview/')
    const body = '<h1>Partner: orders</h1><p class="form-error">Try again.</p><p id="preview">'
    const refused = { status: 503, contentType: 'text/html', body }
    await page.route('**/preview/', (route) => route.fulfill(refused))
    await rows().nth(0).getByLabel('Their path').fill('header.number')
    await see('Try again.')
    await preview().getByRole('row', { name: 'order_number "A-1" header.number' }).waitFor()
    complaints.splice(
      0,
      complaints.length,
      ...complaints.filter((text) => !/ERR_FAILED|status of 503/.test(text)),
    )
  })

  it('previews by a button where there is no script', async () => {
    await openWindow({ javaScriptEnabled: false })
    await openEditor(MAPPING)
    await expect.poll(() => rows().count()).toBe(6)
    await paste(DOCUMENT)
    await rows().nth(3).getByLabel('Our field').fill('notes')
    await rows().nth(3).getByLabel('Their path').fill('header.id')
    await page.getByRole('button', { name: 'Preview' }).click()
    await see('This document would be accepted.')
    await preview().getByRole('row', { name: 'notes "erp-1" header.id' }).waitFor()
    await expect.poll(() => rows().count()).toBe(7)
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
  })

  it('mends what the preview finds where there is no script', async () => {
    await openWindow({ javaScriptEnabled: false })
    await openEditor(MAPPING)
    await paste({ ...DOCUMENT, lines: [{ article: { code: 'TEA-01' }, qty: '4' }] })
    await page.getByRole('button', { name: 'Preview' }).click()
    await preview().getByRole('button', { name: 'Read it as an integer' }).click()
    await see('This document would be accepted.')
    await expect.poll(() => rows().nth(2).getByLabel('Conversion').inputValue()).toBe('integer')
  })

  it('stays usable with 200 rules and a document of a megabyte', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 197 }, (_, index) => [`metadata.field${index}`, `header.field${index}`]),
    )
    await openEditor({ inbound: { fields: { ...MAPPING.inbound.fields, ...fields } } })
    const line = { article: { code: 'TEA-01' }, qty: 1, text: 'x'.repeat(60) }
    const lines = Array.from({ length: 900 }, () => line)
    const text = JSON.stringify({ ...DOCUMENT, lines, pad: 'y'.repeat(9e5) }, null, 2)
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await pasted().focus()
    const started = Date.now()
    await page.keyboard.press('ControlOrMeta+V')
    await see('This document would be accepted.')
    expect(Date.now() - started).toBeLessThan(5000)
  })

  it('books stock without a location at one that exists', async () => {
    const fields = { 'inventory[].sku_code': 's[].item', 'inventory[].quantity': 's[].n' }
    const id = await openEditor({ inbound: { unmapped: 'drop', fields } }, 'inventory')
    await paste({ s: [{ item: 'TEA-01', n: 1 }] })
    await preview().getByRole('link', { name: 'No location is active yet: make one' }).waitFor()
    await call('POST', 'integrations/v1/locations/', { code: 'D-04/2' })
    await paste({ s: [{ item: 'TEA-01', n: 2 }] })
    await preview().getByRole('button', { name: 'Book all stock at D-04/2' }).press('Enter')
    await see('This document would be accepted.')
    await page.getByRole('button', { name: 'Save mapping' }).click()
    await page.getByText('The mapping was saved.').waitFor()
    const { data } = await call('GET', `settings/v1/partners/${id}/mappings/inventory/`)
    expect(data.inbound.fields['inventory[].location_code']).toEqual({ value: 'D-04/2' })
  })

  it.each(['light', 'dark'] as const)('can be read where the scheme is %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    const values = { from: 'header.id', values: { new: 'open' } }
    await openEditor({ inbound: { fields: { ...MAPPING.inbound.fields, notes: values } } })
    await paste({ ...DOCUMENT, due: '2026-01-31' })
    await preview().getByRole('button', { name: 'erp-1 = erp-1' }).waitFor()
    await page.getByRole('button', { name: 'due_date from due' }).waitFor()
    // Buttons fade in.
    await page.waitForTimeout(500)
    expect(await faintTexts(page)).toEqual([])
  })

  it.each([320, 390, 768, 1024, 1600])('never scrolls sideways at a width of %i', async (width) => {
    await page.setViewportSize({ width, height: 800 })
    await openEditor(MAPPING)
    await paste({ ...DOCUMENT, ['long'.repeat(40)]: 'x'.repeat(300) })
    await see('This document would be accepted.')
    expect(await overflow(page)).toBe(0)
  })
})
