import * as z from 'zod'
import { invalid, notTogether } from '../../engine/errors.ts'
import { hideKeys } from '../../engine/identity/key.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, limitParam } from '../../engine/json/pagination.ts'
import { SearchText } from '../../engine/json/search/text.ts'
import { check } from '../../middleware/validate.ts'
import type { PageFilters } from '../paths.ts'

const Paging = z.object({
  limit: limitParam(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: z.string().optional(),
})

/** The text to search for. 400 VALIDATION_ERROR, at the field, if nothing can have it. */
export function searchedText(field: 'q' | 'search', given: string): string {
  const text = check(z.object({ [field]: SearchText }), { [field]: given })[field] ?? ''
  // It would stay in the address, and on the page.
  if (hideKeys(text) !== text)
    throw invalid({ [field]: ['This is an API key. Nothing is found by it.'] })
  return text
}

/** What a list's page searches for. 400 VALIDATION_ERROR if it filters too. */
export function listSearch(tenant: string, chosen: PageFilters, filters: readonly string[]) {
  const { search = '', ...others } = chosen
  const given = filters.filter((name) => others[name] !== undefined)
  if (given.length > 0) {
    throw notTogether(['search', ...given], 'Search or filter, not both: clear one of them.')
  }
  const { limit, cursor } = others
  const paging = check(Paging, { ...(limit && { limit }), ...(cursor && { cursor }) })
  return { tenant, text: searchedText('search', search), ...paging }
}
