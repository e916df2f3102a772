import { beforeAll, beforeEach } from 'vitest'
import { execute } from '../fixtures/sql.ts'
import { unique } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'

export const PATH = '/dashboard/deliveries/'
export const API = '/api/settings/v1/deliveries'
export const READ = ['settings.documents.read']

export let shop: Awaited<ReturnType<typeof openWebhook>>

beforeAll(async () => {
  shop = await openWebhook()
})

beforeEach(() => execute('delete from waiting_deliveries'))

export type Waiting = Awaited<ReturnType<typeof waiting>>

/** A delivery of an order whose product is not there. */
export async function waiting(sku = unique('SKU'), of = shop) {
  const document = await shopDocument(of.partner.api, { lines: [{ sku, qty: 1 }] })
  const { body } = await of.deliver(document, { sender_id: unique('d') })
  const id = body.data.delivery_id as string
  return { document, number: document.number, sku, id, at: `${PATH}${id}/` }
}

/** A delivery that the mapping cannot read. */
export async function unmappable(of = shop) {
  const document = await shopDocument(of.partner.api, { lines: [{ sku: 'X', qty: 'two' }] })
  return (await of.deliver(document)).body.data.delivery_id as string
}

export const create = (sku: string) => shop.partner.api.post('/products/', { sku })

export const isWaiting = async (id: string) =>
  (await shop.admin.get(`${API}/${id}/`)).status === 200

/** The status of its order. */
export const orderOf = async ({ number }: Pick<Waiting, 'number'>) =>
  (await shop.partner.api.get(`/orders/${number}/`)).status
