import { LRUCache } from 'lru-cache'
import type { Connection } from '../db/connect.ts'
import { deleteExpiredRows } from './expired-rows.ts'

const TENANTS_MAX = 1000
const AGAIN_MS = 60_000
const ANSWER_MS_MAX = 5000

/** By tenant: when nothing more was found. A look for it reads thousands of rows. */
const emptied = new LRUCache<string, number>({ max: TENANTS_MAX })

/**
 * For a write that has found the database full: deletes of what the workspace no longer keeps as much as a turn of the
 * daily deletion does in one batch. True if that was anything; false without a look if a minute ago there was no more.
 */
export async function makeRoom(tenant: string, connection: Connection): Promise<boolean> {
  if (Date.now() - (emptied.get(tenant) ?? 0) < AGAIN_MS) return false
  const now = new Date().toISOString()
  const deleted = await deleteExpiredRows(connection, now, {
    withSettings: true,
    msMax: ANSWER_MS_MAX,
  }).catch(() => null)
  if (!deleted?.hasMore) emptied.set(tenant, Date.now())
  return deleted !== null && deleted.rows + deleted.changes + deleted.values + deleted.codes > 0
}
