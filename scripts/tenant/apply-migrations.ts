import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { runFile, type Target, targetOf } from './databases.ts'
import type { Environment } from './environment.ts'
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

/** Applies the migrations that the database lacks. Each, or on this machine all of them, takes effect whole or not at all. */
export async function applyMigrations(
  environment: Environment,
  database: string,
  pending: string[],
): Promise<void> {
  if (environment.name === null) return await applyHere(database, pending)
  try {
    await applyByWrangler(environment, database)
  } catch (error) {
    if (!(error instanceof Failure && IS_SPLIT_WRONG.test(error.message))) throw error
    const state = await readState(environment, database)
    for (const name of state.pending) await applyAsFile(environment, database, [name])
  }
}

/**
 * Applies migrations to a database on this machine in one run, as `wrangler d1 migrations apply` starts a new
 * runtime for each of them. If one fails, the run has no effect and does not name it: then wrangler applies
 * those before it one by one, and names the file.
 */
export async function applyHere(database: string, pending: string[]): Promise<void> {
  const here = { name: null }
  try {
    await applyAsFile(here, database, pending)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await applyByWrangler(here, database)
  }
}

async function applyByWrangler(environment: Target, database: string): Promise<void> {
  await runWrangler(['d1', 'migrations', 'apply', database, ...targetOf(environment)])
}

/** The import of a file does not split it, and has an effect as a whole or not at all. */
async function applyAsFile(environment: Target, database: string, names: string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
  const file = join(folder, 'pending.sql')
  try {
    await writeFile(file, await sqlOf(names))
    await runFile(environment, database, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function sqlOf(names: string[]): Promise<string> {
  const files = await Promise.all(names.map((name) => readFile(join('migrations', name), 'utf8')))
  const applied = names.map((name) => `INSERT INTO d1_migrations (name) VALUES (${literal(name)});`)
  return [TABLE, ...files, ...applied].join('\n')
}
