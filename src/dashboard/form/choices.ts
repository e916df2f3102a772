import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { LIMIT_MAX } from '../../engine/json/pagination.ts'
import { listApiKeyNames } from '../../settings/api-keys/queries.ts'
import { listPartnerNames } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'

export type Choices = Awaited<ReturnType<typeof choicesOf>>

/** The newest API keys and partners to filter by, as far as the session's key may read them. */
export async function choicesOf(c: Context<AppEnv>) {
  const [keys, partners] = await Promise.all([keysOf(c), partnersOf(c)])
  return { keys, partners }
}

async function keysOf(c: Context<AppEnv>) {
  return may(c, 'settings.keys.read') ? await listApiKeyNames(c.get('db'), LIMIT_MAX) : []
}

/** The partners to choose from; none if the session's key may not read partners. */
export async function partnersOf(c: Context<AppEnv>) {
  return may(c, 'settings.partners.read') ? await listPartnerNames(c.get('db')) : []
}
