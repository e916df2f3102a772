import { Name } from '../../../src/fields.ts'
import { messageOf } from '../../../src/messages.ts'
import { Failure } from '../../failure.ts'
import type { Command, Options, Result } from '../command.ts'
import { applyMigrations } from '../databases.ts'
import { databaseNameOf, type Environment, parseSlug, placeOf } from '../environment.ts'
import { writeWorkspace } from '../first-key.ts'
import { say, step } from '../progress.ts'
import { ensureDatabase, type Found, flagOf, inspect, publish } from '../provisioning.ts'
import { migrationFiles } from '../state.ts'

const WorkspaceName = Name.min(1)

export const create: Command = {
  parameters: '<slug>',
  summary: 'add a tenant; a run that died half-way is finished by running it again',
  options: ['name', 'location', 'jurisdiction', 'wait', 'dry-run'],
  run: async (environment, [slug = ''], options) => {
    parseSlug(slug)
    const name = parseName(options.name ?? slug)
    const found = await inspect(environment, slug)
    refuseExisting(environment, slug, found)
    if (options['dry-run']) return dryRun(environment, slug, found)
    return await provision(environment, slug, found, { ...options, name })
  },
}

/** As the settings API takes it. */
function parseName(name: string): string {
  const { data, error } = WorkspaceName.safeParse(name, { error: messageOf })
  if (data !== undefined) return data
  throw new Failure(`--name: ${error.issues[0]?.message}`, 2)
}

function refuseExisting(environment: Environment, slug: string, { state, tenant }: Found): void {
  if (!state?.used && (state?.workspace?.tenant ?? slug) === slug) return
  const base = environment.baseUrlOf(slug)
  const lost = tenant
    ? `Where its settings keys are lost: npm run tenant -- key ${slug}${flagOf(environment)}`
    : `wrangler.toml has no block for it here: pull the newest one.`
  throw new Failure(`The tenant ${slug} exists${placeOf(environment)}: ${base}\n${lost}`)
}

async function provision(
  environment: Environment,
  slug: string,
  found: Found,
  options: Options & { name: string },
): Promise<Result> {
  say(`Creating the tenant ${slug}${placeOf(environment)}`)
  const tenant = await ensureDatabase(environment, slug, found, options)
  const { database_name: database } = tenant
  if (found.state?.pending.length !== 0) {
    await step('Applying migrations', () => applyMigrations(environment, database))
  }
  const key = await step('Writing workspace and first settings key', () =>
    writeWorkspace(environment, database, slug, options.name),
  )
  await publish(environment, slug, key, options)
  return resultOf(environment, slug, key)
}

function resultOf(environment: Environment, slug: string, key: string): Result {
  const base_url = environment.baseUrlOf(slug)
  const text = `
${slug} is ready. Its settings key is shown this once: keep it now.

  Base URL      ${base_url}
  Settings key  ${key}
  Dashboard     ${base_url}/dashboard/

Commit wrangler.toml: whoever deploys next must have its new block.`
  return { text, json: { tenant: slug, base_url, settings_key: key } }
}

async function dryRun(environment: Environment, slug: string, found: Found): Promise<Result> {
  const name = databaseNameOf(environment.worker, slug)
  const pending = found.state?.pending ?? (await migrationFiles())
  const steps = [
    ...(found.database ? [] : [`make the database ${name}`]),
    ...(found.tenant ? [] : ['add its block to wrangler.toml']),
    ...(pending.length > 0 ? [`apply ${pending.join(', ')}`] : []),
    'write workspace and first settings key',
    ...(environment.name === null ? [] : [`deploy ${environment.worker}`]),
    `ask ${environment.baseUrlOf(slug)} until it answers`,
  ]
  const lines = steps.map((line) => `  ${line}`).join('\n')
  return {
    text: `Nothing is changed. To create ${slug}${placeOf(environment)} I would:\n${lines}`,
    json: { tenant: slug, base_url: environment.baseUrlOf(slug), dry_run: true, steps },
  }
}
