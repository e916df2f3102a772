import type { PropsWithChildren } from 'hono/jsx'
import type { AuditRecord, LoggedRequest } from '../../requests/audit-log/record.ts'
import { count, milliseconds } from '../parts/numbers.ts'
import { reasonText } from '../parts/reason-text.ts'
import { Time } from '../parts/time.tsx'
import { auditLogPath, requestPath } from '../paths.ts'
import { CallerName, type NameLinks, PartnerName } from '../records/names.tsx'

interface DetailProps {
  record: Omit<LoggedRequest, 'details'>
  names: NameLinks
  /** Of the page of the record that it is about. */
  recordPath?: string | undefined
}

/** Everything that the audit log holds about a request. What only clients of the API need comes last. */
export function RequestDetail({ record: row, names, recordPath }: DetailProps) {
  const { api_key, partner } = row
  return (
    <dl class="detail">
      <Entry name="Status">
        {row.status} {row.error_code}
      </Entry>
      {row.message !== null && <Entry name="Reason">{reasonText(row.message)}</Entry>}
      <Entry name="Time">
        <Time at={row.created_at} seconds />
      </Entry>
      <Entry name="Key">
        <CallerName links={names} {...api_key} />{' '}
        <a href={auditLogPath({ api_key_id: api_key.id })}>All requests of this key</a>
      </Entry>
      {partner && (
        <Entry name="Partner">
          <PartnerName links={names} {...partner} />{' '}
          <a href={auditLogPath({ partner_id: partner.id })}>All requests of this partner</a>
        </Entry>
      )}
      {row.record_name !== null && (
        <Entry name="Record">
          {recordPath === undefined ? row.record_name : <a href={recordPath}>{row.record_name}</a>}{' '}
          <a href={auditLogPath({ record_name: row.record_name })}>
            All requests about this record
          </a>
        </Entry>
      )}
      {row.delivery && <Delivery {...row.delivery} />}
      {row.replay_of !== null && (
        <Entry name="Comes from">
          <a href={requestPath(row.replay_of)}>
            An earlier request, sent again or with several records
          </a>
        </Entry>
      )}
      {row.dry_run && <Entry name="Dry run">It changed nothing.</Entry>}
      <Upload record={row} />
      <ForClients record={row} />
    </dl>
  )
}

function Delivery({ outcome, event, sender_id }: NonNullable<AuditRecord['delivery']>) {
  return (
    <>
      {outcome !== null && <Entry name="Outcome">{outcome}</Entry>}
      {event !== null && <Entry name="Event">{event}</Entry>}
      {sender_id !== null && <Entry name="Sender's id">{sender_id}</Entry>}
    </>
  )
}

function Upload({ record: { source, notes, counts } }: Pick<DetailProps, 'record'>) {
  return (
    <>
      {counts && <Entry name={source === null ? 'Records' : 'Rows'}>{countsText(counts)}</Entry>}
      {source !== null && <Entry name="Source">{source}</Entry>}
      {notes !== null && <Entry name="Notes">{notes}</Entry>}
    </>
  )
}

function ForClients({ record: row }: Pick<DetailProps, 'record'>) {
  return (
    <>
      <Entry name="Duration">{milliseconds(row.duration_ms)}</Entry>
      <Entry name="Request">
        {row.method} <code>{row.path}</code>
      </Entry>
      <Entry name="Request id">
        <code>{row.request_id}</code>{' '}
        <button type="button" class="outline" data-copy={row.request_id} aria-live="polite">
          Copy<span class="for-reader"> id</span>
        </button>
      </Entry>
    </>
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

function countsText(counts: NonNullable<AuditRecord['counts']>) {
  const { total, created, updated, failed } = counts
  const others = 'unchanged' in counts ? [counts.unchanged, 'unchanged'] : [updated, 'updated']
  const [value, what] = others as [number, string]
  return `${count(total)} sent: ${count(created)} created, ${count(value)} ${what}, ${count(failed)} failed`
}
