import type { TenantDatabase } from '../../engine/db/transact.ts'
import { asListed, type List, type ListRow, withColumns } from '../../engine/db/wide-rows.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import type { CatalogueFilters } from './filters.ts'
import type { Kind } from './kind.ts'
import { listRecords } from './queries.ts'

/** All records, as an export has them: the fields of the list, or in CSV all fields. */
export function exportOf(kind: Kind) {
  const { resource, record, statements } = kind
  const others = Object.keys(record.fields).filter((name) => !record.lists.includes(name))
  return {
    resource,
    columns: [...record.lists, ...others],
    page: (db: TenantDatabase, filters: CatalogueFilters, request: PageRequest) =>
      listRecords(kind, db, filters, request),
    inFull: (db: TenantDatabase, list: List<ListRow>) =>
      others.length === 0 ? asListed(db, list) : withColumns(db, list, statements.inFull),
  }
}
