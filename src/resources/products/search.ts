import { products } from '../../db/tables.ts'
import { type SearchRequest, searchAlong } from '../../db/walks.ts'
import { identifierWalk } from '../walks.ts'

const { id, sku, quantity, cost, is_active } = products

/** Products by SKU, exact or by its beginning, in order of it. Inactive ones too. */
export function productSearch(request: SearchRequest) {
  const columns = { id, sku, quantity, cost, is_active }
  return searchAlong({ table: 'products', columns, walks: [identifierWalk(sku)] }, request)
}
