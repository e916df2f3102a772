import type { TrafficError } from '../../settings/traffic/queries.ts'
import { auditLogPath } from '../audit-log/filters.ts'
import { count, share } from '../numbers.ts'

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
        <table class="records">
          <thead>
            <tr>
              <th scope="col">Error</th>
              <th scope="col">Status</th>
              <th scope="col">Requests</th>
              <th scope="col">Of all</th>
              <th scope="col">
                <span class="for-reader">Where to see them</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {errors.map((error) => (
              <ErrorRow error={error} total={total} since={since} />
            ))}
          </tbody>
        </table>
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
