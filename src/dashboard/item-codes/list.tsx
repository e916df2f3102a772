import type { Page } from '../../engine/json/pagination.ts'
import { CODE_WORDS, type StoredCode } from '../../settings/item-codes/kind.ts'
import type { CodeTable } from '../../settings/item-codes/statements.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/numbers.ts'
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
    <DataTable
      rows={rows}
      columns={[
        ['Their code', ({ code }) => code, 'free'],
        [
          ours,
          (row) => <RecordLink resource={table.kind} name={row.record_name} ids={ids} />,
          'free',
        ],
        ...(hasUnits ? [['Units', ({ units }: StoredCode) => count(units)] as const] : []),
      ]}
      actions={mayWrite ? ({ code }) => <CodeActions table={table} code={code} /> : undefined}
    />
  )
}

function CodeActions({ table, code }: { table: CodeTable; code: string }) {
  const deletion = `${itemCodesPath(table)}delete/${encodeURIComponent(code)}/`
  return (
    <>
      <RowLink href={`${itemCodesPath(table, { code })}#enter`} text="Change" of={code} />{' '}
      <RowLink href={deletion} text="Delete" of={code} />
    </>
  )
}
