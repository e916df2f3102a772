import type { Child } from 'hono/jsx'
import { Records } from './records.tsx'

/** Its heading, which labels its cells on a phone, and what it shows of a row. */
type Column<Row> = readonly [
  name: string,
  cell: (row: Row) => Child,
  look?: 'free' | 'row-links' | undefined,
]

interface DataTableProps<Row> {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** The links of a row, in a last column. */
  actions?: ((row: Row) => Child) | undefined
  /** Whether no cell names its row. Otherwise that of the first column does. */
  isHeadless?: boolean
  look?: 'waiting'
}

/** A table of records in which each column is told once. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, columns, actions, isHeadless = false, ...others } = props
  return (
    <Records columns={columns.map(([name]) => name)} hasActions={Boolean(actions)} {...others}>
      {rows.map((row) => (
        <tr>
          {columns.map(([name, cell, look], at) =>
            at === 0 && !isHeadless ? (
              <th scope="row" class={look}>
                {cell(row)}
              </th>
            ) : (
              <td data-label={name} class={look}>
                {cell(row)}
              </td>
            ),
          )}
          {actions && <td class="row-actions">{actions(row)}</td>}
        </tr>
      ))}
    </Records>
  )
}
