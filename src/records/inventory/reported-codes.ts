import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { qb } from '../../engine/db/prepared.ts'
import { locations, products } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { type CodesByKind, findNearCodes } from '../near-codes.ts'
import type { Codes } from './rows.ts'

/** Codes of an upload as slices of JSON. */
export type CodeSlices = CodesByKind<string[]>

/** A code that no record has (`is_active` is null), or an inactive one. */
export interface Reported {
  code: string
  is_active: boolean | null
}

/** Of the well-formed rows of an upload, and further ones of its malformed rows. */
interface UploadCodes {
  valid: CodeSlices
  malformed: CodeSlices
}

/**
 * The codes that no record has, or an inactive one. Looks those of well-formed rows up only if `mayBeUnknown` is true,
 * or if any record is inactive: otherwise there is nothing to report.
 */
export function selectToReport({ valid, malformed }: UploadCodes, mayBeUnknown: SQL) {
  const isNeeded = (table: SQL) =>
    sql`(${mayBeUnknown} or exists (select 1 from ${table} where is_active = 0))`
  const ofLocations = codesOf(locations, locations.code)
  const ofProducts = codesOf(products, products.sku)
  return [
    ...valid.locations.map((slice) => ofLocations(slice, isNeeded(sql`locations`))),
    ...malformed.locations.map((slice) => ofLocations(slice, sql`true`)),
    ...valid.skus.map((slice) => ofProducts(slice, isNeeded(sql`products`))),
    ...malformed.skus.map((slice) => ofProducts(slice, sql`true`)),
  ]
}

const codesOf = (table: typeof locations | typeof products, code: SQLiteColumn) => {
  return (slice: string, isNeeded: SQL) =>
    qb
      .select({ code: sql<string>`value`.as('code'), is_active: table.is_active })
      .from(sql`json_each(${slice})`)
      .leftJoin(table, sql`${code} = value`)
      .where(sql`is_active is not 1 and ${isNeeded}`)
}

/** What `selectToReport` has found, its results in order, with what a key with these scopes may know of near codes. */
export async function reportedCodes(
  db: TenantDatabase,
  scopes: readonly string[],
  { valid, malformed }: UploadCodes,
  found: Reported[][],
): Promise<CodesByKind<Codes>> {
  const ofLocations = valid.locations.length + malformed.locations.length
  const locations = found.slice(0, ofLocations).flat()
  const skus = found.slice(ofLocations).flat()
  const unknown = { locations: codesWith(null, locations), skus: codesWith(null, skus) }
  const near = await findNearCodes(db, scopes, unknown)
  const named = (kind: keyof typeof unknown, rows: Reported[]): Codes => ({
    unknown: unknown[kind],
    inactive: codesWith(false, rows),
    near: near[kind],
  })
  return { locations: named('locations', locations), skus: named('skus', skus) }
}

function codesWith(is_active: boolean | null, found: Reported[]): Set<string> {
  return new Set(found.filter((row) => row.is_active === is_active).map(({ code }) => code))
}
