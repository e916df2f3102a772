import { readdir, readFile } from 'node:fs/promises'
import { insertWorkspace } from '../../scripts/tenant/rows.ts'

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
