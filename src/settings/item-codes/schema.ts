import * as z from 'zod'
import { findKeys } from '../../engine/identity/key.ts'
import { Identifier, Integer } from '../../engine/json/fields.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, limitParam } from '../../engine/json/pagination.ts'
import { SearchText } from '../../engine/json/search/text.ts'
import { UNITS_MAX } from '../../engine/mapping/item-code.ts'
import { HAS_KEY } from '../display-text.ts'
import type { CodeWords, StoredCode } from './kind.ts'

/** The most codes of one kind that a partner has. A migration has the same number. */
export const CODES_MAX = 200_000

const Text = Identifier.refine((text) => findKeys(text).length === 0, { error: HAS_KEY })
const Units = Integer.min(1).max(UNITS_MAX)

/** What one code stands for, and the same with the code, as a row of many. */
export function schemasOfCode({ field, hasUnits }: CodeWords) {
  const meaning = { [field]: Text, ...(hasUnits && { units: Units.default(1) }) }
  return { One: z.object(meaning), Row: z.object({ code: Text, ...meaning }) }
}

/** The fields that rows may have, to find those without effect. */
export function manyOf(words: CodeWords) {
  return z.object({ item_codes: z.array(schemasOfCode(words).Row) })
}

/** The code as it is stored, of a value that the schema of a row has parsed. */
export function storedCode({ field }: CodeWords, row: Record<string, unknown>): StoredCode {
  const { code, units = 1 } = row
  return { code: String(code), record_name: String(row[field]), units: Number(units) }
}

/** Many codes. Each row is checked on its own: a bad one does not stop the others. */
export const ManyCodes = z.object({
  item_codes: z.array(z.unknown()).max(CODES_MAX),
})
export type ManyCodes = z.output<typeof ManyCodes>

export const ManyCodesQuery = z.object({
  replace: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
})

export const CodesQuery = z.object({
  limit: limitParam(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: z.string().optional(),
  search: SearchText.optional(),
})
export type CodesQuery = z.output<typeof CodesQuery>
