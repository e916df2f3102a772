import type { AuditRecord, LoggedRequest } from '../../requests/audit-log/record.ts'
import { count, milliseconds } from '../parts/numbers.ts'
import { reasonText } from '../parts/reason-text.ts'
import { Time } from '../parts/time.tsx'
import { auditLogPath, requestPath } from '../paths.ts'
import { Fact } from '../records/facts.tsx'
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
      <Fact name="Status">
        {row.status} {row.error_code}
      </Fact>
      {row.message !== null && <Fact name="Reason">{reasonText(row.message)}</Fact>}
      <Fact name="Time">
        <Time at={row.created_at} seconds />
      </Fact>
      <Fact name="Key">
        <CallerName links={names} {...api_key} />{' '}
        <a href={auditLogPath({ api_key_id: api_key.id })}>All requests of this key</a>
      </Fact>
      {partner && (
        <Fact name="Partner">
          <PartnerName links={names} {...partner} />{' '}
          <a href={auditLogPath({ partner_id: partner.id })}>All requests of this partner</a>
        </Fact>
      )}
      {row.record_name !== null && (
        <Fact name="Record">
          {recordPath === undefined ? row.record_name : <a href={recordPath}>{row.record_name}</a>}{' '}
          <a href={auditLogPath({ record_name: row.record_name })}>
            All requests about this record
          </a>
        </Fact>
      )}
      {row.delivery && <Delivery {...row.delivery} />}
      {row.replay_of !== null && (
        <Fact name="Comes from">
          <a href={requestPath(row.replay_of)}>
            An earlier request, sent again or with several records
          </a>
        </Fact>
      )}
      {row.dry_run && <Fact name="Dry run">It changed nothing.</Fact>}
      <Upload record={row} />
      <ForClients record={row} />
    </dl>
  )
}

function Delivery({ outcome, event, sender_id }: NonNullable<AuditRecord['delivery']>) {
  return (
    <>
      {outcome !== null && <Fact name="Outcome">{outcome}</Fact>}
      {event !== null && <Fact name="Event">{event}</Fact>}
      {sender_id !== null && <Fact name="Sender's id">{sender_id}</Fact>}
    </>
  )
}

function Upload({ record: { source, notes, counts } }: Pick<DetailProps, 'record'>) {
  return (
    <>
      {counts && <Fact name={source === null ? 'Records' : 'Rows'}>{countsText(counts)}</Fact>}
      {source !== null && <Fact name="Source">{source}</Fact>}
      {notes !== null && <Fact name="Notes">{notes}</Fact>}
    </>
  )
}

function ForClients({ record: row }: Pick<DetailProps, 'record'>) {
  return (
    <>
      <Fact name="Duration">{milliseconds(row.duration_ms)}</Fact>
      <Fact name="Request">
        {row.method} <code>{row.path}</code>
      </Fact>
      <Fact name="Request id">
        <code>{row.request_id}</code>{' '}
        <button type="button" class="outline" data-copy={row.request_id} aria-live="polite">
          Copy<span class="for-reader"> id</span>
        </button>
      </Fact>
    </>
  )
}

function countsText(counts: NonNullable<AuditRecord['counts']>) {
  const { total, created, updated, failed } = counts
  const others = 'unchanged' in counts ? [counts.unchanged, 'unchanged'] : [updated, 'updated']
  const [value, what] = others as [number, string]
  return `${count(total)} sent: ${count(created)} created, ${count(value)} ${what}, ${count(failed)} failed`
}
