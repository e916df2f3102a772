import { type SQL, sql } from 'drizzle-orm'
import { workspace } from './tables.ts'

const [known, key] = [sql.placeholder('settings_version'), sql.placeholder('api_key_id')]
const partner = sql.placeholder('own_partner_id')
const session = sql.placeholder('own_session_id')

/**
 * Condition on the workspace's row: nothing that the caller with the key `api_key_id`, and the partner
 * `own_partner_id` that it may act for, and the session `own_session_id`, depends on has changed since `settings_version`.
 * If no settings have changed at all, which is the usual case, this is one comparison.
 */
export const IS_CURRENT: SQL = sql`(${workspace.settings_version} = ${known} or (
  ${workspace.settings_version} > ${known} and exists (
    select 1 from api_keys where api_keys.id = ${key} and not exists (
      select 1 from settings_changes where settings_changes.settings_version > ${known}
        and subject in ('workspace', api_keys.id, ${partner}, ${session},
          coalesce(api_keys.partner_id, 'without a partner'))))))`
