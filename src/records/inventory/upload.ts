import { and, eq, sql } from 'drizzle-orm'
import { WRITTEN_IN } from '../../engine/db/audit-row.ts'
import { jsonParts } from '../../engine/db/json-parts.ts'
import { literal, type Query, qb } from '../../engine/db/prepared.ts'
import { REHEARSED_APART } from '../../engine/db/rehearsal.ts'
import { auditLog, replacedValues } from '../../engine/db/tables.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import type { Missing } from '../../engine/errors.ts'
import { unusedFields, type Warning } from '../../engine/json/warnings.ts'
import type { Pace } from '../../engine/limits/pace.ts'
import type { CodesByKind } from '../near-codes.ts'
import { FOUND_POSITION, type ReplacedStock } from '../replaced-stock.ts'
import { codedOf } from './codes.ts'
import { mismatches } from './conditions.ts'
import { pairsOf, stepsOf, type UploadedPairs } from './pairs.ts'
import { reportedCodes, selectToReport } from './reported-codes.ts'
import {
  type CheckedRows,
  type Codes,
  checkRows,
  distinctCodes,
  ERRORS_MAX,
  firstErrors,
  type RowError,
} from './rows.ts'
import { UploadRows, UploadRowsWithoutConditions, type UpsertInventory } from './schema.ts'
import { uploadStatements } from './upload-statements.ts'

const LISTED_MAX = 20

export interface UploadOptions {
  /** Whether `if_quantity` has an effect. */
  takesConditions: boolean
  /** The caller's, which say what it may be told of codes. */
  scopes: readonly string[]
}

/** What else the batch of an upload does, for a delivery. */
export interface WithinUpload {
  /** Statements that read what the upload has found of pairs without a record. */
  changes?: Query[]
  /** What it tries has to wait still. The batch fails by `audit_log_write_names_record` if it does not. */
  waiting?: string
  /** What becomes of rows with unknown item codes, beside that they fail. */
  ofUnknown?: (rows: UnknownRow[]) => Query[]
}

/** A row with an item code that is unknown, by its number. */
export interface UnknownRow {
  row: number
  sent: object
  missing: Missing
}

export type PreparedUpload = Awaited<ReturnType<typeof prepareUpload>>

/** A pair of which a row failed for its condition, by its number, and what was stored. */
export type FoundStock = [pair: number, quantity: number | null]

/**
 * An upload that is checked, as far as that needs no database, and as its statements read it, with warnings of `repeated`
 * pairs. 400 VALIDATION_ERROR if a pair has too many conditions.
 */
export async function prepareUpload(
  rows: unknown[],
  { takesConditions }: Pick<UploadOptions, 'takesConditions'>,
  pace: Pace,
) {
  const checked = await checkRows(rows, pace, takesConditions)
  const pairs = await pairsOf(checked.valid, pace, takesConditions)
  const codes = {
    valid: await slicesOf({ locations: pairs.locations.keys(), skus: pairs.skus.keys() }, pace),
    malformed: await slicesOf(distinctCodes(checked, pairs), pace),
  }
  return { checked, pairs, codes, repeated: repeatedPairs(checked, pairs, takesConditions, rows) }
}

async function slicesOf({ locations, skus }: CodesByKind<Iterable<string>>, pace: Pace) {
  return { locations: await jsonParts(locations, pace), skus: await jsonParts(skus, pace) }
}

/**
 * Sets quantities row by row, as if each row came alone: updates known pairs, creates new ones, reports
 * bad rows. The last row of a repeated pair wins. All good rows commit together.
 */
export async function upsertInventory(
  db: TenantDatabase,
  input: UpsertInventory,
  options: UploadOptions,
  { changes = [], waiting }: WithinUpload = {},
) {
  const upload = await prepareUpload(input.inventory, options, db.pace)
  const { checked, pairs, codes } = upload
  const { request_id, created_at } = db.subject
  const failed = sql`(select rows_failed from audit_log where seq = ${WRITTEN_IN})`
  const mayBeUnknown = sql`${failed} > ${literal(checked.failed)}`
  const [counts, found, ...reported] = await db.write({
    record:
      waiting === undefined
        ? request_id
        : sql`(select ${request_id} from waiting_deliveries where delivery_id = ${waiting})`,
    status: 200,
    upload: {
      source: input.source,
      notes: input.notes ?? null,
      rows_total: input.inventory.length,
    },
    changes: uploadStatements(
      { request_id, created_at },
      pairs,
      codes.valid,
      checked.failed,
      changes,
    ),
    answer: [selectCounts, selectFound, ...selectToReport(codes, mayBeUnknown)],
    rehearsal: REHEARSED_APART,
  })
  const total = singleRow(counts)
  const known = await reportedCodes(db, options.scopes, codes, reported)
  const errors = rowErrors(upload, foundIn(found), known)
  const warnings = uploadWarningsOf(input, options, total.failed ?? 0, errors.length, known)
  return { result: { ...total, errors }, warnings: [...warnings, ...upload.repeated] }
}

