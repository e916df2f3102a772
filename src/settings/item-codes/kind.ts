import type { CodeKind } from '../../engine/mapping/item-code.ts'

/** How the API speaks of the codes of one kind. */
export interface CodeWords {
  kind: CodeKind
  /** The field that has the name of our record. */
  field: 'sku_code' | 'location_code'
  one: 'product' | 'location'
  /** Whether one of theirs may be several of ours. */
  hasUnits: boolean
}

export const CODE_WORDS: Record<CodeKind, CodeWords> = {
  products: { kind: 'products', field: 'sku_code', one: 'product', hasUnits: true },
  locations: { kind: 'locations', field: 'location_code', one: 'location', hasUnits: false },
}

/** A code as it is stored. */
export interface StoredCode {
  code: string
  record_name: string
  units: number
}

/** The code as answers show it. */
export function shownCode(
  { field, hasUnits }: CodeWords,
  { code, record_name, units }: StoredCode,
): Record<string, string | number> {
  return { code, [field]: record_name, ...(hasUnits && { units }) }
}
