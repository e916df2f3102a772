import { type Filters, pathWith } from '../form/chosen.ts'

export const SEARCH = '/dashboard/search/'

export function searchPath(filters: Filters): string {
  return pathWith(SEARCH, filters)
}
