import { expect } from 'vitest'
import type { Json } from '../fixtures/tenant.ts'
import { call, MAPPING } from './editor.ts'

/** A partner whose documents are kept, and whose orders are refused: their quantities are texts. */
export async function openFailing(name: string, count: number) {
  const partner: Json = (await call('POST', 'settings/v1/partners/', { name })).data
  const at = `settings/v1/partners/${partner.id}/`
  await call('PUT', at, { keep_documents: { of: 'errors', days: 7 } })
  await call('PUT', `${at}mappings/orders/`, MAPPING)
  const linked = { name: `Key of ${name}`, partner_id: partner.id }
  const { key } = (await call('POST', 'settings/v1/api-keys/', linked)).data
  const ids: string[] = []
  for (let n = 1; n <= count; n++) {
    const lines = [{ article: { code: 'TEA-01' }, qty: '4' }]
    const order = { header: { number: `${name}-${n}` }, lines }
    const answer = await call('POST', 'integrations/v1/orders/', order, key)
    expect(answer.status).toBe(400)
    ids.push(answer.request_id)
  }
  // Documents are stored after the answer.
  const last = `settings/v1/audit-log/${ids.at(-1)}/document/`
  await expect.poll(async () => (await call('GET', last)).status).toBe(200)
  return { id: partner.id as string, key: key as string, ids }
}

export const mend = (id: string) =>
  call('PUT', `settings/v1/partners/${id}/mappings/orders/`, {
    inbound: {
      ...MAPPING.inbound,
      fields: {
        ...MAPPING.inbound.fields,
        'items[].quantity': { from: 'lines[].qty', as: 'integer' },
      },
    },
  })
