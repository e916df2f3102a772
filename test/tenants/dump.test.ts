import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unstable_splitSqlQuery as statementsOf } from 'wrangler'
import { cutTextStatements, mendTexts } from '../../scripts/tenant/dump/cut-texts.ts'
import {
  differencesOf,
  extentStatements,
  extentsFrom,
  extentsOf,
  migrateDump,
  readDump,
} from '../../scripts/tenant/dump/dump.ts'
import { writeDump } from '../../scripts/tenant/dump/file.ts'
import type { Dump } from '../../scripts/tenant/loaded-dump.ts'
import { sample } from '../fixtures/depth.ts'
import { type Runtime, type Statement, startRuntime } from './cloudflare/runtime.ts'
import { contentsOf, differencesBetween } from './contents.ts'
import { filling } from './fill.ts'
import { TEXTS } from './hard-values.ts'
import { newTenantSql } from './new-tenant.ts'

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

class Database {
  readonly id = runtime.spareDatabases.pop() ?? ''

  async query(...statements: Statement[]) {
    return (await runtime.query(this.id, statements)).map(({ results }) => results)
  }

  contents() {
    return contentsOf(async (sql) => (await this.query({ sql }))[0] ?? [])
  }

  ingest(sql: string) {
    return runtime.ingest(this.id, statementsOf(sql))
  }

  /** As `wrangler d1 export` writes it. */
  export() {
    return runtime.dump(this.id, { no_schema: false, no_data: false, tables: [] })
  }
}

async function newTenant(...rows: Statement[]): Promise<Database> {
  const database = new Database()
  await database.ingest(await newTenantSql('acme'))
  await database.query(...rows)
  return database
}

async function read(sql: string): Promise<Dump> {
  const file = join(folder, `${crypto.randomUUID()}.sql`)
  await writeFile(file, sql)
  return await readDump(file)
}

