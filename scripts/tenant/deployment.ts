import * as z from 'zod'
import { Failure } from '../failure.ts'
import { addNamespaceId } from './config-file.ts'
import type { Database } from './databases.ts'
import {
  CONFIG,
  databaseNameOf,
  type Environment,
  openEnvironment,
  type Tenant,
} from './environment.ts'
import { inParallel } from './parallel.ts'
import { migrationFiles, readState } from './state.ts'
import { runWrangler } from './wrangler.ts'

const Namespaces = z.array(z.object({ id: z.string(), title: z.string() }))

const REQUEST_MS_MAX = 10_000

/**
 * Refuses what a deployment would break: a tenant whose block is missing from wrangler.toml would be
 * cut off, one whose database lacks a migration would meet code that expects it.
 */
export async function refuseUnsafeDeployment(
  environment: Environment,
  databases: Database[],
  exceptSlug?: string,
): Promise<void> {
  const { name, worker } = environment
  const others = environment.tenants.filter(({ slug }) => slug !== exceptSlug)
  const bound = [
    ...others,
    ...(exceptSlug ? [{ database_name: databaseNameOf(worker, exceptSlug) }] : []),
  ]
  const unbound = databases
    .map((database) => database.name)
    .filter((database) => isOf(environment, database))
    .filter((database) => !bound.some(({ database_name }) => database_name === database))
  if (unbound.length > 0) {
    throw new Failure(
      `${CONFIG} has no block for ${unbound.join(', ')}: a deployment would cut ${unbound.length === 1 ? 'this tenant' : 'these tenants'} off. Pull the newest ${CONFIG}; or finish or undo what was begun: npm run tenant -- create (or remove) <slug> --env ${name}.`,
    )
  }
  const pending = await inParallel(others, async (tenant) =>
    (await isCurrent(environment, tenant)) ? [] : [tenant.slug],
  )
  if (pending.flat().length > 0) {
    throw new Failure(
      `Migrations are pending for ${pending.flat().join(', ')}. First: npm run tenant -- migrate --all --env ${name}`,
    )
  }
}

/** Deploys what wrangler.toml says now. */
export async function deploy(name: string | null): Promise<void> {
  await ensureNamespace(await openEnvironment(name))
  await runWrangler(['deploy', ...(name === null ? [] : ['--env', name])])
}

/**
 * Makes the KV namespace before the first deployment. Wrangler would do it by itself, but once a
 * deployment has failed after that, every later one fails because the namespace exists.
 */
async function ensureNamespace(environment: Environment): Promise<void> {
  if (environment.namespace_id !== null) return
  const title = `${environment.worker}-keys`
  const id = (await findNamespace(title)) ?? (await createNamespace(title))
  await addNamespaceId(environment, id)
}

async function createNamespace(title: string): Promise<string> {
  await runWrangler(['kv', 'namespace', 'create', title])
  const id = await findNamespace(title)
  if (id === null) throw new Failure(`wrangler has made ${title}, and does not list it.`)
  return id
}

async function findNamespace(title: string): Promise<string | null> {
  const listed = Namespaces.parse(JSON.parse(await runWrangler(['kv', 'namespace', 'list'])))
  return listed.find((namespace) => namespace.title === title)?.id ?? null
}

/** The database is of this environment: `crossdock-eu-west-acme` is of eu-west where there is one. */
function isOf({ worker, siblings }: Environment, database: string): boolean {
  const nearer = siblings.filter((sibling) => sibling.length > worker.length)
  return [worker, ...nearer].findLastIndex((owner) => database.startsWith(`${owner}-`)) === 0
}

/** Asks the tenant's host, which is quick, and where its answer does not settle it the database. */
async function isCurrent(
  environment: Environment,
  { slug, database_name }: Tenant,
): Promise<boolean> {
  const newest = (await migrationFiles()).at(-1)
  const answer = await fetch(`${environment.baseUrlOf(slug)}/healthz/`, {
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
  }).catch(() => null)
  const body = (await answer?.json().catch(() => null)) as { data?: { migration?: string } } | null
  if (answer?.ok && body?.data?.migration === newest) return true
  return (await readState(environment, database_name)).pending.length === 0
}
