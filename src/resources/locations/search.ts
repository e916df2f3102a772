import { locations } from '../../db/tables.ts'
import { type SearchRequest, searchAlong } from '../../db/walks.ts'
import { identifierWalk, nameWalks } from '../walks.ts'

const { id, code, name, zone, aisle, is_active } = locations

/** Locations by code, name, zone or aisle, exact or by their beginning. Inactive ones too. */
export function locationSearch(request: SearchRequest) {
  const names = [name, zone, aisle].flatMap((column) => nameWalks(column, request.text))
  const columns = { id, code, name, zone, aisle, is_active }
  const walks = [identifierWalk(code), ...names]
  return searchAlong({ table: 'locations', columns, walks }, request)
}