/** The first row errors, in order. */
export function rowErrors(
  { checked, pairs }: PreparedUpload,
  found: FoundStock[],
  { locations, skus }: CodesByKind<Codes>,
  max = ERRORS_MAX,
): RowError[] {
  const mismatched = found.flatMap(([pair, quantity]) =>
    mismatches(stepsOf(checked.valid, pairs.rowsOf(pair), true), quantity),
  )
  return firstErrors(checked, locations, skus, mismatched, max)
}

export function uploadWarningsOf(
  { inventory }: UpsertInventory,
  { takesConditions }: UploadOptions,
  failed: number,
  listed: number,
  { locations, skus }: CodesByKind<Codes>,
): Warning[] {
  const schema = takesConditions ? UploadRows : UploadRowsWithoutConditions
  const inactive = (field: string, kind: string, codes: Codes) =>
    [...codes.inactive].map((code) => ({ field, message: `${kind} "${code}" is inactive.` }))
  const message = `Only the first ${listed} of ${failed} failed rows are listed.`
  return [
    ...unusedFields(schema, { inventory }),
    ...inactive('inventory[].location_code', 'Location', locations),
    ...inactive('inventory[].sku_code', 'Product', skus),
    ...(failed > listed ? [{ field: 'errors', message }] : []),
  ]
}

const selectCounts = qb
  .select({
    total: auditLog.rows_total,
    created: auditLog.rows_created,
    updated: auditLog.rows_updated,
    failed: auditLog.rows_failed,
  })
  .from(auditLog)
  .where(sql`audit_log.seq = ${WRITTEN_IN}`)

/** What the write itself has found: after a lost answer, records may be others by now. */
const selectFound = qb
  .select({ replaced: replacedValues.replaced })
  .from(replacedValues)
  .where(
    and(
      sql`${replacedValues.changed_in} = ${WRITTEN_IN}`,
      eq(replacedValues.position, FOUND_POSITION),
    ),
  )

function foundIn(rows: { replaced: unknown }[]): FoundStock[] {
  const [row] = rows as { replaced: ReplacedStock }[]
  return row && 'found' in row.replaced ? row.replaced.found : []
}

/**
 * Warns of pairs that several rows name: the first 20, then how many more there are. Rows with conditions are meant as a
 * sequence, so their pairs are left out, and so are those of several item codes, which add up.
 */
function repeatedPairs(
  { valid, positions }: CheckedRows,
  { repeated: all }: UploadedPairs,
  takesConditions: boolean,
  rows: unknown[],
): Warning[] {
  const isSummed = (row: number) => codedOf(rows[positions[row] ?? -1])?.isSummed === true
  const isConditional = (row: number) => takesConditions && valid[row]?.if_quantity !== undefined
  const repeated = all.filter((ofPair) => !ofPair.some(isConditional) && !ofPair.some(isSummed))
  const warnings = repeated.slice(0, LISTED_MAX).map((ofPair): Warning => {
    const [first = 0, last = 0] = [ofPair[0], ofPair.at(-1)].map((row = 0) => positions[row])
    const others = ofPair.length > 2 ? ` (and of ${ofPair.length - 2} between them)` : ''
    const message = `Row ${last} has the location and the SKU of row ${first}${others}: the last one counts.`
    return { field: `inventory[${last}]`, message, code: 'PAIR_REPEATED' }
  })
  const more = repeated.length - LISTED_MAX
  if (more <= 0) return warnings
  const message = `${more} more pairs of location and SKU stand in several rows.`
  return [...warnings, { field: 'inventory', message, code: 'PAIR_REPEATED' }]
}
