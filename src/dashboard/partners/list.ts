import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import { listPartners } from '../../settings/partners/queries.ts'

const CHOICES_MAX = 1000

/** The newest 1,000, for a choice among them. */
export async function partnersOf(c: Context<AppEnv>) {
  const request = { limit: CHOICES_MAX, before: undefined }
  return (await listPartners(c.get('db'), request)).slice(0, CHOICES_MAX)
}
