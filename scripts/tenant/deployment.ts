import * as z from 'zod'
import { Failure } from '../failure.ts'
import { REQUEST_MS_MAX } from './answers.ts'
import { ensureBucket } from './bucket.ts'
import { CONFIG } from './config-file.ts'
import { type Database, listDatabases } from './databases.ts'
import {
  databaseNameOf,
  type Environment,
  openEnvironment,
  ownsDatabase,
  type Tenant,
} from './environment.ts'
import { ensureNamespace } from './namespace.ts'
import { inParallel } from './parallel.ts'
import { addMissingSecrets } from './secrets.ts'
import { migrationFiles, readState } from './state.ts'
import { currentTag, servingVersion, shownTag } from './versions.ts'
import { runWrangler } from './wrangler.ts'

const Healthy = z.object({
  success: z.literal(true),
  data: z.object({
    version: z.string().optional(),
    migration: z.string(),
    migrations: z.number(),
  }),
})

/**
 * Throws a Failure if a deployment would break something: the environment lacks a binding, wrangler.toml has no
 * block for a tenant that exists, or a tenant's database lacks a migration. `exceptSlug` is the tenant that is
 * being created or removed.
 */
export async function refuseUnsafeDeployment(
  environment: Environment,
  databases: Database[],
  exceptSlug?: string,
): Promise<void> {
  refuseDeployment(
    environment,
    databases,
    await pendingMigrations(environment, exceptSlug),
    exceptSlug,
  )
}

/** As refuseUnsafeDeployment, where it is known which migrations are pending. */
export function refuseDeployment(
  environment: Environment,
  databases: Database[],
  pending: Pending[],
  exceptSlug?: string,
): void {
  refuseIncomplete(environment)
  refuseUnbound(environment, databases, exceptSlug)
  refusePending(environment, pending)
}

/** A tenant whose database lacks migrations. */
export interface Pending {
  slug: string
  files: string[]
}

/** The tenants that lack migrations, `exceptSlug` aside. */
export async function pendingMigrations(
  environment: Environment,
  exceptSlug?: string,
): Promise<Pending[]> {
  const others = environment.tenants.filter(({ slug }) => slug !== exceptSlug)
  const pending = await inParallel(others, async (tenant) => {
    const files = await pendingOf(environment, tenant)
    return files.length > 0 ? [{ slug: tenant.slug, files }] : []
  })
  return pending.flat()
}

function refusePending({ first }: Environment, pending: Pending[]): void {
  if (pending.length === 0) return
  const slugs = pending.map(({ slug }) => slug).join(', ')
  throw new Failure(
    `Migrations are pending for ${slugs}. First run: npm run tenant -- migrate --all --env ${first}`,
  )
}

/**
 * Deploys the Worker as wrangler.toml is now, tagged with the code's version and newest migration. Throws a Failure if it lacks a tenant that exists, `exceptSlug`
 * aside. If two operators add tenants at the same time, at least one of them finds the other's database here. Returns the names of the
 * secrets that the Worker lacked and has now.
 */
export async function deploy(name: string, exceptSlug?: string): Promise<string[]> {
  await ensureNamespace(await openEnvironment(name))
  const environment = await openEnvironment(name)
  await ensureBucket(environment)
  refuseUnbound(environment, await listDatabases(environment), exceptSlug)
  // Before the new code: else a rollback to the present code would be refused, as that would lack a secret.
  const before = await addMissingSecrets(environment)
  const tag = shownTag(await currentTag())
  await runWrangler(['deploy', '--env', name, '--tag', tag, '--message', `Crossdock ${tag}`])
  // A Worker that was not there can have secrets only now.
  return [...before, ...(await addMissingSecrets(environment, before))]
}

/** Throws a Failure if a deployment from this folder would give all tenants other code than they have. */
export async function refuseOtherCode(environment: Environment): Promise<void> {
  const { name, first, isNew } = environment
  let { worker } = environment
  let serving = isNew ? null : await servingVersion(environment)
  // A group that has not been deployed yet gets the code of the first one.
  if (!serving && name !== first) {
    const [group] = (await openEnvironment(first)).groups
    serving = group ? await servingVersion(group) : null
    worker = group?.worker ?? worker
  }
  const here = shownTag(await currentTag())
  if (!serving?.tag || shownTag(serving.tag) === here) return
  throw new Failure(
    `${worker} serves ${shownTag(serving.tag)}, and this folder has ${here}. Adding a tenant would deploy that for all of them: first run npm run deploy -- --env ${first ?? name}, or check out the code that serves.`,
  )
}

function refuseIncomplete({ name, lacks }: Environment): void {
  if (lacks.length === 0) return
  throw new Failure(
    `[env.${name}] in ${CONFIG} lacks ${lacks.join(', ')}. Environments inherit no bindings: add the blocks, as in the other environments.`,
  )
}

function refuseUnbound(environment: Environment, databases: Database[], exceptSlug?: string): void {
  const unbound = unboundDatabases(environment, databases, exceptSlug)
  if (unbound.length === 0) return
  throw new Failure(
    `${CONFIG} has no block for ${unbound.join(', ')}: a deployment would cut these tenants off. Pull the newest ${CONFIG}, or run npm run tenant -- create <slug> --env ${environment.first}, which adds the block and completes the tenant.`,
  )
}

/** Names of the environment's databases that are in the account but not in wrangler.toml. */
export function unboundDatabases(
  environment: Environment,
  databases: Database[],
  exceptSlug?: string,
): string[] {
  const { worker, tenants } = environment
  const bound = new Set(tenants.map(({ database_name }) => database_name))
  if (exceptSlug !== undefined) bound.add(databaseNameOf(worker, exceptSlug))
  return databases
    .map(({ name }) => name)
    .filter((name) => ownsDatabase(environment, name) && !bound.has(name))
}

/**
 * The migrations that the tenant lacks. Asks its host, which is quick, and asks the database if the host does
 * not confirm it. The count matters too: if two branches each add a migration, the later name may be applied
 * first.
 */
async function pendingOf(environment: Environment, tenant: Tenant): Promise<string[]> {
  const files = await migrationFiles()
  const told = await toldBy(environment, tenant)
  if (told?.migration === files.at(-1) && told?.migrations === files.length) return []
  return (await readState(environment, tenant.database_name)).pending
}

/** The newest migration of the tenant's database, also one that this folder does not have; empty if there is none. */
export async function newestApplied(environment: Environment, tenant: Tenant): Promise<string> {
  const told = await toldBy(environment, tenant)
  if (told) return told.migration
  return (await readState(environment, tenant.database_name)).applied.at(-1) ?? ''
}

/** The version of the code that a tenant's host answers as; null if no host says. */
export async function servedVersion(
  environment: Environment,
): Promise<{ slug: string; version: string } | null> {
  const [tenant] = environment.tenants
  const version = tenant ? (await toldBy(environment, tenant))?.version : undefined
  return tenant && version !== undefined ? { slug: tenant.slug, version } : null
}

/** What the tenant's host says of its database; null if it says nothing. */
async function toldBy(environment: Environment, { slug }: Tenant) {
  const answer = await fetch(`${environment.baseUrlOf(slug)}/healthz/`, {
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
  }).catch(() => null)
  const { data } = Healthy.safeParse(await answer?.json().catch(() => null))
  return data?.data ?? null
}
