import type { Page } from '../../engine/json/pagination.ts'
import { CODE_WORDS, type StoredCode } from '../../settings/item-codes/kind.ts'
import type { CodeTable } from '../../settings/item-codes/statements.ts'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { itemCodesPath } from '../paths.ts'
import { RecordLink } from '../records/record-link.tsx'

interface CodeListProps {
  table: CodeTable
  page: Page<StoredCode>
  /** The ids of the records that are there, by name. */
  ids: Map<string, string>
  search: string | undefined
  mayWrite: boolean
}

export function CodeList({ table, page: { rows }, ids, search, mayWrite }: CodeListProps) {
  const { one, hasUnits } = CODE_WORDS[table.kind]
  if (rows.length === 0) {
    return search === undefined ? (
      <Empty text="No codes yet." />
    ) : (
      <Empty text={`No code is, or begins with, “${search}”.`} />
    )
  }
  const ours = one === 'product' ? 'Our SKU' : 'Our location'
  return (
    <Records columns={['Their code', ours, ...(hasUnits ? ['Units'] : [])]} hasActions={mayWrite}>
      {rows.map(({ code, record_name, units }) => (
        <tr>
          <th scope="row" class="free">
            {code}
          </th>
          <td data-label={ours} class="free">
            <RecordLink resource={table.kind} name={record_name} ids={ids} />
          </td>
          {hasUnits && <td data-label="Units">{count(units)}</td>}
          {mayWrite && (
            <td class="row-actions">
              <RowLink href={`${itemCodesPath(table, { code })}#enter`} text="Change" of={code} />{' '}
              <RowLink
                href={`${itemCodesPath(table)}delete/${encodeURIComponent(code)}/`}
                text="Delete"
                of={code}
              />
            </td>
          )}
        </tr>
      ))}
    </Records>
  )
}
