import { Failure } from '../failure.ts'
import { patienceOf, untilAnswers } from './answers.ts'
import type { Options } from './command.ts'
import { addDatabase, CONFIG, isOwn, ROUTER_CONFIG } from './config-file.ts'
import { createDatabase, type Database, listDatabases, type Placement } from './databases.ts'
import { deploy, refuseOtherCode, refuseUnsafeDeployment } from './deployment.ts'
import {
  blockOf,
  databaseNameOf,
  type Environment,
  findTenant,
  flagOf,
  type Tenant,
} from './environment.ts'
import { beginGroup } from './groups.ts'
import { withLocalServer } from './local-server.ts'
import { say, step } from './progress.ts'
import { lead } from './router.ts'
import { deployedWith, remindOfSecrets } from './secrets.ts'
import { readState, type State } from './state.ts'

/** What exists of a tenant: everything, nothing, or the part that an interrupted run created. */
export interface Found {
  database: Database | null
  tenant: Tenant | null
  /** Null if there is no database. */
  state: State | null
}

/** Reads account, wrangler.toml and database. Changes nothing. */
export async function inspect(environment: Environment, slug: string): Promise<Found> {
  const databases = await listDatabases(environment)
  const located = locate(environment, databases, slug)
  const { tenant, database } = located
  if (tenant && !database) {
    throw new Failure(
      `${CONFIG} has a block for ${slug}, but the account has no database ${tenant.database_name}. If the database is lost, remove the block: npm run tenant -- remove ${slug}${flagOf(environment)}`,
    )
  }
  if (environment.name !== null) {
    await refuseUnsafeDeployment(environment, databases, slug)
    await refuseOtherCode(environment)
  }
  return { ...located, state: database && (await readState(environment, database.name)) }
}

/** The tenant's block and database. Throws a Failure if the block names another database id. */
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

/** Creates the database and the block in wrangler.toml where they are missing, and returns the tenant. */
export async function ensureDatabase(
  environment: Environment,
  slug: string,
  { database, tenant }: Found,
  placement: Placement,
): Promise<Tenant> {
  if (database) refuseElsewhere(database, placement)
  if (tenant) return tenant
  if (environment.isNew) await beginGroup(environment)
  const name = databaseNameOf(environment.worker, slug)
  const id =
    database?.id ??
    (await step(`Creating the database ${name}`, () =>
      createDatabase(environment, name, placement),
    ))
  const block = blockOf(environment, slug, id)
  await step(`Adding ${block.binding} to ${CONFIG}`, () => addDatabase(environment.name, block))
  // The steps that follow find the database there.
  if (environment.name === null) environment.tenants.push(block)
  return block
}

/** What to do with the new block of a tenant. */
export function commitAdvice({ name, number }: Environment): string {
  const files = number > 1 ? [CONFIG, ROUTER_CONFIG] : [CONFIG]
  const names = files.join(' and ')
  if (name === null) {
    return isOwn(CONFIG)
      ? `The block is in ${CONFIG}, which git ignores.`
      : `The block is in ${CONFIG}, which git tracks: do not commit it with your changes. A copy named wrangler.local.toml takes its place, and git ignores that.`
  }
  const why = `the next deployment needs ${files.length > 1 ? 'their new blocks' : 'its new block'}`
  return files.every(isOwn)
    ? `Keep ${names} safe: ${why}, and git ignores it.`
    : `Commit ${names}: ${why}.`
}

/** An existing database cannot be moved: another jurisdiction is refused, another location ignored. */
function refuseElsewhere({ name, jurisdiction }: Database, placement: Placement): void {
  if (placement.jurisdiction && placement.jurisdiction !== jurisdiction) {
    throw new Failure(
      `${name} already exists outside the jurisdiction ${placement.jurisdiction}. Remove it first, or leave --jurisdiction out.`,
    )
  }
  if (placement.location) say(`  ${name} already exists: --location has no effect.`)
}

/**
 * Deploys the Worker and waits until the tenant answers. On this machine there is no deployment, and no host per
 * tenant: there it waits only if it has a key, which names the tenant.
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
    await step('Waiting for the tenant', () =>
      withLocalServer((baseUrl, life) =>
        untilAnswers(baseUrl, slug, key, AbortSignal.any([patienceOf(wait), life])),
      ),
    )
    return
  }
  await step(`Deploying ${environment.worker}`, () => deploy(name), deployedWith)
  await lead(environment, slug)
  const baseUrl = environment.baseUrlOf(slug)
  await step(
    `Waiting for ${baseUrl}`,
    () => untilAnswers(baseUrl, slug, key, patienceOf(wait)),
    () => 'answers',
  )
  await remindOfSecrets(environment, say)
}
