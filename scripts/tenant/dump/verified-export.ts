import { constants, existsSync } from 'node:fs'
import { access, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ArchiveObject } from '../../../src/engine/log/archive/objects.ts'
import { Failure } from '../../failure.ts'
import { archivesIn } from '../archive.ts'
import { exportDatabase, query } from '../databases.ts'
import type { Environment } from '../environment.ts'
import type { Dump } from '../loaded-dump.ts'
import { step } from '../progress.ts'
import { withCleanup } from '../stop.ts'
import { cutTextStatements, mendTexts } from './cut-texts.ts'
import {
  differencesOf,
  type Extents,
  extentStatements,
  extentsFrom,
  extentsOf,
  readDump,
} from './dump.ts'
import { writeDump } from './file.ts'

/** Throws a Failure with exit code 2 if the file exists, or cannot be made where it is to be. */
export async function refuseUnfit(file: string): Promise<void> {
  if (existsSync(file)) throw new Failure(`${file} already exists: name another file.`, 2)
  const folder = dirname(file)
  const found = await stat(folder).catch(() => null)
  if (!found?.isDirectory()) {
    throw new Failure(`${file} cannot be written: there is no folder ${folder}.`, 2)
  }
  await access(folder, constants.W_OK).catch(() => {
    throw new Failure(`${file} cannot be written: you may not write to ${folder}.`, 2)
  })
}

export interface Exported {
  extents: Extents
  /** Names of the applied migrations, in order. */
  migrations: string[]
  /** Objects of the audit log's archive, which the file does not hold. */
  archives: ArchiveObject[]
}

/**
 * Exports the database to the file, which appears only after it was read back and found complete. If a table
 * changes meanwhile, its row count must lie between the counts before and after.
 */
export async function exportVerified(
  environment: Environment,
  database: string,
  slug: string,
  file: string,
): Promise<Exported> {
  const part = `${file}.part`
  return await withCleanup(
    () => rm(part, { force: true }),
    async () => {
      let dump = await exportOnce(environment, database, part)
      if (dump.tenant !== slug) throw new Failure(`${database} belongs to ${dump.tenant}.`)
      const before = await mend(environment, database, dump)
      if (differencesOf(before, extentsOf(dump)).length > 0) {
        dump = await exportOnce(environment, database, part)
        refuseLoss(before, await mend(environment, database, dump), extentsOf(dump))
      }
      const [extents, migrations, archives] = [extentsOf(dump), dump.applied, archivesIn(dump)]
      await writeDump(dump, part)
      dump.db.close()
      refuseDifferences(differencesOf(extents, extentsOf(await readDump(part))))
      await rename(part, file)
      return { extents, migrations, archives }
    },
  )
}

/** The current extents of those tables in the database that the dump has. */
export async function extentsIn(
  environment: Environment,
  database: string,
  dump: Dump,
): Promise<Extents> {
  const { results } = await query(environment, database, extentStatements(dump))
  return extentsFrom(results.map(([row]) => row))
}

export function rowsOf(extents: Extents): Record<string, number> {
  return Object.fromEntries(
    Object.entries(extents)
      .filter(([name]) => !name.startsWith('sqlite_'))
      .map(([name, { rows }]) => [name, rows]),
  )
}

export function tableOf(extents: Extents): string {
  const rows = Object.entries(rowsOf(extents))
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, count]) => `  ${name.padEnd(width)}  ${count}`).join('\n')
}

async function exportOnce(environment: Environment, database: string, file: string): Promise<Dump> {
  return await step(`Exporting ${database}`, async () => {
    // Created first, because wrangler would make the file readable for everybody.
    await writeFile(file, '', { mode: 0o600 })
    await exportDatabase(environment, database, file)
    return await readDump(file)
  })
}

/** Corrects the dump with texts that the export corrupts. Returns the database's extents at that moment. */
async function mend(environment: Environment, database: string, dump: Dump): Promise<Extents> {
  const statements = extentStatements(dump)
  const count = statements.length
  const all = [...statements, ...cutTextStatements(dump)]
  const { results } = await query(environment, database, all)
  mendTexts(dump, results.slice(count))
  return extentsFrom(results.slice(0, count).map(([row]) => row))
}

function refuseLoss(before: Extents, after: Extents, found: Extents): void {
  const quiet = Object.entries(before).filter(
    ([name, { rows, octets }]) => after[name]?.rows === rows && after[name]?.octets === octets,
  )
  const lost = [
    ...differencesOf(Object.fromEntries(quiet), found),
    ...Object.entries(found).flatMap(([name, { rows }]) => {
      const bounds = [before[name]?.rows ?? 0, after[name]?.rows ?? 0]
      const fits = rows >= Math.min(...bounds) && rows <= Math.max(...bounds)
      return fits ? [] : [`${name}: ${rows} rows, of ${bounds.join(' to ')}`]
    }),
  ]
  refuseDifferences(lost)
}

function refuseDifferences(lost: string[]): void {
  if (lost.length > 0) throw new Failure(`The export is not complete: ${lost.join('; ')}.`)
}
