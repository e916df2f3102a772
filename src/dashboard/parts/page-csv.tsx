import type { Context } from 'hono'
import { type Cell, csvPage, fileNameOf } from '../../engine/answers/csv.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { PageFilters } from '../paths.ts'

/** What the columns of a file are called, and what a row has in each. */
export type CsvColumns<Row> = Record<string, (row: Row) => Cell | undefined>

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
  const lines = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row) ?? null))
  return await csvPage(c, {
    columns: Object.keys(columns),
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
