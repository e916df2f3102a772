import { mkdir } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../failure.ts'
import { runningServer } from './running.ts'

const FILE = '.wrangler/start.lock'
// https://www.sqlite.org/rescode.html#busy
const SQLITE_BUSY = 5

/**
 * Makes sure that only one `npm start` runs in this folder. The lock ends with `release` or with the process,
 * even a killed one. Throws a Failure if another one runs.
 */
export async function lockFolder(): Promise<{ release: () => void }> {
  await mkdir('.wrangler', { recursive: true })
  // Node has no other file lock than SQLite's.
  const lock = new DatabaseSync(FILE)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw await alreadyRunning()
    }
    throw error
  }
  return { release: () => lock.close() }
}

/** Names the other server's address if it serves already. */
async function alreadyRunning(): Promise<Failure> {
  const origin = await runningServer()
  const where = origin === null ? '' : `, at ${origin}`
  return new Failure(
    `npm start already runs in this folder${where}: stop it first. To run two servers, clone the project into another folder and set another PORT.`,
  )
}
