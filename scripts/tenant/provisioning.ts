import { Failure } from '../failure.ts'
import { patienceOf, untilAnswers } from './answers.ts'
import type { Options } from './command.ts'
import { addBlock } from './config-file.ts'
import { createDatabase, type Database, listDatabases, type Placement } from './databases.ts'
import { deploy, refuseUnsafeDeployment } from './deployment.ts'
import {
  blockOf,
  CONFIG,
  databaseNameOf,
  type Environment,
  findTenant,
  type Tenant,
} from './environment.ts'
import { withLocalServer } from './local-server.ts'
import { step } from './progress.ts'
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
  const tenant = findTenant(environment, slug) ?? null
  const databases = await listDatabases(environment)
  const name = tenant?.database_name ?? databaseNameOf(environment.worker, slug)
  const database = databases.find((listed) => listed.name === name) ?? null
  if (tenant && tenant.database_id !== database?.id) {
    const instead = database ? `${name} is ${database.id}` : 'the account has no such database'
    throw new Failure(
      `${CONFIG} binds ${tenant.binding} to ${tenant.database_id}, but ${instead}. Where the database is lost: npm run tenant -- remove ${slug}${flagOf(environment)} takes the block out.`,
    )
  }
  if (environment.name !== null) await refuseUnsafeDeployment(environment, databases, slug)
  return { database, tenant, state: database && (await readState(environment, database.name)) }
}

/** Makes what is missing of database and block, and gives the tenant as wrangler.toml has it then. */
export async function ensureDatabase(
  environment: Environment,
  slug: string,
  { database, tenant }: Found,
  placement: Placement,
): Promise<Tenant> {
  if (tenant) return tenant
  const name = databaseNameOf(environment.worker, slug)
  const id =
    database?.id ??
    (await step(`Making the database ${name}`, () => createDatabase(environment, name, placement)))
  const block = blockOf(environment, slug, id)
  await step(`Adding ${block.binding} to ${CONFIG}`, () => addBlock(environment, block))
  return block
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

/** ` --env staging`, for commands to paste. */
export function flagOf({ name }: Environment): string {
  return name === null ? '' : ` --env ${name}`
}
