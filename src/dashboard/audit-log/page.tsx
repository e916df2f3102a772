import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import type { Page } from '../../engine/json/pagination.ts'
import type { LogPlace } from '../../engine/log/archive/scan.ts'
import type { AuditRecord } from '../../requests/audit-log/record.ts'
import { maySendAgain } from '../../requests/send-again/access.ts'
import { type Choices, choicesOf } from '../form/choices.ts'
import { Heading } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { auditLogPath, type Filters, sendAgainPath } from '../paths.ts'
import { PresetLinks } from '../ranges/preset-links.tsx'
import type { PresetName } from '../ranges/presets.ts'
import { showPage } from '../shell/page.tsx'
import { CsvLink } from './csv-link.tsx'
import { FilterForm } from './form.tsx'
import { RequestTable } from './list.tsx'
import { NoRequests, SearchedTo } from './no-requests.tsx'
import { RequestSearch } from './search.tsx'

export function showAuditLog(
  c: Context<AppEnv>,
  head: Omit<HeadProps, 'maySend'>,
  { rows, next_cursor }: Page<AuditRecord>,
  end: LogPlace | null,
) {
  return showPage(
    c,
    'Audit log',
    <>
      <Head {...head} maySend={maySendAgain(c)} />
      {rows.length === 0 ? (
        <NoRequests chosen={head.chosen} end={end} />
      ) : (
        <RequestTable rows={rows} open={head.chosen.request_id !== undefined} />
      )}
      {rows.length > 0 && end !== null && <SearchedTo end={end} />}
      <Pager c={c} next={next_cursor} />
    </>,
  )
}

/** Shows the filters as they were sent, with their errors. */
export async function showBadFilters(c: Context<AppEnv>, chosen: Filters, error: ApiError) {
  const choices = await choicesOf(c)
  const head = { chosen, preset: undefined, error, choices, maySend: false }
  return showPage(c, 'Audit log', <Head {...head} />)
}

interface HeadProps {
  chosen: Filters
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
        {error === null && (
          <div class="log-actions">
            {maySend && <SendAgainLink chosen={chosen} />}
            <CsvLink chosen={chosen} />
          </div>
        )}
      </div>
      <FilterForm chosen={chosen} error={error} choices={choices} />
    </>
  )
}

function SendAgainLink({ chosen }: { chosen: Filters }) {
  return (
    <a class="button secondary outline" href={sendAgainPath(chosen)}>
      Send failed requests again
    </a>
  )
}

function isOfAllTimes({ range, from, to }: Filters): boolean {
  return [range, from, to].every((part) => part === undefined)
}
