import { rename } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Failure } from '../../failure.ts'
import { untilGone } from '../answers.ts'
import type { Command, Options, Result } from '../command.ts'
import { CONFIG, removeDatabase } from '../config-file.ts'
import { type Database, deleteDatabase, listDatabases } from '../databases.ts'
import { deploy, refuseUnsafeDeployment } from '../deployment.ts'
import { differencesOf, extentsOf, readDump } from '../dump/dump.ts'
import { exportVerified, extentsIn, refuseOverwriting } from '../dump/verified-export.ts'
import { type Environment, parseSlug, placeOf, type Tenant } from '../environment.ts'
import { say, step } from '../progress.ts'
import { locate } from '../provisioning.ts'
import { readState, type State } from '../state.ts'

const LOCAL_DEMO = 'demo'

interface Removal {
  slug: string
  tenant: Tenant | null
  database: Database | null
  /** Null where there is nothing to export. */
  file: string | null
}

export const remove: Command = {
  parameters: '<slug>',
  summary: 'export a tenant, ask for its slug once more, then delete it',
  options: ['export', 'no-export', 'confirm', 'dry-run'],
  run: async (environment, [slug = ''], options) => {
    const removal = await prepare(environment, parseSlug(environment, slug), options)
    if (options['dry-run']) return dryRun(environment, removal)
    refuseUnconfirmed(slug, options)
    say(`Removing the tenant ${slug}${placeOf(environment)}`)
    const { database, file } = removal
    if (database && file) await exportVerified(environment, database.name, slug, draftOf(file))
    await confirm(removal, options)
    await takeOut(environment, removal)
    if (file) await rename(draftOf(file), file)
    const kept = file ? ` Its data is in ${file}.` : ''
    return {
      text: `\n${slug} is removed.${kept}`,
      json: { tenant: slug, removed: true, export: file },
    }
  },
}

/** Finds what there is of the tenant, also where an earlier run has died half-way. */
async function prepare(environment: Environment, slug: string, options: Options): Promise<Removal> {
  if (environment.name === null && slug === LOCAL_DEMO) {
    throw new Failure('demo belongs to npm start. To start anew, delete the folder .wrangler.')
  }
  const databases = await listDatabases(environment)
  const { tenant, database } = locate(environment, databases, slug)
  if (!tenant && !database) throw new Failure(`There is no tenant ${slug}${placeOf(environment)}.`)
  if (environment.name !== null) await refuseUnsafeDeployment(environment, databases, slug)
  const state = database && (await readState(environment, database.name))
  const holds = state?.workspace?.tenant ?? slug
  if (holds !== slug)
    throw new Failure(`${database?.name} is the database of another tenant, ${holds}.`)
  const file = fileFor(slug, state, options)
  if (file) refuseOverwriting(file)
  return { slug, tenant, database, file }
}

function fileFor(slug: string, state: State | null, options: Options): string | null {
  if (options['no-export'] && options.export) {
    throw new Failure('--export or --no-export: they contradict each other.', 2)
  }
  if (options['no-export'] || !state?.workspace) return null
  return options.export ?? fileNameOf(slug)
}

function fileNameOf(slug: string): string {
  return `${slug}-${new Date().toISOString().replaceAll(':', '').slice(0, 17)}.sql`
}

/** What the export is called until the tenant is gone: a run that has to be repeated may overwrite it. */
function draftOf(file: string): string {
  return `${file}.draft`
}

function refuseUnconfirmed(slug: string, { confirm: given }: Options): void {
  if (given === slug || (given === undefined && process.stdin.isTTY)) return
  const wrong = given === undefined ? 'Nobody is here to be asked' : `"${given}" is not the slug`
  throw new Failure(`${wrong}: confirm with --confirm ${slug}.`, 2)
}

async function confirm({ slug, file }: Removal, { confirm: given }: Options): Promise<void> {
  if (given !== undefined) return
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const question = `Its keys, orders and stock will be gone. Type ${slug} to go on: `
  // Ctrl-C and the end of the input are no answer.
  const answer = await terminal.question(question).catch(() => '')
  terminal.close()
  if (answer.trim() === slug) return
  if (file) await rename(draftOf(file), file)
  throw new Failure(`Nothing is removed.${file ? ` The export stays in ${file}.` : ''}`)
}

/** The tenant stops answering first, so that nothing is lost that comes in after the export. */
async function takeOut(
  environment: Environment,
  { slug, tenant, database, file }: Removal,
): Promise<void> {
  if (tenant) {
    await step(`Taking ${tenant.binding} out of ${CONFIG}`, () =>
      removeDatabase(environment.name, tenant.binding),
    )
  }
  const { name } = environment
  if (name !== null) {
    await step(`Deploying ${environment.worker} without it`, () => deploy(name, slug))
    await step(`Waiting until ${environment.baseUrlOf(slug)} is gone`, () =>
      untilGone(environment.baseUrlOf(slug)),
    )
    if (database && file) await exportLate(environment, database, slug, draftOf(file))
  }
  if (database) {
    await step(`Deleting ${database.name}`, () => deleteDatabase(environment, database))
  }
}

/** What was written between the export and the end of the tenant is exported as well. */
async function exportLate(
  environment: Environment,
  { name }: Database,
  slug: string,
  file: string,
): Promise<void> {
  const dump = await readDump(file)
  const differences = differencesOf(await extentsIn(environment, name, dump), extentsOf(dump))
  if (differences.length > 0) await exportVerified(environment, name, slug, file)
}

function dryRun(environment: Environment, { slug, tenant, database, file }: Removal): Result {
  const steps = [
    ...(file ? [`export to ${file}`] : []),
    ...(tenant ? [`take ${tenant.binding} out of ${CONFIG}`] : []),
    ...(environment.name === null ? [] : [`deploy ${environment.worker} without it`]),
    ...(database ? [`delete the database ${database.name}`] : []),
  ]
  const lines = steps.map((line) => `  ${line}`).join('\n')
  return {
    text: `Nothing is changed. To remove ${slug}${placeOf(environment)} I would:\n${lines}`,
    json: { tenant: slug, dry_run: true, steps },
  }
}
