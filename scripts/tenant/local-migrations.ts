import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { literal } from './rows.ts'
import { runWrangler } from './wrangler.ts'

// As wrangler creates it.
const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`

/**
 * Applies migrations to a database on this machine in one run, as `wrangler d1 migrations apply` starts a new
 * runtime for each of them. If one fails, the run has no effect and does not name it: then wrangler applies
 * those before it one by one, and names the file.
 */
export async function applyHere(database: string, pending: string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
  const file = join(folder, 'pending.sql')
  try {
    await writeFile(file, await sqlOf(pending))
    await runWrangler(['d1', 'execute', database, '--local', '--file', file, '-y'])
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await runWrangler(['d1', 'migrations', 'apply', database, '--local'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function sqlOf(pending: string[]): Promise<string> {
  const files = await Promise.all(pending.map((name) => readFile(join('migrations', name), 'utf8')))
  const applied = pending.map(
    (name) => `INSERT INTO d1_migrations (name) VALUES (${literal(name)});`,
  )
  return [TABLE, ...files, ...applied].join('\n')
}
