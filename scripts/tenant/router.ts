import * as z from 'zod'
import { Failure } from '../failure.ts'
import { callCloudflare, download, type Request, reasonOf } from './cloudflare-api.ts'
import { ROUTER_CONFIG, readConfig } from './config-file.ts'
import {
  addRouter,
  addService,
  handOverRoutes,
  type Route,
  readRouter,
  routesOf,
} from './config-groups.ts'
import { type Environment, openEnvironment } from './environment.ts'
import { findOrCreateNamespace } from './namespace.ts'
import { step } from './progress.ts'
import { currentTag, shownTag } from './versions.ts'
import { runWrangler } from './wrangler.ts'
import { zoneNamed } from './zone/zones.ts'

const ENTRIES_MAX = 10_000

const Routes = z.array(
  z.object({ id: z.string(), pattern: z.string(), script: z.string().nullish() }),
)
const Written = z.object({ unsuccessful_keys: z.array(z.string()).nullish() }).nullish()

/** Whether the environment's router knows all its groups and has its routes. */
export async function isRouted({ first, groups }: Environment): Promise<boolean> {
  if (first === null) return false
  const router = await readRouter(first)
  const bound = new Set(router?.services.map(({ service }) => service))
  const isWhole = router !== null && router.routes.length > 0
  return isWhole && groups.every(({ worker }) => bound.has(worker)) && !(await hasRoutes(first))
}

async function hasRoutes(first: string): Promise<boolean> {
  return (await routesOf(first)).length > 0
}

/**
 * Leads the host of a tenant to its group, whose Worker is deployed. The first time that an environment has several, this
 * deploys its router and gives it the routes. Does nothing for an environment with one Worker.
 */
export async function lead(group: Environment, slug: string): Promise<void> {
  const environment = await openEnvironment(group.first)
  if (environment.groups.length === 1) return
  if (!(await isRouted(environment))) return await deployRouter(environment)
  const number = String(group.number)
  await step(`Leading ${group.baseUrlOf(slug)} to ${group.worker}`, () =>
    writeEntries(environment, [{ key: slug, value: number }]),
  )
}

/** What `lead` would do, for a dry run. */
export async function leadingSteps(group: Environment, slug: string): Promise<string[]> {
  if (group.first === null) return []
  const environment = await openEnvironment(group.first)
  if (environment.groups.length === 1 && !group.isNew) return []
  if (!group.isNew && (await isRouted(environment))) {
    return [`lead ${group.baseUrlOf(slug)} to ${group.worker}`]
  }
  return await routerSteps(group.first)
}

/** What a deployment does for the router of an environment that is not routed yet. */
export async function routerSteps(first: string): Promise<string[]> {
  const router = await routerName(first)
  const routes = await routesOf(first)
  const isThere = (await readRouter(first)) !== null
  return [
    ...(isThere ? [] : [`create the namespace ${namespaceTitleOf(router)}`]),
    'write the group of each tenant',
    `deploy ${router}`,
    ...routes.map(({ pattern }) => `give it the route ${pattern}`),
  ]
}

/** Forgets the group of a tenant that is gone from it. */
export async function forget(group: Environment, slug: string): Promise<void> {
  const router = group.first === null ? null : await readRouter(group.first)
  if (!router?.namespace_id) return
  const path = `/storage/kv/namespaces/${router.namespace_id}/values/${slug}`
  const value = await download(group, { path })
  // An entry that leads elsewhere is of a tenant that another group has.
  if (!value || new TextDecoder().decode(value) !== String(group.number)) return
  await ask(group, { method: 'DELETE', path }, 'The entry of the tenant cannot be deleted')
}

/**
 * Deploys the router of an environment whose groups' Workers are deployed. Each step may be repeated, and until the last one
 * the first group has the routes: first the entries, then the router, then the routes.
 */
