import { type SQL, sql } from 'drizzle-orm'
import { ApiError } from '../../engine/errors.ts'
import type { Caller } from '../../engine/identity/caller.ts'
import { grantableBy } from '../../engine/identity/scopes.ts'

// A key grants no more than it may do itself. One that is linked to a partner grants only to keys of this partner: any
// other may do what the link takes from it, such as read kept documents. One that is limited to the orders of its
// partner grants nothing: with another key, its holder would see the others.

/** What decides whether a key may be granted, as it is afterwards. */
export interface Granted<Scopes, PartnerId> {
  scopes: Scopes
  partner_id: PartnerId
}

/** SQL that is true if `grantRefusal` would be null. `scopes` is a JSON array. */
export function grantCondition(
  { key, partner, orders_of }: Caller,
  granted: Granted<SQL, SQL>,
): SQL {
  if (orders_of !== null) return sql`false`
  const isCovered = sql`not exists (select 1 from json_each(${granted.scopes}) as granted
    where granted.value not in (select value from json_each(${JSON.stringify(grantableBy(key.scopes))})))`
  return partner ? sql`(${isCovered} and ${granted.partner_id} is ${partner.id})` : isCovered
}

/**
 * 403 SCOPE_MISSING if the caller may grant nothing, or not to keys of this partner, or lacks some of the scopes;
 * null if it may grant these.
 */
export function grantRefusal(
  { key, partner, orders_of }: Caller,
  { scopes, partner_id }: Granted<readonly string[], string | null>,
): ApiError | null {
  if (orders_of !== null) {
    return new ApiError(
      'SCOPE_MISSING',
      'This API key sees the orders of its partner only: it can rename, pause and revoke keys, but not create, change or rotate them.',
      { reason: 'KEY_IS_OF_PARTNER' },
    )
  }
  if (partner && partner_id !== partner.id) {
    return new ApiError(
      'SCOPE_MISSING',
      `This API key is linked to a partner: it can create, change and rotate only keys with the partner_id "${partner.id}". For other keys, use a key without a partner.`,
      { reason: 'KEY_IS_OF_PARTNER' },
    )
  }
  const grantable = grantableBy(key.scopes)
  const lacked = scopes.filter((scope) => !grantable.includes(scope))
  if (lacked.length === 0) return null
  const named = `${lacked.length === 1 ? 'scope' : 'scopes'} ${lacked.join(', ')}`
  return new ApiError(
    'SCOPE_MISSING',
    `This API key lacks the ${named}: a key can grant only scopes that it has itself.`,
    { reason: 'GRANT_EXCEEDS_KEY' },
  )
}
