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

Deploys the Worker to an environment of wrangler.toml, once no tenant is missing from it and none lacks a
migration, and waits until every tenant answers.

  --env <name>      an environment of wrangler.toml
  --wait <seconds>  for the tenants' answers; default ${WAIT_SECONDS_DEFAULT}
  --help            this`

export async function deploy(args: string[]): Promise<number> {
  const { env, wait, help } = parse(args)
  if (help) {
    console.log(USAGE)
    return 0
  }
  if (!env) throw new Failure(`deploy wants --env.\n\n${USAGE}`, 2)
  const environment = await openEnvironment(env)
  await step('Looking at the tenants', async () =>
    refuseUnsafeDeployment(environment, await listDatabases(environment)),
  )
  await step(`Deploying ${environment.worker}`, () => deployWorker(env))
  await step('Asking its tenants', () => askAll(environment, patienceOf(wait)))
  console.log(
    `${environment.worker} is deployed; tenants that answer: ${environment.tenants.length}.`,
  )
  await remindOfSecret(env)
  return 0
}

/** Without the secret nobody signs in to a dashboard; nothing else needs it. */
async function remindOfSecret(env: string): Promise<void> {
  const args = ['secret', 'list', '--env', env, '--format', 'json']
  const listed = await runWrangler(args).catch(() => null)
  if (listed === null || listed.includes('"SESSION_SECRET"')) return
  console.log(
    `Nobody can sign in to the dashboard before it has its secret:\n  openssl rand -base64 32 | npx wrangler secret put SESSION_SECRET --env ${env}`,
  )
}

/** Waits for all of them together; names those that do not answer. */
async function askAll(
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
