import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { Failure } from '../failure.ts'
import { CONFIG, type Raw, ROUTER_CONFIG, readConfig, readRaw, rewrite } from './config-file.ts'
import { copiedBlocks, withoutRoutes } from './config-text.ts'
import { NAMESPACE_BINDING, TENANTS_MAX } from './environment.ts'

// What a group does not take over from the first one.
const OWN = ['d1_databases', 'routes', 'route', 'name']

const Route = z.strictObject({
  pattern: z.string(),
  zone_name: z.string().optional(),
  zone_id: z.string().optional(),
})
const Services = z.array(z.object({ binding: z.string(), service: z.string() }))
const Namespaces = z.array(z.object({ binding: z.string(), id: z.string().optional() }))

/** A route that leads hosts of a zone to a Worker. */
export type Route = z.output<typeof Route>

/** What wrangler.router.toml says of an environment's router. */
export interface RouterBlock {
  /** The id of the namespace of its entries. */
  namespace_id: string | null
  services: { binding: string; service: string }[]
  routes: Route[]
}

/** Adds the blocks of a group: all that it has in common with the first one. */
export async function addGroup(first: string, name: string): Promise<void> {
  await rewrite(
    CONFIG,
    (text) => `${text.trimEnd()}\n\n${copiedBlocks(text, first, name)}\n`,
    (before, after) => {
      const env = environmentsIn(before)
      const expected = { ...env, [name]: inCommon(env[first] ?? {}) }
      return isDeepStrictEqual(after, { ...before, env: expected })
    },
    `add [env.${name}] with the blocks of [env.${first}], but without ${OWN.join(', ')}, ${TENANTS_MAX} and the id of ${NAMESPACE_BINDING}.`,
  )
}

/**
 * What the groups of an environment have in common, of the block of one. The namespace is not: it has the turns of a group's cron
 * (src/engine/cron/run.ts), and no caller is cached for two groups. TENANTS_MAX of the first group counts for all.
 */
export function inCommon(block: Raw): Raw {
  const shared = Object.entries(block).filter(([key]) => !OWN.includes(key))
  return Object.fromEntries(
    shared.map(([key, value]) => {
      if (key === 'vars') return [key, without(TENANTS_MAX, value as Raw)]
      if (key !== 'kv_namespaces') return [key, value]
      return [key, (value as Raw[]).map((entry) => (isCache(entry) ? without('id', entry) : entry))]
    }),
  )
}

function isCache({ binding }: Raw): boolean {
  return binding === NAMESPACE_BINDING
}

function without(key: string, { [key]: _, ...rest }: Raw): Raw {
  return rest
}

/** The routes of an environment in wrangler.toml. Throws a Failure if there are some that cannot be moved to a router. */
export async function routesOf(env: string): Promise<Route[]> {
  const raw = await readRaw()
  const { routes = [], route } = environmentsIn(raw)[env] ?? {}
  const { data } = z.array(Route).safeParse(route === undefined ? routes : [routes, route].flat())
  const isWhole = data?.every(({ zone_name, zone_id }) => zone_name ?? zone_id)
  if (data && isWhole) return data
  throw new Failure(
    `The routes of [env.${env}] in ${CONFIG} must each be { pattern = "…", zone_name = "…" }, so that a router can take them.`,
  )
}

/** Null if there is no block of that environment's router. */
export async function readRouter(env: string): Promise<RouterBlock | null> {
  const raw = await readRaw(ROUTER_CONFIG)
  const block = environmentsIn(raw)[env]
  if (!block) return null
  const namespaces = Namespaces.parse(block.kv_namespaces ?? [])
  return {
    namespace_id: namespaces.find(({ binding }) => binding === 'GROUPS')?.id ?? null,
    services: Services.parse(block.services ?? []),
    routes: z.array(Route).parse(block.routes ?? []),
  }
}

/** Adds the blocks of an environment's router, without groups and routes. Its counters are those of the first group. */
export async function addRouter(env: string, namespace_id: string): Promise<void> {
  const { of } = await readConfig()
  const { vars, ratelimits } = of(env)
  const limit = ratelimits.find(({ name }) => name === 'FAILED_LOOKUPS')
  if (!limit) throw new Failure(`[env.${env}] in ${CONFIG} lacks FAILED_LOOKUPS.`)
  const { BASE_DOMAIN } = vars
  const { name, namespace_id: counters, simple } = limit
  const added = {
    vars: { BASE_DOMAIN },
    kv_namespaces: [{ binding: 'GROUPS', id: namespace_id }],
    ratelimits: [{ name, namespace_id: counters, simple: { ...simple } }],
  }
  const block = `[env.${env}]

[env.${env}.vars]
BASE_DOMAIN = "${BASE_DOMAIN}"

[[env.${env}.kv_namespaces]]
binding = "GROUPS"
id = "${namespace_id}"

[[env.${env}.ratelimits]]
name = "${name}"
namespace_id = "${counters}"
simple = { limit = ${simple.limit}, period = ${simple.period} }`
  await rewrite(
    ROUTER_CONFIG,
    (text) => `${text.trimEnd()}\n\n${block}\n`,
    (before, after) =>
      isDeepStrictEqual(after, { ...before, env: { ...environmentsIn(before), [env]: added } }),
    `add\n\n${block}`,
  )
}

/** Binds the router to the Worker of a group. */
export async function addService(env: string, binding: string, service: string): Promise<void> {
  const block = `[[env.${env}.services]]\nbinding = "${binding}"\nservice = "${service}"`
  await rewrite(
    ROUTER_CONFIG,
    (text) => `${text.trimEnd()}\n\n${block}\n`,
    (before, after) => {
      const services = [...Services.parse(environmentsIn(before)[env]?.services ?? [])]
      const expected = { services: [...services, { binding, service }] }
      return isDeepStrictEqual(after, withMembers(before, env, expected))
    },
    `add\n\n${block}`,
  )
}

/** Puts the routes of an environment into wrangler.router.toml, and then takes them out of wrangler.toml. */
export async function handOverRoutes(env: string): Promise<void> {
  const routes = await routesOf(env)
  if (routes.length === 0) return
  if ((await readRouter(env))?.routes.length === 0) {
    const line = `routes = [${routes.map(inlineOf).join(', ')}]`
    await rewrite(
      ROUTER_CONFIG,
      (text) => text.replace(`[env.${env}]\n`, `[env.${env}]\n${line}\n`),
      (before, after) => isDeepStrictEqual(after, withMembers(before, env, { routes })),
      `add below [env.${env}]\n\n${line}`,
    )
  }
  await rewrite(
    CONFIG,
    (text) => withoutRoutes(text, env),
    (before, after) => {
      const { routes: _, route: __, ...rest } = environmentsIn(before)[env] ?? {}
      const expected = { ...environmentsIn(before), [env]: rest }
      return isDeepStrictEqual(after, { ...before, env: expected })
    },
    `take the routes out of [env.${env}]: ${ROUTER_CONFIG} has them now.`,
  )
}

function inlineOf(route: Route): string {
  const members = Object.entries(route).map(([name, value]) => `${name} = "${value}"`)
  return `{ ${members.join(', ')} }`
}

export function environmentsIn({ env = {} }: Raw): Record<string, Raw> {
  return env as Record<string, Raw>
}

function withMembers(raw: Raw, env: string, members: Raw): Raw {
  const environments = environmentsIn(raw)
  return { ...raw, env: { ...environments, [env]: { ...environments[env], ...members } } }
}
