import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { FilterPanel } from '../parts/filter-panel.tsx'
import { listPath, type PageFilters, pathWith } from '../paths.ts'

interface FilterFormProps {
  resource: Resource
  /** The page of the list, if it is another one than that of all records. */
  path?: string
  /** The names of its fields. */
  fields: readonly string[]
  chosen: PageFilters
  error: ApiError | null
}

/** The filters of a list. Below them is the whole list as a file. */
export function ListFilterForm(props: PropsWithChildren<FilterFormProps>) {
  const { resource, path = listPath(resource), fields, chosen, error, children } = props
  return (
    <>
      <FilterPanel error={error} fields={fields} isSet={isFiltered(chosen, fields)} clearAt={path}>
        {children}
      </FilterPanel>
      {error === null && <CsvLink path={path} fields={fields} chosen={chosen} />}
    </>
  )
}

function CsvLink({
  path,
  fields,
  chosen,
}: Pick<FilterFormProps, 'fields' | 'chosen'> & { path: string }) {
  const filters = Object.fromEntries(fields.map((name) => [name, chosen[name]]))
  return (
    <p class="csv">
      <a class="button secondary outline" href={pathWith(path, { ...filters, format: 'csv' })}>
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
