import type { Context } from 'hono'
import type { ListPage } from '../db/tables.ts'
import { type List, type ListRow, wholeRows } from '../db/wide-rows.ts'
import type { AppEnv } from '../env.ts'
import { answerInTurn, ownerOf } from '../exchange/memory.ts'
import {
  cutPage,
  type Filters,
  type ListPlace,
  type PageQuery,
  type PageRequest,
  pageRequest,
} from '../json/pagination.ts'
import type { Warning } from '../json/warnings.ts'
import { showing, success, warningsOf } from './envelope.ts'
import { PART_LENGTH, sendParts, sendText } from './streaming.ts'

interface PageOptions {
  warnings?: Warning[]
  /** Of a list that may stop before it has all rows of the page: where it did, or null. */
  end?: ListPlace | null
  /** Of such a list, if the response tells it: the created_at of that row, or null. */
  searched_to?: string | null
  /** Whether it is the list without filters. */
  isWhole?: boolean
}

/**
 * 200 with a page of a list, without `pagination` in a release without pages. A row beyond `limit` is not
 * shown: it only says that more rows follow.
 */
export async function page<Row extends { seq: number }>(
  c: Context<AppEnv>,
  resource: string,
  request: Pick<PageRequest, 'limit' | 'filters' | 'place'>,
  list: Row[] | List<Row & ListRow>,
  {
    warnings = [],
    end = null,
    searched_to,
    isWhole = request.filters === undefined,
  }: PageOptions = {},
): Promise<Response> {
  const { tenant } = c.get('caller')
  const whole = Array.isArray(list) ? { rows: list.map(wholeRow), readWide: async () => [] } : list
  const { rows, next_cursor } = cutPage(tenant, resource, whole.rows, request, end)
  // With filters, a first page may be all that somebody looks for.
  c.get('exchange').list_page = isWhole ? listPageOf(c, next_cursor) : null
  const { limit } = request
  const searched = searched_to !== undefined && { searched_to }
  const pagination = !c.get('change')?.isUnpaged && {
    pagination: { limit, next_cursor, ...searched },
  }
  const parts = { list: { ...whole, rows }, rest: null, members: { ...pagination }, warnings }
  return await answerList(c, parts)
}

/** 200 with a page of a list that is in memory as a whole, newest first: in descending order of seq. */
export async function pageOfAll<Row extends { seq: number }>(
  c: Context<AppEnv>,
  resource: string,
  all: Row[],
  query: PageQuery,
  filters: Filters = {},
): Promise<Response> {
  const request = pageRequest(c.get('caller').tenant, query, filters)
  const { before = Number.MAX_SAFE_INTEGER, limit } = request
  const rows = all.filter(({ seq }) => seq < before).slice(0, limit + 1)
  return await page(c, resource, request, rows)
}

function listPageOf(c: Context<AppEnv>, next_cursor: string | null): ListPage | null {
  const { search, searchParams } = c.get('exchange').url
  if (c.get('change')?.isUnpaged) return null
  if (search !== '' && searchParams.has('cursor')) return 'next'
  return next_cursor === null ? null : 'first'
}

/** 200 with all records: those of `list`, then the batches of `rest`. */
export async function records<Row extends ListRow>(
  c: Context<AppEnv>,
  list: List<Row>,
  rest: AsyncIterable<Row[]> | null,
  warnings: Warning[],
): Promise<Response> {
  return await answerList(c, { list, rest, members: {}, warnings })
}

/** 200 with a page of records that are in memory. `show` gives each its shape; `isMapped` if that may enlarge it. */
export async function shownRecords<Row extends object>(
  c: Context<AppEnv>,
  rows: Row[],
  {
    show,
    isMapped,
    pagination,
    warnings,
  }: { show: (row: Row) => object; isMapped: boolean; pagination: object; warnings: Warning[] },
): Promise<Response> {
  if (!isMapped) return success(c, 200, { data: rows.map(show), pagination }, warnings)
  const list = {
    rows: rows.map((row, seq) => ({ seq, wide_bytes: null, row })),
    readWide: async () => [],
  }
  const shown = ({ row }: { row?: Row }) => (row ? show(row) : {})
  return await answerList(c, { list, rest: null, members: { pagination }, warnings, shown })
}

interface Parts<Row extends ListRow> {
  list: List<Row>
  /** The batches of rows that follow `list`. */
  rest: AsyncIterable<Row[]> | null
  /** Members of the response besides its data and warnings. */
  members: { pagination?: object }
  warnings: Warning[]
  /** Gives a row its shape, if that is not the caller's. */
  shown?: (row: Partial<Row>) => object
}

/** Sends a small list at once, and a large one while it is read. */
async function answerList<Row extends ListRow>(
  c: Context<AppEnv>,
  parts: Parts<Row>,
): Promise<Response> {
  const { list, rest, members, warnings } = parts
  const isWhole = list.rows.every(({ wide_bytes }) => wide_bytes === null)
  if (isWhole && rest === null && !c.get('outbound') && !parts.shown) {
    const data = list.rows.map(shownRecord).map(showing(c))
    return success(c, 200, { data, ...members }, warnings)
  }
  const owner = ownerOf(c)
  const texts = textsOf(c, parts)
  const first = await (isWhole ? texts.next() : answerInTurn(owner, () => texts.next()))
  if (first.done) return sendText(c, 200, first.value)
  let next: string | null = first.value
  return sendParts(c, 200, async () => {
    const text = next ?? (await answerInTurn(owner, () => texts.next())).value
    next = null
    return text ?? null
  })
}

/** The response's text in parts; the last part is the return value. */
async function* textsOf<Row extends ListRow>(
  c: Context<AppEnv>,
  { list, rest, members, warnings, shown }: Parts<Row>,
): AsyncGenerator<string, string> {
  const show = shown ?? showing(c)
  const { pace } = c.get('db')
  let text = '{"success":true,"data":['
  let separator = ''
  for (const batches of [wholeRows(list), rest ?? []]) {
    for await (const rows of batches) {
      for (const row of rows) {
        const record = separator + JSON.stringify(show(shownRecord(row)))
        text += record
        separator = ','
        if (pace.spend(record.length)) await pace.rest()
        if (text.length < PART_LENGTH) continue
        yield text
        text = ''
      }
    }
    // Sends the current part first, since the next read has to wait for its turn.
    if (rest && text !== '') {
      yield text
      text = ''
    }
  }
  const end = JSON.stringify({ ...members, ...warningsOf(c, warnings) })
  return `${text}]${end === '{}' ? '}' : `,${end.slice(1)}`}`
}

function wholeRow<Row>(row: Row) {
  return { ...row, wide_bytes: null }
}

/** The row without its internal columns. */
export function shownRecord({ seq, wide_bytes, ...record }: Partial<ListRow>): object {
  return record
}
