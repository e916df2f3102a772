import type { Context } from 'hono'
import { type Cell, csvPage, fileNameOf } from '../../engine/answers/csv.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { Pause } from '../../engine/model/pause.ts'
import type { PageFilters } from '../paths.ts'

/** The columns of a file: members of a row, and what a column of another name has. */
export type CsvColumns<Row> = readonly (CellName<Row> | CellOf<Row>)[]
type CellName<Row> = { [Name in keyof Row]: Row[Name] extends Cell ? Name : never }[keyof Row] &
  string
type CellOf<Row> = readonly [name: string, of: (row: Row) => Cell | undefined]

/** How long something is paused, in a cell. */
export function pauseCell({ pause }: { pause: Pick<Pause, 'until'> | null }): string | null {
  return pause && (pause.until ?? 'until resumed')
}

/** Whether the rows of a page are asked for as a file. */
export function isPageCsv({ format }: PageFilters): boolean {
  return format === 'csv'
}

/** 200 with the rows of the page as CSV, for lists that are no export. */
export async function pageCsv<Row>(
  c: Context<AppEnv>,
  name: string,
  columns: CsvColumns<Row>,
  { rows, next_cursor }: Page<Row>,
): Promise<Response> {
  const cells = columns.map(
    (column): CellOf<Row> =>
      typeof column === 'string' ? [column, (row) => row[column] as Cell] : column,
  )
  const lines = rows.map((row) => cells.map(([, cellOf]) => cellOf(row) ?? null))
  return await csvPage(c, {
    columns: cells.map(([name]) => name),
    batches: once(lines),
    fileName: fileNameOf(name, c.get('caller').tenant),
    next_cursor,
    searched_to: null,
    hasMark: true,
  })
}

async function* once<Value>(value: Value): AsyncGenerator<Value, void> {
  yield value
}

/** Leads to the file with the rows that the page shows. */
export function PageCsvLink({ c }: { c: Context<AppEnv> }) {
  const { url } = c.get('exchange')
  const parameters = new URLSearchParams(url.search)
  parameters.delete('done')
  parameters.set('format', 'csv')
  return (
    <p class="csv">
      <a class="button secondary outline" href={`${url.pathname}?${parameters}`}>
        Download CSV of this page
      </a>
    </p>
  )
}
