import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { migrateDump, readDump } from '../../scripts/tenant/dump/dump.ts'
import { writeDump } from '../../scripts/tenant/dump/file.ts'
import { insertKey, insertWorkspace } from '../../scripts/tenant/rows.ts'
import { mintKey } from '../../src/engine/identity/key.ts'
import type { Statement } from './cloudflare/runtime.ts'
import { type Contents, contentsOf } from './contents.ts'

// As wrangler makes it.
const TABLE = `CREATE TABLE d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** A tenant without keys as SQL, with the migrations of a folder. */
export async function newTenantSql(slug: string, folder = 'migrations') {
  const names = (await readdir(folder)).toSorted()
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const applied = names.map((name) => `INSERT INTO d1_migrations (name) VALUES ('${name}');`)
  return [`${TABLE};`, ...files, ...applied, `${insertWorkspace(slug, slug, false)};`].join('\n')
}

export interface TenantFile {
  /** Of a key with every scope. */
  key: string
  contents: Contents
}

/** Writes a tenant with these rows to the file, as an export of it; contents are those once migrated. */
export async function writeTenant(
  file: string,
  slug: string,
  rows: Statement[],
): Promise<TenantFile> {
  await writeFile(file, await newTenantSql(slug))
  const dump = await readDump(file)
  const key = await mintKey(slug)
  dump.db.exec(insertKey(key, 'All', ['integrations.*', 'settings.*']))
  for (const { sql, params = [] } of rows) dump.db.prepare(sql).run(...(params as SQLInputValue[]))
  await writeDump(dump, file)
  await migrateDump(dump)
  return { key: key.value, contents: await contentsOf((sql) => dump.db.prepare(sql).all()) }
}
