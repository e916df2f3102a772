import { bindingNameOf, tenantOfBinding } from '../../src/db/connect.ts'
import { isTenant } from '../../src/identity/key.ts'
import { PORT_DEFAULT } from '../dev/port.ts'
import { runningServer } from '../dev/running.ts'
import { Failure } from '../failure.ts'

export const CONFIG = 'wrangler.toml'
export const NAMESPACE_BINDING = 'KEYS'

/** Where tenants live: an `[env.<name>]` of wrangler.toml at Cloudflare, or this machine. */
export interface Environment {
  /** Null on this machine. */
  name: string | null
  /** The Worker; its databases are named `<worker>-<slug>`. */
  worker: string
  /** The Workers of the other environments. */
  siblings: string[]
  tenants: Tenant[]
  /** Of the KV namespace; null until the first deployment has made it. */
  namespace_id: string | null
  /** `https://acme.crossdock.example`. */
  baseUrlOf: (slug: string) => string
}

/** A tenant as wrangler.toml has it. */
export interface Tenant {
  slug: string
  binding: string
  database_name: string
  database_id: string
}

/** Reads wrangler.toml anew; without a name the environment is this machine. */
export async function openEnvironment(name: string | null): Promise<Environment> {
  // Half a second to load, which --help and a mistyped command need not wait for.
  const wrangler = await import('wrangler')
  const names = Object.keys(
    wrangler.experimental_readRawConfig({ config: CONFIG }).rawConfig.env ?? {},
  )
  if (name !== null && !names.includes(name)) {
    const known = names.join(', ') || 'none'
    throw new Failure(`There is no environment "${name}" in ${CONFIG}. There is: ${known}.`, 2)
  }
  const read = (env: string | null) =>
    wrangler.unstable_readConfig({ config: CONFIG, ...(env && { env }) }, { hideWarnings: true })
  const { name: worker = 'crossdock', d1_databases, kv_namespaces, vars } = read(name)
  const { BASE_DOMAIN } = vars
  if (name !== null && typeof BASE_DOMAIN !== 'string') {
    throw new Failure(`[env.${name}.vars] in ${CONFIG} wants BASE_DOMAIN.`)
  }
  const local = (name === null && (await runningServer())) || `http://localhost:${PORT_DEFAULT}`
  return {
    name,
    worker,
    siblings: names.filter((other) => other !== name).map((other) => `${read(other).name}`),
    tenants: d1_databases.flatMap(tenantOf),
    namespace_id: namespaceIn(kv_namespaces),
    baseUrlOf: (slug) => (name === null ? local : `https://${slug}.${BASE_DOMAIN}`),
  }
}

function namespaceIn(namespaces: { binding: string; id?: string | undefined }[]): string | null {
  return namespaces.find(({ binding }) => binding === NAMESPACE_BINDING)?.id ?? null
}

/** The slug, if it is one; what is wrong with it otherwise. */
export function parseSlug(slug: string): string {
  if (isTenant(slug)) return slug
  throw new Failure(
    `"${slug}" is no slug: 1 to 40 lower case letters, digits and single hyphens, a letter first, such as acme-north.`,
    2,
  )
}

export function findTenant({ tenants }: Environment, slug: string): Tenant | undefined {
  return tenants.find((tenant) => tenant.slug === slug)
}

/** What the tenant is, or will be, in wrangler.toml. */
export function blockOf({ worker }: Environment, slug: string, database_id: string): Tenant {
  return {
    slug,
    binding: bindingNameOf(slug),
    database_name: databaseNameOf(worker, slug),
    database_id,
  }
}

export function databaseNameOf(worker: string, slug: string): string {
  return `${worker}-${slug}`
}

/** ` in staging`, for sentences. */
export function placeOf({ name }: Environment): string {
  return name === null ? ' on this machine' : ` in ${name}`
}

function tenantOf(database: {
  binding: string
  database_name?: string
  database_id?: string
}): Tenant[] {
  const { binding, database_name = '', database_id = '' } = database
  const slug = tenantOfBinding(binding)
  return slug === null ? [] : [{ slug, binding, database_name, database_id }]
}
