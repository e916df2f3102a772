import { expect } from 'vitest'
import type { Fields } from '../fixtures/forms.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'

export const FORM = 'mapping-editor'

export const at = (id: string, resource = 'orders') =>
  `/dashboard/partners/${id}/mappings/${resource}/`

export const api = (id: string, resource = 'orders') =>
  `/api/settings/v1/partners/${id}/mappings/${resource}/`

export async function makePartner(mapping?: object, resource = 'orders'): Promise<string> {
  const name = unique('partner')
  const { id } = (await admin.post('/api/settings/v1/partners/', { name })).body.data
  if (mapping) await saveMapping(admin, id, resource, mapping)
  return id
}

/** What the API says is saved. */
export async function savedOf(id: string, resource = 'orders'): Promise<Json> {
  const { updated_at, resource: _, ...mapping } = (await admin.get(api(id, resource))).body.data
  return mapping
}

export const rules = (...rows: [target: string, kind: string, source: string][]): Fields => ({
  'inbound.unmapped': 'drop',
  'inbound.target': rows.map(([target]) => target),
  'inbound.kind': rows.map(([, kind]) => kind),
  'inbound.source': rows.map(([, , source]) => source),
})

/** Products for documents that name them. */
export async function stock(...skus: string[]): Promise<void> {
  for (const sku of skus) await admin.post('/products/', { sku })
}

export const ORDER = rules(
  ['order_number', 'required', 'no'],
  ['items[].sku_code', 'path', 'lines[].sku'],
  ['items[].quantity', 'path', 'lines[].qty'],
  ['metadata.source', 'value', '"acme"'],
)

export async function tryOut(document: unknown, fields: Fields = ORDER, resource = 'orders') {
  const id = await makePartner()
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const answer = await dashboard.post(`${at(id, resource)}preview/`, { ...fields, document: text })
  expect(answer.status).toBe(200)
  return answer
}
