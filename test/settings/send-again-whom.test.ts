import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { badOrder, idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { MAPPING, shopOrder } from '../fixtures/shop.ts'
import {
  type Answer,
  type Api,
  client,
  createKey,
  openAdmin,
  openTenant,
} from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

// Whose request is sent again: its partner's or its key's, and what of theirs was later.

const ERRORS = { of: 'errors', days: 7 }

let admin: Api

beforeEach(async () => {
  await openTenant()
  admin = await openAdmin()
})

const again = (answer: Answer) =>
  admin.post(`${SETTINGS}/audit-log/${idOf(answer)}/send-again/`, {})

describe('a request that is sent again', () => {
  it('has the release of its own key', async () => {
    const required = { from: 'lines', required: true }
    const inbound = { fields: { ...MAPPING.inbound.fields, notes: required } }
    const partner = await openKept(ERRORS, { mappings: { orders: { inbound } } })
    const at = `${SETTINGS}/api-keys/${partner.key.id}/`
    expect((await admin.put(at, { release: '1.0' })).status).toBe(200)
    const order = { ...(await shopOrder(admin)), lines: [] }
    const refused = await partner.api.post('/orders/', { ...order, lines: undefined })
    // 422 in the current release.
    expect([refused.status, refused.body.error.code]).toEqual([400, 'MAPPING_ERROR'])
    const { status, answer } = (await again(refused)).body.data
    expect([status, answer.error.code]).toEqual([400, 'MAPPING_ERROR'])
  })

  it('may be of a key without a partner, unless that key has changed the record since', async () => {
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: ERRORS })
    const own = client((await createKey(['integrations.*'])).value)
    const other = client((await createKey(['integrations.*'])).value)
    const { sku } = await createProduct(admin)
    const refused = await own.put(`/products/${sku}/`, { quantity: 'seven' })
    await other.put(`/products/${sku}/`, { quantity: 8 })
    expect((await again(refused)).body.data.status).toBe(400)
    await own.put(`/products/${sku}/`, { quantity: 9 })
    expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: null })
  })

  it('is older than a success about its record by another name', async () => {
    const mappings = { orders: { identifier_field: 'external_order_id' } }
    const partner = await openKept(ERRORS, { mappings })
    const { sku } = await createProduct(admin)
    const number = badOrder().order_number
    const items = [{ sku_code: sku, quantity: 1 }]
    const order = { order_number: number, external_order_id: `E-${number}`, items }
    await partner.api.post('/orders/', order)
    const refused = await partner.api.put(`/orders/${number}/`, { notes: 7 })
    expect(refused.status).toBe(400)
    await partner.api.put(`/orders/E-${number}/`, { notes: 'later' })
    expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
  })

  inDeepPass(() => {
    it('counts as overtaken beyond 20,000 later requests', async () => {
      const partner = await openKept(ERRORS)
      const { sku } = await createProduct(admin)
      const refused = await partner.api.put(`/products/${sku}/`, { quantity: 'seven' })
      await insertRequests([{ partner_id: partner.id }], 19_998)
      expect((await again(refused)).status).toBe(200)
      await insertRequests([{ partner_id: partner.id }])
      expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
    })

    it('gives back the place of the request that sends it, and no more', async () => {
      const { api } = await openKept(ERRORS)
      const refused = await api.post('/orders/', badOrder())
      const key = await createKey(['settings.*', 'integrations.*'])
      admin = client(key.value)
      for (let turn = 0; turn < 3; turn++) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => again(refused)))
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      }
      const held = env.DB_DEMO.prepare('select count(*) as n from audit_log where replay_of = ?')
      expect(await held.bind(idOf(refused)).first('n')).toBe(150)
    })
  })
})
