import { type SQL, sql } from 'drizzle-orm'
import { qb } from '../../db/prepared.ts'
import { locations, products } from '../../db/tables.ts'
import type { Codes } from './rows.ts'

/** Codes of an upload as slices of JSON. */
export interface CodeSlices {
  locations: string[]
  skus: string[]
}

/** A code that no record has (`is_active` is null), or an inactive one. */
export interface Reported {
  code: string
  is_active: boolean | null
}

/**
 * The codes that no record has, or an inactive one. Looks none up if all records are active and `isSuspect` is
 * false: then there is nothing to report.
 */
export function selectToReport(codes: CodeSlices, isSuspect: SQL) {
  const hasInactive = (table: SQL) => sql`exists (select 1 from ${table} where is_active = 0)`
  return [
    ...codes.locations.map((slice) =>
      qb
        .select({ code: sql<string>`value`.as('code'), is_active: locations.is_active })
        .from(sql`json_each(${slice})`)
        .leftJoin(locations, sql`${locations.code} = value`)
        .where(sql`is_active is not 1 and (${isSuspect} or ${hasInactive(sql`locations`)})`),
    ),
    ...codes.skus.map((slice) =>
      qb
        .select({ code: sql<string>`value`.as('code'), is_active: products.is_active })
        .from(sql`json_each(${slice})`)
        .leftJoin(products, sql`${products.sku} = value`)
        .where(sql`is_active is not 1 and (${isSuspect} or ${hasInactive(sql`products`)})`),
    ),
  ]
}

/** What `selectToReport` has found: its results in order. */
export function reportedCodes(
  codes: CodeSlices,
  found: Reported[][],
): { locations: Codes; skus: Codes } {
  return {
    locations: sortCodes(found.slice(0, codes.locations.length).flat()),
    skus: sortCodes(found.slice(codes.locations.length).flat()),
  }
}

function sortCodes(found: Reported[]): Codes {
  const codesWith = (is_active: boolean | null) =>
    new Set(found.filter((row) => row.is_active === is_active).map(({ code }) => code))
  return { unknown: codesWith(null), inactive: codesWith(false) }
}
