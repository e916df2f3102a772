import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unstable_splitSqlQuery as statementsOf } from 'wrangler'
import { cutTextStatements, mendTexts } from '../../scripts/tenant/dump/cut-texts.ts'
import { readDump } from '../../scripts/tenant/dump/dump.ts'
import { writeDump } from '../../scripts/tenant/dump/file.ts'
import { type Runtime, startRuntime } from './cloudflare/runtime.ts'
import { contentsOf, differencesBetween } from './contents.ts'
import { fill, fillHard } from './fill.ts'

let folder: string
let runtime: Runtime

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dump-'))
  runtime = await startRuntime(join(folder, 'd1'))
})
afterAll(async () => {
  await runtime.close()
  await rm(folder, { recursive: true })
})

const file = (name: string) => join(folder, name)

/** A database of D1 as wrangler has migrated it, with its workspace. */
async function newDatabase() {
  const id = runtime.spareDatabases.pop() ?? ''
  const query = async (sql: string, params: unknown[] = []) =>
    (await runtime.query(id, [{ sql, params }]))[0]?.results ?? []
  return { id, query }
}

async function newTenant() {
  const database = await newDatabase()
  const { id, query } = database
  const migrations = `CREATE TABLE d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`
  await runtime.ingest(id, [migrations])
  for (const name of (await readdir('migrations')).toSorted()) {
    await runtime.ingest(id, statementsOf(await readFile(`migrations/${name}`, 'utf8')))
    await query('INSERT INTO d1_migrations (name) VALUES (?)', [name])
  }
  await query(
    "INSERT INTO workspace (id, tenant, name, created_at, updated_at) VALUES (1, 'acme', 'Acme', '', '')",
  )
  return database
}

describe('an export', () => {
  it('carries every value', async () => {
    const { id, query } = await newTenant()
    await fill(query, 50)
    await fillHard(query)
    const options = { no_schema: false, no_data: false, tables: [] }
    await writeFile(file('a.sql'), await runtime.dump(id, options))
    const dump = await readDump(file('a.sql'))
    const found = await runtime.query(
      id,
      cutTextStatements(dump).map((sql) => ({ sql })),
    )
    mendTexts(
      dump,
      found.map(({ results }) => results),
    )
    await writeDump(dump, file('b.sql'))
    const other = await newDatabase()
    await runtime.ingest(other.id, statementsOf(await readFile(file('b.sql'), 'utf8')))
    const [before, after] = [await contentsOf(query), await contentsOf(other.query)]
    expect(before.orders?.length).toBeGreaterThan(100)
    expect(differencesBetween(before, after)).toEqual([])
  })
})
