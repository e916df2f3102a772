import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import { patienceOf, untilAnswers, WAIT_SECONDS_DEFAULT } from './tenant/answers.ts'
import { refuseWait } from './tenant/arguments.ts'
import { CONFIG } from './tenant/config-file.ts'
import { type Database, listDatabases } from './tenant/databases.ts'
import { deploy as deployWorker, pendingMigrations, refuseDeployment } from './tenant/deployment.ts'
import { type Environment, openEnvironment } from './tenant/environment.ts'
import { refuseDifferences } from './tenant/group-differences.ts'
import { inParallel } from './tenant/parallel.ts'
import { planOf, tell } from './tenant/plan.ts'
import { step } from './tenant/progress.ts'
import {
  findRollback,
  nameOf,
  type Rollback,
  refuseStaleList,
  refuseUnsafeRollback,
  rollBack,
} from './tenant/rollback.ts'
import { deployRouter, isRouted, routerName, routerSteps } from './tenant/router.ts'
import { deployedWith, remindOfSecrets } from './tenant/secrets.ts'
import { currentTag, deployableVersion, shownTag } from './tenant/versions.ts'

const USAGE = `Usage: npm run deploy -- --env <name> [options]

Deploys the Worker to an environment of wrangler.toml and waits until every tenant answers. Says first what will
change: the version of the code, migrations, bindings. Refuses if a tenant is missing from wrangler.toml or lacks
a migration. Of an environment with several groups of tenants it deploys each group's Worker and the router, one after
the other, and stops at the first that fails.

  --env <name>      an environment of wrangler.toml, or one of its groups after the first, such as production-2
  --dry-run         say what would change, and change nothing
  --rollback        go back to the version that served before the present code, unless it would break something
  --to <id>         with --rollback: to the version with this id (npx wrangler versions list --env <name>)
  --wait <seconds>  how long to wait for the tenants' answers; default ${WAIT_SECONDS_DEFAULT}
  --help            show this help`

const LOOKING = 'Looking for the version'

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
    : await forward(environment, options)
}

async function forward(environment: Environment, options: Options): Promise<number> {
  const { groups, first } = environment
  await refuseDifferences(environment)
  const databases = await step('Checking the tenants', () => listDatabases(environment))
  for (const group of groups) await announce(group, databases, groups.length > 1)
  if (groups.length > 1 && first !== null && !(await isRouted(environment))) {
    tell((await routerSteps(first)).map((line) => `router      ${line}`))
  }
  if (options['dry-run']) {
    console.log(`Dry run: ${workersOf(groups)} ${groups.length > 1 ? 'were' : 'was'} not deployed.`)
    return 0
  }
  if (groups.length > 1) await deployAll(environment, options.wait)
  else await deployOne(environment, options.wait)
  for (const group of groups) await remindOfSecrets(group, console.log)
  return 0
}

/** Says what a deployment of the Worker would change. Throws a Failure if it would break something. */
async function announce(group: Environment, databases: Database[], isNamed: boolean) {
  const pending = await pendingMigrations(group)
  const what = isNamed ? `Comparing ${group.worker} with what serves` : 'Comparing with what serves'
  tell(await step(what, () => planOf(group, pending)))
  refuseDeployment(group, databases, pending)
}

async function deployOne(group: Environment, wait: string | undefined): Promise<void> {
  const { name, worker, tenants } = group
  await step(`Deploying ${worker}`, () => deployWorker(`${name}`), deployedWith)
  await step('Waiting for its tenants', () => awaitAll(group, 'deployed', wait))
  console.log(`${worker} is deployed; tenants that answer: ${tenants.length}.`)
}

/**
 * Deploys the groups one after the other, and the router. The first group comes last: until the router has the routes, they are
 * in its part of wrangler.toml. The tenants of a new group answer once the router has them.
 */
async function deployAll(environment: Environment, wait: string | undefined): Promise<void> {
  const [first, ...others] = environment.groups
  if (!first?.first) return
  const isReady = await isRouted(environment)
  const router = { worker: await routerName(first.first), run: () => deployRouter(environment) }
  const deploying = (group: Environment) => ({
    worker: group.worker,
    run: () =>
      isReady
        ? deployOne(group, wait)
        : step(`Deploying ${group.worker}`, () => deployWorker(`${group.name}`), deployedWith),
  })
  await inTurn([...others.map(deploying), router, deploying(first)])
  if (isReady) return
  await step('Waiting for the tenants', () => awaitAll(environment, 'deployed', wait))
  const count = environment.tenants.length
  console.log(`${workersOf(environment.groups)} are deployed; tenants that answer: ${count}.`)
}

/** Throws a Failure that says which are done, and which are not. */
async function inTurn(works: { worker: string; run: () => Promise<unknown> }[]): Promise<void> {
  for (const [index, { run }] of works.entries()) {
    try {
      await run()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const names = (some: typeof works) => some.map(({ worker }) => worker).join(', ') || 'none'
      const told = `Workers deployed: ${names(works.slice(0, index))}. Not: ${names(works.slice(index))}. Fix the cause and run it again.`
      throw new Failure(`${error.message}\n${told}`, error.exitCode)
    }
  }
}

