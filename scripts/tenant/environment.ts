import type { Unstable_Config as Config, Unstable_RawConfig as RawConfig } from 'wrangler'
import { bindingNameOf, tenantOfBinding } from '../../src/engine/identity/binding.ts'
import { isTenant } from '../../src/engine/identity/key.ts'
import { Failure } from '../failure.ts'
import { addressOf, runningServer } from '../local/lock.ts'
import { parsePort } from '../local/port.ts'
import { type Block, CONFIG, readConfig, readRaw } from './config-file.ts'

export const NAMESPACE_BINDING = 'KEYS'
const BUCKET_BINDING = 'DOCUMENTS'
/** A variable for the commands here, not for the Worker. */
export const TENANTS_MAX = 'TENANTS_MAX'
const TENANTS_MAX_DEFAULT = 4000

/**
 * Where tenants live: an `[env.<name>]` of wrangler.toml at Cloudflare, or this machine. One with several Workers is its first
 * group with the tenants of all; what works on a database or a Worker takes the group (`groups`, `groupOf`).
 */
export interface Environment {
  /** Null on this machine. */
  name: string | null
  /** The name of its first group, by which operators name all of them. */
  first: string | null
  /** The number of the group, from 1. */
  number: number
  /** Its Workers, in order; a group has itself. */
  groups: Environment[]
  /** How many tenants a group may have: the first group says it for all. */
  tenants_max: number
  /** A group that wrangler.toml does not have yet. */
  isNew: boolean
  /** The Worker's name. Its databases are named `<worker>-<slug>`. */
  worker: string
  /** The names of the other environments' Workers. */
  siblings: string[]
  tenants: Tenant[]
  /** Bindings, except tenants, that the Worker has on this machine but not in this environment. */
  lacks: string[]
  /** As Cloudflare shows those of a version, secrets aside. */
  bindings: Binding[]
  /** The id of the KV namespace; null before the first deployment creates it. */
  namespace_id: string | null
  /** Where documents are kept; null if wrangler.toml has no block for it, and none are. */
  bucket: Bucket | null
  /** The account of Cloudflare that wrangler.toml names; null if it names none. */
  account_id: string | null
  /** Such as `https://acme.crossdock.example`. On this machine all tenants have the same. */
  baseUrlOf: (slug: string) => string
}

/** As Cloudflare shows it. */
export interface Binding {
  type: string
  name: string
  [property: string]: unknown
}

/** A bucket as wrangler.toml has it. */
export interface Bucket {
  name: string
  /** Null if it has none. */
  jurisdiction: string | null
}

/** A tenant as wrangler.toml has it. */
export interface Tenant extends Block {
  slug: string
}

/** An environment, as far as its databases are read and written. */
export type Databases = Pick<Environment, 'name' | 'tenants'>

/** The databases of this machine. */
export async function databasesHere(): Promise<Databases> {
  const { d1_databases = [] } = (await readRaw()) as { d1_databases?: Block[] }
  return { name: null, tenants: d1_databases.flatMap(tenantOf) }
}

/** Reads wrangler.toml. Without a name the environment is this machine. */
export async function openEnvironment(name: string | null): Promise<Environment> {
  const { raw, of } = await readConfig()
  const names = Object.keys(raw.env ?? {})
  if (name !== null && !names.includes(name)) {
    const known = names.join(', ') || 'none'
    throw new Failure(`${CONFIG} has no environment "${name}". Its environments: ${known}.`, 2)
  }
  const local = name === null ? await addressHere() : ''
  const groups = groupsOf(raw, name).map((place) => groupIn(of, names, place, local))
  for (const group of groups) group.groups = [group]
  const [first] = groups
  if (!first) throw new Failure(`${CONFIG} has no environment "${name}".`, 2)
  if (groups.length === 1) return first
  return { ...first, tenants: groups.flatMap(({ tenants }) => tenants), groups }
}

