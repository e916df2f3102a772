import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { withoutSqliteErrors } from '../disk.ts'
import { Failure } from '../failure.ts'

const FOLDER = '.wrangler'
const FILE = `${FOLDER}/start.lock`
const ADDRESS_FILE = `${FOLDER}/start.address`
// https://www.sqlite.org/rescode.html#busy
const SQLITE_BUSY = 5
// Longer than `isLocked` looks at the lock.
const PATIENCE_MS = 500

/**
 * Makes sure that only one `npm start` runs in this folder. The lock ends with `release` or with the process,
 * even a killed one. Throws a Failure if another one runs.
 */
export async function lockFolder(): Promise<{ release: () => void }> {
  await mkdir(FOLDER, { recursive: true })
  try {
    const lock = exclusiveLock()
    if (lock) {
      // Of an earlier start.
      await rm(ADDRESS_FILE, { force: true })
      return { release: () => lock.close() }
    }
  } catch (error) {
    throw withoutSqliteErrors(FILE, error)
  }
  throw await alreadyRunning()
}

/** Saves the address of the server that has the lock. */
export async function saveAddress(port: number): Promise<void> {
  const draft = `${ADDRESS_FILE}.tmp`
  await writeFile(draft, addressOf(port))
  await rename(draft, ADDRESS_FILE)
}

export function addressOf(port: number): string {
  return `http://localhost:${port}`
}

/** The address of the `npm start` that runs in this folder, which may not answer yet; null if none runs. */
export async function runningServer(): Promise<string | null> {
  if (!isLocked()) return null
  return await readFile(ADDRESS_FILE, 'utf8').catch(() => null)
}

/** Null if another process has it. Node has no other file lock than SQLite's. */
function exclusiveLock(): DatabaseSync | null {
  const lock = new DatabaseSync(FILE, { timeout: PATIENCE_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) return null
    throw error
  }
}

function isLocked(): boolean {
  if (!existsSync(FILE)) return false
  const lock = new DatabaseSync(FILE, { readOnly: true })
  try {
    lock.prepare('SELECT 1 FROM sqlite_master').all()
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    lock.close()
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

/** Names the other server's address if it has chosen one already. */
async function alreadyRunning(): Promise<Failure> {
  const origin = await runningServer()
  const where = origin === null ? '' : `, at ${origin}`
  return new Failure(
    `npm start already runs in this folder${where}: stop it first. To run two servers, clone the project into another folder and set another PORT.`,
  )
}
