import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { archiveFileReader, archivesIn, importArchives } from '../archive.ts'
import type { Command, Result } from '../command.ts'
import { runFile } from '../databases.ts'
import { differencesOf, extentsOf, migrateDump, readDump } from '../dump/dump.ts'
import { writeDump } from '../dump/file.ts'
import { extentsIn, rowsOf, tableOf } from '../dump/verified-export.ts'
import { databaseNameOf, type Environment, parseSlug, placeOf } from '../environment.ts'
import type { Dump } from '../loaded-dump.ts'
import { say, step } from '../progress.ts'
import { commitAdvice, ensureDatabase, type Found, inspect, publish } from '../provisioning.ts'
import { OUTDATE_CALLERS } from '../rows.ts'
import { withCleanup } from '../stop.ts'

export const importTenant: Command = {
  parameters: '<slug> <file>',
  summary: 'create a tenant from an export, with its keys; never overwrites one that exists',
  options: ['location', 'jurisdiction', 'wait', 'dry-run'],
  makes: true,
  run: async (environment, [slug = '', file = ''], options) => {
    parseSlug(environment, slug)
    const dump = await readDump(file)
    if (dump.tenant !== slug) {
      throw new Failure(
        `${file} holds the tenant ${dump.tenant}, whose keys contain its slug: import it as ${dump.tenant}.`,
      )
    }
    await migrateDump(dump)
    dump.db.exec(OUTDATE_CALLERS)
    const found = await inspect(environment, slug)
    const isThere = await isImported(environment, slug, dump, found)
    if (options['dry-run']) return dryRun(environment, slug, dump)
    say(`Importing the tenant ${slug}${placeOf(environment)}`)
    await importArchives(environment, slug, archivesIn(dump), archiveFileReader(file))
    const { database_name: database } = await ensureDatabase(environment, slug, found, options)
    if (!isThere) await step('Importing its data', () => fill(environment, database, dump))
    await publish(environment, slug, null, options)
    return resultOf(environment, slug, dump)
  },
}

/** Whether the database already holds the dump. Throws a Failure if it holds anything else. */
async function isImported(
  environment: Environment,
  slug: string,
  dump: Dump,
  { database, state }: Found,
): Promise<boolean> {
  if (!database || !state || (state.applied.length === 0 && state.workspace === null)) return false
  const differences =
    state.pending.length > 0
      ? ['other migrations']
      : differencesOf(extentsOf(dump), await extentsIn(environment, database.name, dump))
  if (differences.length === 0) return true
  throw new Failure(
    `The tenant ${slug} already exists${placeOf(environment)} and differs from the file (${differences.join('; ')}). Nothing was imported. If you imported this file before and the tenant has been used since, nothing is left to do. To import it again, remove the tenant first.`,
  )
}

async function fill(environment: Environment, database: string, dump: Dump): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
  await withCleanup(
    () => rm(folder, { recursive: true, force: true }),
    async () => {
      const file = join(folder, 'import.sql')
      await writeDump(dump, file)
      await runFile(environment, database, file)
    },
  )
  const lost = differencesOf(extentsOf(dump), await extentsIn(environment, database, dump))
  if (lost.length > 0) throw new Failure(`The import is not complete: ${lost.join('; ')}.`)
}

function resultOf(environment: Environment, slug: string, dump: Dump): Result {
  const base_url = environment.baseUrlOf(slug)
  const extents = extentsOf(dump)
  const isHere = environment.name === null
  const where = isHere ? 'is on this machine' : `answers at ${base_url}`
  const next = `\n${commitAdvice(environment)}`
  return {
    text: `\n${slug} ${where}, with the keys it had:\n${tableOf(extents)}${next}`,
    json: { tenant: slug, base_url, tables: rowsOf(extents) },
  }
}

function dryRun(environment: Environment, slug: string, dump: Dump): Result {
  const name = databaseNameOf(environment.worker, slug)
  const tables = extentsOf(dump)
  return {
    text: `Dry run: nothing was changed. This would create ${name} if it is missing, bind it, import\n${tableOf(tables)}\nand serve it at ${environment.baseUrlOf(slug)}.`,
    json: { tenant: slug, dry_run: true, tables: rowsOf(tables) },
  }
}
