import {
  type Api,
  client,
  type Json,
  openAdmin,
  openTenant,
  type Tenant,
  unique,
} from './tenant.ts'

const SETTINGS = '/api/settings/v1'

export interface PartnerOptions {
  tenant?: Tenant
  name?: string
  default_identifier_field?: string
  scopes?: string[]
  /** Of the key. */
  own_orders_only?: boolean
  /** By resource: `{identifier_field?, inbound?, outbound?}`, as PUT takes them. */
  mappings?: Record<string, object>
}

/** A partner with mappings and a linked key, made through the settings API. */
export async function openPartner(options: PartnerOptions = {}) {
  const { tenant = 'demo', name = unique('partner'), scopes, mappings = {} } = options
  const { default_identifier_field, own_orders_only = false } = options
  const admin = await openAdmin(tenant)
  const fields = { name, ...(default_identifier_field && { default_identifier_field }) }
  const { id } = await dataOf(admin.post(`${SETTINGS}/partners/`, fields))
  for (const [resource, mapping] of Object.entries(mappings)) {
    await saveMapping(admin, id, resource, mapping)
  }
  const named = { name: unique('partner key'), partner_id: id, own_orders_only }
  const linked = { ...named, ...(scopes && { scopes }) }
  const key = await dataOf(admin.post(`${SETTINGS}/api-keys/`, linked))
  return { id: id as string, name, key, admin, api: client(key.key) }
}

export async function saveMapping(admin: Api, id: string, resource: string, mapping: object) {
  return await dataOf(admin.put(`${SETTINGS}/partners/${id}/mappings/${resource}/`, mapping))
}

async function dataOf(answer: ReturnType<Api['get']>): Promise<Json> {
  const { status, text, body } = await answer
  if (status >= 300) throw new Error(`answered ${status}: ${text}`)
  return body.data
}

/**
 * For `beforeEach`: gives what lets the partners that a test makes give up their identifier fields, of
 * which a workspace has room for 20.
 */
export async function givingUpFields(): Promise<() => Promise<void>> {
  const db = await openTenant()
  const newest = await db.prepare('select max(seq) as seq from partners').first<number>('seq')
  const since = 'id in (select id from partners where seq > ?1)'
  return async () => {
    await db.batch([
      db
        .prepare(`update partners set default_identifier_field = null where ${since}`)
        .bind(newest ?? 0),
      db
        .prepare(`update field_mappings set identifier_field = null where partner_${since}`)
        .bind(newest ?? 0),
    ])
  }
}
