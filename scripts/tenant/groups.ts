import { isTenant } from '../../src/identity/key.ts'
import { Failure } from '../failure.ts'
import { readConfig } from './config-file.ts'
import { addGroup, routesOf } from './config-groups.ts'
import { listDatabases } from './databases.ts'
import { databaseNameOf, type Environment, findTenant } from './environment.ts'
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

/** The group for a command on one tenant: the tenant's, else the first. */
export async function groupFor(environment: Environment, slug: string): Promise<Environment> {
  const [first = environment, ...others] = environment.groups
  if (others.length === 0 || !isTenant(slug)) return first
  return (await groupWith(environment, slug)) ?? first
}

/** The group for a command that may make the tenant: the tenant's, else the first with room, else a new one. */
export async function placeFor(environment: Environment, slug: string): Promise<Environment> {
  const [first = environment, ...others] = environment.groups
  const hasRoom = ({ tenants, tenants_max }: Environment) => tenants.length < tenants_max
  if (!isTenant(slug) || (others.length === 0 && hasRoom(first))) return first
  const known = await groupWith(environment, slug)
  return known ?? environment.groups.find(hasRoom) ?? (await nextGroup(environment))
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
  Worker of its own, ${worker}.${number > 2 ? '' : ` A router leads the hosts of ${first} to their groups from now on.`}
  The dashboard of its tenants needs a secret, which cannot be copied from another Worker. Set it when this is done:
    ${secretCommand(name)}`)
  await step(`Adding ${name} to wrangler.toml`, () => addGroup(first, name))
}

export function secretCommand(env: string): string {
  return `openssl rand -base64 32 | npx wrangler secret put SESSION_SECRET --env ${env}`
}
