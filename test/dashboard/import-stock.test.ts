import { describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openDashboard, withCookie } from '../fixtures/session.ts'
import { newCookie } from '../fixtures/signed-in.ts'
import { countingStatements } from '../fixtures/statements.ts'
import { unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'
import { carriedBy, importAll, importOf, numbersOf, wordsOf } from './imports.ts'

const HEAD = 'location_code;sku_code;quantity'
const check = (document: string) => dashboard.post(importOf('inventory'), { document })
const run = (fields: object | null) =>
  dashboard.post(`${importOf('inventory')}run/`, { ...fields } as Record<string, string>)

/** Products at one location with these quantities; null for no record. */
async function shelf(...quantities: (number | null)[]) {
  const { code } = await createLocation(admin)
  const skus: string[] = []
  for (const quantity of quantities) {
    const { sku } = await createProduct(admin)
    skus.push(sku)
    if (quantity !== null) await stock(admin, { location_code: code, sku_code: sku, quantity })
  }
  return {
    code: code as string,
    skus,
    table: (...counted: unknown[]) =>
      [HEAD, ...skus.map((sku, at) => `${code};${sku};${counted[at]}`)].join('\n'),
    now: async () => {
      const { data } = (await admin.get(`/inventory/${code}/`)).body
      const found = new Map(
        data.map((row: { sku_code: string; quantity: number }) => [row.sku_code, row.quantity]),
      )
      return skus.map((sku) => found.get(sku) ?? null)
    },
    history: async () => (await admin.get(`/inventory/${code}/history/`)).body.data,
  }
}

describe('POST /dashboard/import/inventory/', () => {
  it('says what would be created, changed and left, and writes nothing', async () => {
    const { code, skus, table, now } = await shelf(3, 4, null)
    const page = await check(table(3, 1200, 7))
    expect(numbersOf(page)).toEqual({ Created: 1, Changed: 1, 'Stay as they are': 1 })
    const words = wordsOf(page)
    expect(words).toContain(`3 ${skus[1]} at ${code} 4 → 1,200`)
    expect(words).toContain(`4 ${skus[2]} at ${code} new: 7`)
    expect(await now()).toEqual([3, 4, null])
  })

  it('names row and column of what is wrong, and imports the others', async () => {
    const { code, skus, now } = await shelf(3, 4)
    const [sku, other] = skus
    const rows = [
      `${code};${sku};x`,
      `${code};none;1`,
      `nowhere;${sku};-1`,
      `${code};${other};9`,
      `${code};${other};8`,
      `${code};${sku};`,
    ]
    const page = await check(`Location Code;SKU code;Quantity\n${rows.join('\n')}`)
    const words = wordsOf(page)
    expect(words).toContain('row 2, column "Quantity" Must be a whole number.')
    expect(page.text).toMatch(/<a href="#table">Correct the table<.*<h2 id="table">/s)
    expect(page.text).not.toContain('not a string')
    expect(words).toContain('row 3, column "SKU code" No product has the SKU "none".')
    expect(words).toContain('row 4, column "Quantity" Must be at least 0.')
    expect(words).toContain('row 6 Row 5 has the same location and SKU: name them once.')
    expect(words).toContain('row 7, column "Quantity" This field is required.')
    expect(words).toContain('5 of 6 rows are wrong, and would be left out.')
    const done = await run(carriedBy(page))
    expect(numbersOf(done)).toEqual({ Created: 0, Changed: 1 })
    expect(await now()).toEqual([3, 9])
  })

  it.each([
    ['a header only', HEAD, 'It has no rows'],
    ['a missing column', 'location_code;sku_code\nA;B', 'It lacks "quantity".'],
    ['another column', `${HEAD};cost\nA;B;1;1`, 'There is no column "cost"'],
  ])('refuses %s', async (_, document, told) => {
    const page = await check(document)
    expect([page.status, wordsOf(page).includes(told)]).toEqual([400, true])
  })

  it('says that a location or product is inactive', async () => {
    const { code, skus, table } = await shelf(3)
    await admin.delete(`/locations/${code}/`)
    await admin.delete(`/products/${skus[0]}/`)
    const words = wordsOf(await check(table(4)))
    expect(words).toContain(`The location ${code} is inactive. The product ${skus[0]} is inactive.`)
  })

  itInDeep('takes 50,000 rows, and no more', async () => {
    const rows = Array.from({ length: 50_001 }, (_, at) => `L;S${at};1`)
    const page = await check(`${HEAD}\n${rows.join('\n')}`)
    expect(wordsOf(page)).toContain('It has 50,001 rows, and a file may have 50,000: split it.')
    const most = await check(`${HEAD}\n${rows.slice(1).join('\n')}`)
    expect(wordsOf(most)).toContain('No row can be imported.')
  })
})

describe('POST /dashboard/import/inventory/run/', () => {
  it('is one upload that says where it comes from, and one undo', async () => {
    const { table, now, history } = await shelf(3, 4, null)
    const page = await check(table(3, 9, 7))
    const done = await run(carriedBy(page))
    expect(numbersOf(done)).toEqual({ Created: 1, Changed: 1, 'Stayed as they were': 1 })
    expect(await now()).toEqual([3, 9, 7])
    const [change] = await history()
    expect(change).toMatchObject({
      source: 'bulk_import',
      notes: 'Imported by hand, a table of 3 rows.',
    })
    expect(done.text).toContain(`href="/dashboard/audit-log/${change.request_id}/"`)
    const undone = await dashboard.post(`/dashboard/audit-log/${change.request_id}/undo/`)
    expect(undone.status).toBe(303)
    expect(await now()).toEqual([3, 4, 0])
  })

  it('makes nothing twice of a form that is sent twice, one after the other or at once', async () => {
    const { table, now, history } = await shelf(3, null)
    const fields = carriedBy(await check(table(5, 6)))
    const pages = await Promise.all([run(fields), run(fields)])
    for (const page of pages) expect(wordsOf(page)).not.toContain('Rows that failed')
    const later = await run(fields)
    expect(wordsOf(later)).toContain('There was nothing to do: the stock is as the table says.')
    expect(await now()).toEqual([5, 6])
    expect(await history()).toHaveLength(3)
  })

  it('lets one of two people win who import other numbers at once', async () => {
    const { table, now } = await shelf(3)
    const forms = await Promise.all([5, 6].map(async (n) => carriedBy(await check(table(n)))))
    const pages = await Promise.all(forms.map(run))
    const won = pages.findIndex((page) => numbersOf(page).Changed === 1)
    expect(pages.map(numbersOf)[1 - won]).toEqual({ Created: 0, Failed: 1 })
    expect(await now()).toEqual([[5, 6][won]])
  })

  it('leaves stock alone that has changed since the check, and says so of each row', async () => {
    const { code, skus, table, now } = await shelf(3, 4, 5)
    const fields = carriedBy(await check(table(30, 40, 5)))
    await stock(admin, { location_code: code, sku_code: skus[0], quantity: 2 })
    await stock(admin, { location_code: code, sku_code: skus[2], quantity: 1 })
    const done = await run(fields)
    expect(numbersOf(done)).toEqual({ Created: 0, Changed: 1, Failed: 2 })
    expect(wordsOf(done)).toContain(`2 ${skus[0]} at ${code}`)
    expect(wordsOf(done)).toContain(`4 ${skus[2]} at ${code}`)
    expect(await now()).toEqual([2, 40, 1])
  })

  it('imports stock of a product that was just deactivated, and says that it is inactive', async () => {
    const { skus, table, now } = await shelf(3)
    const fields = carriedBy(await check(table(4)))
    await admin.delete(`/products/${skus[0]}/`)
    expect(wordsOf(await run(fields))).toContain(`Product "${skus[0]}" is inactive.`)
    expect(await now()).toEqual([4])
  })

  it('changes nothing with the file that the list offers', async () => {
    const { code } = await createLocation(admin, { code: `-${unique('L')}` })
    const { sku } = await createProduct(admin, { sku: `'=${unique('S')}` })
    await stock(admin, { location_code: code, sku_code: sku, quantity: 8 })
    const query = new URLSearchParams({ location_code: code, format: 'csv' })
    const { text } = await dashboard.get(`/dashboard/inventory/?${query}`)
    expect(text).toContain(`'${code},${sku},8`)
    const page = await check(text)
    expect(numbersOf(page)).toEqual({ Created: 0, 'Stay as they are': 1 })
    expect(wordsOf(page)).toContain('There is nothing to import')
    expect(carriedBy(page)).toBeNull()
  })

  it.each([
    ['no rows', '[]'],
    ['rows of another form', '[["A"]]'],
    ['no JSON', 'x'],
  ])('refuses %s', async (_, rows) => {
    expect((await run({ rows })).status).toBe(400)
  })

  it('reports a row with a quantity that no stock has as failed', async () => {
    const { code, skus, now } = await shelf(3)
    const done = await run({ rows: JSON.stringify([[2, code, skus[0], -1, 3]]) })
    expect(numbersOf(done)).toEqual({ Created: 0, Failed: 1 })
    expect(await now()).toEqual([3])
  })

  it('says that nothing was changed where the database fails, and works once it answers', async () => {
    const { table, now } = await shelf(3)
    const fields = carriedBy(await check(table(4))) ?? {}
    const cookie = await newCookie()
    const { bindings } = countingStatements((statements) => statements > 4)
    const failed = await withCookie(cookie, { bindings }).post(
      `${importOf('inventory')}run/`,
      fields,
    )
    expect(failed.status).toBeGreaterThanOrEqual(500)
    expect(await now()).toEqual([3])
    const again = await withCookie(cookie).post(`${importOf('inventory')}run/`, fields)
    expect(numbersOf(again)).toEqual({ Created: 0, Changed: 1 })
  })

  it('asks for the scopes of stock', async () => {
    const { table } = await shelf(3)
    const writer = await openDashboard([
      'integrations.inventory.write',
      'integrations.products.read',
    ])
    expect((await writer.post(importOf('inventory'), { document: table(4) })).status).toBe(403)
    const { checked } = await importAll(
      await openDashboard(['integrations.inventory.read', 'integrations.inventory.write']),
      'inventory',
      table(4),
    )
    expect(checked.status).toBe(200)
  })
})
