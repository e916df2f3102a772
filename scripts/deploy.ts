import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import { untilAnswers } from './tenant/answers.ts'
import { listDatabases } from './tenant/databases.ts'
import { deploy as deployWorker, refuseUnsafeDeployment } from './tenant/deployment.ts'
import { openEnvironment } from './tenant/environment.ts'
import { inParallel } from './tenant/parallel.ts'
import { step } from './tenant/progress.ts'

const USAGE = `Usage: npm run deploy -- --env <name>

Deploys the Worker to an environment of wrangler.toml, once no tenant is missing from it and none lacks a
migration, and waits until every tenant answers.

  --env <name>  an environment of wrangler.toml
  --help        this`

export async function deploy(args: string[]): Promise<number> {
  const { env, help } = parse(args)
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
  await step('Asking its tenants', () =>
    inParallel(environment.tenants, ({ slug }) =>
      untilAnswers(environment.baseUrlOf(slug), slug, null),
    ),
  )
  console.log(
    `${environment.worker} is deployed; tenants that answer: ${environment.tenants.length}.`,
  )
  return 0
}

function parse(args: string[]): { env?: string; help?: boolean } {
  try {
    const options = { env: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n\n${USAGE}`, 2)
  }
}
