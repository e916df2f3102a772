import { expect, it } from 'vitest'
import guide from '../../docs/mappings.md?raw'
import { sectionOf } from '../fixtures/markdown.ts'
import { openPartner } from '../fixtures/partner.ts'
import type { Json } from '../fixtures/tenant.ts'

it('the example of item codes stores what the guide says', async () => {
  const section = sectionOf(guide, "`code`: the partner's own numbers")
  const [, text = ''] = /```json\n(.*?)```/s.exec(section) ?? []
  const { item_codes, fields, document, stored } = JSON.parse(text)
  const mappings = { orders: { inbound: { unmapped: 'drop', fields } } }
  const { admin, api, id } = await openPartner({ mappings })
  for (const sku of new Set(stored.map(([sku]: Json) => sku)))
    await admin.post('/products/', { sku })
  await admin.put(`/api/settings/v1/partners/${id}/item-codes/products/`, { item_codes })
  const { status, body } = await api.post('/orders/', document)
  expect([status, body.error]).toEqual([201, undefined])
  const lines = body.data.items.map(({ sku, quantity }: Json) => [sku.sku, quantity])
  expect(lines).toEqual(stored)
})
