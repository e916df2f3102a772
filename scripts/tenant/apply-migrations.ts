import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { runFile, targetOf } from './databases.ts'
import type { Databases } from './environment.ts'
import { literal } from './rows.ts'
import { readState } from './state.ts'
import { runWrangler } from './wrangler.ts'

// As wrangler creates it.
const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`

// D1 splits the statements of `migrations apply` itself and has failed to find the ends of correct ones (workers-sdk 4326,
// 4713). It then reports half a statement.
const IS_SPLIT_WRONG = /incomplete input|syntax error|unrecognized token/i

/** Applies the migrations that the database lacks, in order. Each takes effect whole or not at all. */
export async function applyMigrations(
  environment: Databases,
  database: string,
  pending: string[],
): Promise<void> {
  if (environment.name === null) return await applyAsFiles(environment, database, pending)
  try {
    await runWrangler(['d1', 'migrations', 'apply', database, ...targetOf(environment)])
  } catch (error) {
    if (!(error instanceof Failure && IS_SPLIT_WRONG.test(error.message))) throw error
    const state = await readState(environment, database)
    await applyAsFiles(environment, database, state.pending)
  }
}

/** D1 does not split a file that it imports. */
async function applyAsFiles(environment: Databases, database: string, names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
  try {
    for (const name of names) {
      const file = join(folder, name)
      await writeFile(file, await sqlOf(name))
      await runFile(environment, database, file).catch((error: unknown) => {
        throw error instanceof Failure ? new Failure(`${name}: ${error.message}`) : error
      })
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function sqlOf(name: string): Promise<string> {
  const sql = await readFile(join('migrations', name), 'utf8')
  return [TABLE, sql, `INSERT INTO d1_migrations (name) VALUES (${literal(name)});`].join('\n')
}
