import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { ErrorElsewhere } from '../parts/error-elsewhere.tsx'
import { listPath, type PageFilters } from '../paths.ts'

interface FilterFormProps {
  resource: Resource
  /** The names of its fields. */
  fields: readonly string[]
  chosen: PageFilters
  error: ApiError | null
}

/** The filters of a list. Closed unless one is set, or has an error. Below them is the whole list as a file. */
export function ListFilterForm(props: PropsWithChildren<FilterFormProps>) {
  const { resource, fields, chosen, error, children } = props
  return (
    <>
      <details class="filters" open={error !== null || isFiltered(chosen, fields)}>
        <summary>Filters</summary>
        <form method="get">
          <ErrorElsewhere error={error} fields={fields} />
          <div class="grid">{children}</div>
          <div class="buttons">
            <button type="submit">Filter</button>
            <a class="button secondary outline" href={listPath(resource)}>
              Clear filters
            </a>
          </div>
        </form>
      </details>
      {error === null && <CsvLink resource={resource} fields={fields} chosen={chosen} />}
    </>
  )
}

function CsvLink({ resource, fields, chosen }: Omit<FilterFormProps, 'error'>) {
  const filters = Object.fromEntries(fields.map((name) => [name, chosen[name]]))
  return (
    <p class="csv">
      <a class="button secondary outline" href={listPath(resource, { ...filters, format: 'csv' })}>
        Download CSV
      </a>
    </p>
  )
}

/** Whether the whole list is asked for as a file. */
export function isCsv({ format }: PageFilters): boolean {
  return format === 'csv'
}

export function isFiltered(chosen: PageFilters, fields: readonly string[]): boolean {
  return fields.some((name) => chosen[name] !== undefined)
}