async function written(dump: Dump): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.sql`)
  await writeDump(dump, file)
  return await readFile(file, 'utf8')
}

async function mend(dump: Dump, database: Database) {
  mendTexts(dump, await database.query(...cutTextStatements(dump).map((sql) => ({ sql }))))
}

const order = (id: string, notes: string) => ({
  sql: "INSERT INTO orders (id, order_number, notes, created_at, updated_at) VALUES (?1, ?1, ?2, '', '')",
  params: [id, notes],
})

describe('an export', () => {
  it('carries every value to another database', async () => {
    const from = await newTenant(...filling(50))
    const dump = await read(await from.export())
    await mend(dump, from)
    const to = new Database()
    await to.ingest(await written(dump))
    const contents = await from.contents()
    expect(contents.orders?.length).toBeGreaterThan(100)
    expect(differencesBetween(contents, await to.contents())).toEqual([])
  })

  it('is found to lack a row, a text, an index, a trigger, a seq', async () => {
    const database = await newTenant(...filling(3))
    const exported = await database.export()
    const expected = async (dump: Dump) => {
      const statements = extentStatements(dump).map((sql) => ({ sql }))
      return extentsFrom((await database.query(...statements)).map(([row]) => row))
    }
    const differences = async (sql: string) => {
      const dump = await read(sql)
      await mend(dump, database)
      return differencesOf(await expected(dump), extentsOf(dump))
    }
    expect(await differences(exported)).toEqual([])
    for (const [lost, table] of [
      [/INSERT INTO "inventory".*/, 'inventory'],
      [/荷荷/, 'partners'],
      [/CREATE INDEX .*/, 'sqlite_master'],
      [/CREATE TRIGGER field_mappings_removed[\s\S]*?END;/, 'sqlite_master'],
      [/INSERT INTO "sqlite_sequence".*'orders'.*/, 'sqlite_sequence'],
    ] as const) {
      expect(exported).toMatch(lost)
      expect(await differences(exported.replace(lost, ''))).toEqual([
        expect.stringMatching(`^${table}: \\d+ of \\d+ (?:rows|octets)$`),
      ])
    }
  })

  it('has a row that was changed meanwhile as it is then, not a half of each', async () => {
    const database = await newTenant({
      sql: "INSERT INTO products (id, sku, cost, custom_fields, created_at, updated_at) VALUES ('p', 'p', '1', '{\"a\":\n\"\\n\"}', '', '')",
    })
    const dump = await read(await database.export())
    await database.query({
      sql: "UPDATE products SET quantity = 7, cost = '2', updated_at = 'now'",
    })
    await mend(dump, database)
    const [rows] = await database.query({ sql: 'SELECT * FROM products' })
    expect([{ ...dump.db.prepare('SELECT * FROM products').get() }]).toEqual(rows)
  })

  it('is as good when wrangler has written it, but for backslashes beside line breaks', async () => {
    const spared = TEXTS.filter((text) => !/\\/.test(text) || !/[\r\n]/.test(text))
    const database = await newTenant(...spared.map((text, index) => order(`${index}`, text)))
    const dump = await read(await database.export())
    const notes = dump.db.prepare('SELECT notes FROM orders ORDER BY seq').all()
    expect(notes.map((row) => row.notes)).toEqual(spared)
    expect(spared.length).toBeGreaterThan(20)
  })
})

describe('a file that is imported', () => {
  const refusalOf = (sql: string) =>
    read(sql)
      .then(migrateDump)
      .then(() => null, String)

  it('is one of a tenant', async () => {
    const whole = await newTenantSql('acme')
    const line = 'INSERT INTO order_items (order_id, position, id, sku_code, quantity)'
    for (const [sql, reason] of [
      ['', 'is not an export of a tenant: no such table: workspace'],
      ['Dear Sir or Madam', 'is not an export of a tenant: near "Dear": syntax error'],
      ['CREATE TABLE workspace (tenant)', 'is not an export of a tenant: it has no workspace'],
      ["CREATE TABLE workspace AS SELECT 'a' AS tenant", 'no such table: d1_migrations'],
      [`${whole}; DELETE FROM workspace`, 'it has no workspace'],
      [`${whole}; ${line} VALUES ('no', 0, 'a', 'no', 1)`, 'a row of order_items refers to one'],
      [
        `${whole}; INSERT INTO d1_migrations (name) VALUES ('9999_next.sql')`,
        'comes from a newer Crossdock, with 9999_next.sql',
      ],
      [`${whole}; DROP INDEX products_active`, 'it lacks the index products_active'],
    ] as const) {
      expect(await refusalOf(sql), sql.slice(-60)).toContain(reason)
    }
    expect(await refusalOf(whole)).toBeNull()
  })

  it('is whole: none that is cut off anywhere will do', async () => {
    const index = { sql: 'CREATE INDEX orders_by_name ON orders (customer_name)' }
    const database = await newTenant(order('a', 'b'), order('c', 'd'), index)
    const exported = await database.export()
    for (const sql of [exported, await written(await read(exported))]) {
      expect(await refusalOf(sql)).toBeNull()
      const lines = sql.trimEnd().split('\n')
      expect(lines.length).toBeGreaterThan(100)
      for (const end of sample([...lines.keys()], 25)) {
        const cut = lines.slice(0, end).join('\n')
        expect(await refusalOf(cut), cut.slice(-100)).toMatch(/not an export|not complete/)
      }
    }
  })

  it('may be ahead of the folder where the tenant is so already, as after a rollback', async () => {
    const next = "INSERT INTO d1_migrations (name) VALUES ('9999_next.sql');"
    const ahead = await read(`${await newTenantSql('acme')}\n${next}`)
    await expect(migrateDump(ahead, async () => ['9998_other.sql'])).rejects.toThrow(
      '9999_next.sql',
    )
    await migrateDump(ahead, async () => ahead.applied)
    expect(ahead.applied.at(-1)).toBe('9999_next.sql')
  })
})
