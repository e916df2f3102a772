import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

export const DRY_RUN_NAME = 'dry_run'
/** What stands in the address of a dry run. */
export const DRY_RUN = `${DRY_RUN_NAME}=true`
/** Methods that write nothing. They have no dry run. */
export const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Whether the request is a dry run: it asks what it would do, and writes nothing. `path` is that of the exchange: an
 * address may spell `/api/` with percent-encoding.
 */
export function isDryRun(method: string, path: string, { search, searchParams }: URL): boolean {
  if (search === '' || READ_METHODS.includes(method) || !path.startsWith('/api/')) return false
  const values = searchParams.getAll(DRY_RUN_NAME)
  return values.length === 1 && values[0] === 'true'
}

/** The member that the body of an answer to a dry run has; nothing for any other answer. */
export function dryRunMark(c: Context<AppEnv>): { dry_run?: true } {
  return c.get('exchange').dry_run ? { dry_run: true } : {}
}
