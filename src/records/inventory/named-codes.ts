import { sql } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { Warning, WarningCode } from '../../engine/json/warnings.ts'
import type { StockFilters, StockQuery } from './schema.ts'

type Kind = StockQuery['by']

const IS_INACTIVE = 'is inactive. Its stock stays and counts until an upload sets it to 0.'

/** What a warning says of a code that has no record, only a record of the other kind, or an inactive record. */
const TEXTS: Record<Kind, Record<'field' | 'unknown' | 'other' | 'inactive', string>> = {
  location: {
    field: 'location_code',
    unknown: 'No location has this code.',
    other: 'No location has this code. It is a SKU: its stock is listed with by=sku.',
    inactive: `The location ${IS_INACTIVE}`,
  },
  sku: {
    field: 'sku_code',
    unknown: 'No product has this SKU.',
    other: 'No product has this SKU. It is the code of a location: leave by=sku out.',
    inactive: `The product ${IS_INACTIVE}`,
  },
}

const CODES: Record<Kind, Record<'unknown' | 'inactive', WarningCode>> = {
  location: { unknown: 'LOCATION_UNKNOWN', inactive: 'LOCATION_INACTIVE' },
  sku: { unknown: 'SKU_UNKNOWN', inactive: 'SKU_INACTIVE' },
}

const NAMED = sql.placeholder('named_code')

const select = prepared(() =>
  qb
    .select({
      location: sql<number | null>`(select is_active from locations where code = ${NAMED})`.as('l'),
      sku: sql<number | null>`(select is_active from products where sku = ${NAMED})`.as('p'),
    })
    .from(sql`(select 1)`),
)

type Named = (typeof select)['_']['result']

/** Whether the location and the product with this code are active. */
export function selectNamed(code: string) {
  return select.with({ named_code: code })
}

/**
 * What a look-up of stock tells beside its records: that the code is unknown, or that its location or product is
 * inactive. `takesOther`: the caller can look up the other kind.
 */
export function namedWarnings(by: Kind, [found]: Named, takesOther: boolean): Warning[] {
  const { field, unknown, other, inactive } = TEXTS[by]
  const isActive = found?.[by] ?? null
  if (isActive === null) {
    const isOther = takesOther && found?.[by === 'sku' ? 'location' : 'sku'] != null
    return [{ field, message: isOther ? other : unknown, code: CODES[by].unknown }]
  }
  return isActive === 0 ? [{ field, message: inactive, code: CODES[by].inactive }] : []
}

/** The same for a list that has found nothing. */
export async function emptyWarnings(
  db: TenantDatabase,
  { location_code, sku_code }: Pick<StockFilters, 'location_code' | 'sku_code'>,
  takesOther: boolean,
): Promise<Warning[]> {
  if (location_code === undefined && sku_code === undefined) return []
  const asked = [selectNamed(location_code ?? ''), selectNamed(sku_code ?? '')] as const
  const [location, sku] = await db.readOn(asked)
  return [
    ...(location_code === undefined ? [] : namedWarnings('location', location, takesOther)),
    ...(sku_code === undefined ? [] : namedWarnings('sku', sku, takesOther)),
  ]
}
