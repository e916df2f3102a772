import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError, invalid } from '../engine/errors.ts'
import { actingIn } from '../engine/exchange/acting.ts'
import { DRY_RUN, DRY_RUN_NAME, READ_METHODS } from '../engine/exchange/dry-run.ts'
import { shortened } from '../engine/json/messages.ts'

/**
 * Refuses a write that may mean to be a dry run and is none: the caller would be wrong about what has changed. 400
 * VALIDATION_ERROR for another value, and for a name that only resembles `dry_run`; 400 SERVICE_ERROR in a release
 * without dry runs.
 */
export const dryRunParameter = createMiddleware<AppEnv>(async function dryRunParameter(c, next) {
  const { url, dry_run } = c.get('exchange')
  if (url.search === '' || READ_METHODS.includes(c.req.method)) return next()
  const meant = [...url.searchParams.keys()].filter(isMeant)
  const { hasDryRuns, name: release } = c.get('release')
  // What is sent again may be a partner's, and is rehearsed for whoever sends it.
  if (meant.length > 0 && !hasDryRuns && !actingIn(c)) {
    throw new ApiError('SERVICE_ERROR', `Release ${release} has no dry run.`, {
      reason: 'NO_DRY_RUN',
    })
  }
  const other = meant.find((name) => name !== DRY_RUN_NAME)
  if (other !== undefined) {
    throw invalid({
      [DRY_RUN_NAME]: [`Is not called "${shortened(other)}": send ${DRY_RUN}, or leave it out.`],
    })
  }
  if (meant.length > 1) throw invalid({ [DRY_RUN_NAME]: ['Give this parameter once.'] })
  if (meant.length === 1 && !dry_run && url.searchParams.get(DRY_RUN_NAME) !== 'false') {
    throw invalid({ [DRY_RUN_NAME]: ['Must be true, or false to make the change.'] })
  }
  c.set('parameters', meant)
  await next()
})

function isMeant(name: string): boolean {
  return name.toLowerCase().replace(/[^a-z]/g, '') === 'dryrun'
}
