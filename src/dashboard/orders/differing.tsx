import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { listLineDifferences } from '../../requests/line-differences/queries.ts'
import { LINE_DIFFERENCES, LineDifferencesQuery } from '../../requests/line-differences/schema.ts'
import { namePartners } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { filtersOf } from '../form/chosen.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorElsewhere } from '../parts/error-elsewhere.tsx'
import { Heading } from '../parts/heading.tsx'
import { type CsvColumns, isPageCsv, PageCsvLink, pageCsv } from '../parts/page-csv.tsx'
import { Pager } from '../parts/pager.tsx'
import { Time } from '../parts/time.tsx'
import { recordPath } from '../paths.ts'
import { KnownPartnerName } from '../records/names.tsx'
import { showPage } from '../shell/page.tsx'
import { differenceText } from './differences.tsx'

const TITLE = 'Orders with other lines'

/** Orders of which a shop has other lines, until somebody has seen it. */
export const differingPages = new Hono<AppEnv>()

differingPages.use(requireScope('settings.documents.read'), notForPartners)

differingPages.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadQuery(c, error))
  const { limit, cursor, ...filters } = check(LineDifferencesQuery, chosen)
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const found = await listLineDifferences(c.get('db'), filters, request)
  const page = cutPage(tenant, LINE_DIFFERENCES, found, request)
  const { rows, next_cursor } = page
  if (isPageCsv(chosen)) return await pageCsv(c, 'line-differences', COLUMNS, page)
  const ids = may(c, 'settings.partners.read') ? rows.map(({ partner_id }) => partner_id) : []
  const partners = ids.length > 0 ? await namePartners(c.get('db'), ids) : NO_NAMES
  return showPage(
    c,
    TITLE,
    <>
      <Heading text={TITLE} />
      {rows.length > 0 && <PageCsvLink c={c} />}
      {rows.length === 0 ? <NoOrders /> : <OrderTable rows={rows} partners={partners} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
})

type Differing = Awaited<ReturnType<typeof listLineDifferences>>[number]

const COLUMNS: CsvColumns<Differing> = [
  'order_number',
  ['differences', ({ differences, total }) => differenceText(differences, total)],
  'partner_id',
  'request_id',
  'noted_at',
]

type Names = Awaited<ReturnType<typeof namePartners>>
const NO_NAMES: Names = new Map()

function showBadQuery(c: Context<AppEnv>, error: ApiError) {
  return showPage(
    c,
    TITLE,
    <>
      <Heading text={TITLE} />
      <ErrorElsewhere error={error} fields={[]} />
    </>,
  )
}

function NoOrders() {
  return (
    <Empty text="No order has other lines than its shop says, or somebody has seen them all.">
      <p>
        The lines of an order cannot change. If a shop changes an order later and delivers it again,
        the order appears here with the quantities that differ.
      </p>
    </Empty>
  )
}

interface TableProps {
  rows: Differing[]
  partners: Names
}

function OrderTable({ rows, partners }: TableProps) {
  return (
    <DataTable
      rows={rows}
      columns={[
        ['Order', (row) => <a href={recordPath('orders', row.order_id)}>{row.order_number}</a>],
        ['Differences', ({ differences, total }) => differenceText(differences, total), 'free'],
        ['Partner', ({ partner_id: id }) => <KnownPartnerName id={id} known={partners.get(id)} />],
        ['Delivered', ({ noted_at }) => <Time at={noted_at} />],
      ]}
    />
  )
}
