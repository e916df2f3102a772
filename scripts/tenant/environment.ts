import { bindingNameOf, tenantOfBinding } from '../../src/db/binding.ts'
import { isTenant } from '../../src/identity/key.ts'
import { PORT_DEFAULT } from '../dev/port.ts'
import { runningServer } from '../dev/running.ts'
import { Failure } from '../failure.ts'
import { type Block, CONFIG, readConfig } from './config-file.ts'

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
export interface Tenant extends Block {
  slug: string
}

/** Reads wrangler.toml anew; without a name the environment is this machine. */
export async function openEnvironment(name: string | null): Promise<Environment> {
  const { raw, of } = await readConfig()
  const names = Object.keys(raw.env ?? {})
  if (name !== null && !names.includes(name)) {
    const known = names.join(', ') || 'none'
    throw new Failure(`There is no environment "${name}" in ${CONFIG}. There is: ${known}.`, 2)
  }
  const { name: worker = 'crossdock', d1_databases, kv_namespaces, vars } = of(name)
  const { BASE_DOMAIN } = vars
  if (name !== null && typeof BASE_DOMAIN !== 'string') {
    throw new Failure(`[env.${name}.vars] in ${CONFIG} wants BASE_DOMAIN.`)
  }
  const local = (name === null && (await runningServer())) || `http://localhost:${PORT_DEFAULT}`
  return {
    name,
    worker,
    siblings: names.filter((other) => other !== name).map((other) => `${of(other).name}`),
    tenants: d1_databases.flatMap(tenantOf),
    namespace_id: namespaceIn(kv_namespaces),
    baseUrlOf: (slug) => (name === null ? local : `https://${slug}.${BASE_DOMAIN}`),
  }
}

function namespaceIn(namespaces: { binding: string; id?: string | undefined }[]): string | null {
  return namespaces.find(({ binding }) => binding === NAMESPACE_BINDING)?.id ?? null
}

/** The slug, if it is one and its database cannot be taken for another environment's. */
export function parseSlug(environment: Environment, slug: string): string {
  if (!isTenant(slug)) {
    throw new Failure(
      `"${slug}" is no slug: 1 to 40 lower case letters, digits and single hyphens, a letter first, such as acme-north.`,
      2,
    )
  }
  const database = databaseNameOf(environment.worker, slug)
  if (environment.name === null || ownsDatabase(environment, database)) return slug
  throw new Failure(
    `${slug}${placeOf(environment)} would be ${database}, which is another environment's.`,
    2,
  )
}

/** The database is of this environment: `crossdock-eu-west-acme` is of eu-west where there is one. */
export function ownsDatabase({ worker, siblings }: Environment, database: string): boolean {
  const nearer = siblings.filter((sibling) => sibling.length > worker.length)
  return (
    database.startsWith(`${worker}-`) &&
    !nearer.some((sibling) => database.startsWith(`${sibling}-`))
  )
}

/** The tenant of that slug; throws a Failure where wrangler.toml has none. */
export function requireTenant(environment: Environment, slug: string): Tenant {
  const tenant = findTenant(environment, parseSlug(environment, slug))
  if (tenant) return tenant
  throw new Failure(`There is no tenant ${slug}${placeOf(environment)}.`)
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

/** ` --env staging`, for commands to paste. */
export function flagOf({ name }: Environment): string {
  return name === null ? '' : ` --env ${name}`
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
