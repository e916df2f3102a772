import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { grantableBy, reachesDocuments } from '../../identity/scopes.ts'

// A key grants no more than it may do itself. One that is limited to the orders of its partner grants nothing: with
// another key, its holder would see the others. A partner's key grants no scope of documents: with another key, its
// holder would read them.

/** SQL that is true if the caller's own scopes cover all `scopes`, a JSON array, and if it may grant at all. */
export function mayGrant(caller: Caller, scopes: SQL): SQL {
  if (caller.orders_of !== null) return sql`false`
  return sql`not exists (select 1 from json_each(${scopes}) as granted
    where granted.value not in (select value from json_each(${JSON.stringify(scopesOf(caller))})))`
}

/** 403 SCOPE_MISSING, with the scopes that the caller's own do not cover; null if it may grant these. */
export function grantRefusal(caller: Caller, scopes: readonly string[]): ApiError | null {
  if (caller.orders_of !== null) {
    return new ApiError(
      'SCOPE_MISSING',
      'This API key sees the orders of its partner only: it can rename and revoke keys, but not create, change or rotate them.',
    )
  }
  const grantable = scopesOf(caller)
  const lacked = scopes.filter((scope) => !grantable.includes(scope))
  if (lacked.length === 0) return null
  const named = `${lacked.length === 1 ? 'scope' : 'scopes'} ${lacked.join(', ')}`
  return new ApiError(
    'SCOPE_MISSING',
    caller.partner && lacked.every(reachesDocuments)
      ? `This API key cannot grant the ${named}: it is linked to a partner, and no key of a partner reads or deletes documents. Use a key without a partner.`
      : `This API key lacks the ${named}: a key can grant only scopes that it has itself.`,
  )
}

function scopesOf({ key, partner }: Caller): string[] {
  return grantableBy(key.scopes, partner !== null)
}
