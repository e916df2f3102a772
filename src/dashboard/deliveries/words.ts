import type { Need } from '../../engine/db/delivery-tables.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { count } from '../parts/numbers.ts'
import type { Option } from '../parts/option.ts'

/** What a delivery waits for, as the filter offers it. */
export const NEED_NAMES: Record<Need, string> = {
  product: 'A product',
  location: 'A location',
  product_code: 'An item code of a product',
  location_code: 'An item code of a location',
  settings: 'The mapping or the webhook',
  switch: 'The switch or a pause',
  time: 'A later try',
  person: 'A person',
}

export const NEED_OPTIONS: readonly Option[] = [['', 'Anything'], ...Object.entries(NEED_NAMES)]

const DOCUMENTS: Record<Resource, string> = {
  orders: 'order',
  products: 'product',
  locations: 'location',
  inventory: 'upload of stock',
}

/** Such as `order 30418`. Of an upload only a row has a record. */
export function documentName(resource: Resource, record: string | null): string {
  if (resource === 'inventory' && record !== null) return `stock ${record}`
  return record === null ? DOCUMENTS[resource] : `${DOCUMENTS[resource]} ${record}`
}

export function deliveries(number: number): string {
  return number === 1 ? '1 delivery' : `${count(number)} deliveries`
}

/** `1 delivery waits`, `12 deliveries wait`. */
export function deliveriesWait(number: number): string {
  return `${deliveries(number)} ${number === 1 ? 'waits' : 'wait'}`
}
