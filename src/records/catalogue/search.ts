import { type SearchRequest, searchAlong } from '../../engine/db/walks.ts'
import { searchedNames } from '../../engine/model/record.ts'
import { identifierWalk, nameWalks } from '../walks.ts'
import type { Kind } from './kind.ts'
import { tableColumn, tableColumns } from './statements.ts'

/**
 * Records by their name, exact or by its beginning, in order of it; also by the other fields that are searched, in any
 * case of their letters. Inactive ones too.
 */
export function searchRecords({ resource, record, table }: Kind, request: SearchRequest) {
  const { key, fields, lists } = record
  const names = searchedNames(record).map((name) => tableColumn(table, name))
  const walks = names.flatMap((column) => nameWalks(column, request.text))
  const shown = lists.filter((name) => fields[name]?.kind !== 'object')
  const columns = { ...tableColumns(table, shown), id: table.id, is_active: table.is_active }
  const searching = {
    table: resource,
    columns,
    walks: [identifierWalk(tableColumn(table, key)), ...walks],
  }
  return searchAlong(searching, request)
}
