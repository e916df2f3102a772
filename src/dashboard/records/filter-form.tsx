import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../errors.ts'
import type { Resource } from '../../mapping/identifier.ts'
import { ErrorElsewhere } from '../controls/error-elsewhere.tsx'
import type { Filters } from '../form/chosen.ts'
import { listPath } from './path.ts'

interface FilterFormProps {
  resource: Resource
  /** The names of its fields. */
  fields: readonly string[]
  chosen: Filters
  error: ApiError | null
}

/** The filters of a list. Closed unless one is set, or has an error. */
export function FilterForm(props: PropsWithChildren<FilterFormProps>) {
  const { resource, fields, chosen, error, children } = props
  return (
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
  )
}

export function isFiltered(chosen: Filters, fields: readonly string[]): boolean {
  return fields.some((name) => chosen[name] !== undefined)
}
