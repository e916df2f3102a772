import type { Context } from 'hono'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, type ErrorCode } from '../../engine/errors.ts'

// What a page says by itself: there is no record, or the database does not answer.
const ELSEWHERE: ErrorCode[] = ['NOT_FOUND', 'UNAVAILABLE']

/**
 * What would refuse the action that a page asks to confirm, by a dry run of it; null if nothing would. Throws the
 * errors that leave nothing to confirm.
 */
export async function refusalOf(
  c: Context<AppEnv>,
  act: (db: TenantDatabase) => Promise<unknown>,
): Promise<ApiError | null> {
  try {
    await act(c.get('db').rehearsing())
    return null
  } catch (error) {
    if (error instanceof ApiError && !ELSEWHERE.includes(error.code)) return error
    throw error
  }
}
