import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import { patienceOf, untilAnswers, WAIT_SECONDS_DEFAULT } from './tenant/answers.ts'
import { refuseWait } from './tenant/arguments.ts'
import { listDatabases } from './tenant/databases.ts'
import { deploy as deployWorker, pendingMigrations, refuseDeployment } from './tenant/deployment.ts'
import { type Environment, openEnvironment } from './tenant/environment.ts'
import { inParallel } from './tenant/parallel.ts'
import { planOf, tell } from './tenant/plan.ts'
import { step } from './tenant/progress.ts'
import { findRollback, nameOf, refuseUnsafeRollback, rollBack } from './tenant/rollback.ts'
import { runWrangler } from './tenant/wrangler.ts'

const USAGE = `Usage: npm run deploy -- --env <name> [options]

Deploys the Worker to an environment of wrangler.toml and waits until every tenant answers. Says first what will
change: the version of the code, migrations, bindings. Refuses if a tenant is missing from wrangler.toml or lacks
a migration.

  --env <name>      an environment of wrangler.toml
  --dry-run         say what would change, and change nothing
  --rollback        go back to the version that served before the present code, unless it would break something
  --to <id>         with --rollback: to the version with this id (npx wrangler versions list --env <name>)
  --wait <seconds>  how long to wait for the tenants' answers; default ${WAIT_SECONDS_DEFAULT}
  --help            show this help`

type Options = ReturnType<typeof parsed>

export async function deploy(args: string[]): Promise<number> {
  const options = parse(args)
  if (options.help) {
    console.log(USAGE)
    return 0
  }
  if (!options.env) throw new Failure(`deploy needs --env.\n\n${USAGE}`, 2)
  const environment = await openEnvironment(options.env)
  return options.rollback
    ? await backward(environment, options)
    : await forward(environment, options.env, options)
}

async function forward(environment: Environment, env: string, options: Options): Promise<number> {
  const { worker } = environment
  const databases = await step('Checking the tenants', () => listDatabases(environment))
  const pending = await pendingMigrations(environment)
  const plan = await step('Comparing with what serves', () => planOf(environment, pending))
  tell(plan)
  refuseDeployment(environment, databases, pending)
  if (options['dry-run']) {
    console.log(`Dry run: ${worker} was not deployed.`)
    return 0
  }
  await step(`Deploying ${worker}`, () => deployWorker(env))
  await step('Waiting for its tenants', () => awaitAll(environment, patienceOf(options.wait)))
  console.log(`${worker} is deployed; tenants that answer: ${environment.tenants.length}.`)
  await remindOfSecret(env)
  return 0
}

async function backward(environment: Environment, options: Options): Promise<number> {
  const { worker } = environment
  const rollback = await step('Looking for the version', () =>
    findRollback(environment, options.to),
  )
  const { from, to } = rollback
  tell([`from  ${nameOf(from)}`, `to    ${nameOf(to)}`])
  await step('Comparing bindings and migrations', () => refuseUnsafeRollback(environment, rollback))
  if (options['dry-run']) {
    console.log(`Dry run: ${worker} was not rolled back.`)
    return 0
  }
  await step(`Rolling ${worker} back`, () => rollBack(environment, rollback))
  await step('Waiting for its tenants', () => awaitAll(environment, patienceOf(options.wait)))
  console.log(`${worker} is rolled back to ${nameOf(to)}.`)
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

function parse(args: string[]): Options {
  const values = parsed(args)
  refuseWait(values)
  if (values.to === undefined || values.rollback) return values
  throw new Failure(`--to needs --rollback.\n\n${USAGE}`, 2)
}

function parsed(args: string[]) {
  try {
    const options = {
      env: { type: 'string' },
      wait: { type: 'string' },
      to: { type: 'string' },
      rollback: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    } as const
    return parseArgs({ args, options }).values
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${USAGE}`, 2)
  }
}
