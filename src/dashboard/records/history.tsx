import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import {
  type LoggedChange,
  listChanges,
  REQUESTS_LOOKED_MAX,
} from '../../requests/audit-log/history.ts'
import { may } from '../access.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, requestPath } from '../paths.ts'
import { MissingScope } from './missing-scope.tsx'
import { CallerName, type NameLinks, nameLinks, PartnerName } from './names.tsx'
import { whatHappened } from './what-happened.ts'

const SCOPE = 'settings.audit.read'
const SHOWN_MAX = 20

export type History = Awaited<ReturnType<typeof historyOf>>

/** The newest changes of a record; null if the session's key may not read the audit log. */
export async function historyOf(c: Context<AppEnv>, record: { id: string; name: string }) {
  if (!may(c, SCOPE)) return null
  const history = await listChanges(c.get('db'), record, SHOWN_MAX)
  const { changes } = history
  const names = await nameLinks(c, {
    keys: changes.map(({ api_key_id }) => api_key_id),
    partners: changes.map(({ partner_id }) => partner_id),
  })
  return { ...history, names }
}

interface HistoryProps {
  resource: AddressableResource
  name: string
  history: History
}

/** Which requests created and changed the record. */
export function HistorySection({ resource, name, history }: HistoryProps) {
  return (
    <section>
      <h2>History</h2>
      {history === null ? (
        <MissingScope scope={SCOPE} />
      ) : (
        <>
          <Changes {...history} />
          <p>
            <a href={auditLogPath({ area: 'integrations', resource, record_name: name })}>
              All requests about this record
            </a>
            , reads and refusals included.
          </p>
        </>
      )}
    </section>
  )
}

function Changes({ changes, isWhole, isArchived, names }: NonNullable<History>) {
  return (
    <>
      {changes.length === 0 ? (
        <p class="nothing">
          {isArchived ? 'The database' : 'The audit log'} has no change of this record.
        </p>
      ) : (
        <Records columns={['Time', 'What', 'Who']}>
          {changes.map((change) => (
            <ChangeRow change={change} names={names} />
          ))}
        </Records>
      )}
      {!isWhole && (
        <p class="nothing">
          Older changes are not shown: these are the newest {SHOWN_MAX} among the newest{' '}
          {count(REQUESTS_LOOKED_MAX)} requests about it.
        </p>
      )}
      {isArchived && (
        <p class="nothing">
          Changes that are in the archive of the audit log are not in this list. The link below
          finds them.
        </p>
      )}
    </>
  )
}

function ChangeRow({ change, names }: { change: LoggedChange; names: NameLinks }) {
  const words = whatHappened(change)
  const request = `${change.method} ${change.path}`
  return (
    <tr>
      <td data-label="Time">
        <Time at={change.created_at} seconds />
      </td>
      <td data-label="What" class="free">
        <a href={requestPath(change.request_id)}>{words ?? request}</a>
        {words !== null && <small class="line">{request}</small>}
      </td>
      <td data-label="Who" class="free">
        <CallerName links={names} id={change.api_key_id} name={change.api_key_name} />
        {change.partner_name !== null && (
          <small class="line">
            partner <PartnerName links={names} id={change.partner_id} name={change.partner_name} />
          </small>
        )}
      </td>
    </tr>
  )
}
