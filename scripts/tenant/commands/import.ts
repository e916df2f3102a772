import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import type { Command, Result } from '../command.ts'
import { runFile } from '../databases.ts'
import { type Dump, differencesOf, extentsOf, migrateDump, readDump } from '../dump/dump.ts'
import { writeDump } from '../dump/file.ts'
import { extentsIn, rowsOf, tableOf } from '../dump/verified-export.ts'
import { databaseNameOf, type Environment, parseSlug, placeOf } from '../environment.ts'
import { say, step } from '../progress.ts'
import { ensureDatabase, type Found, inspect, publish } from '../provisioning.ts'
import { withCleanup } from '../stop.ts'

export const importTenant: Command = {
  parameters: '<slug> <file>',
  summary: 'a tenant from an export, with its keys; never over one that exists',
  options: ['location', 'jurisdiction', 'wait', 'dry-run'],
  run: async (environment, [slug = '', file = ''], options) => {
    parseSlug(environment, slug)
    const dump = await readDump(file)
    if (dump.tenant !== slug) {
      throw new Failure(
        `${file} holds the tenant ${dump.tenant}, and its keys say so: import it as ${dump.tenant}.`,
      )
    }
    await migrateDump(dump)
    outdateSnapshots(dump)
    const found = await inspect(environment, slug)
    const isThere = await isImported(environment, slug, dump, found)
    if (options['dry-run']) return dryRun(environment, slug, dump)
    say(`Importing the tenant ${slug}${placeOf(environment)}`)
    const { database_name: database } = await ensureDatabase(environment, slug, found, options)
    if (!isThere) await step('Importing its data', () => fill(environment, database, dump))
    await publish(environment, slug, null, options)
    return resultOf(environment, slug, dump)
  },
}

/**
 * Callers may be cached that were read from this tenant's database in an earlier life. Seconds since
 * 1970 are beyond any version that it had then.
 */
function outdateSnapshots({ db }: Dump): void {
  db.exec('UPDATE workspace SET settings_version = max(settings_version + 1, unixepoch())')
}

/** The database holds the dump already; throws a Failure where it holds anything else. */
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
    `The tenant ${slug} exists${placeOf(environment)} and is not what the file holds (${differences.join('; ')}). Nothing is imported over it. If it is this very import, in use since, nothing is left to do; to begin anew, remove the tenant first.`,
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
  const where = environment.name === null ? 'is on this machine' : `answers at ${base_url}`
  return {
    text: `\n${slug} ${where}, with the keys it had:\n${tableOf(extents)}`,
    json: { tenant: slug, base_url, tables: rowsOf(extents) },
  }
}

function dryRun(environment: Environment, slug: string, dump: Dump): Result {
  const name = databaseNameOf(environment.worker, slug)
  const tables = extentsOf(dump)
  return {
    text: `Nothing is changed. I would make ${name} if it is not there, bind it, import\n${tableOf(tables)}\nand make it answer at ${environment.baseUrlOf(slug)}.`,
    json: { tenant: slug, dry_run: true, tables: rowsOf(tables) },
  }
}
