import type { AuditRecord } from '../../requests/audit-log/record.ts'
import { count, milliseconds } from '../parts/numbers.ts'
import { reasonText } from '../parts/reason-text.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'
import { CallerName, type NameLinks, PartnerName } from '../records/names.tsx'
import { RequestDetail } from './detail.tsx'

interface RequestTableProps {
  rows: AuditRecord[]
  /** Whether each row shows its details. */
  open: boolean
  names: NameLinks
  /** Of the page of a request's record, if there is one to see. */
  recordPathOf: (record: AuditRecord) => string | undefined
}

export function RequestTable({ rows, open, names, recordPathOf }: RequestTableProps) {
  return (
    <Records columns={['Time', 'Request', 'Status', 'Duration', 'Key']} look="requests">
      {rows.map((row) => (
        <RequestRow record={row} open={open} names={names} recordPath={recordPathOf(row)} />
      ))}
    </Records>
  )
}

interface RequestRowProps extends Pick<RequestTableProps, 'open' | 'names'> {
  record: AuditRecord
  recordPath: string | undefined
}

function RequestRow({ record: row, open, names, recordPath }: RequestRowProps) {
  const failed = row.counts?.failed ?? 0
  return (
    <tr>
      <td data-label="Time">
        <Time at={row.created_at} seconds />
      </td>
      <td>
        <details open={open}>
          <summary>
            <span class="request">
              <span class="method">{row.method}</span> {row.path}
            </span>
            <Reason record={row} />
          </summary>
          <p>
            <a href={requestPath(row.request_id)}>Document and details</a>
          </p>
          <RequestDetail record={row} names={names} recordPath={recordPath} />
        </details>
      </td>
      <td data-label="Status">
        <span class={`status status-${Math.floor(row.status / 100)}xx`}>{row.status}</span>
        {row.dry_run && <small>dry run</small>}
        {row.delivery?.outcome && <small>{row.delivery.outcome}</small>}
        {row.error_code !== null && <small>{row.error_code}</small>}
        {failed > 0 && (
          <small>{`${count(failed)} ${row.source === null ? 'records' : 'rows'} failed`}</small>
        )}
      </td>
      <td data-label="Duration">{milliseconds(row.duration_ms)}</td>
      <td data-label="Key">
        <span class="name">
          <CallerName links={names} {...row.api_key} />
        </span>
        {row.partner && (
          <small>
            partner <PartnerName links={names} {...row.partner} />
          </small>
        )}
      </td>
    </tr>
  )
}

/** What is seen of a folded row beside its path: the record, unless the path names it, and why it was refused. */
function Reason({ record: { record_name, path, message } }: { record: AuditRecord }) {
  const name = record_name !== null && !path.includes(record_name) ? record_name : null
  const parts = [name, message === null ? null : reasonText(message)].filter(
    (part) => part !== null,
  )
  return parts.length === 0 ? null : <small class="reason">{parts.join(' · ')}</small>
}
