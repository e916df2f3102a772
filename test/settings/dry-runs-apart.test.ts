import { beforeEach, describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { MAPPING, MENDED, shopOrder } from '../fixtures/shop.ts'
import { execute } from '../fixtures/sql.ts'
import { unique } from '../fixtures/tenant.ts'
import { createProduct, path } from '../fixtures/warehouse.ts'
import { summarize } from './traffic.ts'

// Whatever reads the audit log for what was changed, or for what a partner sends, leaves dry runs out.

type Partner = Awaited<ReturnType<typeof openKept>>

let partner: Partner

beforeEach(async () => {
  await execute('delete from audit_log')
  partner = await openKept({ of: 'all', days: 7 }, { mappings: { orders: MAPPING } })
})

const DRY = '/orders/?dry_run=true'
const findings = async () =>
  (await partner.admin.get(`${SETTINGS}/partners/${partner.id}/check-up/`)).body.data
const again = (id: string, query = '') =>
  partner.admin.post(`${AUDIT}${id}/send-again/${query}`, {})
const refuse = async (where = '/orders/') => {
  const answer = await partner.api.post(where, await shopOrder(partner.admin, '2'))
  expect(answer.status).toBe(400)
  return idOf(answer)
}

describe('a dry run', () => {
  inDeepPass(() => {
    it('is counted apart in the overview', async () => {
      await partner.api.get('/orders/')
      for (const quantity of [1, '2']) {
        await partner.api.post(DRY, await shopOrder(partner.admin, quantity))
      }
      const { traffic } = await summarize(undefined, { partner_id: partner.id })
      expect(traffic).toMatchObject({ total: 1, dry_runs: 2, requests: { '2xx': 1 }, errors: [] })
      const { text } = await dashboard.get(`/dashboard/?partner_id=${partner.id}`)
      expect(text).toContain('<dt>Dry runs, not counted</dt><dd>2</dd>')
    })
  })

  it('is no change in the history of a record', async () => {
    const { sku, id } = await createProduct(partner.admin)
    await partner.admin.put(`${path('products', sku)}?dry_run=true`, { quantity: 7 })
    const { text } = await dashboard.get(`/dashboard/products/${id}/`)
    expect(text).toContain('POST /api/integrations/v1/products/')
    expect(text).not.toContain('PUT /api')
  })

  it('is no failure of which the check-up tells', async () => {
    for (let turn = 0; turn < 6; turn++) await refuse(DRY)
    expect(await findings()).toEqual([])
    for (let turn = 0; turn < 6; turn++) await refuse()
    expect(await findings()).not.toEqual([])
  })

  it('is not among the documents on which a mapping is tried', async () => {
    const at = `${SETTINGS}/partners/${partner.id}/mappings/orders/replay/`
    const documents = async () => (await partner.admin.post(at, {})).body.data.documents
    await refuse(DRY)
    expect(await documents()).toBe(0)
    await refuse()
    expect(await documents()).toBe(1)
  })

  it('is not offered to be sent again, alone or with others', async () => {
    const dry = await refuse(DRY)
    const pageOf = async (id: string) => (await dashboard.get(`/dashboard/audit-log/${id}/`)).text
    expect(await pageOf(dry)).not.toContain('send-again/')
    const list = `/dashboard/send-again/?partner_id=${partner.id}`
    expect((await dashboard.get(list)).text).not.toContain('type="submit">Send')
    const real = await refuse()
    expect(await pageOf(real)).toContain('send-again/')
    expect((await dashboard.get(list)).text).toContain('type="submit">Send')
  })

  it('of sending again does not count as sent, nor as a later change', async () => {
    const id = await refuse()
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    expect((await again(id, '?dry_run=true')).body.data.status).toBe(201)
    const { text } = await dashboard.get(`/dashboard/send-again/?partner_id=${partner.id}`)
    expect(text).toContain('type="submit">Send')
    expect((await again(id)).body.data.status).toBe(201)
  })

  it('of a record is no later change that would be undone', async () => {
    const { sku } = await createProduct(partner.admin)
    const at = path('products', sku)
    const failed = await partner.api.put(at, { quantity: 'x' })
    await partner.api.put(`${at}?dry_run=true`, { quantity: 3 })
    const sent = await again(idOf(failed))
    expect([sent.status, sent.body.data?.status]).toEqual([200, 400])
  })

  it('is marked in the pages of the audit log, and can be filtered', async () => {
    const sku = unique('S')
    const dry = await partner.admin.post('/products/?dry_run=true', { sku })
    const real = await partner.admin.post('/products/', { sku })
    const list = (query: string) =>
      dashboard.get(`/dashboard/audit-log/?record_name=${sku}${query}`)
    const all = (await list('')).text
    for (const answer of [dry, real]) expect(all).toContain(idOf(answer))
    expect(all.match(/<small>dry run<\/small>/g)).toHaveLength(1)
    expect((await list('&dry_run=true')).text).not.toContain(idOf(real))
    expect((await list('&dry_run=false')).text).not.toContain(idOf(dry))
    const page = await dashboard.get(`/dashboard/audit-log/${idOf(dry)}/`)
    expect(page.text).toContain('It changed nothing.')
  })
})
