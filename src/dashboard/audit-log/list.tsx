import { count, milliseconds } from '../numbers.ts'
import { Records } from '../records.tsx'
import { Time } from '../time.tsx'
import { RequestDetail } from './detail.tsx'

export interface AuditRecord {
  seq: number
  request_id: string
  created_at: string
  api_key: { id: string; name: string }
  partner: { id: string; name: string | null } | null
  method: string
  path: string
  status: number
  error_code: string | null
  duration_ms: number
  source: string | null
  notes: string | null
  counts: Record<'total' | 'created' | 'updated' | 'failed', number | null> | null
}

interface RequestTableProps {
  rows: AuditRecord[]
  /** Whether each row's detail is there to see at once. */
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
          </summary>
          <RequestDetail record={row} />
        </details>
      </td>
      <td data-label="Status">
        <span class={`status status-${Math.floor(row.status / 100)}xx`}>{row.status}</span>
        {row.error_code !== null && <small>{row.error_code}</small>}
        {failed > 0 && <small>{count(failed)} rows failed</small>}
      </td>
      <td data-label="Duration">{milliseconds(row.duration_ms)}</td>
      <td data-label="Key">
        <span class="name">{row.api_key.name}</span>
        {row.partner && <small>as {row.partner.name}</small>}
      </td>
    </tr>
  )
}
