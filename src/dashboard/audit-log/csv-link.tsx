import { CSV_ROWS_MAX } from '../../requests/audit-log/schema.ts'
import { count } from '../parts/numbers.ts'
import { auditLogPath, type Filters } from '../paths.ts'

/** Downloads the requests with these filters from the first on, whichever page of the list is shown. */
export function CsvLink({ chosen }: { chosen: Filters }) {
  const { cursor, limit, done, ...filters } = chosen
  return (
    <p class="csv">
      <a class="button secondary outline" href={auditLogPath({ ...filters, format: 'csv' })}>
        Download CSV
      </a>
      <small>{count(CSV_ROWS_MAX)} at most. The file's name says if there are more.</small>
    </p>
  )
}