export async function deployRouter(environment: Environment): Promise<void> {
  const { first, groups } = environment
  if (first === null) return
  const worker = await routerName(first)
  await step(`Adding the groups to ${ROUTER_CONFIG}`, () => describeRouter(first, groups))
  await step(
    'Writing the group of each tenant',
    () => writeAll(first),
    (count) => `${count} written`,
  )
  await step(`Deploying ${worker}`, () => deployWorker(first))
  const routes = await routesOf(first)
  if (routes.length === 0) return
  await step(`Giving ${worker} the routes`, async () => {
    for (const route of routes) await moveRoute(environment, route, worker)
    await handOverRoutes(first)
  })
}

/** Reads wrangler.toml again: a deployment of many groups takes long, and tenants come and go meanwhile. */
async function writeAll(first: string): Promise<number> {
  const environment = await openEnvironment(first)
  const entries = environment.groups.flatMap(({ tenants, number }) =>
    tenants.map(({ slug }) => ({ key: slug, value: String(number) })),
  )
  await writeEntries(environment, entries)
  return entries.length
}

/** Such as `crossdock-router-production`. */
export async function routerName(first: string): Promise<string> {
  const { of } = await readConfig(ROUTER_CONFIG)
  return `${of(null).name}-${first}`
}

function namespaceTitleOf(router: string): string {
  return `${router}-groups`
}

async function describeRouter(first: string, groups: Environment[]): Promise<void> {
  if ((await readRouter(first)) === null) {
    const title = namespaceTitleOf(await routerName(first))
    await addRouter(first, await findOrCreateNamespace(title))
  }
  const services = (await readRouter(first))?.services ?? []
  for (const { number, worker } of groups) {
    const binding = `GROUP_${number}`
    if (services.some((service) => service.binding === binding)) continue
    await addService(first, binding, worker)
  }
}

async function deployWorker(first: string): Promise<void> {
  const tag = shownTag(await currentTag())
  const options = ['--env', first, '--tag', tag, '--message', `Crossdock router ${tag}`]
  await runWrangler(['deploy', '--config', ROUTER_CONFIG, ...options])
}

async function writeEntries(
  environment: Environment,
  entries: { key: string; value: string }[],
): Promise<void> {
  const router = environment.first === null ? null : await readRouter(environment.first)
  const path = `/storage/kv/namespaces/${router?.namespace_id}/bulk`
  for (let at = 0; at < entries.length; at += ENTRIES_MAX) {
    const body = entries.slice(at, at + ENTRIES_MAX)
    const wrong = 'The groups of the tenants cannot be written'
    const written = Written.parse(await ask(environment, { method: 'PUT', path, body }, wrong))
    const lost = written?.unsuccessful_keys ?? []
    if (lost.length > 0) throw new Failure(`${wrong}: ${lost.join(', ')}. Run this again.`)
  }
}

/** In one call, so that the hosts are served at any time. */
async function moveRoute(
  environment: Environment,
  { pattern, zone_name, zone_id }: Route,
  script: string,
): Promise<void> {
  const wrong = `The route ${pattern} cannot be given to ${script}`
  const zone = zone_id ?? (await zoneNamed(environment, `${zone_name}`, wrong)).id
  const path = `/zones/${zone}/workers/routes`
  const listed = await ask(environment, { method: 'GET', path, isGlobal: true }, wrong)
  const route = Routes.parse(listed).find((each) => each.pattern === pattern)
  if (route?.script === script) return
  const body = { pattern, script }
  const request: Request = route
    ? { method: 'PUT', path: `${path}/${route.id}`, isGlobal: true, body }
    : { method: 'POST', path, isGlobal: true, body }
  await ask(environment, request, wrong)
}

async function ask(environment: Environment, request: Request, wrong: string): Promise<unknown> {
  const answer = await callCloudflare(environment, request)
  if (answer.success) return answer.result
  throw new Failure(`${wrong}: ${reasonOf(answer)}`)
}