interface Found {
  group: Environment
  rollback: Rollback
}

/** All groups, none of them if one cannot go back; with --to the group that has the version. */
async function backward({ groups }: Environment, options: Options): Promise<number> {
  const found: Found[] = []
  const young: Environment[] = []
  for (const group of await concerned(groups, options.to)) {
    const what = groups.length > 1 ? `Looking for the version of ${group.worker}` : LOOKING
    const rollback = await step(what, () => findRollback(group, options.to))
    if (rollback && rollback.to.id === rollback.from.id) {
      console.log(`${nameOf(rollback.to)} serves already.`)
      return 0
    }
    if (!rollback) {
      tell(['stays as it is: it has had no other code'])
      young.push(group)
      continue
    }
    tell([`from  ${nameOf(rollback.from)}`, `to    ${nameOf(rollback.to)}`])
    await step('Comparing bindings and migrations', async () => {
      await refuseStaleList(group, rollback)
      await refuseUnsafeRollback(group, rollback)
    })
    found.push({ group, rollback })
  }
  if (options['dry-run'] && found.length > 0) {
    const names = workersOf(found.map(({ group }) => group))
    console.log(`Dry run: ${names} ${found.length > 1 ? 'were' : 'was'} not rolled back.`)
  } else {
    await rollAllBack(found, options.wait)
    await remindOfFolder(found.map(({ rollback }) => rollback))
  }
  refuseYoung(young, found)
  return 0
}

/**
 * Throws a Failure if there is a group that has had no code but the present one, because it began with a release that is broken. It
 * does not keep the others from going back: they share no data with it, and to leave all broken until it is mended is worse than
 * different code in the groups, which each deployment has for a while.
 */
function refuseYoung(young: Environment[], [first]: Found[]): void {
  if (young.length === 0) return
  const tag = first?.rollback.to.tag
  const code = tag ? `the code of ${shownTag(tag)}` : 'the code that it should have'
  const commands = young.map(({ name }) => `  npm run deploy -- --env ${name}`)
  throw new Failure(
    [
      `No version with other code has been deployed to ${workersOf(young)} before. Check ${code} out, keep today's ${CONFIG}, and run:`,
      ...commands,
    ].join('\n'),
  )
}

/** One after the other. Throws a Failure with the commands for those that are not rolled back. */
async function rollAllBack(found: Found[], wait: string | undefined): Promise<void> {
  let done = 0
  try {
    for (const { group, rollback } of found) {
      await step(`Rolling ${group.worker} back`, () => rollBack(group, rollback))
      done += 1
      await step('Waiting for its tenants', () => awaitAll(group, 'rolled back', wait))
      console.log(`${group.worker} is rolled back to ${nameOf(rollback.to)}.`)
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure([error.message, ...leftOf(found, done)].join('\n'), error.exitCode)
  }
}

/** To roll back without --to would bring those forward again that are done. */
function leftOf(found: Found[], done: number): string[] {
  const names = (some: Found[]) => workersOf(some.map(({ group }) => group))
  const back = `Rolled back: ${names(found.slice(0, done))}. Without --to a rollback would take them forward again.`
  const rest = found.slice(done)
  const commands = rest.map(
    ({ group, rollback }) =>
      `  npm run deploy -- --env ${group.first} --rollback --to ${rollback.to.id}`,
  )
  const left = [`Not rolled back: ${names(rest)}. Fix the cause and run:`, ...commands]
  return [...(done > 0 ? [back] : []), ...(rest.length > 0 ? left : [])]
}

/** The next deployment brings the code of the folder again, and until then no tenant can be added. */
async function remindOfFolder(rollbacks: Rollback[]): Promise<void> {
  const here = shownTag(await currentTag())
  const serves = rollbacks.map(({ to }) => to.tag && shownTag(to.tag)).find((tag) => tag !== here)
  if (!serves) return
  console.log(
    `This folder has ${here}, which the next deployment would bring. Check out the code of ${serves}, with today's ${CONFIG}.`,
  )
}

/** The groups to roll back: of several, those that ever had the version. */
async function concerned(groups: Environment[], id: string | undefined): Promise<Environment[]> {
  if (id === undefined || groups.length === 1) return groups
  for (const group of groups) {
    if (await deployableVersion(group, id)) return [group]
  }
  throw new Failure(`No version ${id} can be deployed to ${workersOf(groups)}.`)
}

function workersOf(groups: Environment[]): string {
  return groups.map(({ worker }) => worker).join(', ')
}

/** Waits for all tenants at once, from now on. Throws a Failure that names those that do not answer. */
async function awaitAll(
  { worker, tenants, baseUrlOf }: Environment,
  done: 'deployed' | 'rolled back',
  wait: string | undefined,
): Promise<void> {
  const patience = patienceOf(wait)
  const faults = await inParallel(tenants, ({ slug }) =>
    untilAnswers(baseUrlOf(slug), slug, null, patience).then(() => null, faultOf),
  )
  const silent = faults.filter((fault) => fault !== null)
  if (silent.length === 0) return
  const heading = `${worker} is ${done}. Tenants that do not answer: ${silent.length} of ${tenants.length}.`
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
