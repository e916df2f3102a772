import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import type { Log } from '../log/archive/entries.ts'

/** The audit log of the caller's tenant, with what is archived of it. */
export function logOf(c: Context<AppEnv>): Log {
  return { db: c.get('db'), bucket: c.env.DOCUMENTS, tenant: c.get('caller').tenant }
}
