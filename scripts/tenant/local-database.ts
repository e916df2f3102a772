import { createHash, createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../failure.ts'

// Where wrangler stores local D1 databases. Each is a Durable Object whose file is named after its id.
const LOCAL_CLASS = 'miniflare-D1DatabaseObject'
const LOCAL_FOLDER = `.wrangler/state/v3/d1/${LOCAL_CLASS}`

/** How long to wait while a running server writes. */
const BUSY_MS_MAX = 10_000

/**
 * Runs the statements as one batch: either all take effect or none. Wrangler would start a runtime for each batch, which
 * takes three seconds of CPU. A database that nobody has written to has no tables.
 */
export function queryHere(database_id: string, statements: string[]): Record<string, unknown>[][] {
  return within(database_id, (db) => statements.map((sql) => db.prepare(sql).all()))
}

/** Runs the statements of a file in the same way. False if only wrangler can, since there is no database yet. */
export async function runFileHere(database_id: string, file: string): Promise<boolean> {
  if (!existsSync(localFileOf(database_id))) return false
  const sql = await readFile(file, 'utf8')
  within(database_id, (db) => db.exec(sql))
  return true
}

function within<Result>(database_id: string, work: (db: DatabaseSync) => Result): Result {
  const file = localFileOf(database_id)
  const db = new DatabaseSync(existsSync(file) ? file : ':memory:', { timeout: BUSY_MS_MAX })
  try {
    db.exec('BEGIN IMMEDIATE')
    const result = work(db)
    db.exec('COMMIT')
    return result
  } catch (error) {
    throw new Failure(`${file}: ${error instanceof Error ? error.message : error}`)
  } finally {
    // What was not committed has no effect.
    db.close()
  }
}

/** The size in bytes with the write-ahead log; null before the first query. */
export async function localSizeOf(database_id: string): Promise<number | null> {
  const file = localFileOf(database_id)
  const sizes = await Promise.all(
    [file, `${file}-wal`].map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size) || null
}

export async function deleteHere(database_id: string): Promise<void> {
  for (const suffix of ['-wal', '-shm', ''])
    await rm(localFileOf(database_id) + suffix, { force: true })
}

/** The path of the database's file. Computes the Durable Object's id from its name as miniflare does. */
function localFileOf(database_id: string): string {
  const key = createHash('sha256').update(LOCAL_CLASS).digest()
  const sign = (message: string | Buffer) =>
    createHmac('sha256', key).update(message).digest().subarray(0, 16)
  const name = sign(database_id)
  return `${LOCAL_FOLDER}/${Buffer.concat([name, sign(name)]).toString('hex')}.sqlite`
}
