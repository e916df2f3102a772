import { sql } from 'drizzle-orm'
import { ROLES, type Role, roleOf } from '../../../engine/identity/roles.ts'
import type { KeyKind } from '../kind.ts'
import type { KeyRow } from '../row.ts'

/** The name of the list in its cursors. */
export const PEOPLE = 'people'

/** Somebody who signs in to the dashboard as himself. */
export const PERSON = {
  one: 'person',
  prefix: 'xd',
  isOne: sql`email is not null`,
  otherPartner: 'a person belongs to no partner',
  shown: shownPerson,
} as const satisfies KeyKind

function shownPerson(row: KeyRow) {
  const { id, version, name, email, scopes, expires_at, revoked_at, created_at } = row
  const { last_used_at, status } = row
  const role = roleOf(scopes)
  const times = { expires_at, revoked_at, created_at, last_used_at }
  return { id, version, name, email: email ?? '', role, ...times, status }
}

/** The columns of a person with this input. */
export function personColumns<Input extends { role?: Role | undefined }>({
  role,
  ...input
}: Input) {
  return { ...input, ...(role && { scopes: [...ROLES[role]] }) }
}

export type ShownPerson = ReturnType<typeof shownPerson>
