import type { TrafficError } from '../../requests/traffic/queries.ts'
import { count, share } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { auditLogPath, type PageFilters } from '../paths.ts'

interface ErrorTableProps {
  errors: TrafficError[]
  total: number
  /** The filters of the audit log that show the same requests. */
  shown: PageFilters
}

/** The most frequent errors, each with a link to its requests. */
export function ErrorTable({ errors, total, shown }: ErrorTableProps) {
  return (
    <section>
      <h3>Top errors</h3>
      {errors.length === 0 ? (
        <p class="nothing">No request was refused or failed.</p>
      ) : (
        <Records columns={['Error', 'Status', 'Requests', 'Share']} hasActions>
          {errors.map((error) => (
            <ErrorRow error={error} total={total} shown={shown} />
          ))}
        </Records>
      )}
    </section>
  )
}

interface ErrorRowProps {
  error: TrafficError
  total: number
  shown: PageFilters
}

function ErrorRow({ error: { error_code, status, requests }, total, shown }: ErrorRowProps) {
  const filters = { ...shown, status: String(status) }
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
      <td data-label="Share">{share(requests, total)}</td>
      <td class="row-actions">
        <RowLink href={path} text="Requests" of={`with ${error_code ?? status}`} />
      </td>
    </tr>
  )
}
