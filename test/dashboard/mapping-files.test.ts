import { describe, expect, it } from 'vitest'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { openPartner } from '../fixtures/partner.ts'
import { cookieOf, openDashboard, submit, withCookie } from '../fixtures/session.ts'
import { countingStatements } from '../fixtures/statements.ts'
import { type Answer, createKey, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'

const STOCK = {
  inbound: {
    fields: {
      'inventory[]': { each: '$[]' },
      'inventory[].sku_code': '$[].Artikel',
      'inventory[].location_code': '$[].Lager',
      'inventory[].quantity': { from: '$[].Menge', as: 'integer', decimal: ',' },
    },
  },
}
const ORDERS = {
  inbound: {
    records: { each: '$[]', group_by: ['$[].no'] },
    fields: {
      order_number: { from: '$[].no', required: true },
      customer_name: '$[].name',
      'items[].sku_code': '$[].sku',
      'items[].quantity': { from: '$[].qty', as: 'integer' },
    },
  },
}

async function openSupplier() {
  const partner = await openPartner({ mappings: { inventory: STOCK, orders: ORDERS } })
  const { sku } = await createProduct(partner.admin)
  const { code } = await createLocation(partner.admin)
  const at = (resource: string) => `/dashboard/partners/${partner.id}/mappings/${resource}/file/`
  return { partner, sku: sku as string, code: code as string, at }
}

const wordsOf = ({ text }: Answer) =>
  text
    .replace(/<details.*?<\/details>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')

describe('POST /dashboard/partners/:id/mappings/:resource/file/', () => {
  it('checks a CSV and changes nothing, and then it is sent', async () => {
    const { partner, sku, code, at } = await openSupplier()
    const document = `Artikel;Lager;Menge\n${sku};${code};1.200\n`
    const checked = await dashboard.post(at('inventory'), { document })
    expect(wordsOf(checked)).toContain('It would be taken. Nothing has changed yet. Total 1')
    expect(checked.text).toContain(`formaction="${at('inventory')}send/"`)
    expect((await partner.admin.get(`/inventory/${sku}/?by=sku`)).body.data).toEqual([])
    const sent = await dashboard.post(`${at('inventory')}send/`, { document })
    expect(wordsOf(sent)).toContain('It has been taken. Total 1 Created 1')
    const { body } = await partner.admin.get(`/inventory/${sku}/?by=sku`)
    expect(body.data[0]).toMatchObject({ quantity: 1200 })
    const [, id = ''] = /audit-log\/([^/"]+)\//.exec(sent.text) ?? []
    const log = `/api/settings/v1/audit-log/?partner_id=${partner.id}&resource=inventory`
    const [row] = (await partner.admin.get(log)).body.data
    expect(row).toMatchObject({ request_id: id, replay_of: null, status: 200 })
  })

  it('names the rows and the columns that are refused, as a spreadsheet counts them', async () => {
    const { sku, code, at } = await openSupplier()
    const rows = [`none;${code};1`, '', `${sku};${code};x`]
    const document = `Artikel;Lager;Menge\n${rows.join('\n')}\n`
    const words = wordsOf(await dashboard.post(at('inventory'), { document }))
    expect(words).toContain('row 2, column "Artikel" No product has the SKU "none".')
    expect(words).toContain('row 4, column "Menge" The mapping expects an integer here, not "x".')
  })

  it('tells of each order of a file, and offers to send it', async () => {
    const { sku, at } = await openSupplier()
    const [good, bad] = [unique('A'), unique('B')]
    const document = `no;name;sku;qty\n${good};Ada;${sku};1\n${bad};Bob;none;1\n`
    const checked = await dashboard.post(at('orders'), { document })
    expect(wordsOf(checked)).toContain('Created 1 Updated 0 Unchanged 0 Skipped 0 Failed 1')
    expect(wordsOf(checked)).toContain('row 3, column "sku" No product has the SKU "none".')
  })

  it.each([
    ['', 'Choose a file, or paste its text.'],
    ['hello', 'This is neither JSON, nor XML, nor CSV with a row of names, nor a form.'],
    ['no,no\n1,2', 'It is refused: Row 1 has the column "no" twice: name each once.'],
    ['<a>', 'It is refused: Line 1, column 3, in a: the document ends before'],
    ['{"no": 1}', 'It is refused:'],
  ])('says what is wrong with %j, and keeps it in the form', async (document, told) => {
    const { at } = await openSupplier()
    const page = await dashboard.post(at('orders'), { document })
    expect(wordsOf(page)).toContain(told)
    expect(page.text).not.toContain('formaction=')
    expect(page.text).toContain('name="document"')
  })

  it('says what the request was told where the database fails, and sends it once', async () => {
    const { partner, sku, code, at } = await openSupplier()
    const document = `Artikel;Lager;Menge\n${sku};${code};5\n`
    const cookie = cookieOf(
      await submit('/dashboard/sign-in/', {
        key: (await createKey(['settings.*', 'integrations.*'])).value,
      }),
    )
    const { bindings, sent } = countingStatements((statements) => statements > 4)
    const broken = withCookie(cookie, { bindings })
    const failed = await broken.post(`${at('inventory')}send/`, { document })
    expect(wordsOf(failed)).toContain('It is refused:')
    expect(failed.text).toContain('name="document"')
    expect((await partner.admin.get(`/inventory/${sku}/?by=sku`)).body.data).toEqual([])
    expect(sent.statements).toBeGreaterThan(0)
    const again = await withCookie(cookie).post(`${at('inventory')}send/`, { document })
    expect(wordsOf(again)).toContain('It has been taken. Total 1 Created 1')
  })

  it('is there where a mapping is, for a key that may write the resource', async () => {
    const { partner, at } = await openSupplier()
    const path = `/dashboard/partners/${partner.id}/mappings/`
    expect((await dashboard.get(`${path}inventory/`)).text).toContain(`href="${at('inventory')}"`)
    expect((await dashboard.get(`${path}products/`)).text).not.toContain('Use a file')
    expect((await dashboard.get(at('products'))).status).toBe(404)
    const document = JSON.stringify({ sku: unique('S') })
    expect((await dashboard.post(`${at('products')}send/`, { document })).status).toBe(404)
    expect((await partner.admin.get(`/products/${JSON.parse(document).sku}/`)).status).toBe(404)
    const reader = await openDashboard(['settings.partners.read', 'integrations.orders.read'])
    expect((await reader.get(`${path}orders/`)).text).not.toContain('Use a file')
    expect((await reader.post(`${at('orders')}send/`, { document: 'a\n1' })).status).toBe(403)
  })

  it('is closed to a key of a partner, and where there is no such partner', async () => {
    const { sku, at } = await openSupplier()
    const other = await openPartner({ scopes: ['settings.*', 'integrations.*'] })
    const document = JSON.stringify({
      order_number: unique('N'),
      items: [{ sku_code: sku, quantity: 1 }],
    })
    const theirs = await openDashboard([], { key: other.key.key })
    const refused = await theirs.post(`${at('orders')}send/`, { document })
    expect(refused.status).toBe(403)
    expect(wordsOf(refused)).toContain('use a key without a partner')
    const nowhere = `/dashboard/partners/${crypto.randomUUID()}/mappings/orders/file/send/`
    expect((await dashboard.post(nowhere, { document })).status).toBe(404)
    const made = await other.admin.get(`/orders/${JSON.parse(document).order_number}/`)
    expect(made.status).toBe(404)
  })
})
