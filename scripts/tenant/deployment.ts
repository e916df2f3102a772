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
import { migrationFiles, readState } from './state.ts'
import { runWrangler } from './wrangler.ts'

const Healthy = z.object({
  success: z.literal(true),
  data: z.object({ migration: z.string(), migrations: z.number() }),
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
  refuseIncomplete(environment)
  refuseUnbound(environment, databases, exceptSlug)
  const others = environment.tenants.filter(({ slug }) => slug !== exceptSlug)
  const pending = await inParallel(others, async (tenant) =>
    (await isCurrent(environment, tenant)) ? [] : [tenant.slug],
  )
  if (pending.flat().length === 0) return
  throw new Failure(
    `Migrations are pending for ${pending.flat().join(', ')}. First run: npm run tenant -- migrate --all --env ${environment.name}`,
  )
}

/**
 * Deploys the Worker as wrangler.toml is now. Throws a Failure if it lacks a tenant that exists, `exceptSlug`
 * aside. If two operators add tenants at the same time, at least one of them finds the other's database here.
 */
export async function deploy(name: string, exceptSlug?: string): Promise<void> {
  await ensureNamespace(await openEnvironment(name))
  const environment = await openEnvironment(name)
  await ensureBucket(environment)
  refuseUnbound(environment, await listDatabases(environment), exceptSlug)
  await runWrangler(['deploy', '--env', name])
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
    `${CONFIG} has no block for ${unbound.join(', ')}: a deployment would cut these tenants off. Pull the newest ${CONFIG}, or run npm run tenant -- create <slug> --env ${environment.name}, which adds the block and completes the tenant.`,
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
 * Whether the tenant has every migration. Asks its host, which is quick, and asks the database if the host does
 * not confirm it. The count matters too: if two branches each add a migration, the later name may be applied
 * first.
 */
async function isCurrent(
  environment: Environment,
  { slug, database_name }: Tenant,
): Promise<boolean> {
  const files = await migrationFiles()
  const answer = await fetch(`${environment.baseUrlOf(slug)}/healthz/`, {
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
  }).catch(() => null)
  const { data } = Healthy.safeParse(await answer?.json().catch(() => null))
  if (data?.data.migration === files.at(-1) && data?.data.migrations === files.length) return true
  return (await readState(environment, database_name)).pending.length === 0
}
