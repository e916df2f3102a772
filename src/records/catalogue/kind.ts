import { CONSTRAINT, type Constraint } from '../../engine/db/constraints.ts'
import { locations, products } from '../../engine/db/tables.ts'
import { Location } from '../../engine/model/location.ts'
import { Product } from '../../engine/model/product.ts'
import type { RecordDefinition } from '../../engine/model/record.ts'
import { pageQuery, productsQuery } from './filters.ts'
import { type CatalogueTable, type Statements, statementsOf } from './statements.ts'

/** A kind of records that are never deleted, and of which lists show the active ones. */
export interface Kind {
  resource: 'products' | 'locations'
  record: RecordDefinition & { one: 'product' | 'location' }
  table: CatalogueTable
  /** The query of their list. */
  Page: ReturnType<typeof pageQuery>
  /** Refuses a name that another record has. */
  nameIsNew: Constraint
  statements: Statements
}

export const PRODUCTS: Kind = {
  resource: 'products',
  record: Product,
  table: products,
  Page: productsQuery(Product),
  nameIsNew: CONSTRAINT.skuIsNew,
  statements: statementsOf(Product, products),
}

export const LOCATIONS: Kind = {
  resource: 'locations',
  record: Location,
  table: locations,
  Page: pageQuery(Location),
  nameIsNew: CONSTRAINT.locationCodeIsNew,
  statements: statementsOf(Location, locations),
}

/** The partners' name for the record: its SKU or code. */
export function recordName({ record }: Kind, row: object): string {
  return String(Reflect.get(row, record.key))
}

/** The ids of rows that have them, by name. */
export function idsOf(kind: Kind, rows: object[]): Map<string, string> {
  return new Map(rows.map((row) => [recordName(kind, row), String(Reflect.get(row, 'id'))]))
}
