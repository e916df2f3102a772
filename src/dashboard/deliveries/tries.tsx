import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { type DeliveryTry, findTries, TRIES_SHOWN_MAX } from '../../requests/deliveries/tries.ts'
import { may } from '../access.ts'
import { reasonText } from '../parts/reason-text.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'
import { MissingScope } from '../records/missing-scope.tsx'

/** Null if the session's key may not see them. */
export async function requestsOf(c: Context<AppEnv>, brought_by: string) {
  return may(c, 'settings.audit.read') ? await findTries(c.get('db'), brought_by) : null
}

interface RequestsProps {
  requests: Awaited<ReturnType<typeof requestsOf>>
  /** Whether they are of several rows of an upload: the log does not tell of which. */
  isRow: boolean
}

export function Requests({ requests, isRow }: RequestsProps) {
  return (
    <section>
      <h2>Requests</h2>
      {isRow && <p class="nothing">The tries of all rows of the upload are among them.</p>}
      {requests === null ? (
        <MissingScope scope="settings.audit.read" />
      ) : (
        <TryTable {...requests} />
      )}
    </section>
  )
}

/** The request that brought the delivery, and each that tried it again, newest first. */
function TryTable({ first, tries }: NonNullable<RequestsProps['requests']>) {
  if (first === null && tries.length === 0) {
    return <p class="nothing">Its requests are in the archive of the audit log.</p>
  }
  return (
    <>
      <Records columns={['Time', 'Request', 'Outcome']}>
        {tries.map((row) => (
          <TryRow row={row} text="Tried again" />
        ))}
        {first && <TryRow row={first} text="Delivered" />}
      </Records>
      {tries.length === TRIES_SHOWN_MAX && (
        <p class="nothing">{`Of the tries, the newest ${TRIES_SHOWN_MAX} are shown.`}</p>
      )}
    </>
  )
}

function TryRow({ row, text }: { row: DeliveryTry; text: string }) {
  return (
    <tr>
      <td data-label="Time">
        <Time at={row.created_at} seconds />
      </td>
      <th scope="row" data-label="Request">
        <a href={requestPath(row.request_id)}>
          {text} <span class="for-reader">{row.request_id.slice(-8)}</span>
        </a>
      </th>
      <td data-label="Outcome">
        {row.outcome ?? row.error_code}
        {row.message !== null && <small class="line">{reasonText(row.message)}</small>}
      </td>
    </tr>
  )
}
