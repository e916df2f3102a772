import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { shortened } from '../document/messages.ts'
import type { AppEnv } from '../env.ts'
import { ApiError, invalid } from '../errors.ts'
import { actingIn } from './acting.ts'

export const DRY_RUN_NAME = 'dry_run'
/** What stands in the address of a dry run. */
export const DRY_RUN = `${DRY_RUN_NAME}=true`
const READS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Whether the request is a dry run: it asks what it would do, and writes nothing. `path` is that of the exchange: an
 * address may spell `/api/` with percent-encoding.
 */
export function isDryRun(method: string, path: string, { search, searchParams }: URL): boolean {
  if (search === '' || READS.includes(method) || !path.startsWith('/api/')) return false
  const values = searchParams.getAll(DRY_RUN_NAME)
  return values.length === 1 && values[0] === 'true'
}

/** The member that the body of an answer to a dry run has; nothing for any other answer. */
export function dryRunMark(c: Context<AppEnv>): { dry_run?: true } {
  return c.get('exchange').dry_run ? { dry_run: true } : {}
}

/**
 * Refuses a write that may mean to be a dry run and is none: the caller would be wrong about what has changed. 400
 * VALIDATION_ERROR for another value, and for a name that only resembles `dry_run`; 400 SERVICE_ERROR in a release
 * without dry runs.
 */
export const dryRun = createMiddleware<AppEnv>(async function dryRun(c, next) {
  const { url, dry_run } = c.get('exchange')
  if (url.search === '' || READS.includes(c.req.method)) return next()
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
