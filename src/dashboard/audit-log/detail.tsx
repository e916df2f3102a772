import type { PropsWithChildren } from 'hono/jsx'
import type { AuditRecord, LoggedRequest } from '../../settings/audit-log/record.ts'
import { count, milliseconds } from '../layout/numbers.ts'
import { auditLogPath, requestPath } from './filters.ts'

/** Everything that the audit log holds about a request. */
export function RequestDetail({ record: row }: { record: Omit<LoggedRequest, 'details'> }) {
  const { api_key, partner, request_id } = row
  return (
    <dl class="detail">
      <Entry name="Request id">
        <code>{request_id}</code>{' '}
        <button type="button" class="outline" data-copy={request_id} aria-live="polite">
          Copy<span class="for-reader"> id</span>
        </button>
      </Entry>
      <Entry name="Time">{utc(row.created_at)}</Entry>
      <Entry name="Key">
        {api_key.name}{' '}
        <a href={auditLogPath({ api_key_id: api_key.id })}>All requests of this key</a>
      </Entry>
      {partner && (
        <Entry name="Partner">
          {partner.name}{' '}
          <a href={auditLogPath({ partner_id: partner.id })}>All requests of this partner</a>
        </Entry>
      )}
      <Entry name="Request">
        {row.method} <code>{row.path}</code>
      </Entry>
      {row.record_name !== null && (
        <Entry name="Record">
          {row.record_name}{' '}
          <a href={auditLogPath({ record_name: row.record_name })}>
            All requests about this record
          </a>
        </Entry>
      )}
      <Entry name="Status">
        {row.status} {row.error_code}
      </Entry>
      {row.message !== null && <Entry name="Reason">{row.message}</Entry>}
      {row.replay_of !== null && (
        <Entry name="Repeats">
          <a href={requestPath(row.replay_of)}>An earlier request, sent again</a>
        </Entry>
      )}
      {row.dry_run && <Entry name="Dry run">It changed nothing.</Entry>}
      <Entry name="Duration">{milliseconds(row.duration_ms)}</Entry>
      {row.source !== null && <Entry name="Source">{row.source}</Entry>}
      {row.notes !== null && <Entry name="Notes">{row.notes}</Entry>}
      {row.counts && <Entry name="Rows">{countsText(row.counts)}</Entry>}
    </dl>
  )
}

function Entry({ name, children }: PropsWithChildren<{ name: string }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function countsText({ total, created, updated, failed }: NonNullable<AuditRecord['counts']>) {
  const text = (value: number | null) => count(value ?? 0)
  return `${text(total)} sent: ${text(created)} created, ${text(updated)} updated, ${text(failed)} failed`
}

function utc(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, -1)} UTC`
}
