import { Name } from '../../../src/fields.ts'
import { messageOf } from '../../../src/messages.ts'
import { Failure } from '../../failure.ts'
import type { Command, Options, Result } from '../command.ts'
import { applyMigrations } from '../databases.ts'
import { databaseNameOf, type Environment, flagOf, parseSlug, placeOf } from '../environment.ts'
import { markShown, writeWorkspace } from '../first-key.ts'
import { say, step } from '../progress.ts'
import { ensureDatabase, type Found, inspect, publish } from '../provisioning.ts'
import { migrationFiles, readState } from '../state.ts'

const WorkspaceName = Name.min(1)

export const create: Command = {
  parameters: '<slug>',
  summary: 'add a tenant; a run that died half-way is finished by running it again',
  options: ['name', 'location', 'jurisdiction', 'wait', 'dry-run'],
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

/** As the settings API takes it. */
function parseName(name: string): string {
  const { data, error } = WorkspaceName.safeParse(name, { error: messageOf })
  if (data !== undefined) return data
  throw new Failure(`--name: ${error.issues[0]?.message}`, 2)
}

function refuseExisting(environment: Environment, slug: string, { state, tenant }: Found): void {
  const holds = state?.workspace?.tenant ?? slug
  if (holds !== slug) {
    const name = databaseNameOf(environment.worker, slug)
    throw new Failure(`The database ${name} is that of another tenant, ${holds}.`)
  }
  if (!state?.made || !tenant) return
  throw new Failure(
    `The tenant ${slug} exists${placeOf(environment)}: ${environment.baseUrlOf(slug)}\nWhere its settings keys are lost: npm run tenant -- key ${slug}${flagOf(environment)}`,
  )
}

async function provision(
  environment: Environment,
  slug: string,
  found: Found,
  options: Options & { name: string },
): Promise<Result> {
  say(`Creating the tenant ${slug}${placeOf(environment)}`)
  const database = await prepareDatabase(environment, slug, found, options)
  const key = await step('Writing workspace and first settings key', () =>
    writeWorkspace(environment, database, slug, options.name),
  )
  await publish(environment, slug, key, options)
  await step('Marking it as made', () => mark(environment, database))
  return resultOf(environment, slug, key)
}

/** Gives the name of the tenant's database, which is bound then and has every migration. */
async function prepareDatabase(
  environment: Environment,
  slug: string,
  found: Found,
  options: Options,
): Promise<string> {
  const { database_name } = await ensureDatabase(environment, slug, found, options)
  if (found.state?.pending.length !== 0) {
    await step('Applying migrations', () => applyMigrations(environment, database_name))
  }
  return database_name
}

/** An answer that was lost is no reason to keep back a key that nobody will be given again. */
async function mark(environment: Environment, database: string): Promise<void> {
  try {
    await markShown(environment, database)
  } catch (error) {
    if (!(await readState(environment, database)).made) throw error
  }
}

/** A tenant whose block has got lost gets it back, and keeps its keys. */
async function bindAgain(
  environment: Environment,
  slug: string,
  found: Found,
  options: Options,
): Promise<Result> {
  say(`The tenant ${slug} exists${placeOf(environment)}; wrangler.toml gets its block back`)
  await prepareDatabase(environment, slug, found, options)
  await publish(environment, slug, null, options)
  const base_url = environment.baseUrlOf(slug)
  return {
    text: `\n${slug} answers at ${base_url}, with the keys it had. Commit wrangler.toml.`,
    json: { tenant: slug, base_url, settings_key: null },
  }
}

function resultOf(environment: Environment, slug: string, key: string): Result {
  const base_url = environment.baseUrlOf(slug)
  const next =
    environment.name === null
      ? 'npm start serves it.'
      : 'Commit wrangler.toml: whoever deploys next must have its new block.'
  const text = `
${slug} is ready. Its settings key is shown this once: keep it now.

  Base URL      ${base_url}
  Settings key  ${key}
  Dashboard     ${base_url}/dashboard/

${next}`
  return { text, json: { tenant: slug, base_url, settings_key: key } }
}

async function dryRun(environment: Environment, slug: string, found: Found): Promise<Result> {
  const name = databaseNameOf(environment.worker, slug)
  const pending = found.state?.pending ?? (await migrationFiles())
  const steps = [
    ...(found.database ? [] : [`make the database ${name}`]),
    ...(found.tenant ? [] : ['add its block to wrangler.toml']),
    ...(pending.length > 0 ? [`apply ${pending.join(', ')}`] : []),
    ...(found.state?.made ? [] : ['write workspace and first settings key']),
    ...(environment.name === null ? [] : [`deploy ${environment.worker}`]),
    `ask ${environment.baseUrlOf(slug)} until it answers`,
  ]
  const lines = steps.map((line) => `  ${line}`).join('\n')
  return {
    text: `Nothing is changed. To create ${slug}${placeOf(environment)} I would:\n${lines}`,
    json: { tenant: slug, base_url: environment.baseUrlOf(slug), dry_run: true, steps },
  }
}
