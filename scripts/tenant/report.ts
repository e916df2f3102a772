import { Failure } from '../failure.ts'
import { localSizeOf } from '../local/database.ts'
import type { Environment, Tenant } from './environment.ts'
import { readState, type State } from './state.ts'

/** A tenant and the facts from its database, as `list` and `status` show them. */
export interface Report {
  tenant: string
  base_url: string
  database: string
  database_id: string
  migrations: { applied: string[]; pending: string[] }
  size_bytes: number | null
  last_request_at: string | null
  live_keys: number | null
  /** How many secrets of webhooks each key has encrypted, by the name of the key, the newest first. */
  webhook_secrets: Record<string, number> | null
  integration_enabled: boolean | null
  /** Why the database could not be read; then the facts above are empty. */
  error: string | null
}

export async function reportOf(environment: Environment, tenant: Tenant): Promise<Report> {
  const place = {
    tenant: tenant.slug,
    base_url: environment.baseUrlOf(tenant.slug),
    database: tenant.database_name,
    database_id: tenant.database_id,
  }
  try {
    const state = await readState(environment, tenant.database_name)
    const holds = state.workspace?.tenant ?? tenant.slug
    if (holds !== tenant.slug) throw new Failure(`its database belongs to ${holds}.`)
    return { ...place, ...(await factsOf(tenant, state)), error: null }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...place, ...NO_FACTS, error: message }
  }
}

const NO_FACTS = {
  migrations: { applied: [], pending: [] },
  size_bytes: null,
  last_request_at: null,
  live_keys: null,
  webhook_secrets: null,
  integration_enabled: null,
}

async function factsOf(tenant: Tenant, state: State) {
  const { applied, pending, size, last_request_at, live_keys, webhook_secrets, workspace } = state
  return {
    migrations: { applied, pending },
    size_bytes: size ?? (await localSizeOf(tenant.database_id)),
    last_request_at,
    live_keys,
    webhook_secrets,
    integration_enabled: workspace?.integration_enabled ?? null,
  }
}

export function migrationsOf({ migrations: { applied, pending } }: Report): string {
  if (applied.length === 0) return 'none applied'
  return pending.length === 0 ? 'current' : `${pending.length} pending`
}

export function integrationOf({ integration_enabled }: Report): string {
  if (integration_enabled === null) return 'not set up'
  return integration_enabled ? 'on' : 'off'
}

/** `12 by WEBHOOK_SECRET_KEY_2, 3 by WEBHOOK_SECRET_KEY`. */
export function secretsOf({ webhook_secrets }: Report): string {
  const keys = Object.entries(webhook_secrets ?? {})
  return keys.map(([name, count]) => `${count} by ${name}`).join(', ') || 'none'
}

export function sizeOf({ size_bytes }: Report): string {
  return size_bytes === null ? '-' : amountOf(size_bytes)
}

export function amountOf(bytes: number): string {
  const kilobytes = bytes / 1000
  return kilobytes < 1000 ? `${Math.ceil(kilobytes)} KB` : `${(kilobytes / 1000).toFixed(1)} MB`
}
