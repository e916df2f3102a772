import { readdir, readFile, writeFile } from 'node:fs/promises'
import type { SQLInputValue } from 'node:sqlite'
import { unstable_splitSqlQuery as statementsOf } from 'wrangler'
import { readDump } from '../../scripts/tenant/dump/dump.ts'
import { writeDump } from '../../scripts/tenant/dump/file.ts'
import { insertKey, insertWorkspace } from '../../scripts/tenant/rows.ts'
import { mintKey } from '../../src/identity/key.ts'
import type { Statement } from './cloudflare/runtime.ts'
import type { Cloudflare } from './cloudflare.ts'
import { type Contents, contentsOf } from './contents.ts'
import type { Project } from './project.ts'

const MIGRATIONS = (await readdir('migrations')).toSorted()

// As wrangler makes it.
const TABLE = `CREATE TABLE d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** A tenant's database as SQL, through so many of the migrations; all of them unless said. */
export async function newTenantSql(slug: string, through = MIGRATIONS.length): Promise<string> {
  const names = MIGRATIONS.slice(0, through)
  const files = await Promise.all(names.map((name) => readFile(`migrations/${name}`, 'utf8')))
  const applied = names.map((name) => `INSERT INTO d1_migrations (name) VALUES ('${name}');`)
  return [`${TABLE};`, ...files, ...applied, `${insertWorkspace(slug, 'Acme')};`].join('\n')
}

export interface TenantFile {
  /** Of a key with every scope. */
  key: string
  contents: Contents
}

/** Writes an export of a tenant, as `npm run tenant -- export` does. */
export async function writeTenantFile(
  file: string,
  slug: string,
  rows: Statement[],
  through?: number,
): Promise<TenantFile> {
  await writeFile(file, await newTenantSql(slug, through))
  const dump = await readDump(file)
  const key = await mintKey(slug)
  dump.db.exec(insertKey(key, 'All', ['integrations.*', 'settings.*']))
  for (const { sql, params = [] } of rows) dump.db.prepare(sql).run(...(params as SQLInputValue[]))
  await writeDump(dump, file)
  return { key: key.value, contents: await contentsOf((sql) => dump.db.prepare(sql).all()) }
}

/**
 * Puts a tenant into staging past the program, with its block; it answers from the next deployment on.
 * Gives a key with every scope.
 */
export async function placeTenant(
  cloudflare: Cloudflare,
  project: Project,
  slug: string,
  rows: Statement[],
): Promise<string> {
  const name = `crossdock-staging-${slug}`
  const database_id = cloudflare.create(name)
  const key = await mintKey(slug)
  const sql = `${await newTenantSql(slug)}\n${insertKey(key, 'All', ['integrations.*', 'settings.*'])};`
  await cloudflare.write(name, [...statementsOf(sql).map((text) => ({ sql: text })), ...rows])
  await project.write(
    'wrangler.toml',
    `${await project.read('wrangler.toml')}
[[env.staging.d1_databases]]
binding = "DB_${slug.toUpperCase()}"
database_name = "${name}"
database_id = "${database_id}"
migrations_dir = "migrations"
`,
  )
  return key.value
}
