import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import { LIMIT_MAX } from '../../pagination.ts'
import { listPartners } from '../../settings/partners/queries.ts'

/** The newest 200, for a choice among them or for their names. */
export async function partnersOf(c: Context<AppEnv>) {
  const request = { limit: LIMIT_MAX, before: undefined }
  return (await listPartners(c.get('db'), request)).slice(0, LIMIT_MAX)
}
