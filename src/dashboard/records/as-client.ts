import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../../engine/env.ts'
import { rateLimit } from '../../middleware/rate-limit.ts'
import { requireLiveRelease } from '../../middleware/release.ts'
import { requireIntegration } from '../../middleware/require-integration.ts'
import { maySeeSettings } from '../access.ts'

/**
 * A key without settings is a client's: for it the pages of records are closed and limited as the API is, or the
 * dashboard would be a way around the off-switch, the limit and the end of a release.
 */
export const asClient = createMiddleware<AppEnv>(async function asClient(c, next) {
  if (maySeeSettings(c)) return await next()
  requireLiveRelease(c.get('caller').key.release)
  await requireIntegration(c, async () => {
    await rateLimit(c, next)
  })
})
