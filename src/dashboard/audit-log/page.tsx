import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { ApiError } from '../../errors.ts'
import { LIMIT_MAX, type Page } from '../../pagination.ts'
import { listApiKeys } from '../../settings/api-keys/queries.ts'
import { Empty, Heading, Pager, showPage } from '../page.tsx'
import { partnersOf } from '../partners/list.ts'
import { auditLogPath, type Filters } from './filters.ts'
import { FilterForm, RequestSearch } from './form.tsx'
import { type AuditRecord, RequestTable } from './list.tsx'

/** Parameters of the page that leave no row out. */
const NO_FILTERS = ['limit', 'cursor', 'done']

type Choices = Awaited<ReturnType<typeof choicesOf>>

export function showAuditLog(
  c: Context<AppEnv>,
  chosen: Filters,
  choices: Choices,
  { rows, next_cursor }: Page<AuditRecord>,
) {
  return showPage(
    c,
    'Audit log',
    <>
      <Head chosen={chosen} error={null} choices={choices} />
      {rows.length === 0 ? (
        <NoRequests chosen={chosen} />
      ) : (
        <RequestTable rows={rows} open={chosen.request_id !== undefined} />
      )}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** The filters as they were sent, with what is wrong in them. */
export async function showBadFilters(c: Context<AppEnv>, chosen: Filters, error: ApiError) {
  const choices = await choicesOf(c)
  return showPage(c, 'Audit log', <Head chosen={chosen} error={error} choices={choices} />)
}

interface HeadProps {
  chosen: Filters
  error: ApiError | null
  choices: Choices
}

function Head({ chosen, error, choices }: HeadProps) {
  return (
    <>
      <Heading text="Audit log">
        <RequestSearch value={chosen.request_id ?? ''} />
      </Heading>
      <FilterForm chosen={chosen} error={error} {...choices} />
    </>
  )
}

/** The newest 200 keys and partners, to choose among them by name. */
export async function choicesOf(c: Context<AppEnv>) {
  const request = { limit: LIMIT_MAX, before: undefined }
  const [keys, partners] = await Promise.all([listApiKeys(c.get('db'), request), partnersOf(c)])
  return { keys: keys.slice(0, LIMIT_MAX), partners }
}

function NoRequests({ chosen }: { chosen: Filters }) {
  const filters = Object.keys(chosen).filter((name) => !NO_FILTERS.includes(name))
  if (filters.length === 0) {
    return (
      <Empty text="There are no requests here. Each request of a known key is listed as soon as it is answered." />
    )
  }
  return (
    <Empty text="No request matches these filters.">
      <a class="button secondary outline" href={auditLogPath()}>
        {filters.join() === 'area' ? 'All areas' : 'Clear filters'}
      </a>
    </Empty>
  )
}
