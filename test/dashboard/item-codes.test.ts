import { beforeEach, describe, expect, it } from 'vitest'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { openWebhook, SHOP_MAPPING, shopDocument } from '../fixtures/webhooks.ts'

type Partner = Awaited<ReturnType<typeof openPartner>>
let partner: Partner
let at: string
beforeEach(async () => {
  partner = await openPartner({})
  at = pageOf(partner.id)
})

const pageOf = (id: string, kind = 'products') => `/dashboard/partners/${id}/item-codes/${kind}/`
const api = (id: string, kind = 'products') => `/api/settings/v1/partners/${id}/item-codes/${kind}/`
const codesOf = async ({ admin, id }: Partner, kind = 'products') =>
  (await admin.get(api(id, kind))).body.data

const fields = {
  ...SHOP_MAPPING.inbound.fields,
  'items[].sku_code': { from: 'lines[].sku', code: 'products' },
}
const CODED = { inbound: { ...SHOP_MAPPING.inbound, fields } }

describe('GET /dashboard/partners/:id/item-codes/:kind/', () => {
  it('shows each code, what it stands for, and what can be done with it', async () => {
    expect(wordsOf(await dashboard.get(at))).toContain('No codes yet.')
    const { sku, id } = await createProduct(partner.admin)
    await partner.admin.put(`${api(partner.id)}a%2Fb/`, { sku_code: sku, units: 12 })
    const page = await dashboard.get(at)
    expect(wordsOf(page)).toContain(`a/b ${sku} 12 Change a/b Delete a/b`)
    expect(page.text).toContain(`href="/dashboard/products/${id}/"`)
    expect(page.text).toContain(`href="${at}?code=a%2Fb#enter"`)
    expect(page.text).toContain(`href="${at}delete/a%2Fb/"`)
    const changing = await dashboard.get(`${at}?code=a%2Fb`)
    expect(changing.text).toContain('Change a/b')
    expect(changing.text).toMatch(/name="units" [^>]*value="12"/)
  })

  it('finds codes by their beginning, and gives them as a file', async () => {
    for (const code of ['AA-1', 'AA-2', 'B-1']) {
      await partner.admin.put(`${api(partner.id)}${code}/`, { sku_code: 'MUG' })
    }
    const found = wordsOf(await dashboard.get(`${at}?search=AA`))
    expect(found).toContain('AA-2 MUG')
    expect(found).not.toContain('B-1')
    expect(wordsOf(await dashboard.get(`${at}?search=none`))).toContain('begins with, “none”')
    const file = await dashboard.get(`${at}?search=AA&format=csv`)
    expect(file.headers.get('Content-Type')).toContain('text/csv')
    expect(file.text.trim().split('\r\n').slice(1)).toEqual(['AA-1,MUG,1', 'AA-2,MUG,1'])
    const pages = await dashboard.get(`${at}?limit=2`)
    expect(wordsOf(pages)).toContain('Next')
    expect((await dashboard.get(`${at}?limit=none`)).status).toBe(400)
  })

  it('lists what the partner has sent and nobody has entered, with the number that each frees', async () => {
    const shop = await openWebhook({ mappings: { orders: CODED } })
    const [often, once, refused] = [unique('often'), unique('once'), unique('refused')]
    const lines = (sku: string) => ({ lines: [{ sku, qty: 1 }] })
    for (const code of [once, often, often]) {
      await shop.deliver(await shopDocument(shop.partner.api, lines(code)))
    }
    const order = await shopDocument(shop.partner.api, lines(refused))
    expect((await shop.partner.api.post('/orders/', order)).status).toBe(400)
    const own = pageOf(shop.partner.id)
    const page = await dashboard.get(own)
    const words = wordsOf(page)
    expect(words).toContain(`${often} 2 records —`)
    expect(words).toContain(`${once} 1 record —`)
    expect(words).toContain(`${refused} — 1`)
    expect(words.indexOf(often)).toBeLessThan(words.indexOf(once))
    expect(page.text).toContain(`needs_code=${often}&amp;partner_id=${shop.partner.id}`)

    const { sku } = await createProduct(shop.admin)
    await dashboard.post(own, { code: refused, sku_code: sku as string, units: '1' })
    expect(wordsOf(await dashboard.get(own))).not.toContain(`${refused} — 1`)
    const reader = await openDashboard(['settings.partners.read'])
    const seen = await reader.get(own)
    expect(seen.text).not.toContain(often)
    expect(seen.text).not.toContain('<form method="post"')
  })
})

