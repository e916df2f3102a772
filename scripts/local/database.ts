import { createHash, createHmac } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
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
  const file = localFileOf(database_id)
  const work = (db: DatabaseSync) => statements.map((sql) => db.prepare(sql).all())
  return within(existsSync(file) ? file : ':memory:', work)
}

/** Runs the statements of a text in the same way. Makes the database's file if nobody has written to it yet. */
export function runHere(database_id: string, sql: string): void {
  mkdirSync(LOCAL_FOLDER, { recursive: true })
  within(localFileOf(database_id), (db) => db.exec(sql))
}

function within<Result>(file: string, work: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(file, { timeout: BUSY_MS_MAX })
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
