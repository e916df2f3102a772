import type { Context } from 'hono'
import type { TenantDatabase } from '../db/transact.ts'
import { type List, type ListRow, wholeRows } from '../db/wide-rows.ts'
import type { AppEnv } from '../env.ts'
import { brokenRule, invalid } from '../errors.ts'
import { endingOf } from '../exchange/identify.ts'
import { takeExport } from '../exchange/memory.ts'
import {
  cutRows,
  type Filters,
  type ListPlace,
  type PageRequest,
  pageRequest,
} from '../json/pagination.ts'
import type { Resource } from '../mapping/identifier.ts'
import { type Cell, CSV_TYPE, csvHead, csvLine, fileNameOf, noEffect } from './csv.ts'
import { showing } from './envelope.ts'
import type { ExportFormat } from './format.ts'
import { shownRecord } from './list.ts'
import { sendWhileMade, textParts } from './streaming.ts'

/** So many rows are read at a time, if their texts are short. */
export const BATCH_ROWS = 5000

// Cloudflare allows 1,000 in an invocation. The others are for what comes before and after the export.
const STATEMENTS_MAX = 950

const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8'

const TOO_LARGE =
  'With this field, a mapped record would be too large. An export has no warnings: read the list as JSON.'

/** A list of which all rows can be had at once. `Full` are its rows with all columns of their records. */
export interface ExportedList<Row extends ListRow, Asked extends Filters, Full extends ListRow> {
  resource: Resource
  /** What the file is named for, if not for the resource. */
  fileName?: string
  /** The rows that a record has in CSV, made one at a time; without it the record is the row. */
  rowsOf?: (row: Full) => Iterable<object>
  /** The columns of CSV: those of the list, then the others of a record. */
  columns: readonly string[]
  inFull: (db: TenantDatabase, list: List<Row>) => Promise<List<Full>>
  /** A page, as the list reads it. `end` is where it stopped before it was full. */
  page: (
    db: TenantDatabase,
    filters: Asked,
    request: PageRequest,
  ) => Promise<List<Row & ListPlace> & { end?: ListPlace | null }>
}

/**
 * 200 with the whole list, for a caller of the API: as CSV with our fields, or as NDJSON with the records as the list
 * shows them. 400 VALIDATION_ERROR for a parameter that has no effect in an export.
 */
export async function exportList<Row extends ListRow, Asked extends Filters, Full extends ListRow>(
  c: Context<AppEnv>,
  list: ExportedList<Row, Asked, Full>,
  filters: Asked,
  format: ExportFormat,
): Promise<Response> {
  refuseWithoutEffect(c)
  if (format === 'csv') return await exportCsv(c, list, filters)
  await takeExport(c)
  const show = showing(c)
  const { pace } = c.get('db')
  const parts = textParts(
    pace,
    '',
    batchesOf(c, list, filters, async (read) => read),
    (row) => {
      const line = `${JSON.stringify(show(shownRecord(row)))}\n`
      refuseLeftOut(c)
      return [line]
    },
  )
  return await sendWhileMade(c, parts, headersOf(c, list, format, NDJSON_TYPE))
}

/**
 * 200 with the whole list as CSV. `hasMark` if it is for a spreadsheet: the file begins with a byte order mark, and a
 * cell that a spreadsheet would run is guarded.
 */
export async function exportCsv<Row extends ListRow, Asked extends Filters, Full extends ListRow>(
  c: Context<AppEnv>,
  list: ExportedList<Row, Asked, Full>,
  filters: Asked,
  { hasMark = false } = {},
): Promise<Response> {
  await takeExport(c)
  const { columns, rowsOf = alone } = list
  const parts = textParts(
    c.get('db').pace,
    csvHead(columns, { hasMark }),
    batchesOf(c, list, filters, (read) => list.inFull(c.get('db'), read)),
    function* (row) {
      for (const each of rowsOf(row)) yield recordLine(columns, each, { isGuarded: hasMark })
    },
  )
  return await sendWhileMade(c, parts, headersOf(c, list, 'csv', CSV_TYPE))
}

/**
 * The rows of all pages, newest first. Each read is made when it is asked for, and confirms the caller's settings.
 * Throws if D1 would refuse the next statement: a list that is not whole must not look whole.
 */
async function* batchesOf<Row extends ListRow, Asked extends Filters, Shown extends ListRow>(
  c: Context<AppEnv>,
  list: Pick<ExportedList<Row, Asked, Shown>, 'page'>,
  filters: Asked,
  shownAs: (list: List<Row>) => Promise<List<Shown>>,
): AsyncGenerator<Shown[], void> {
  const paging = { limit: BATCH_ROWS, cursor: undefined }
  let request: PageRequest | null = pageRequest(c.get('caller').tenant, paging, filters)
  while (request) {
    stopAtLimit(c)
    // No change of settings tells of this.
    if (endingOf(c.get('caller')) !== null) throw new Error('The key has ended.')
    const { rows, readWide, end } = await list.page(c.get('db'), filters, request)
    const { kept, last } = cutRows(rows, BATCH_ROWS, end)
    const shown = await shownAs({ rows: kept, readWide })
    const whole = {
      rows: shown.rows,
      readWide: (seqs: number[]) => {
        stopAtLimit(c)
        return shown.readWide(seqs, { confirms: true })
      },
    }
    // Even without rows it is a batch: others have their turn before the next one.
    if (whole.rows.length === 0) yield []
    yield* wholeRows(whole)
    request = last && { ...request, before: last.seq, before_time: last.created_at }
  }
}

function stopAtLimit(c: Context<AppEnv>): void {
  const { meter, request_id } = c.get('exchange')
  if (meter.statements < STATEMENTS_MAX) return
  console.error(JSON.stringify({ event: 'export_too_large', request_id }))
  throw new Error('The export needs more statements than D1 allows.')
}

/** Reports each parameter without effect, as `warnings` of a list would. */
function refuseWithoutEffect(c: Context<AppEnv>): void {
  const { searchParams } = c.get('exchange').url
  const paging = ['limit', 'cursor'].filter((name) => searchParams.has(name))
  const whole = paging.map((name) => [name, ['An export is the whole list: leave it out.']])
  const others = noEffect(c)
  const fields = { ...Object.fromEntries(whole), ...others }
  if (Object.keys(fields).length === 0) return
  const isPagedOnly = Object.keys(others).length === 0
  throw invalid(fields, isPagedOnly ? 'CONFLICTING_PARAMETERS' : undefined)
}

/** A JSON list names in `warnings` what a mapping had to leave out. */
function refuseLeftOut(c: Context<AppEnv>): void {
  const [warning] = c.get('warnings')
  if (warning) throw brokenRule(warning.field, TOO_LARGE, 'EXPORT_TOO_LARGE')
}

/** A record as a line of CSV: an object is its JSON text. */
export function recordLine(
  columns: readonly string[],
  row: object,
  options: { isGuarded: boolean },
): string {
  const cells = columns.map((name) => cellOf(Reflect.get(row, name)))
  return csvLine(cells, options)
}

function alone(row: object): Iterable<object> {
  return [row]
}

function cellOf(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  return JSON.stringify(value)
}

function headersOf(
  c: Context<AppEnv>,
  { resource, fileName = resource }: { resource: Resource; fileName?: string },
  extension: string,
  type: string,
): Record<string, string> {
  const name = fileNameOf(fileName, c.get('caller').tenant)
  return {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}.${extension}"`,
    Vary: 'Accept',
  }
}
