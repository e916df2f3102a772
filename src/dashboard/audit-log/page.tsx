import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { LogPlace } from '../../engine/log/archive/scan.ts'
import type { AuditRecord } from '../../requests/audit-log/record.ts'
import { CSV_ROWS_MAX, FAILED } from '../../requests/audit-log/schema.ts'
import { maySendAgain } from '../../requests/send-again/access.ts'
import { type Choices, choicesOf } from '../form/choices.ts'
import { Empty } from '../parts/empty.tsx'
import { ClearFilters } from '../parts/filter-panel.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { ListCount, Pager } from '../parts/pager.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, type PageFilters, sendAgainPath } from '../paths.ts'
import { ChoiceLink, PresetLinks } from '../ranges/preset-links.tsx'
import type { PresetName } from '../ranges/range.ts'
import { nameLinks } from '../records/names.tsx'
import { recordPathsOf } from '../records/of-requests.tsx'
import { showPage } from '../shell/page.tsx'
import { LogFilterForm } from './form.tsx'
import { RequestTable } from './list.tsx'

/** Query parameters that filter nothing. */
const NO_FILTERS = ['limit', 'cursor', 'done']

export async function showAuditLog(
  c: Context<AppEnv>,
  head: Omit<HeadProps, 'maySend'>,
  { rows, next_cursor }: Page<AuditRecord>,
  end: LogPlace | null,
) {
  const [names, recordPathOf] = await Promise.all([
    nameLinks(c, {
      keys: rows.map(({ api_key }) => api_key.id),
      partners: rows.map(({ partner }) => partner?.id),
    }),
    recordPathsOf(c, rows),
  ])
  return showPage(
    c,
    'Audit log',
    <>
      <Head {...head} maySend={maySendAgain(c)} />
      <ListCount c={c} rows={rows.length} next={next_cursor} of={['request', 'requests']} />
      {rows.length === 0 ? (
        <NoRequests chosen={head.chosen} end={end} />
      ) : (
        <RequestTable
          rows={rows}
          open={head.chosen.request_id !== undefined}
          names={names}
          recordPathOf={recordPathOf}
        />
      )}
      {rows.length > 0 && end !== null && <SearchedTo end={end} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** Shows the filters as they were sent, with their errors. */
export async function showBadLogFilters(c: Context<AppEnv>, chosen: PageFilters, error: ApiError) {
  const choices = await choicesOf(c)
  const head = { chosen, preset: undefined, error, choices, maySend: false }
  return showPage(c, 'Audit log', <Head {...head} />)
}

interface HeadProps {
  chosen: PageFilters
  /** The range, unless it is one's own. */
  preset: PresetName | undefined
  error: ApiError | null
  choices: Choices
  maySend: boolean
}

function Head({ chosen, preset, error, choices, maySend }: HeadProps) {
  return (
    <>
      <Heading text="Audit log">
        <RequestSearch value={chosen.request_id ?? ''} />
      </Heading>
      <div class="log-range">
        <PresetLinks
          at={auditLogPath()}
          kept={chosen}
          chosen={preset}
          all={{ text: 'All times', isChosen: isOfAllTimes(chosen) }}
        />
        <StatusLinks chosen={chosen} />
        {error === null && (
          <div class="log-actions">
            {maySend && (
              <a class="button secondary outline" href={sendAgainPath(chosen)}>
                Send failed requests again
              </a>
            )}
            <CsvLink chosen={chosen} />
          </div>
        )}
      </div>
      <LogFilterForm chosen={chosen} error={error} choices={choices} />
    </>
  )
}

/** Leads to the failed requests alone, and back to all. The other filters stay. */
function StatusLinks({ chosen }: { chosen: PageFilters }) {
  const { status, cursor, format, done, ...others } = chosen
  return (
    <nav aria-label="All or failed">
      <ul class="ranges">
        <ChoiceLink href={auditLogPath(others)} text="Any status" isChosen={status === undefined} />
        <ChoiceLink
          href={auditLogPath({ ...others, status: FAILED })}
          text="Failed"
          isChosen={status === FAILED}
        />
      </ul>
    </nav>
  )
}

function isOfAllTimes({ range, from, to }: PageFilters): boolean {
  return [range, from, to].every((part) => part === undefined)
}

/** Downloads the requests with these filters from the first on, whichever page of the list is shown. */
function CsvLink({ chosen }: { chosen: PageFilters }) {
  const { cursor, limit, done, ...filters } = chosen
  return (
    <p class="csv">
      <a class="button secondary outline" href={auditLogPath({ ...filters, format: 'csv' })}>
        Download CSV
      </a>
      <small>{count(CSV_ROWS_MAX)} at most. The file's name says if there are more.</small>
    </p>
  )
}

/** A search that stopped before its page was full. */
function SearchedTo({ end }: { end: LogPlace }) {
  return (
    <p>
      Searched back to <Time at={end.created_at} />. “Older” continues from there.
    </p>
  )
}

function NoRequests({ chosen, end }: { chosen: PageFilters; end: LogPlace | null }) {
  if (end !== null) return <SearchedTo end={end} />
  const filters = Object.keys(chosen).filter((name) => !NO_FILTERS.includes(name))
  if (filters.length === 0) {
    return (
      <Empty text="There are no requests. Each request with a known API key appears here after it is answered." />
    )
  }
  return (
    <Empty text="No request matches these filters.">
      <ClearFilters
        at={auditLogPath()}
        text={filters.join() === 'area' ? 'All areas' : 'Clear filters'}
      />
    </Empty>
  )
}

/** Finds one request by its id, regardless of the filters. */
function RequestSearch({ value }: { value: string }) {
  return (
    <search aria-label="Requests">
      <form class="request-search" method="get">
        <input
          type="search"
          name="request_id"
          value={value}
          aria-label="Request id"
          placeholder="Find by request id"
          spellcheck={false}
          required
        />
        <button type="submit">Find</button>
      </form>
    </search>
  )
}
