import type { TrafficError } from '../../settings/traffic/queries.ts'
import { auditLogPath } from '../audit-log/filters.ts'
import { count, share } from '../numbers.ts'
import { Records } from '../records.tsx'

interface ErrorTableProps {
  errors: TrafficError[]
  total: number
  since: string
}

/** The most frequent errors; each leads to its requests. */
export function ErrorTable({ errors, total, since }: ErrorTableProps) {
  return (
    <section>
      <h2>Top errors</h2>
      {errors.length === 0 ? (
        <p class="nothing">No request was refused or failed.</p>
      ) : (
        <Records columns={['Error', 'Status', 'Requests', 'Of all']} actions="Where to see them">
          {errors.map((error) => (
            <ErrorRow error={error} total={total} since={since} />
          ))}
        </Records>
      )}
    </section>
  )
}

interface ErrorRowProps {
  error: TrafficError
  total: number
  since: string
}

function ErrorRow({ error: { error_code, status, requests }, total, since }: ErrorRowProps) {
  const filters = { area: 'integrations', status: String(status), from: since }
  const path = auditLogPath(error_code === null ? filters : { ...filters, error_code })
  return (
    <tr>
      <th scope="row">
        <code>{error_code ?? 'no code'}</code>
      </th>
      <td data-label="Status">
        <span class={`status status-${Math.floor(status / 100)}xx`}>{status}</span>
      </td>
      <td data-label="Requests">{count(requests)}</td>
      <td data-label="Of all">{share(requests, total)}</td>
      <td class="row-actions">
        <a href={path}>
          Requests <span class="for-reader">with {error_code ?? status}</span>
        </a>
      </td>
    </tr>
  )
}
