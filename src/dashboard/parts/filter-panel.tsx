import type { Child, PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import type { PageFilters } from '../paths.ts'
import { ErrorElsewhere } from './error-elsewhere.tsx'

interface FilterPanelProps {
  error: ApiError | null
  /** The names of its fields. */
  fields: readonly string[]
  /** Whether a filter is set that the form shows. */
  isSet: boolean
  /** What the closed form says of them. */
  summary?: string
  /** The list without filters. */
  clearAt: string
  /** Hidden fields of filters that the form does not show. */
  kept?: Child
}

/** Whether one of these filters is set. */
export function isFiltered(chosen: PageFilters, fields: readonly string[]): boolean {
  return fields.some((name) => chosen[name] !== undefined)
}

/** The filters of a list, one in each child. Closed unless one is set, or has an error. */
export function FilterPanel(props: PropsWithChildren<FilterPanelProps>) {
  const { error, fields, isSet, summary = '', clearAt, kept, children } = props
  return (
    <details class="filters" open={error !== null || isSet}>
      <summary>Filters{summary}</summary>
      <form method="get">
        <ErrorElsewhere error={error} fields={fields} />
        {kept}
        <div class="grid">{children}</div>
        <div class="buttons">
          <button type="submit">Filter</button>
          <ClearFilters at={clearAt} />
        </div>
      </form>
    </details>
  )
}

/** A link to the list without filters. */
export function ClearFilters({ at, text = 'Clear filters' }: { at: string; text?: string }) {
  return (
    <a class="button secondary outline" href={at}>
      {text}
    </a>
  )
}
