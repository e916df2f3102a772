import { Label } from '../../../src/engine/json/fields.ts'
import { messageOf } from '../../../src/engine/json/messages.ts'
import { Failure } from '../../failure.ts'
import { applyMigrations } from '../apply-migrations.ts'
import type { Command, Options, Result } from '../command.ts'
import { CONFIG, isOwn } from '../config-file.ts'
import { databaseNameOf, type Environment, flagOf, parseSlug, placeOf } from '../environment.ts'
import { markShown, writeWorkspace } from '../first-key.ts'
import { say, step } from '../progress.ts'
import { commitAdvice, ensureDatabase, type Found, inspect, publish } from '../provisioning.ts'
import { leadingSteps } from '../router.ts'
import { migrationFiles, readState } from '../state.ts'

export const create: Command = {
  parameters: '<slug>',
  summary: 'add a tenant; run it again to complete an interrupted run',
  options: ['name', 'location', 'jurisdiction', 'wait', 'dry-run'],
  makes: true,
  run: async (environment, [slug = ''], options) => {
    parseSlug(environment, slug)
    const name = parseName(options.name ?? slug)
    const found = await inspect(environment, slug)
    refuseExisting(environment, slug, found)
    if (options['dry-run']) return dryRun(environment, slug, found)
    return found.state?.made
      ? await bindAgain(environment, slug, found, options)
      : await provision(environment, slug, found, { ...options, name })
  },
}

/** Checks the name as the settings API does. */
function parseName(name: string): string {
  const { data, error } = Label.safeParse(name, { error: messageOf })
  if (data !== undefined) return data
  throw new Failure(`--name: ${error.issues[0]?.message}`, 2)
}

function refuseExisting(environment: Environment, slug: string, { state, tenant }: Found): void {
  const holds = state?.workspace?.tenant ?? slug
  if (holds !== slug) {
    const name = databaseNameOf(environment.worker, slug)
    throw new Failure(`The database ${name} belongs to another tenant, ${holds}.`)
  }
  if (!state?.made || !tenant) return
  throw new Failure(
    `The tenant ${slug} already exists${placeOf(environment)}: ${environment.baseUrlOf(slug)}\nIf its settings keys are lost: npm run tenant -- key ${slug}${flagOf(environment)}`,
  )
}

async function provision(
  environment: Environment,
  slug: string,
  found: Found,
  options: Options & { name: string },
): Promise<Result> {
  say(`Creating the tenant ${slug}${placeOf(environment)}`)
  warnOfBucket(environment, options)
  const database = await prepareDatabase(environment, slug, found, options)
  const key = await step('Writing workspace and first settings key', () =>
    writeWorkspace(environment, database, slug, options.name),
  )
  await publish(environment, slug, key, options)
  await step('Marking it as complete', () => mark(environment, database))
  return resultOf(environment, slug, key)
}

/** The bucket is the environment's, so the tenant's jurisdiction does not move it. */
function warnOfBucket({ name, bucket }: Environment, { jurisdiction }: Options): void {
  if (!jurisdiction || !bucket || bucket.jurisdiction === jurisdiction) return
  say(
    `  Documents, if any are kept, are not within the jurisdiction ${jurisdiction}: [[env.${name}.r2_buckets]] does not name it.`,
  )
}

/** Creates, binds and migrates the tenant's database as far as needed, and returns its name. */
async function prepareDatabase(
  environment: Environment,
  slug: string,
  found: Found,
  options: Options,
): Promise<string> {
  const { database_name } = await ensureDatabase(environment, slug, found, options)
  const pending = found.state?.pending ?? (await migrationFiles())
  if (pending.length > 0) {
    await step('Applying migrations', () => applyMigrations(environment, database_name, pending))
  }
  return database_name
}

/** If only the answer was lost, the tenant is marked, and its key must still be shown: no run shows it again. */
async function mark(environment: Environment, database: string): Promise<void> {
  try {
    await markShown(environment, database)
  } catch (error) {
    if (!(await readState(environment, database)).made) throw error
  }
}

/** Adds the missing block of an existing tenant, which keeps its keys. */
async function bindAgain(
  environment: Environment,
  slug: string,
  found: Found,
  options: Options,
): Promise<Result> {
  say(`The tenant ${slug} exists${placeOf(environment)}. Adding its block to ${CONFIG}`)
  await prepareDatabase(environment, slug, found, options)
  await publish(environment, slug, null, options)
  const base_url = environment.baseUrlOf(slug)
  return {
    text: `\n${slug} answers at ${base_url}, with the keys it had. ${commitAdvice(environment)}`,
    json: { tenant: slug, base_url, settings_key: null },
  }
}

const KEPT = `
Refused requests and their answers are kept for 14 days, so that the dashboard can show what was wrong. The page Workspace of
the dashboard changes that, and names places that are not to be kept.
`

function resultOf(environment: Environment, slug: string, key: string): Result {
  const base_url = environment.baseUrlOf(slug)
  const next = `${environment.name === null ? 'npm start serves it. ' : ''}${commitAdvice(environment)}`
  const text = `
${slug} is ready. Save its settings key now: it is not shown again.

  Base URL      ${base_url}
  Settings key  ${key}
  Dashboard     ${base_url}/dashboard/
${environment.bucket === null ? '' : KEPT}
${next}`
  return { text, json: { tenant: slug, base_url, settings_key: key } }
}

async function dryRun(environment: Environment, slug: string, found: Found): Promise<Result> {
  const name = databaseNameOf(environment.worker, slug)
  const pending = found.state?.pending ?? (await migrationFiles())
  const leading = await leadingSteps(environment, slug)
  const isTracked = environment.name === null && !isOwn(CONFIG)
  const steps = [
    ...(environment.isNew ? [`add the group ${environment.name} to ${CONFIG}`] : []),
    ...(found.database ? [] : [`create the database ${name}`]),
    ...(found.tenant ? [] : [`add its block to ${CONFIG}${isTracked ? ', which git tracks' : ''}`]),
    ...(pending.length > 0 ? [`apply ${pending.join(', ')}`] : []),
    ...(found.state?.made ? [] : ['write workspace and first settings key']),
    ...(environment.name === null ? [] : [`deploy ${environment.worker}`]),
    ...leading,
    `wait until ${environment.baseUrlOf(slug)} answers`,
  ]
  const lines = steps.map((line) => `  ${line}`).join('\n')
  return {
    text: `Dry run: nothing was changed. Creating ${slug}${placeOf(environment)} would:\n${lines}`,
    json: { tenant: slug, base_url: environment.baseUrlOf(slug), dry_run: true, steps },
  }
}
