import { type SQL, sql } from 'drizzle-orm'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { KeyPrefix } from '../../engine/identity/key.ts'
import type { KeyRow } from './row.ts'

/** What a row of api_keys is. All kinds are created, changed, paused, rotated and revoked by the same statements. */
export interface KeyKind<Shown extends { version: number } = { version: number }> {
  one: string
  prefix: KeyPrefix
  /** SQL that is true for a row of this kind. */
  isOne: SQL
  /** SQL that is true for a row that may be revoked, and the error for the one with this id that may not. */
  mayEnd?: { holds: SQL; otherwise: (db: TenantDatabase, id: string) => Promise<Error> }
  /** The row as the API shows it, with the version for its ETag. */
  shown: (row: KeyRow) => Shown | Promise<Shown>
  /** What to do instead where the partner of a row is deleted. */
  otherPartner: string
}

function shownKey({ webhook, webhook_secrets, email, ...key }: KeyRow) {
  return key
}

/** A key that clients send with each request. */
export const API_KEY = {
  one: 'API key',
  prefix: 'xd',
  isOne: sql`webhook is null and email is null`,
  otherPartner: 'send partner_id null to unlink it',
  shown: shownKey,
} as const satisfies KeyKind

/** Within a sentence that is about keys already. */
export function nounOf(one: string): string {
  return one === API_KEY.one ? 'key' : one
}
