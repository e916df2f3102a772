import type { Warning } from '../../engine/json/warnings.ts'
import type { UploadedPairs } from './pairs.ts'
import type { CheckedRows } from './rows.ts'

const LISTED_MAX = 20

/**
 * Warns of pairs that several rows name: the first 20, then how many more there are. Rows with conditions are meant as a
 * sequence, so their pairs are left out.
 */
export function repeatedPairs(
  { valid, positions }: CheckedRows,
  { repeated: all }: UploadedPairs,
  takesConditions: boolean,
): Warning[] {
  const isConditional = (row: number) => takesConditions && valid[row]?.if_quantity !== undefined
  const repeated = all.filter((rows) => !rows.some(isConditional))
  const warnings = repeated.slice(0, LISTED_MAX).map((rows): Warning => {
    const [first = 0, last = 0] = [rows[0], rows.at(-1)].map((row = 0) => positions[row])
    const others = rows.length > 2 ? ` (and of ${rows.length - 2} between them)` : ''
    const message = `Row ${last} has the location and the SKU of row ${first}${others}: the last one counts.`
    return { field: `inventory[${last}]`, message, code: 'PAIR_REPEATED' }
  })
  const more = repeated.length - LISTED_MAX
  if (more <= 0) return warnings
  const message = `${more} more pairs of location and SKU stand in several rows.`
  return [...warnings, { field: 'inventory', message, code: 'PAIR_REPEATED' }]
}
