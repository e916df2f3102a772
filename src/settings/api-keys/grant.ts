import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../../errors.ts'
import { grantableBy } from '../../identity/scopes.ts'

/** SQL that is true if the caller's `own` scopes cover all `scopes`, a JSON array. */
export function mayGrant(own: readonly string[], scopes: SQL): SQL {
  return sql`not exists (select 1 from json_each(${scopes}) as granted
    where granted.value not in (select value from json_each(${JSON.stringify(grantableBy(own))})))`
}

/** 403 SCOPE_MISSING with the scopes that `own` does not cover; null if it covers all. */
export function scopeRefusal(own: readonly string[], scopes: readonly string[]): ApiError | null {
  const grantable = grantableBy(own)
  const lacked = scopes.filter((scope) => !grantable.includes(scope))
  if (lacked.length === 0) return null
  const named = `${lacked.length === 1 ? 'scope' : 'scopes'} ${lacked.join(', ')}`
  return new ApiError(
    'SCOPE_MISSING',
    `This API key lacks the ${named}: a key can grant only scopes that it has itself.`,
  )
}
