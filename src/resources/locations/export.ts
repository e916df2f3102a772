import { listLocations } from './queries.ts'

/** All locations, as an export has them: the fields of the list. */
export const LOCATIONS = {
  resource: 'locations',
  columns: ['code', 'name', 'zone', 'aisle', 'is_active'],
  page: listLocations,
} as const
