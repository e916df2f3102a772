import { Failure } from '../failure.ts'
import { patienceOf, untilAnswers } from './answers.ts'
import type { Options } from './command.ts'
import { addDatabase, CONFIG } from './config-file.ts'
import { createDatabase, type Database, listDatabases, type Placement } from './databases.ts'
import { deploy, refuseUnsafeDeployment } from './deployment.ts'
import {
  blockOf,
  databaseNameOf,
  type Environment,
  findTenant,
  flagOf,
  type Tenant,
} from './environment.ts'
import { withLocalServer } from './local-server.ts'
import { say, step } from './progress.ts'
import { readState, type State } from './state.ts'

/** What there is of a tenant: all, nothing, or what an earlier run had done before it died. */
export interface Found {
  database: Database | null
  tenant: Tenant | null
  /** Null without a database. */
  state: State | null
}

/** Looks at account, wrangler.toml and database; changes nothing. */
export async function inspect(environment: Environment, slug: string): Promise<Found> {
  const databases = await listDatabases(environment)
  const located = locate(environment, databases, slug)
  const { tenant, database } = located
  if (tenant && !database) {
    throw new Failure(
      `${CONFIG} has a block for ${slug}, but the account has no ${tenant.database_name}. Where it is lost: npm run tenant -- remove ${slug}${flagOf(environment)} takes the block out.`,
    )
  }
  if (environment.name !== null) await refuseUnsafeDeployment(environment, databases, slug)
  return { ...located, state: database && (await readState(environment, database.name)) }
}

/** The tenant's block and database; throws a Failure where they are not about the same. */
export function locate(
  environment: Environment,
  databases: Database[],
  slug: string,
): Pick<Found, 'tenant' | 'database'> {
  const tenant = findTenant(environment, slug) ?? null
  const name = databaseNameOf(environment.worker, slug)
  const database =
    databases.find((listed) => listed.name === (tenant?.database_name ?? name)) ?? null
  if (!tenant || !database || tenant.database_id === database.id) return { tenant, database }
  throw new Failure(
    `${CONFIG} binds ${tenant.binding} to ${tenant.database_id}, but ${database.name} is ${database.id}: correct database_id there.`,
  )
}

/** Makes what is missing of database and block, and gives the tenant as wrangler.toml has it then. */
export async function ensureDatabase(
  environment: Environment,
  slug: string,
  { database, tenant }: Found,
  placement: Placement,
): Promise<Tenant> {
  if (database) refuseElsewhere(database, placement)
  if (tenant) return tenant
  const name = databaseNameOf(environment.worker, slug)
  const id =
    database?.id ??
    (await step(`Making the database ${name}`, () => createDatabase(environment, name, placement)))
  const block = blockOf(environment, slug, id)
  await step(`Adding ${block.binding} to ${CONFIG}`, () => addDatabase(environment.name, block))
  return block
}

/** A database that an earlier run has made stays where it is. */
function refuseElsewhere({ name, jurisdiction }: Database, placement: Placement): void {
  if (placement.jurisdiction && placement.jurisdiction !== jurisdiction) {
    throw new Failure(
      `${name} is there already, and not within ${placement.jurisdiction}: remove it first, or go on without --jurisdiction.`,
    )
  }
  if (placement.location) say(`  ${name} is there already: --location is not asked for again.`)
}

/**
 * Deploys, where there is somewhere to deploy to, and waits until the tenant answers. On this machine
 * only a key can tell: no host names a tenant there.
 */
export async function publish(
  environment: Environment,
  slug: string,
  key: string | null,
  { wait }: Options,
): Promise<void> {
  const { name } = environment
  if (name === null) {
    if (key === null) return
    await step('Asking the tenant', () =>
      withLocalServer((baseUrl, life) =>
        untilAnswers(baseUrl, slug, key, AbortSignal.any([patienceOf(wait), life])),
      ),
    )
    return
  }
  await step(`Deploying ${environment.worker}`, () => deploy(name))
  const baseUrl = environment.baseUrlOf(slug)
  await step(
    `Asking ${baseUrl}`,
    () => untilAnswers(baseUrl, slug, key, patienceOf(wait)),
    () => 'answers',
  )
}