describe('POST /dashboard/partners/:id/item-codes/:kind/', () => {
  it('saves a code, so that what waits for it is due', async () => {
    const shop = await openWebhook({ mappings: { orders: CODED } })
    const code = unique('code')
    const { sku } = await createProduct(shop.admin)
    const document = await shopDocument(shop.partner.api, { lines: [{ sku: code, qty: 2 }] })
    const { delivery_id } = (await shop.deliver(document)).body.data
    const waits = await dashboard.get(`/dashboard/deliveries/${delivery_id}/`)
    const own = pageOf(shop.partner.id)
    expect(waits.text).toContain(`href="${own}?code=${code}#enter"`)
    const answer = await dashboard.post(own, { code, sku_code: sku as string, units: '12' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${own}?done=code-saved`])
    const db = await openTenant()
    const sql = 'select is_due from waiting_deliveries where delivery_id = ?'
    expect(await db.prepare(sql).bind(delivery_id).first('is_due')).toBe(1)
    expect(await codesOf(shop.partner as Partner)).toEqual([{ code, sku_code: sku, units: 12 }])
  })

  it('says at the field what is wrong, and keeps what was typed', async () => {
    const text = markupOf(
      await dashboard.post(at, { code: 'K-1', sku_code: '', units: 'many' }),
      400,
    )
    expect(text).toMatch(/name="code" value="K-1"/)
    expect(text).toContain('id="sku_code-error"')
    expect(text).toContain('id="units-error"')
    expect(await codesOf(partner)).toEqual([])
  })

  it('of locations has no units', async () => {
    const places = pageOf(partner.id, 'locations')
    expect((await dashboard.get(places)).text).not.toContain('name="units"')
    await dashboard.post(places, { code: 'H1', location_code: 'A-01' })
    expect(await codesOf(partner, 'locations')).toEqual([{ code: 'H1', location_code: 'A-01' }])
  })
})

describe('POST /dashboard/partners/:id/item-codes/:kind/import/', () => {
  it('takes a table as a spreadsheet gives it, and lists the rows that failed', async () => {
    const file = 'code\tsku_code\tunits\nK-1\tMUG\t12\nK-2\t\t1\nK-3\tCUP\tmany'
    const page = await dashboard.post(`${at}import/`, { body: file, others: 'keep' })
    const words = wordsOf(page)
    expect(page.status).toBe(200)
    expect(words).toContain('Created 1 Failed 2')
    expect(words).toContain('2 K-2 sku_code:')
    expect(words).toContain('3 K-3 units:')
    expect(await codesOf(partner)).toEqual([{ code: 'K-1', sku_code: 'MUG', units: 12 }])
  })

  it('removes the other codes where that is chosen', async () => {
    await partner.admin.put(`${api(partner.id)}OLD/`, { sku_code: 'MUG' })
    const file = 'code;sku_code\nNEW;MUG'
    await dashboard.post(`${at}import/`, { body: file, others: 'remove' })
    expect((await codesOf(partner)).map(({ code }: Json) => code)).toEqual(['NEW'])
  })

  it('shows a table again that it cannot read', async () => {
    const page = await dashboard.post(`${at}import/`, { body: 'ean,sku\n1,2', others: 'keep' })
    expect(page.status).toBe(400)
    expect(wordsOf(page)).toContain('The first line must name the columns code, sku_code, units.')
    expect(page.text).toContain('ean,sku\n1,2')
  })
})

describe('POST /dashboard/partners/:id/item-codes/:kind/delete/:code/', () => {
  it('asks, and deletes the code', async () => {
    await partner.admin.put(`${api(partner.id)}a%2Fb/`, { sku_code: 'MUG' })
    const question = await dashboard.get(`${at}delete/a%2Fb/`)
    expect(wordsOf(question)).toContain('Delete the item code “a/b”')
    const answer = await dashboard.post(`${at}delete/a%2Fb/`, {})
    expect(answer.headers.get('Location')).toBe(`${at}?done=code-deleted`)
    expect(await codesOf(partner)).toEqual([])
    expect((await dashboard.get(`${at}delete/a%2Fb/`)).status).toBe(404)
  })
})

describe('GET /dashboard/partners/:id/', () => {
  it('leads to the item codes', async () => {
    await saveMapping(partner.admin, partner.id, 'orders', CODED)
    const page = await dashboard.get(`/dashboard/partners/${partner.id}/`)
    expect(page.text).toContain(`href="${at}"`)
    expect(page.text).toContain(`href="${pageOf(partner.id, 'locations')}"`)
  })
})