/** The group that has the tenant. */
export function groupOf(environment: Environment, { slug }: Tenant): Environment {
  const group = environment.groups.find(({ tenants }) => tenants.some((each) => each.slug === slug))
  return group ?? environment
}

type Place = Pick<Environment, 'name' | 'first' | 'number'>

/** Groups of an environment have its name with a number, and its domain: `production`, `production-2`. */
function groupsOf(raw: RawConfig, name: string | null): Place[] {
  if (name === null) return [{ name, first: null, number: 1 }]
  const domainOf = (each: string) => raw.env?.[each]?.vars?.BASE_DOMAIN
  const numberIn = (each: string, first: string) => {
    const [, base, digits = ''] = /^(.+)-([1-9]\d{0,3})$/.exec(each) ?? []
    const isGroup = base === first && digits !== '1' && domainOf(each) === domainOf(first)
    return isGroup && domainOf(first) !== undefined ? Number(digits) : null
  }
  const names = Object.keys(raw.env ?? {})
  for (const first of names) {
    const number = numberIn(name, first)
    if (number !== null) return [{ name, first, number }]
  }
  const others = names.flatMap((each) => {
    const number = numberIn(each, name)
    return number === null ? [] : [{ name: each, first: name, number }]
  })
  const inOrder = others.toSorted((a, b) => a.number - b.number)
  return [{ name, first: name, number: 1 }, ...inOrder]
}

function groupIn(
  of: (name: string | null) => Config,
  names: string[],
  place: Place,
  local: string,
): Environment {
  const { name, first } = place
  const config = of(name)
  const { name: worker = 'crossdock', d1_databases, kv_namespaces, vars, account_id } = config
  const { BASE_DOMAIN } = vars
  if (name !== null && typeof BASE_DOMAIN !== 'string') {
    throw new Failure(`[env.${name}.vars] in ${CONFIG} needs BASE_DOMAIN.`)
  }
  return {
    ...place,
    groups: [],
    tenants_max:
      first === null ? Number.POSITIVE_INFINITY : tenantsMaxIn(first, of(first).vars[TENANTS_MAX]),
    isNew: false,
    worker,
    siblings: names.filter((other) => other !== name).map((other) => `${of(other).name}`),
    tenants: d1_databases.flatMap(tenantOf),
    lacks: bindingsIn(of(null)).filter((binding) => !bindingsIn(config).includes(binding)),
    bindings: bindingsOf(config),
    namespace_id: namespaceIn(kv_namespaces),
    bucket: bucketIn(config, name),
    account_id: account_id ?? null,
    baseUrlOf: (slug) => (name === null ? local : `https://${slug}.${BASE_DOMAIN}`),
  }
}

function tenantsMaxIn(name: string, value: unknown = TENANTS_MAX_DEFAULT): number {
  const max = /^[1-9]\d{0,3}$/.test(String(value)) ? Number(value) : Number.NaN
  if (max <= TENANTS_MAX_DEFAULT) return max
  throw new Failure(
    `${TENANTS_MAX} in [env.${name}.vars] of ${CONFIG} must be a number from 1 to ${TENANTS_MAX_DEFAULT}, not "${value}".`,
  )
}

/** Where `npm start` serves all tenants of this machine, or would serve them. */
async function addressHere(): Promise<string> {
  return (await runningServer()) ?? addressOf(parsePort(process.env.PORT))
}

function bindingsIn(config: Config): string[] {
  const { kv_namespaces, durable_objects, ratelimits, analytics_engine_datasets } = config
  return [
    ...kv_namespaces.map(({ binding }) => binding),
    ...durable_objects.bindings.map(({ name }) => name),
    ...ratelimits.map(({ name }) => name),
    ...analytics_engine_datasets.map(({ binding }) => binding),
  ]
}

