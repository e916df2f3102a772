import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { RecordVersion } from '../../engine/json/entity-tags.ts'
import type { LoggedChange } from '../../requests/audit-log/history.ts'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'
import { historyOf } from '../records/history.tsx'

const SHOWN_MAX = 5

/** The newest requests that have changed the record since this version; none if the session's key may not read the audit log. */
export async function changesAfter(
  c: Context<AppEnv>,
  record: { id: string; name: string },
  sentVersion: string,
  now: RecordVersion,
): Promise<LoggedChange[]> {
  const history = await historyOf(c, record)
  const since = now.version - Number.parseInt(sentVersion, 10)
  return history?.changes.slice(0, Math.min(Math.max(since, 1), SHOWN_MAX)) ?? []
}

/** Who has changed a record when, with a link to the request. */
export function RecordChangeLine({ change }: { change: LoggedChange }) {
  const { api_key_name, partner_name, created_at, request_id } = change
  return (
    <>
      {api_key_name}
      {partner_name !== null && ` (partner ${partner_name})`} changed it,{' '}
      <Time at={created_at} seconds /> <a href={requestPath(request_id)}>Show the request</a>
    </>
  )
}
