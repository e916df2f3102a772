import type { PropsWithChildren } from 'hono/jsx'
import type { Page } from '../../engine/json/pagination.ts'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { capitalized } from '../../engine/model/record.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { listPath, requestPath } from '../paths.ts'
import type { Findings } from './find.ts'

interface ResultsProps {
  resource: AddressableResource
  text: string
  page: Page<unknown>
}

/** The first records of a resource that match, with the way to all of them. */
export function Results({ resource, text, page, children }: PropsWithChildren<ResultsProps>) {
  if (page.rows.length === 0) return null
  return (
    <section>
      <h2>{capitalized(resource)}</h2>
      {children}
      {page.next_cursor !== null && (
        <p>
          <a href={listPath(resource, { search: text })}>All {resource} that match</a>
        </p>
      )}
    </section>
  )
}

export function RequestResults({ rows }: { rows: Findings['requests'] }) {
  if (rows.length === 0) return null
  return (
    <section>
      <h2>Requests</h2>
      <Records columns={['Request', 'Status', 'Record', 'Time']}>
        {rows.map(({ request_id, method, path, status, record_name, created_at }) => (
          <tr>
            <th scope="row">
              <a href={requestPath(request_id)}>
                {method} {path}
              </a>
            </th>
            <td data-label="Status">{status}</td>
            <td data-label="Record" class="free">
              {record_name ?? '—'}
            </td>
            <td data-label="Time">
              <Time at={created_at} seconds />
            </td>
          </tr>
        ))}
      </Records>
    </section>
  )
}
