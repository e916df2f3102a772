import type { TenantDatabase } from '../../db/transact.ts'
import type { PageRequest } from '../../document/pagination.ts'
import type { ActiveFilter } from '../activity.ts'
import { listLocations } from './queries.ts'

/** All locations, as an export has them: the fields of the list. */
export const LOCATIONS = {
  resource: 'locations',
  columns: ['code', 'name', 'zone', 'aisle', 'is_active'],
  page: (db: TenantDatabase, filters: { is_active: ActiveFilter }, request: PageRequest) =>
    listLocations(db, filters.is_active, request),
} as const
