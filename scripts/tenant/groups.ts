import { isTenant } from '../../src/engine/identity/key.ts'
import { Failure } from '../failure.ts'
import { CONFIG, readConfig } from './config-file.ts'
import { addGroup, routesOf } from './config-groups.ts'
import { listDatabases } from './databases.ts'
import { databaseNameOf, type Environment, findTenant, openEnvironment } from './environment.ts'
import { say, step } from './progress.ts'

/** The group that has the tenant, or what an interrupted run left of it; null if none has. */
export async function groupWith(
  environment: Environment,
  slug: string,
): Promise<Environment | null> {
  const { groups } = environment
  const group = groups.find((each) => findTenant(each, slug))
  if (group) return group
  const databases = new Set((await listDatabases(environment)).map(({ name }) => name))
  return groups.find(({ worker }) => databases.has(databaseNameOf(worker, slug))) ?? null
}

/** The group for a command on one tenant: the tenant's, else the first. Refuses as `refuseElsewhere`. */
export async function groupFor(environment: Environment, slug: string): Promise<Environment> {
  const [first = environment, ...others] = environment.groups
  await refuseElsewhere(environment, slug)
  if (others.length === 0 || !isTenant(slug)) return first
  return (await groupWith(environment, slug)) ?? first
}

/** As `groupFor`, for a command that may make the tenant: the tenant's, else the first with room, else a new one. */
export async function placeFor(environment: Environment, slug: string): Promise<Environment> {
  const [first = environment, ...others] = environment.groups
  await refuseElsewhere(environment, slug)
  const hasRoom = ({ tenants, tenants_max }: Environment) => tenants.length < tenants_max
  if (!isTenant(slug) || (others.length === 0 && hasRoom(first))) return first
  const known = await groupWith(environment, slug)
  return known ?? environment.groups.find(hasRoom) ?? (await nextGroup(environment))
}

/**
 * Throws a Failure if the environment is one group after the first, named by `--env`, and another group has the tenant. The host,
 * the entry of the router and the objects in the bucket are of that one tenant: a second of this slug would take or delete them.
 */
async function refuseElsewhere(environment: Environment, slug: string): Promise<void> {
  const { name, first } = environment
  if (name === first || !isTenant(slug)) return
  const whole = await openEnvironment(first)
  const others = whole.groups.filter((group) => group.name !== name)
  const group = await groupWith({ ...whole, groups: others }, slug)
  if (!group) return
  const message = findTenant(environment, slug)
    ? `${slug} is in ${group.name} and in ${name}, and its host leads to one of them. Look which database is right. Take the block of the other one out of ${CONFIG}, delete it (npx wrangler d1 delete <name>), and run npm run deploy -- --env ${first}`
    : `${slug} is in ${group.name}, not in ${name}: name its environment instead, --env ${first}. To move it to ${name}, remove it first.`
  throw new Failure(message, 2)
}

/** The group that comes next, which neither wrangler.toml nor Cloudflare has yet. */
async function nextGroup({ groups }: Environment): Promise<Environment> {
  const [first] = groups
  const last = groups.at(-1)
  if (!first || !last || first.name === null) throw new Failure('There is no group.')
  if (first.number !== 1) {
    throw new Failure(
      `${first.name} is full: it has ${first.tenants.length} tenants. Name its environment instead: --env ${first.first}`,
      2,
    )
  }
  if (first.namespace_id === null) {
    throw new Failure(
      `${first.worker} must be deployed first: npm run deploy -- --env ${first.name}`,
    )
  }
  if (groups.length === 1) await routesOf(first.name)
  const { raw, of } = await readConfig()
  let number = last.number + 1
  while (Object.hasOwn(raw.env ?? {}, `${first.name}-${number}`)) number += 1
  const name = `${first.name}-${number}`
  const group: Environment = {
    ...first,
    name,
    number,
    worker: `${of(null).name}-${name}`,
    siblings: [...first.siblings, first.worker],
    tenants: [],
    namespace_id: null,
    bindings: first.bindings.filter(({ type }) => type !== 'd1'),
    isNew: true,
  }
  group.groups = [group]
  return group
}

/** Says what a new group means, and adds it to wrangler.toml. */
export async function beginGroup(group: Environment): Promise<void> {
  const { first, name, number, worker, tenants_max } = group
  if (first === null || name === null) return
  say(`  Each group of ${first} is full (tenants: ${tenants_max}). This one begins the group ${name}, with a
  Worker of its own, ${worker}.${number > 2 ? '' : ` A router leads the hosts of ${first} to their groups from now on.`}`)
  await step(`Adding ${name} to ${CONFIG}`, () => addGroup(first, name))
}
