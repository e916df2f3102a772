import { rename } from 'node:fs/promises'
import { Failure } from '../../failure.ts'
import { untilGone } from '../answers.ts'
import type { Command, Options, Result } from '../command.ts'
import { CONFIG, removeDatabase } from '../config-file.ts'
import { isConfirmed, refuseUnconfirmed } from '../confirmation.ts'
import { type Database, deleteDatabase, listDatabases } from '../databases.ts'
import { deploy, refuseUnsafeDeployment } from '../deployment.ts'
import { deleteDocuments, hasDocuments } from '../documents.ts'
import { differencesOf, extentsOf, readDump } from '../dump/dump.ts'
import { exportVerified, extentsIn, refuseUnfit } from '../dump/verified-export.ts'
import { type Environment, parseSlug, placeOf, type Tenant } from '../environment.ts'
import { say, step } from '../progress.ts'
import { locate } from '../provisioning.ts'
import { readState, type State } from '../state.ts'

const LOCAL_DEMO = 'demo'

interface Removal {
  slug: string
  tenant: Tenant | null
  database: Database | null
  /** Where the export goes; null if there is none. */
  file: string | null
  /** Whether documents are kept of it. */
  isKept: boolean
}

export const remove: Command = {
  parameters: '<slug>',
  summary: 'export a tenant, ask for confirmation, then delete it with its documents',
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
    await takeDocuments(environment, slug)
    const kept = file ? ` Its data is in ${file}.` : ''
    return {
      text: `\n${slug} was removed.${kept}`,
      json: { tenant: slug, removed: true, export: file },
    }
  },
}

/** Finds what exists of the tenant, also after an interrupted run. */
async function prepare(environment: Environment, slug: string, options: Options): Promise<Removal> {
  if (environment.name === null && slug === LOCAL_DEMO) {
    throw new Failure('npm start needs the tenant demo. To reset it, delete the folder .wrangler.')
  }
  const databases = await listDatabases(environment)
  const { tenant, database } = locate(environment, databases, slug)
  const isKept = await hasDocuments(environment, slug)
  if (!tenant && !database && !isKept) {
    throw new Failure(`There is no tenant ${slug}${placeOf(environment)}.`)
  }
  if (environment.name !== null) await refuseUnsafeDeployment(environment, databases, slug)
  const state = database && (await readState(environment, database.name))
  const holds = state?.workspace?.tenant ?? slug
  if (holds !== slug) throw new Failure(`${database?.name} belongs to another tenant, ${holds}.`)
  const file = fileFor(slug, state, options)
  if (file) await refuseUnfit(file)
  return { slug, tenant, database, file, isKept }
}

function fileFor(slug: string, state: State | null, options: Options): string | null {
  if (options['no-export'] && options.export) {
    throw new Failure('Use --export or --no-export, not both.', 2)
  }
  if (options['no-export'] || !state?.workspace) return null
  return options.export ?? fileNameOf(slug)
}

function fileNameOf(slug: string): string {
  return `${slug}-${new Date().toISOString().replaceAll(':', '').slice(0, 17)}.sql`
}

/** The name of the export until the tenant is gone. A repeated run may overwrite this file. */
function draftOf(file: string): string {
  return `${file}.draft`
}

async function confirm({ slug, file }: Removal, options: Options): Promise<void> {
  const consequence = 'This deletes its keys, orders, stock and documents.'
  if (await isConfirmed(slug, consequence, options)) return
  if (file) await rename(draftOf(file), file)
  throw new Failure(`Nothing was removed.${file ? ` The export is in ${file}.` : ''}`)
}

/** Stops the tenant before it deletes the database, so that writes after the export are exported too. */
async function takeOut(
  environment: Environment,
  { slug, tenant, database, file }: Removal,
): Promise<void> {
  if (tenant) {
    await step(`Removing ${tenant.binding} from ${CONFIG}`, () =>
      removeDatabase(environment.name, tenant.binding),
    )
  }
  const { name } = environment
  if (name !== null) {
    await step(`Deploying ${environment.worker} without it`, () => deploy(name, slug))
    await step(`Waiting until ${environment.baseUrlOf(slug)} stops answering`, () =>
      untilGone(environment.baseUrlOf(slug)),
    )
    if (database && file) await exportLate(environment, database, slug, draftOf(file))
  }
  if (database) {
    await step(`Deleting ${database.name}`, () => deleteDatabase(environment, database))
  }
}

/** Last, so that nothing is stored any more. If it fails, the next run finds what is left. */
async function takeDocuments(environment: Environment, slug: string): Promise<void> {
  if (!environment.bucket) return
  await step(
    'Deleting documents',
    () => deleteDocuments(environment, slug),
    (count) => `${count} deleted`,
  )
}

/** Exports again if the tenant wrote anything between the export and its end. */
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

function dryRun(environment: Environment, removal: Removal): Result {
  const { slug, tenant, database, file, isKept } = removal
  const steps = [
    ...(file ? [`export to ${file}`] : []),
    ...(tenant ? [`remove ${tenant.binding} from ${CONFIG}`] : []),
    ...(environment.name === null ? [] : [`deploy ${environment.worker} without it`]),
    ...(database ? [`delete the database ${database.name}`] : []),
    ...(isKept ? ['delete the documents that are kept of it'] : []),
  ]
  const lines = steps.map((line) => `  ${line}`).join('\n')
  return {
    text: `Dry run: nothing was changed. Removing ${slug}${placeOf(environment)} would:\n${lines}`,
    json: { tenant: slug, dry_run: true, steps },
  }
}
