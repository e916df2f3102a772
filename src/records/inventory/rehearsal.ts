import { sql } from 'drizzle-orm'
import { type Query, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { UploadedPairs } from './pairs.ts'
import { type Reported, reportedCodes, selectToReport } from './reported-codes.ts'
import { ERRORS_MAX, type RowError } from './rows.ts'
import type { UpsertInventory } from './schema.ts'
import {
  type FoundStock,
  type PreparedUpload,
  prepareUpload,
  rowErrors,
  type UploadOptions,
  uploadWarningsOf,
} from './upload.ts'
import { differs, FOUND_MAX, pairsIn } from './upload-statements.ts'

/** At most so many changes are listed. */
export const CHANGES_MAX = 1000

/** What an upload would make of one pair. `from` is null if it would create the record. */
export interface StockChange {
  location_code: string
  sku_code: string
  from: number | null
  to: number
  /** The index in the upload of the pair's first row. */
  row: number
}

/**
 * What upsertInventory would answer at this moment, and the pairs that it would change, in order of first appearance:
 * the first 1,000; `changed` counts all. Writes nothing. It finds the differences by the upload's own SQL, in one
 * round trip. 400 VALIDATION_ERROR as upsertInventory.
 */
export async function rehearseInventory(
  db: TenantDatabase,
  input: UpsertInventory,
  options: UploadOptions,
) {
  const rehearsed = await rehearseRows(db, input.inventory, options, ERRORS_MAX)
  const { counts, changed, changes, errors, known, upload } = rehearsed
  const warnings = uploadWarningsOf(input, options, counts.failed, errors.length, known)
  return {
    result: { ...counts, errors },
    changed,
    changes,
    warnings: [...warnings, ...upload.repeated],
  }
}

/** The row errors that upsertInventory would answer with, and one more if there are more. Writes nothing. */
export async function findRowErrors(
  db: TenantDatabase,
  rows: unknown[],
  scopes: readonly string[],
): Promise<RowError[]> {
  const options = { takesConditions: true, scopes }
  return (await rehearseRows(db, rows, options, ERRORS_MAX + 1)).errors
}

async function rehearseRows(
  db: TenantDatabase,
  rows: unknown[],
  options: UploadOptions,
  errorsMax: number,
) {
  const upload = await prepareUpload(rows, options, db.pace)
  const { checked, pairs, codes } = upload
  const differences = pairs.slices.map((slice) => selectDifferences(slice, pairs))
  const queries: Query[] = [...differences, ...selectToReport(codes, sql`true`)]
  const [first, ...more] = queries
  const results: unknown[][] = first ? await db.read([first, ...more]) : []
  if (!first) await db.confirm()
  const found = results.slice(0, differences.length).flat() as Differences[]
  const sum = (name: 'created' | 'changed' | 'failed') =>
    found.reduce((all, slice) => all + slice[name], 0)
  const reported = results.slice(differences.length) as Reported[][]
  const known = await reportedCodes(db, options.scopes, codes, reported)
  const failed = checked.failed + sum('failed')
  const created = sum('created')
  const updated = rows.length - created - failed
  const mismatched = found.flatMap((slice) => JSON.parse(slice.found) as FoundStock[])
  return {
    counts: { total: rows.length, created, updated, failed },
    changed: sum('changed'),
    changes: changesIn(upload, found),
    errors: rowErrors(upload, mismatched, known, errorsMax),
    known,
    upload,
  }
}

/** Of a slice. The lists are JSON. */
type Differences = ReturnType<typeof selectDifferences>['_']['result'][number]

function changesIn(upload: PreparedUpload, found: Differences[]): StockChange[] {
  const { checked, pairs } = upload
  const all = found.flatMap(
    ({ changes }) => JSON.parse(changes) as [pair: number, from: number | null, to: number][],
  )
  return all.slice(0, CHANGES_MAX).flatMap(([pair, from, to]) => {
    const [index = 0] = pairs.rowsOf(pair)
    const row = checked.valid[index]
    if (!row) return []
    const { location_code, sku_code } = row
    return [{ location_code, sku_code, from, to, row: checked.positions[index] ?? index }]
  })
}

/** The statements of an upload count and change the same pairs (findDifferences, countRows). */
function selectDifferences(slice: string, pairs: UploadedPairs) {
  const isChange = sql`has_codes and quantity is not stored`
  const limit = (count: number) => sql.raw(`limit ${count}`)
  return qb
    .select({
      created: sql<number>`created`,
      changed: sql<number>`changed`,
      failed: sql<number>`failed_rows`,
      /** The first 1,000, [number, from, to]. */
      changes: sql<string>`changes`,
      /** The first 1,000, [number, quantity]. */
      found: sql<string>`found`,
    })
    .from(
      sql`(
        with difference as materialized (
          select * from ${pairsIn(slice, pairs)} where ${differs(pairs)})
        select count(*) filter (where ${isChange} and seq is null) as created,
          count(*) filter (where ${isChange}) as changed,
          coalesce(sum(iif(has_codes, failed, rows)), 0) as failed_rows,
          (select json_group_array(json_array(number, stored, quantity)) from (
            select * from difference where ${isChange} order by number ${limit(CHANGES_MAX)})
          ) as changes,
          (select json_group_array(json_array(number, stored)) from (
            select * from difference where has_codes and failed > 0
            order by first_failed ${limit(FOUND_MAX)})) as found
        from difference
      )`,
    )
}
