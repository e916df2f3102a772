import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { CheckUp } from '../../requests/check-up/check-up.ts'
import type { Finding, LinkedName } from '../../requests/check-up/finding.ts'
import { maySendAgain } from '../../requests/send-again/access.ts'
import { may } from '../access.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { recordPath, requestPath, SEARCH_PATH, sendAgainPath } from '../paths.ts'
import { callerPage } from '../records/names.tsx'

/** What an administrator should look at, with links to the newest requests. */
export function CheckUpPanel({
  c,
  id,
  checked,
}: {
  c: Context<AppEnv>
  id: string
  checked: CheckUp
}) {
  const { findings, warnings } = checked
  return (
    <section>
      <h2 id="check-up">Check-up</h2>
      {warnings.map(({ message }) => (
        <p class="nothing">{message}</p>
      ))}
      {findings.length === 0 ? (
        <p class="nothing">Nothing was found in this partner's mappings, requests and keys.</p>
      ) : (
        <DataTable
          rows={findings}
          isHeadless
          columns={[
            ['Finding', (finding) => <Message c={c} finding={finding} />],
            ['What to do', ({ remedy }) => remedy],
            ['Since', ({ since }) => <Time at={since} />],
            ['Requests', ({ requests }) => <RequestLinks ids={requests} />, 'row-links'],
          ]}
        />
      )}
      {maySendAgain(c) && (
        <p>
          After a repair:{' '}
          <a href={sendAgainPath({ partner_id: id })}>send its failed requests again</a>
        </p>
      )}
    </section>
  )
}

function RequestLinks({ ids }: { ids: string[] }) {
  if (ids.length === 0) return <>—</>
  return ids.map((id) => (
    <>
      <a href={requestPath(id)}>{id.slice(-8)}</a>{' '}
    </>
  ))
}

/** The message, in which the name of a record or key leads to its page if the session's key may see that. */
function Message({ c, finding: { message, about } }: { c: Context<AppEnv>; finding: Finding }) {
  const href = about && pageOf(c, about)
  if (!about || !href) return message
  // A message that begins with a name may quote it again in the newest error.
  const quoted = `"${about.name}"`
  const at = message.startsWith(quoted) ? 0 : message.lastIndexOf(quoted)
  if (at < 0) return message
  const end = at + 1 + about.name.length
  return (
    <>
      {message.slice(0, at + 1)}
      <a href={href}>{about.name}</a>
      {message.slice(end)}
    </>
  )
}

function pageOf(c: Context<AppEnv>, about: LinkedName): string | undefined {
  // Whoever sees requests may search.
  if (about.kind === 'unknown') return `${SEARCH_PATH}?${new URLSearchParams({ q: about.name })}`
  const { kind, id } = about
  if (kind === 'order')
    return may(c, 'integrations.orders.read') ? recordPath('orders', id) : undefined
  return callerPage(c, kind, id)
}
