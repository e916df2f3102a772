import * as z from 'zod'
import { Failure } from '../failure.ts'
import { REQUEST_MS_MAX } from './answers.ts'
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
 * Refuses what a deployment would break: a tenant whose block is missing from wrangler.toml would be
 * cut off, one whose database lacks a migration would meet code that expects it. `exceptSlug` is
 * about to come or to go.
 */
export async function refuseUnsafeDeployment(
  environment: Environment,
  databases: Database[],
  exceptSlug?: string,
): Promise<void> {
  refuseUnbound(environment, databases, exceptSlug)
  const others = environment.tenants.filter(({ slug }) => slug !== exceptSlug)
  const pending = await inParallel(others, async (tenant) =>
    (await isCurrent(environment, tenant)) ? [] : [tenant.slug],
  )
  if (pending.flat().length === 0) return
  throw new Failure(
    `Migrations are pending for ${pending.flat().join(', ')}. First: npm run tenant -- migrate --all --env ${environment.name}`,
  )
}

/**
 * Deploys what wrangler.toml says now, but for `exceptSlug` with every tenant there is. Of two
 * operators who each add a tenant at once, at least one sees the other's database here.
 */
export async function deploy(name: string, exceptSlug?: string): Promise<void> {
  await ensureNamespace(await openEnvironment(name))
  const environment = await openEnvironment(name)
  refuseUnbound(environment, await listDatabases(environment), exceptSlug)
  await runWrangler(['deploy', '--env', name])
}

function refuseUnbound(environment: Environment, databases: Database[], exceptSlug?: string): void {
  const unbound = unboundDatabases(environment, databases, exceptSlug)
  if (unbound.length === 0) return
  throw new Failure(
    `${CONFIG} has no block for ${unbound.join(', ')}: a deployment would cut off who is in there. Pull the newest ${CONFIG}, or run npm run tenant -- create <slug> --env ${environment.name}, which adds the block and finishes what was begun.`,
  )
}

/** Names of the environment's databases that are in the account and not in wrangler.toml. */
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
 * Asks the tenant's host, which is quick, and where its answer does not settle it the database. Of two
 * branches that each add a migration the later name may be applied first: the newest says nothing of
 * the other, so they are counted too.
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
