import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { type Failed, listFailed } from '../../requests/audit-log/failed.ts'
import { describeRequests } from '../../requests/send-again/run.ts'
import { askedBy } from '../audit-log/asked.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { Empty } from '../parts/empty.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, type PageFilters, requestPath } from '../paths.ts'
import { HiddenFields } from '../run/progress.tsx'
import { fieldsOfRun, newRun, RUN_MAX } from '../run/run.ts'
import { showPage } from '../shell/page.tsx'

const SHOWN_MAX = 10

type Described = Awaited<ReturnType<typeof describeRequests>>

/** Asks whether to send the failed requests again that the filters find by now. */
export async function showConfirmation(c: Context<AppEnv>, chosen: PageFilters) {
  const db = c.get('db')
  const failed = await listFailed(db, askedBy(chosen).asked.filters, RUN_MAX)
  const { ids } = failed
  if (ids.length === 0) return showNothing(c, chosen, failed)
  const described = await describeRequests(db, ids.slice(0, SHOWN_MAX))
  return showPage(
    c,
    'Send again',
    <Confirmation
      question={`Send ${requests(ids.length)} again?`}
      action={`Send ${requests(ids.length)} again`}
      back={auditLogPath(chosen)}
      error={null}
    >
      <p>
        Crossdock sends the document of each once more, the oldest first, in place of its partner,
        with today's mapping and settings. It skips what would undo a later change. The audit log
        names your key.
      </p>
      <Others failed={failed} />
      <Oldest ids={ids} described={described} />
      <HiddenFields fields={fieldsOfRun(newRun(ids))} />
    </Confirmation>,
  )
}

function showNothing(c: Context<AppEnv>, chosen: PageFilters, failed: Failed) {
  return showPage(
    c,
    'Send again',
    <>
      <Heading text="Send again" />
      <Empty text="There is nothing to send again: no failed request with a kept document matches these filters.">
        <Others failed={failed} />
        <a class="button secondary outline" href={auditLogPath(chosen)}>
          Back to the log
        </a>
      </Empty>
    </>,
  )
}

/** Which failed requests are not among them, and why. None that is archived has a document. */
function Others({ failed: { withoutDocument, accepted, hasMore, end } }: { failed: Failed }) {
  return (
    <>
      {withoutDocument > 0 && (
        <p>
          {`${requests(withoutDocument)} ${withoutDocument === 1 ? 'has' : 'have'} no kept document and cannot be sent.`}
        </p>
      )}
      {accepted > 0 && (
        <p>
          {`${requests(accepted)} ${accepted === 1 ? 'was' : 'were'} sent again before, and accepted.`}
        </p>
      )}
      {hasMore && (
        <p>
          More requests match: these are of the newest {count(RUN_MAX)}. Send older ones afterwards,
          with an earlier range.
        </p>
      )}
      {end !== null && (
        <p>
          Searched back to <Time at={end.created_at} />. For older requests, choose an earlier
          range.
        </p>
      )}
    </>
  )
}

function Oldest({ ids, described }: { ids: string[]; described: Described }) {
  const more = ids.length - SHOWN_MAX
  return (
    <>
      <Records columns={['Time', 'Request']}>
        {ids.slice(0, SHOWN_MAX).map((id) => {
          const { created_at, method, path, record_name } = described.get(id) ?? {}
          return (
            <tr>
              <td data-label="Time">
                <Time at={created_at ?? null} seconds />
              </td>
              <td data-label="Request">
                <a href={requestPath(id)}>
                  {record_name ?? `${method} ${path}`}
                  <span class="for-reader"> {id.slice(-8)}</span>
                </a>
                {record_name && <small class="line">{`${method} ${path}`}</small>}
              </td>
            </tr>
          )
        })}
      </Records>
      {more > 0 && <p>{`… and ${count(more)} more.`}</p>}
    </>
  )
}

function requests(number: number): string {
  return number === 1 ? '1 failed request' : `${count(number)} failed requests`
}
