import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { prefixOfArchive } from '../../../src/engine/log/archive/objects.ts'
import { Failure } from '../../failure.ts'
import { untilGone } from '../answers.ts'
import { archiveFolder, exportArchives } from '../archive.ts'
import type { Command, Options, Result } from '../command.ts'
import { CONFIG, isOwn, removeDatabase } from '../config-file.ts'
import { isConfirmed, refuseUnconfirmed } from '../confirmation.ts'
import { type Database, deleteDatabase, listDatabases } from '../databases.ts'
import { deploy, refuseUnsafeDeployment } from '../deployment.ts'
import { deleteArchive, deleteDocuments, hasObjects } from '../documents.ts'
import { differencesOf, extentsOf, readDump } from '../dump/dump.ts'
import { exportVerified, extentsIn, refuseUnfit } from '../dump/verified-export.ts'
import { type Environment, groupPlaceOf, parseSlug, placeOf, type Tenant } from '../environment.ts'
import { say, step } from '../progress.ts'
import { locate } from '../provisioning.ts'
import { forget } from '../router.ts'
import { deployedWith } from '../secrets.ts'
import { readState, type State } from '../state.ts'

const LOCAL_DEMO = 'demo'

interface Removal {
  slug: string
  tenant: Tenant | null
  database: Database | null
  /** Where the export goes; null if there is none. */
  file: string | null
  /** Whether the bucket has documents of it, and an archive of its audit log. */
  kept: { documents: boolean; archive: boolean }
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
    if (database && file) await exportAll(environment, database, slug, file)
    await confirm(removal, options)
    await takeOut(environment, removal)
    if (file) await rename(draftOf(file), file)
    await takeDocuments(environment, slug)
    const kept = file ? ` Its data is in ${namesOf(file)}.` : ''
    return {
      text: `\n${slug} was removed.${kept}${committing(environment)}`,
      json: { tenant: slug, removed: true, export: file },
    }
  },
}

/** The export and, if there is one, the folder with the archive of the audit log. */
function namesOf(file: string): string {
  const folder = archiveFolder(file)
  return existsSync(folder) ? `${file} and ${folder}` : file
}

function committing({ name }: Environment): string {
  return name === null || isOwn(CONFIG) ? '' : ` Commit ${CONFIG}, which has lost its block.`
}

/** The archive of the audit log has its final place at once: each of its objects is checked by itself. */
async function exportAll(
  environment: Environment,
  { name }: Database,
  slug: string,
  file: string,
): Promise<void> {
  const { archives } = await exportVerified(environment, name, slug, draftOf(file))
  await exportArchives(environment, slug, archives, file)
}

/** Finds what exists of the tenant, also after an interrupted run. */
async function prepare(environment: Environment, slug: string, options: Options): Promise<Removal> {
  if (environment.name === null && slug === LOCAL_DEMO) {
    throw new Failure('npm start needs the tenant demo. To reset it, delete the folder .wrangler.')
  }
  const databases = await listDatabases(environment)
  const { tenant, database } = locate(environment, databases, slug)
  const kept = await hasObjects(environment, slug)
  if (!tenant && !database && !kept.documents && !kept.archive) {
    throw new Failure(`There is no tenant ${slug}${groupPlaceOf(environment)}.`)
  }
  if (environment.name !== null) await refuseUnsafeDeployment(environment, databases, slug)
  const state = database && (await readState(environment, database.name))
  const holds = state?.workspace?.tenant ?? slug
  if (holds !== slug) throw new Failure(`${database?.name} belongs to another tenant, ${holds}.`)
  const file = fileFor(slug, state, options)
  if (file) await refuseUnfit(file)
  return { slug, tenant, database, file, kept }
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
  const consequence = 'This deletes its keys, orders, stock, documents and audit log.'
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
    await step(`Deploying ${environment.worker} without it`, () => deploy(name, slug), deployedWith)
    await forget(environment, slug)
    await step(`Waiting until ${environment.baseUrlOf(slug)} stops answering`, () =>
      untilGone(environment.baseUrlOf(slug)),
    )
    if (database && file) await exportLate(environment, database, slug, file)
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
  await step(
    'Deleting the archive of its audit log',
    () => deleteArchive(environment, slug),
    (count) => `${count} objects deleted`,
  )
}

/** Exports again if the tenant wrote anything between the export and its end. */
async function exportLate(
  environment: Environment,
  database: Database,
  slug: string,
  file: string,
): Promise<void> {
  const dump = await readDump(draftOf(file))
  const now = await extentsIn(environment, database.name, dump)
  if (differencesOf(now, extentsOf(dump)).length > 0) {
    await exportAll(environment, database, slug, file)
  }
}

function dryRun(environment: Environment, removal: Removal): Result {
  const { slug, tenant, database, file, kept } = removal
  const steps = [
    ...(file ? [`export to ${file}`] : []),
    ...(file && kept.archive
      ? [`export the archive of its audit log to ${archiveFolder(file)}`]
      : []),
    ...(tenant ? [`remove ${tenant.binding} from ${CONFIG}`] : []),
    ...(environment.name === null ? [] : [`deploy ${environment.worker} without it`]),
    ...(database ? [`delete the database ${database.name}`] : []),
    ...(kept.documents ? ['delete the documents that are kept of it'] : []),
    ...(kept.archive
      ? [
          `delete the archive of its audit log, ${environment.bucket?.name}/${prefixOfArchive(slug)}`,
        ]
      : []),
  ]
  const lines = steps.map((line) => `  ${line}`).join('\n')
  return {
    text: `Dry run: nothing was changed. Removing ${slug}${placeOf(environment)} would:\n${lines}`,
    json: { tenant: slug, dry_run: true, steps },
  }
}
