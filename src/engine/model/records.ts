import { Location } from './location.ts'
import { Order } from './order.ts'
import { Product } from './product.ts'

/** The records that have a name, by their resource. Stock is told by its location and product alone. */
export const RECORDS = { orders: Order, products: Product, locations: Location }
