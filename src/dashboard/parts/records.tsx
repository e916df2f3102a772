import type { PropsWithChildren } from 'hono/jsx'

interface RecordsProps {
  columns: readonly string[]
  /** Adds a last column for links. Only screen readers get its heading. */
  hasActions?: boolean
  look?: 'requests' | 'waiting'
}

/** A table of records. On a phone each record is a card that labels its cells by `data-label`. */
export function Records({ columns, hasActions, look, children }: PropsWithChildren<RecordsProps>) {
  return (
    <div class="overflow-auto">
      <table class={look ? `records ${look}` : 'records'}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
            {hasActions && (
              <th scope="col">
                <span class="for-reader">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
