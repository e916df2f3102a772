import type { Context } from 'hono'
import type { Match } from '../../engine/db/walks.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import { capitalized, searchedNames } from '../../engine/model/record.ts'
import { type Kind, recordName } from '../../records/catalogue/kind.ts'
import { PRODUCTS_LOOKED_MAX } from '../../records/catalogue/without-stock.ts'
import { may } from '../access.ts'
import { curlPosting } from '../curl.ts'
import { LackingDeliveries } from '../deliveries/summary.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { BY_TEXT, ListCount, Pager } from '../parts/pager.tsx'
import { Records } from '../parts/records.tsx'
import { newRecordPath, type PageFilters } from '../paths.ts'
import { FoundBy, foundColumns } from '../records/found-by.tsx'
import { ImportLink } from '../records/import-link.tsx'
import { ListSearch } from '../records/list-search.tsx'
import { Nothing } from '../records/nothing.tsx'
import { RecordLink } from '../records/record-link.tsx'
import { showPage } from '../shell/page.tsx'
import { Active } from './activity.tsx'
import { CatalogueFilter, filterFields } from './filter.tsx'
import type { Pages } from './pages.ts'
import { STOCK_HEADING, StockExplained, StockTotalCell, type StockTotals } from './stock-total.tsx'
import { factsOf, headingOf, textOf } from './values.ts'

/** A row with the fields that lists show. Of a search, with what matches. */
type Row = { is_active: boolean } & Partial<Match>

interface Listed extends Page<Row> {
  chosen: PageFilters
  /** By name. */
  ids: Map<string, string>
  stock: StockTotals
  /** The look-up stopped before its page was full. */
  isCut?: boolean
  /** The deliveries that wait for the record that a search has not found. */
  waiting?: { records: number; due: number }
}

export function showRecords(
  c: Context<AppEnv>,
  pages: Pages,
  { chosen, ids, stock, isCut, rows, next_cursor, waiting }: Listed,
) {
  const { kind } = pages
  return showPage(
    c,
    capitalized(kind.resource),
    <>
      <Head c={c} kind={kind} chosen={chosen} error={null} />
      {isCut && (
        <p>Looked at {count(PRODUCTS_LOOKED_MAX)} products. “Older” continues from there.</p>
      )}
      <ListCount
        c={c}
        rows={rows.length}
        next={next_cursor}
        of={[kind.record.one, kind.resource]}
      />
      {rows.length === 0 ? (
        !isCut && <NoRecords c={c} pages={pages} chosen={chosen} waiting={waiting} />
      ) : (
        <>
          {stock && <StockExplained />}
          <RecordTable kind={kind} rows={rows} ids={ids} stock={stock} />
        </>
      )}
      <Pager c={c} next={next_cursor} {...(chosen.search && { names: BY_TEXT })} />
    </>,
  )
}

/** Shows the filter as it was sent, with its error. */
export function showBadCatalogueFilters(
  c: Context<AppEnv>,
  kind: Kind,
  chosen: PageFilters,
  error: ApiError,
) {
  return showPage(
    c,
    capitalized(kind.resource),
    <Head c={c} kind={kind} chosen={chosen} error={error} />,
  )
}

interface HeadProps {
  c: Context<AppEnv>
  kind: Kind
  chosen: PageFilters
  error: ApiError | null
}

function Head({ c, kind, chosen, error }: HeadProps) {
  const { resource, record } = kind
  return (
    <>
      <Heading text={capitalized(resource)}>
        {may(c, `integrations.${resource}.write`) && (
          <a class="button" href={newRecordPath(resource)}>
            New {record.one}
          </a>
        )}
        <ImportLink c={c} resource={resource} />
        <ListSearch resource={resource} chosen={chosen} />
      </Heading>
      {(chosen.search === undefined || error !== null) && (
        <CatalogueFilter kind={kind} chosen={chosen} error={error} />
      )}
    </>
  )
}

interface RecordTableProps {
  kind: Kind
  rows: Row[]
  /** By name. */
  ids: Map<string, string>
  stock?: StockTotals
}

export function RecordTable({ kind, rows, ids, stock = null }: RecordTableProps) {
  const { record } = kind
  const facts = factsOf(record, record.lists)
  // Where only names are searched, a column would say nothing.
  const found = searchedNames(record).length > 0 ? foundColumns(rows) : []
  const columns = [
    headingOf(record, record.key),
    ...found,
    'State',
    ...(stock ? [STOCK_HEADING] : []),
    ...facts.map((name) => headingOf(record, name)),
  ]
  return (
    <Records columns={columns}>
      {rows.map((row) => (
        <tr>
          <th scope="row">
            <RecordLink resource={kind.resource} name={recordName(kind, row)} ids={ids} />
          </th>
          {found.length > 0 && <FoundBy match={row} />}
          <td data-label="State">
            <Active isActive={row.is_active} />
          </td>
          {stock && <StockTotalCell total={stock.get(recordName(kind, row))} />}
          {facts.map((name) => (
            <Cell kind={kind} name={name} row={row} />
          ))}
        </tr>
      ))}
    </Records>
  )
}

function Cell({ kind: { record }, name, row }: { kind: Kind; name: string; row: Row }) {
  return (
    <td
      data-label={headingOf(record, name)}
      class={record.fields[name]?.kind === 'text' ? 'free' : undefined}
    >
      {textOf(record, name, row)}
    </td>
  )
}

interface NoRecordsProps {
  c: Context<AppEnv>
  pages: Pages
  chosen: PageFilters
  waiting: Listed['waiting']
}

function NoRecords({ c, pages: { kind, example }, chosen, waiting }: NoRecordsProps) {
  const { resource, record } = kind
  return (
    <Nothing
      resource={resource}
      fields={filterFields(kind)}
      chosen={chosen}
      text={`No active ${resource} yet.`}
      lacking={
        waiting && (
          <LackingDeliveries resource={resource} code={chosen.search ?? ''} waiting={waiting} />
        )
      }
    >
      <p>
        A {record.one} arrives when a client sends it:{' '}
        <code>{curlPosting(c, `integrations/v1/${resource}/`, example)}</code>
      </p>
    </Nothing>
  )
}
