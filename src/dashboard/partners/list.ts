import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import { listPartnerNames } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'

/** The partners to choose from; none if the session's key may not read partners. */
export async function partnersOf(c: Context<AppEnv>) {
  return may(c, 'settings.partners.read') ? await listPartnerNames(c.get('db')) : []
}