function bindingsOf(config: Config): Binding[] {
  const { d1_databases, kv_namespaces, r2_buckets, durable_objects, ratelimits, vars } = config
  return [
    ...d1_databases.map(({ binding, database_id: id }) => ({ type: 'd1', name: binding, id })),
    ...kv_namespaces.map(({ binding, id }) => ({
      type: 'kv_namespace',
      name: binding,
      namespace_id: id,
    })),
    ...r2_buckets.map(({ binding, ...rest }) => ({ type: 'r2_bucket', name: binding, ...rest })),
    ...durable_objects.bindings.map(({ name, class_name }) => ({
      type: 'durable_object_namespace',
      name,
      class_name,
    })),
    ...ratelimits.map((each) => ({ type: 'ratelimit', ...each })),
    ...config.analytics_engine_datasets.map(({ binding, dataset = binding }) => ({
      type: 'analytics_engine',
      name: binding,
      dataset,
    })),
    ...Object.entries(vars).map(([name, value]) =>
      typeof value === 'string'
        ? { type: 'plain_text', name, text: value }
        : { type: 'json', name, json: value },
    ),
    ...(config.assets?.binding ? [{ type: 'assets', name: config.assets.binding }] : []),
  ]
}

function namespaceIn(namespaces: { binding: string; id?: string | undefined }[]): string | null {
  return namespaces.find(({ binding }) => binding === NAMESPACE_BINDING)?.id ?? null
}

function bucketIn({ r2_buckets }: Config, env: string | null): Bucket | null {
  const block = r2_buckets.find(({ binding }) => binding === BUCKET_BINDING)
  if (!block) return null
  const { bucket_name, jurisdiction = null } = block
  if (typeof bucket_name === 'string') return { name: bucket_name, jurisdiction }
  const header = env === null ? '[[r2_buckets]]' : `[[env.${env}.r2_buckets]]`
  throw new Failure(`${header} in ${CONFIG} needs bucket_name, such as "crossdock-documents".`)
}

/** The slug. Throws a Failure if it is malformed or its database's name belongs to another environment. */
export function parseSlug(environment: Environment, slug: string): string {
  if (!isTenant(slug)) {
    throw new Failure(
      `"${slug}" is not a valid slug. Use 1 to 40 lower case letters, digits and single hyphens, beginning with a letter, such as acme-north.`,
      2,
    )
  }
  const database = databaseNameOf(environment.worker, slug)
  if (environment.name === null || ownsDatabase(environment, database)) return slug
  throw new Failure(
    `The database of ${slug}${placeOf(environment)} would be ${database}, which belongs to another environment. Choose another slug.`,
    2,
  )
}

/** Whether the database belongs to this environment. With an environment eu-west, `crossdock-eu-west-acme` is its. */
export function ownsDatabase({ worker, siblings }: Environment, database: string): boolean {
  const nearer = siblings.filter((sibling) => sibling.length > worker.length)
  return (
    database.startsWith(`${worker}-`) &&
    !nearer.some((sibling) => database.startsWith(`${sibling}-`))
  )
}

/** The tenant of that slug. Throws a Failure if wrangler.toml has none. */
export function requireTenant(environment: Environment, slug: string): Tenant {
  const tenant = findTenant(environment, parseSlug(environment, slug))
  if (tenant) return tenant
  throw new Failure(`There is no tenant ${slug}${groupPlaceOf(environment)}.`)
}

export function findTenant({ tenants }: Databases, slug: string): Tenant | undefined {
  return tenants.find((tenant) => tenant.slug === slug)
}

/** The tenant's block in wrangler.toml, existing or new. */
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

/** Such as ` in staging`, for sentences. */
export function placeOf({ first }: Environment): string {
  return first === null ? ' on this machine' : ` in ${first}`
}

/** As `placeOf`, of this group alone: such as ` in staging-2`. */
export function groupPlaceOf({ name }: Environment): string {
  return name === null ? ' on this machine' : ` in ${name}`
}

/** Such as ` --env staging`, for commands to paste. */
export function flagOf({ first }: Environment): string {
  return first === null ? '' : ` --env ${first}`
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
