import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner, type PartnerOptions } from '../fixtures/partner.ts'
import { type Answer, client, createKey, unique } from '../fixtures/tenant.ts'
import { createOrder, dataOf, path } from '../fixtures/warehouse.ts'
import {
  api,
  auditRowsOf,
  contentOf,
  document,
  from,
  orderRows,
  type Partner,
  SETTINGS,
  sku,
  warm,
} from './mappings.ts'
import { type GoTo, goElsewhere, stay } from './places.ts'

/** From where a request is answered after settings have changed. */
const PLACES: [string, GoTo][] = [
  ['in a warm isolate', stay],
  ['in a cold isolate with a stale KV', goElsewhere],
]

describe.each(PLACES)('%s', (_, goTo) => {
  /** A partner that this place knows as it was before the change. */
  async function changed(options: PartnerOptions, change: (partner: Partner) => Promise<Answer>) {
    const partner = await openPartner(options)
    const known = await warm(partner)
    expect((await change(partner)).status).toBe(200)
    return { partner, options: await goTo(known) }
  }

  const ownWords = () => ({
    order_number: unique('O'),
    items: [{ sku_code: sku, quantity: 1 }],
  })

  const deleteMapping = ({ admin, id }: Partner) =>
    admin.delete(`${SETTINGS}/partners/${id}/mappings/orders/`)

  const linkTo = (partner_id: string | null) => (partner: Partner) =>
    partner.admin.put(`${SETTINGS}/api-keys/${partner.key.id}/`, { partner_id })

  const setDefault = (default_identifier_field: string | null) => (partner: Partner) =>
    partner.admin.put(`${SETTINGS}/partners/${partner.id}/`, { default_identifier_field })

  it.each([
    ['the mapping has been deleted', deleteMapping],
    ['the partner has been unlinked from the key', linkTo(null)],
  ])('takes our own words, and no others, once %s', async (_, change) => {
    const mappings = { orders: from('old') }
    const first = await changed({ mappings }, change)
    expect((await first.partner.api.post('/orders/', ownWords(), first.options)).status).toBe(201)
    const second = await changed({ mappings }, change)
    const answer = await second.partner.api.post('/orders/', document(), second.options)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error).not.toHaveProperty('source')
  })

  it.each([
    ['the mapping has been deleted', deleteMapping],
    ['the partner has been unlinked from the key', linkTo(null)],
  ])('finds an order by order_number again once %s', async (_, change) => {
    const { id, order_number } = await createOrder(api, { metadata: { ref: unique('REF') } })
    const mappings = { orders: { identifier_field: 'metadata.ref' } }
    const { partner, options } = await changed({ mappings }, change)
    const answer = await partner.api.get(path('orders', order_number), options)
    expect(dataOf(answer, 200).id).toBe(id)
  })

  it('shows records in our own words again once the mapping has been deleted', async () => {
    const order = await createOrder(api)
    const outbound = { unmapped: 'drop', fields: { nr: 'order_number' } }
    const { partner, options } = await changed(
      { mappings: { orders: { outbound } } },
      deleteMapping,
    )
    expect((await partner.api.get(path('orders', order.order_number), options)).body.data).toEqual(
      order,
    )
  })

  it.each(
    sample(
      [
        ['set', undefined, 'external_order_id', 'external_order_id'],
        ['changed', 'customer_name', 'external_order_id', 'external_order_id'],
        ['changed to one that orders have not', 'external_order_id', 'zone', 'order_number'],
        ['cleared', 'external_order_id', null, 'order_number'],
      ],
      3,
    ),
  )('finds an order once the default_identifier_field is %s', async (_, before, after, field) => {
    const order = await createOrder(api, { external_order_id: unique('EXT') })
    const { partner, options } = await changed(
      before ? { default_identifier_field: before } : {},
      setDefault(after),
    )
    const answer = await partner.api.put(path('orders', order[field]), { notes: 'x' }, options)
    expect(dataOf(answer, 200).id).toBe(order.id)
  })

  it('stores an order for no partner once its partner has been unlinked', async () => {
    const { partner, options } = await changed({}, linkTo(null))
    const order = ownWords()
    const answer = await partner.api.post('/orders/', order, options)
    expect(answer.status).toBe(201)
    expect((await orderRows(order.order_number))[0].partner_id).toBe(null)
    expect(await auditRowsOf(answer)).toEqual([{ status: 201, error_code: null, partner_id: null }])
  })

  it('goes by the mapping of the partner that the key has been moved to', async () => {
    const other = await openPartner({ mappings: { orders: from('new') } })
    const mappings = { orders: from('old') }
    const { partner, options } = await changed({ mappings }, linkTo(other.id))
    const body = document()
    const answer = await partner.api.post('/orders/', body, options)
    expect(answer.status).toBe(201)
    expect(await orderRows(body.number)).toEqual([
      { ...contentOf('new', body.number), partner_id: other.id },
    ])
    expect(await auditRowsOf(answer)).toEqual([
      { status: 201, error_code: null, partner_id: other.id },
    ])
  })
})

describe('a pass-through key', () => {
  it.each(PLACES)('gets the mapping of a partner once that is linked, %s', async (_, goTo) => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const { id, value, hash } = await createKey()
    const caller = client(value)
    const refused = await caller.post('/orders/', document())
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    const name = `caller:12:${hash}`
    const known = { name, value: (await env.KEYS.get(name)) ?? '' }
    await partner.admin.put(`${SETTINGS}/api-keys/${id}/`, { partner_id: partner.id })

    const body = document()
    const answer = await caller.post('/orders/', body, await goTo(known))
    expect(answer.status).toBe(201)
    expect(await orderRows(body.number)).toEqual([
      { ...contentOf('old', body.number), partner_id: partner.id },
    ])
  })
})
