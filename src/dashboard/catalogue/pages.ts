import { type Kind, LOCATIONS, PRODUCTS } from '../../records/catalogue/kind.ts'
import type { StockOf } from '../records/stock.tsx'

/** What the pages of a kind of records say and show of their own. */
export interface Pages {
  kind: Kind
  /** The body of a POST, as an empty list shows it. */
  example: object
  /** What comes of it, in a sentence. */
  effects: { activate: string; deactivate: string }
  /** The stock that the page of a record shows. */
  stockOf: (name: string) => StockOf
}

export const PRODUCT_PAGES: Pages = {
  kind: PRODUCTS,
  example: { sku: 'TEA-1' },
  effects: {
    activate: 'Lists show it again, and orders with it get no warning any more.',
    deactivate:
      'It is kept. Lists leave it out, and new orders and stock with it are accepted with a warning.',
  },
  stockOf: (name) => ({ sku_code: name }),
}

export const LOCATION_PAGES: Pages = {
  kind: LOCATIONS,
  example: { code: 'A-01' },
  effects: {
    activate: 'Lists show it again, and stock at it gets no warning any more.',
    deactivate:
      'It and its stock are kept. Lists leave it out, and new stock at it is accepted with a warning.',
  },
  stockOf: (name) => ({ location_code: name }),
}
