import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Connection } from '../db/connect.ts'
import { asFlag, qb } from '../db/prepared.ts'
import {
  apiKeys,
  fieldMappings,
  partners,
  sessions,
  settingsChanges,
  workspace,
} from '../db/tables.ts'
import { rethrow } from '../db/violations.ts'
import type { KeepDocuments } from '../redaction/policy.ts'
import type { Caller, Mappings } from './caller.ts'

/** For whom a key acts: a partner, or pass-through keys; in the release and with the limits of another key. */
export interface ActedFor {
  partner_id: string | null
  api_key_id: string
}

/**
 * Reads the caller of the matching key; null if there is none, or if the database is another tenant's. With
 * `actedFor`, its partner, release and orders are not the key's own: then no cache may keep it.
 */
export async function readCaller(
  db: Connection,
  tenant: string,
  match: SQL,
  actedFor?: ActedFor,
): Promise<Caller | null> {
  const [[row]] = await db.batch([selectCaller(match, actedFor)]).catch(rethrow)
  return row?.tenant === tenant ? callerOf(row) : null
}

/** The same of the key that has begun the session; null if the session has ended. */
export async function readSessionCaller(
  db: Connection,
  tenant: string,
  hash: string,
): Promise<Caller | null> {
  const isLive = and(eq(sessions.hash, hash), isNull(sessions.ended_at))
  const { id, ends_at, api_key_id } = sessions
  const key = qb.select({ api_key_id }).from(sessions).where(isLive)
  const [[row], [session]] = await db
    .batch([
      selectCaller(sql`${apiKeys.id} = (${key})`),
      qb.select({ id, ends_at }).from(sessions).where(isLive),
    ])
    .catch(rethrow)
  return row?.tenant === tenant && session ? { ...callerOf(row), hash, session } : null
}

type Row = ReturnType<typeof selectCaller>['_']['result'][number]

function callerOf({ partner, webhook, webhook_secrets, policy, ...row }: Row): Caller {
  const { id, name } = partner
  return {
    ...row,
    partner: id === null || name === null ? null : { ...partner, id, name },
    webhook: webhook && {
      rules: webhook,
      secrets: (webhook_secrets ?? []).map(({ set_at, ...secret }) => secret),
    },
    session: null,
    keep_documents: policy,
  }
}

const HAS_NEAR_READS =
  sql<boolean>`exists (select 1 from api_keys as other where other.reads = 'near')`
    .mapWith(asFlag)
    .as('has_near_reads')

/** Needs the aliases: in a batch drizzle distinguishes columns by name alone (drizzle-orm 6038). */
function selectCaller(match: SQL, actedFor?: ActedFor) {
  const partner_id = actedFor ? sql`${actedFor.partner_id}` : sql`${apiKeys.partner_id}`
  return qb
    .select({
      hash: apiKeys.hash,
      tenant: workspace.tenant,
      settings_version: workspace.settings_version,
      integration_enabled: workspace.integration_enabled,
      pauses: selectPauses(actedFor),
      key: {
        id: sql<string>`${apiKeys.id}`.as('key_id'),
        name: sql<string>`${apiKeys.name}`.as('key_name'),
        is_person: sql<boolean>`${apiKeys.email} is not null`.mapWith(asFlag).as('is_person'),
        scopes: apiKeys.scopes,
        expires_at: apiKeys.expires_at,
        revoked_at: apiKeys.revoked_at,
        release: selectRelease(actedFor),
        rate_limit: apiKeys.rate_limit,
        reads: apiKeys.reads,
      },
      webhook: apiKeys.webhook,
      webhook_secrets: apiKeys.webhook_secrets,
      has_near_reads: HAS_NEAR_READS,
      partner: {
        id: sql<string | null>`${partners.id}`.as('partner_id'),
        name: sql<string | null>`${partners.name}`.as('partner_name'),
        // Not the column itself: if it is null, drizzle gives no partner at all.
        default_identifier_field: sql<string | null>`${partners.default_identifier_field}`,
        changed_as_of: sql<number>`coalesce(${settingsChanges.settings_version}, 0)`.as(
          'changed_as_of',
        ),
        mappings: selectMappings(),
      },
      orders_of: selectOrdersOf(actedFor),
      policy: selectPolicy(partner_id),
    })
    .from(apiKeys)
    .innerJoin(workspace, eq(workspace.id, 1))
    .leftJoin(partners, and(eq(partners.id, partner_id), isNull(partners.deleted_at)))
    .leftJoin(settingsChanges, eq(settingsChanges.subject, partners.id))
    .where(match)
}

function selectRelease(actedFor?: ActedFor) {
  const release = actedFor
    ? sql<string>`(select other."release" from api_keys as other where other.id = ${actedFor.api_key_id})`
    : sql<string>`${apiKeys.release}`
  return release.as('key_release')
}

/**
 * A request in the place of a limited key stays limited. Never null for a limited key, whatever became of its
 * partner: no order has an empty partner_id.
 */
function selectOrdersOf(actedFor?: ActedFor) {
  const own = sql`when ${apiKeys.own_orders_only} then coalesce(${apiKeys.partner_id}, '')`
  const other = actedFor
    ? sql`when (select other.own_orders_only from api_keys as other where other.id = ${actedFor.api_key_id})
        then coalesce(${actedFor.partner_id}, '')`
    : sql``
  return sql<string | null>`case ${own} ${other} end`.as('orders_of')
}

/** None for a request that somebody sends in the place of a key: a pause holds back what comes from outside. */
function selectPauses(actedFor?: ActedFor) {
  const [ofAll, ofPartner, ofKey] = [workspace, partners, apiKeys].map(({ pause }) =>
    actedFor
      ? sql`null`
      : sql`iif(${pause} is null, null, json_object('until', json_extract(${pause}, '$.until')))`,
  )
  return sql<
    Caller['pauses']
  >`json_object('workspace', json(${ofAll}), 'partner', json(${ofPartner}),
      'key', json(${ofKey}))`
    .mapWith((text: string): Caller['pauses'] => JSON.parse(text))
    .as('pauses')
}

/** Of a key whose partner is deleted: none. */
function selectPolicy(partner_id: SQL) {
  return sql<KeepDocuments | null>`case when ${partner_id} is null
      then ${workspace.keep_documents} else ${partners.keep_documents} end`
    .mapWith((text: string): KeepDocuments => JSON.parse(text))
    .as('policy')
}

/** All mappings of the partner in one JSON object, by resource. */
function selectMappings() {
  const { partner_id, resource, identifier_field, inbound, outbound } = fieldMappings
  return sql<Mappings>`(select json_group_object(${resource}, json_object(
      'identifier_field', ${identifier_field},
      'inbound', json(${inbound}), 'outbound', json(${outbound})))
    from ${fieldMappings} where ${partner_id} = ${partners.id})`
    .mapWith((text: string): Mappings => JSON.parse(text))
    .as('mappings')
}
