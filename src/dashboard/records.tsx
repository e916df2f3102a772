import type { PropsWithChildren } from 'hono/jsx'

interface RecordsProps {
  columns: readonly string[]
  /** What the last column is for, whose cells hold links and which bears no heading to see. */
  actions?: string
  look?: 'requests'
}

/** A table of records; on a phone a list of cards, by the `data-label` of each cell. */
export function Records({ columns, actions, look, children }: PropsWithChildren<RecordsProps>) {
  return (
    <div class="overflow-auto">
      <table class={look ? `records ${look}` : 'records'}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
            {actions && (
              <th scope="col">
                <span class="for-reader">{actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
