import type { CodeMode } from '../engine/db/item-codes.ts'
import type { CodeKind } from '../engine/mapping/item-code.ts'

const OWN: Record<CodeKind, string> = {
  products: 'no product has this SKU',
  locations: 'no location has this code',
}

/** The message of an item code that is unknown. */
export function noItemCode(code: string, kind: CodeKind, mode: CodeMode): string {
  const own = mode === 'or_own' ? `, and ${OWN[kind]}` : ''
  return `The partner has no item code "${code}" for ${kind}${own}. Enter what it stands for in the item codes of the partner.`
}
