import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../failure.ts'
import { archiveFileReader } from '../archive.ts'
import { type Entry, readManifest, readWhole, sha256Of } from '../backup/manifest.ts'
import { openPlace, type Place } from '../backup/place.ts'
import { archiveFileOf } from '../backup/take.ts'
import type { Options } from '../command.ts'
import { migrateDump, readDump } from '../dump/dump.ts'
import type { Environment } from '../environment.ts'
import type { Dump } from '../loaded-dump.ts'
import { withCleanup } from '../stop.ts'

const DAYS_MAX = 30
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** A backup or an export, loaded and with all migrations of this build. */
export interface Backup {
  /** Of the file. */
  sha256: string
  /** A file on this machine. */
  file: string
  dump: Dump
  /** All that was written before is in it. */
  taken_at: string
  /** Reads an object of the audit log's archive; null if the backup does not have it. */
  readArchive: (name: string) => Promise<Uint8Array<ArrayBuffer> | null>
}

/** The time in ISO 8601. Throws a Failure with exit code 2 unless D1 can set a database back to it. */
export function parseTime(text: string, now = new Date()): string {
  const time = new Date(text)
  if (!TIME.test(text) || Number.isNaN(time.getTime())) {
    throw new Failure(`--to must be a time such as 2026-11-21T10:30:00Z, not "${text}".`, 2)
  }
  if (time > now) throw new Failure(`--to must be in the past, not ${text}.`, 2)
  const oldest = new Date(now)
  oldest.setDate(oldest.getDate() - DAYS_MAX)
  if (time >= oldest) return time.toISOString()
  throw new Failure(
    `${text} is more than ${DAYS_MAX} days ago: use a backup, with --from <folder or file>.`,
    2,
  )
}

/**
 * Calls `use` with the tenant's backup that --from names. Throws a Failure unless it is whole. `inUse` gives the migrations
 * that the tenant's database has.
 */
export async function withBackup<T>(
  environment: Environment,
  slug: string,
  { from = '', r2 }: Options,
  inUse: () => Promise<string[]>,
  use: (backup: Backup) => Promise<T>,
): Promise<T> {
  const found = await find(environment, slug, from, r2)
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
  return await withCleanup(
    () => rm(folder, { recursive: true, force: true }),
    async () => {
      const file = join(folder, found.file)
      await writeFile(file, found.bytes, { mode: 0o600 })
      const dump = await readDump(file)
      if (dump.tenant !== slug) {
        throw new Failure(`${found.title} holds the tenant ${dump.tenant}, not ${slug}.`)
      }
      await migrateDump(dump, inUse)
      const taken_at = found.taken_at ?? newestIn(dump)
      const { readArchive } = found
      return await use({ sha256: sha256Of(found.bytes), file, dump, taken_at, readArchive })
    },
  )
}

async function find(environment: Environment, slug: string, from: string, r2: boolean) {
  const isFile = !r2 && (await stat(from).catch(() => null))?.isFile()
  const place = openPlace(environment, isFile ? dirname(from) : from, r2)
  const title = isFile ? from : place.title
  const entries = await manifestOf(place, Boolean(isFile))
  const beside = (name: string) => place.read(archiveFileOf(slug, name))
  if (isFile) {
    const file = basename(from)
    const entry = entries.find((other) => other.file === file)
    const bytes = entry ? await wholeOf(place, entry) : await place.read(file)
    const readArchive = entry ? beside : archiveFileReader(from)
    if (bytes) return { title, file, bytes, taken_at: entry?.taken_at ?? null, readArchive }
  }
  const entry = entries.find(({ tenant }) => tenant === slug)
  if (!entry) throw new Failure(`There is no backup of ${slug} in ${title}.`, 2)
  return { title, ...entry, bytes: await wholeOf(place, entry), readArchive: beside }
}

/** A file may lie anywhere, also beside another manifest.json. */
async function manifestOf(place: Place, isFile: boolean): Promise<Entry[]> {
  return await readManifest(place).catch((error) => {
    if (isFile) return []
    throw error
  })
}

async function wholeOf(place: Place, entry: Entry): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readWhole(place, entry)
  if (bytes) return bytes
  throw new Failure(
    `${place.title}/${entry.file} is missing or is not the file that the manifest names (SHA-256).`,
  )
}

/** The log's newest row, or the workspace if there is none: the export is younger. */
function newestIn({ db }: Dump): string {
  const sql = `SELECT coalesce((SELECT max(created_at) FROM audit_log), created_at) AS at FROM workspace`
  return String(db.prepare(sql).get()?.at)
}
