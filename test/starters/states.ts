import { BACK_OFFICE_STATES } from './states/back-offices.ts'
import { SHOP_STATES } from './states/shops.ts'
import type { States } from './states/state.ts'

const SINGLE: Record<string, States> = { ...BACK_OFFICE_STATES, ...SHOP_STATES }

/** The states of one order as the first of a list. `record` is the place of it in its own document, `first` in the list. */
function asFirst(name: string, record: string, first: string): States {
  const moved = (place: string) => `${first}.${place.slice(record.length)}`
  const kinds = Object.entries(SINGLE[name] ?? {}).map(([kind, edits]) => [
    kind,
    edits.map((edit: object) =>
      Object.fromEntries(Object.entries(edit).map(([place, value]) => [moved(place), value])),
    ),
  ])
  return Object.fromEntries(kinds)
}

/** By the name of the starter. */
export const STATES: Record<string, States> = {
  ...SINGLE,
  'ebay-orders': asFirst('ebay-order', '', 'orders[0]'),
  'etsy-receipts': asFirst('etsy-receipt', '', 'results[0]'),
  'shipstation-orders': asFirst('shipstation-order', '', 'orders[0]'),
  'walmart-orders': asFirst('walmart-order', 'order.', 'list.elements.order[0]'),
}
