import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import { patienceOf, untilAnswers, WAIT_SECONDS_DEFAULT } from './tenant/answers.ts'
import { refuseWait } from './tenant/arguments.ts'
import { listDatabases } from './tenant/databases.ts'
import { deploy as deployWorker, refuseUnsafeDeployment } from './tenant/deployment.ts'
import { type Environment, openEnvironment } from './tenant/environment.ts'
import { inParallel } from './tenant/parallel.ts'
import { step } from './tenant/progress.ts'
import { runWrangler } from './tenant/wrangler.ts'

const USAGE = `Usage: npm run deploy -- --env <name> [options]

Deploys the Worker to an environment of wrangler.toml and waits until every tenant answers. Refuses if a
tenant is missing from wrangler.toml or lacks a migration.

  --env <name>      an environment of wrangler.toml
  --wait <seconds>  how long to wait for the tenants' answers; default ${WAIT_SECONDS_DEFAULT}
  --help            show this help`

export async function deploy(args: string[]): Promise<number> {
  const { env, wait, help } = parse(args)
  if (help) {
    console.log(USAGE)
    return 0
  }
  if (!env) throw new Failure(`deploy needs --env.\n\n${USAGE}`, 2)
  const environment = await openEnvironment(env)
  await step('Checking the tenants', async () =>
    refuseUnsafeDeployment(environment, await listDatabases(environment)),
  )
  await step(`Deploying ${environment.worker}`, () => deployWorker(env))
  await step('Waiting for its tenants', () => awaitAll(environment, patienceOf(wait)))
  console.log(
    `${environment.worker} is deployed; tenants that answer: ${environment.tenants.length}.`,
  )
  await remindOfSecret(env)
  return 0
}

/** Only the dashboard needs the secret, so a deployment without it does not fail. */
async function remindOfSecret(env: string): Promise<void> {
  const args = ['secret', 'list', '--env', env, '--format', 'json']
  const listed = await runWrangler(args).catch(() => null)
  if (listed === null || listed.includes('"SESSION_SECRET"')) return
  console.log(
    `Nobody can sign in to the dashboard until you set its secret:\n  openssl rand -base64 32 | npx wrangler secret put SESSION_SECRET --env ${env}`,
  )
}

/** Waits for all tenants at once. Throws a Failure that names those that do not answer. */
async function awaitAll(
  { worker, tenants, baseUrlOf }: Environment,
  patience: AbortSignal,
): Promise<void> {
  const faults = await inParallel(tenants, ({ slug }) =>
    untilAnswers(baseUrlOf(slug), slug, null, patience).then(() => null, faultOf),
  )
  const silent = faults.filter((fault) => fault !== null)
  if (silent.length === 0) return
  const heading = `${worker} is deployed. Tenants that do not answer: ${silent.length} of ${tenants.length}.`
  throw new Failure([heading, ...silent].join('\n'))
}

function faultOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  throw error
}

function parse(args: string[]): { env?: string; wait?: string; help?: boolean } {
  const values = parsed(args)
  refuseWait(values)
  return values
}

function parsed(args: string[]) {
  try {
    const options = {
      env: { type: 'string' },
      wait: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const
    return parseArgs({ args, options }).values
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${USAGE}`, 2)
  }
}
