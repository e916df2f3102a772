import type { PropsWithChildren } from 'hono/jsx'
import type { ApiError } from '../../engine/errors.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { FilterPanel, isFiltered } from '../parts/filter-panel.tsx'
import { listPath, type PageFilters, pathWith } from '../paths.ts'

interface FilterFormProps {
  resource: Resource
  /** The page of the list, if it is another one than that of all records. */
  path?: string
  /** The names of its fields. */
  fields: readonly string[]
  chosen: PageFilters
  error: ApiError | null
  /** The words of the links to files of the whole list, by `format`, if there are several files. */
  files?: Readonly<Record<string, string>>
}

const CSV: Readonly<Record<string, string>> = { csv: 'Download CSV' }

/** The filters of a list. Below them is the whole list as a file. */
export function ListFilterForm(props: PropsWithChildren<FilterFormProps>) {
  const {
    resource,
    path = listPath(resource),
    fields,
    chosen,
    error,
    files = CSV,
    children,
  } = props
  const filters = Object.fromEntries(fields.map((name) => [name, chosen[name]]))
  return (
    <>
      <FilterPanel error={error} fields={fields} isSet={isFiltered(chosen, fields)} clearAt={path}>
        {children}
      </FilterPanel>
      {error === null && (
        <p class="csv">
          {Object.entries(files).map(([format, text]) => (
            <>
              <a class="button secondary outline" href={pathWith(path, { ...filters, format })}>
                {text}
              </a>{' '}
            </>
          ))}
        </p>
      )}
    </>
  )
}

/** Whether the whole list is asked for as a file. */
export function isCsv({ format }: PageFilters): boolean {
  return format === 'csv'
}
