import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { grantableBy } from '../../identity/scopes.ts'

// A key grants no more than it may do itself. One that is limited to the orders of its partner grants nothing: with
// another key, its holder would see the others.

/** SQL that is true if the caller's own scopes cover all `scopes`, a JSON array, and if it may grant at all. */
export function mayGrant({ key, orders_of }: Caller, scopes: SQL): SQL {
  if (orders_of !== null) return sql`false`
  return sql`not exists (select 1 from json_each(${scopes}) as granted
    where granted.value not in (select value from json_each(${JSON.stringify(grantableBy(key.scopes))})))`
}

/** 403 SCOPE_MISSING, with the scopes that the caller's own do not cover; null if it may grant these. */
export function grantRefusal(
  { key, orders_of }: Caller,
  scopes: readonly string[],
): ApiError | null {
  if (orders_of !== null) {
    return new ApiError(
      'SCOPE_MISSING',
      'This API key sees the orders of its partner only: it can rename and revoke keys, but not create, change or rotate them.',
    )
  }
  const grantable = grantableBy(key.scopes)
  const lacked = scopes.filter((scope) => !grantable.includes(scope))
  if (lacked.length === 0) return null
  const named = `${lacked.length === 1 ? 'scope' : 'scopes'} ${lacked.join(', ')}`
  return new ApiError(
    'SCOPE_MISSING',
    `This API key lacks the ${named}: a key can grant only scopes that it has itself.`,
  )
}
