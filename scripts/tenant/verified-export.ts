import { existsSync } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import { exportDatabase, query } from './databases.ts'
import {
  type Dump,
  differencesOf,
  type Extents,
  extentsFrom,
  extentsOf,
  extentsSql,
  readDump,
} from './dump.ts'
import type { Environment } from './environment.ts'
import { step } from './progress.ts'

export function refuseOverwriting(file: string): void {
  if (existsSync(file)) throw new Failure(`${file} exists: name another file.`, 2)
}

/**
 * Writes the database to the file; the file is there once it is found to hold all of it. Where the
 * database is written to meanwhile, every table must hold as many rows as before, after, or between.
 */
export async function exportVerified(
  environment: Environment,
  database: string,
  file: string,
): Promise<Extents> {
  const part = `${file}.part`
  try {
    const first = await exportOnce(environment, database, part)
    const after = await extentsIn(environment, database, first)
    let extents = extentsOf(first)
    if (differencesOf(after, extents).length > 0) {
      const second = await exportOnce(environment, database, part)
      extents = extentsOf(second)
      refuseLoss(extents, after, await extentsIn(environment, database, second))
    }
    await rename(part, file)
    return extents
  } finally {
    await rm(part, { force: true })
  }
}

/** What the database holds now, of the tables that the dump has. */
export async function extentsIn(
  environment: Environment,
  database: string,
  dump: Dump,
): Promise<Extents> {
  const { results } = await query(environment, database, extentsSql(dump))
  return extentsFrom(results.map(([row]) => row))
}

export function rowsOf(extents: Extents): Record<string, number> {
  return Object.fromEntries(Object.entries(extents).map(([name, { rows }]) => [name, rows]))
}

export function tableOf(extents: Extents): string {
  const width = Math.max(...Object.keys(extents).map((name) => name.length))
  return Object.entries(extents)
    .map(([name, { rows }]) => `  ${name.padEnd(width)}  ${rows}`)
    .join('\n')
}

async function exportOnce(environment: Environment, database: string, file: string): Promise<Dump> {
  return await step(`Exporting ${database}`, async () => {
    await exportDatabase(environment, database, file)
    await chmod(file, 0o600)
    return await readDump(file)
  })
}

function refuseLoss(extents: Extents, before: Extents, after: Extents): void {
  const lost = Object.entries(extents).flatMap(([name, { rows }]) => {
    const bounds = [before[name]?.rows ?? 0, after[name]?.rows ?? 0]
    const fits = rows >= Math.min(...bounds) && rows <= Math.max(...bounds)
    return fits ? [] : [`${name}: ${rows} rows, of ${bounds.join(' to ')}`]
  })
  if (lost.length > 0) throw new Failure(`The export is not complete: ${lost.join('; ')}.`)
}
