import * as z from 'zod'
import { READS } from '../db/tables.ts'
import { isObject } from '../json/json-object.ts'
import { RESOURCES } from '../mapping/identifier.ts'
import type { Mapping } from '../mapping/schema.ts'
import type { KeepDocuments } from '../redaction/policy.ts'
import type { WebhookRules } from '../webhooks/rules.ts'

const PauseEnd = z.object({ until: z.string().nullable() }).nullable()

/**
 * A snapshot of everything that settings say about a key, at one `settings_version`. It may be stale, so
 * with each request the tenant's database confirms that nothing in it has changed since.
 */
export const Caller = z.object({
  /** Of the key, or of the session. */
  hash: z.string(),
  tenant: z.string(),
  settings_version: z.number(),
  integration_enabled: z.boolean(),
  /** The pause of each, without its note. Its end may have passed. */
  pauses: z.object({ workspace: PauseEnd, partner: PauseEnd, key: PauseEnd }),
  key: z.object({
    id: z.string(),
    name: z.string(),
    is_person: z.boolean(),
    scopes: z.array(z.string()),
    expires_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    release: z.string(),
    rate_limit: z.number().nullable(),
    reads: z.enum(READS),
  }),
  partner: z
    .object({
      id: z.string(),
      name: z.string(),
      default_identifier_field: z.string().nullable(),
      /** The settings_version at which the partner or its mappings last changed. */
      changed_as_of: z.number(),
      mappings: z.partialRecord(z.enum(RESOURCES), z.custom<Mapping>(isObject)),
    })
    .nullable(),
  /** The rules and the secrets of a webhook; null for a key that clients send. */
  webhook: z
    .object({
      rules: z.custom<WebhookRules>(isObject),
      secrets: z.array(
        z.object({
          sealed: z.string(),
          sealed_for: z.string(),
          ends_at: z.string().nullable(),
        }),
      ),
    })
    .nullable(),
  /** The session in the dashboard for which the key was found; null for a request with the key itself. */
  session: z.object({ id: z.string(), ends_at: z.string() }).nullable(),
  /** Some key of the tenant has near reads, so writes tell their bookmarks. */
  has_near_reads: z.boolean(),
  /** The partner whose orders alone exist for the key; null if it sees all orders. */
  orders_of: z.string().nullable(),
  /** The policy that holds for the key: its partner's, or the workspace's for a key without a partner. */
  keep_documents: z.custom<KeepDocuments>(isObject).nullable(),
})
export type Caller = z.output<typeof Caller>

export type Mappings = NonNullable<Caller['partner']>['mappings']

/** Records that D1 has confirmed the snapshot at this later settings version. */
export function confirmCaller(caller: Caller, settings_version: number): void {
  caller.settings_version = Math.max(caller.settings_version, settings_version)
}
