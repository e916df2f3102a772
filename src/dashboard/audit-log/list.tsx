import type { AuditRecord } from '../../requests/audit-log/record.ts'
import { count, milliseconds } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'
import { RequestDetail } from './detail.tsx'

interface RequestTableProps {
  rows: AuditRecord[]
  /** Whether each row shows its details. */
  open: boolean
}

export function RequestTable({ rows, open }: RequestTableProps) {
  return (
    <Records columns={['Time', 'Request', 'Status', 'Duration', 'Key']} look="requests">
      {rows.map((row) => (
        <RequestRow record={row} open={open} />
      ))}
    </Records>
  )
}

function RequestRow({ record: row, open }: { record: AuditRecord; open: boolean }) {
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
            {row.message !== null && <small class="reason">{row.message}</small>}
          </summary>
          <p>
            <a href={requestPath(row.request_id)}>Document and details</a>
          </p>
          <RequestDetail record={row} />
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
        <span class="name">{row.api_key.name}</span>
        {row.partner && <small>partner {row.partner.name}</small>}
      </td>
    </tr>
  )
}
