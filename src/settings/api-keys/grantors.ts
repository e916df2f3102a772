import { and, asc, isNotNull, isNull, type SQL } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { Caller } from '../../engine/identity/caller.ts'
import { ROLE_NAMES, ROLES, type Role } from '../../engine/identity/roles.ts'
import { covers, type Scope } from '../../engine/identity/scopes.ts'
import { isLive } from './bound.ts'

const NAMED_MAX = 5
const READ_MAX = 500

/** A person or key that can give a scope away. */
export interface Grantor {
  id: string
  name: string
  is_person: boolean
}

/** The roles that have the scope. */
export function rolesWith(scope: string): Role[] {
  return ROLE_NAMES.filter((role) => covers(ROLES[role], scope))
}

/** Whether the caller is somebody of the warehouse. A partner's key is told nobody's name, also when the partner is deleted. */
export function mayKnowPeople({
  partner,
  orders_of,
}: Pick<Caller, 'partner' | 'orders_of'>): boolean {
  return partner === null && orders_of === null
}

/**
 * Who can give the scope to the caller: at most five, people first, the oldest first, among the 500 oldest people and the
 * 500 oldest keys.
 */
export async function findGrantors(
  db: TenantDatabase,
  { key }: Pick<Caller, 'key'>,
  scope: string,
): Promise<Grantor[]> {
  const [people, keys] = await db.read([
    selectLive(isNotNull(apiKeys.email)),
    selectLive(isNull(apiKeys.email)),
  ])
  const mayGrant = key.is_person ? grantsRole(scope) : grantsScopes([...key.scopes, scope])
  return [...people, ...keys]
    .filter(({ id, scopes }) => id !== key.id && mayGrant(scopes))
    .slice(0, NAMED_MAX)
    .map(({ id, name, email }) => ({ id, name, is_person: email !== null }))
}

/** Selects keys without a partner. The limit also counts ended keys, so their number does not matter. */
function selectLive(kind: SQL) {
  const oldest = qb.select().from(apiKeys).where(kind).orderBy(asc(apiKeys.seq)).limit(READ_MAX)
  const keys = oldest.as('oldest')
  const { id, name, scopes, email } = keys
  return qb
    .select({ id, name, scopes, email })
    .from(keys)
    .where(and(isLive(new Date().toISOString()), isNull(keys.partner_id), isNull(keys.webhook)))
    .orderBy(asc(keys.seq))
}

/** Whoever may change people, and has every scope of a role, can give the role. */
function grantsRole(scope: string) {
  const roles = rolesWith(scope)
  return (granted: readonly string[]) =>
    covers(granted, PEOPLE) &&
    roles.some((role) => ROLES[role].every((each) => covers(granted, each)))
}

/** A changed key has no scope that its changer lacks. */
function grantsScopes(scopes: readonly string[]) {
  return (granted: readonly string[]) =>
    covers(granted, KEYS) && scopes.every((each) => covers(granted, each))
}

const PEOPLE: Scope = 'settings.people.write'
const KEYS: Scope = 'settings.keys.write'
