import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { asClient } from '../records/as-client.ts'
import { searchedText } from '../records/search.ts'
import { GROUPS, groupsOf, isLimited, OWN_ORDERS_ONLY } from '../search-groups.ts'
import { findAll, onlyOne } from './find.ts'
import { showFindings, showSearch } from './page.tsx'

const SCOPES = GROUPS.map(({ scope }) => scope).join(', ')

function requireAnyGroup(c: Context<AppEnv>): void {
  if (groupsOf(c).length > 0) return
  if (isLimited(c))
    throw new ApiError('SCOPE_MISSING', OWN_ORDERS_ONLY, { reason: 'KEY_IS_OF_PARTNER' })
  throw new ApiError(
    'SCOPE_MISSING',
    `To search, this API key needs one of the scopes ${SCOPES}.`,
    { reason: 'KEY_LACKS_SCOPE' },
  )
}

export const searchPages = new Hono<AppEnv>()

searchPages.use(asClient)

searchPages.get('/', async (c) => {
  requireAnyGroup(c)
  const given = c.get('exchange').url.searchParams.get('q')?.trim() ?? ''
  if (given === '') return showSearch(c, null)
  c.set('showForm', (error) => showSearch(c, error))
  const text = searchedText('q', given)
  const found = await findAll(c, text)
  const only = onlyOne(found)
  return only === null ? showFindings(c, text, found) : c.redirect(only, 303)
})
