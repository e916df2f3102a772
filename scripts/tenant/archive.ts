import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import {
  type ArchiveObject,
  archiveKey,
  prefixOfArchive,
} from '../../src/engine/log/archive/objects.ts'
import { Failure } from '../failure.ts'
import { ensureBucket } from './bucket.ts'
import { CONFIG } from './config-file.ts'
import { type Environment, placeOf } from './environment.ts'
import type { Dump } from './loaded-dump.ts'
import { type Objects, withObjects } from './objects.ts'
import { step } from './progress.ts'

/** The folder beside an export that has the objects of the audit log's archive. */
export function archiveFolder(file: string): string {
  return `${file}.audit`
}

/** The objects with audit rows that the dump's database names. */
export function archivesIn({ db }: Dump): ArchiveObject[] {
  const table = "SELECT 1 FROM sqlite_master WHERE name = 'audit_archives'"
  if (!db.prepare(table).get()) return []
  const rows = db.prepare('SELECT * FROM audit_archives ORDER BY last_seq').all()
  return rows as unknown as ArchiveObject[]
}

/** The object's name without its folder. */
export function nameOf(slug: string, object: ArchiveObject): string {
  return archiveKey(slug, object).slice(prefixOfArchive(slug).length)
}

/** Whether the bytes are the object's: by the digest of their text. */
export async function isWhole(object: ArchiveObject, bytes: Uint8Array | null): Promise<boolean> {
  if (!bytes) return false
  const text = await promisify(gunzip)(bytes).catch(() => null)
  return text !== null && createHash('sha256').update(text).digest('hex') === object.sha256
}

/** Hands each object to `keep`, checked. Throws a Failure if the bucket lacks one. */
export async function readArchives(
  environment: Environment,
  slug: string,
  archives: ArchiveObject[],
  keep: (name: string, bytes: Uint8Array<ArrayBuffer>, object: ArchiveObject) => Promise<void>,
): Promise<void> {
  if (archives.length === 0) return
  await step('Exporting the archive of its audit log', () =>
    withBucket(environment, slug, async ({ get }) => {
      for (const object of archives) {
        const bytes = await get(archiveKey(slug, object))
        if (!bytes || !(await isWhole(object, bytes))) {
          throw new Failure(
            `The archive of the audit log lacks ${archiveKey(slug, object)}, or it is not what was stored.`,
          )
        }
        await keep(nameOf(slug, object), bytes, object)
      }
    }),
  )
}

/** Writes the objects to the folder beside the export, each whole or not at all. One that is there is written anew. */
export async function exportArchives(
  environment: Environment,
  slug: string,
  archives: ArchiveObject[],
  file: string,
): Promise<void> {
  const folder = archiveFolder(file)
  if (archives.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 })
  await readArchives(environment, slug, archives, async (name, bytes) => {
    const part = join(folder, `${name}.part`)
    await writeFile(part, bytes, { mode: 0o600, flush: true })
    await rename(part, join(folder, name))
  })
}

/** Reads an object from the folder beside an export; null if it is not there. */
export function archiveFileReader(file: string) {
  return async (name: string): Promise<Uint8Array<ArrayBuffer> | null> => {
    const bytes = await readFile(join(archiveFolder(file), basename(name))).catch(() => null)
    return bytes && new Uint8Array(bytes)
  }
}

/** Stores the objects that the bucket does not have. Throws a Failure if `read` does not give one, whole. */
export async function importArchives(
  environment: Environment,
  slug: string,
  archives: ArchiveObject[],
  read: (name: string) => Promise<Uint8Array<ArrayBuffer> | null>,
): Promise<void> {
  if (archives.length === 0) return
  await ensureBucket(environment)
  await step('Storing the archive of its audit log', () =>
    withBucket(environment, slug, async (objects) => {
      for (const object of archives) await importOne(objects, slug, object, read)
    }),
  )
}

async function importOne(
  { get, put }: Objects,
  slug: string,
  object: ArchiveObject,
  read: (name: string) => Promise<Uint8Array<ArrayBuffer> | null>,
): Promise<void> {
  const key = archiveKey(slug, object)
  if (await isWhole(object, await get(key))) return
  const name = nameOf(slug, object)
  const bytes = await read(name)
  if (!bytes || !(await isWhole(object, bytes))) {
    throw new Failure(`The export lacks ${name}, which has archived rows of the audit log.`)
  }
  await put(key, bytes)
  if (!(await isWhole(object, await get(key)))) throw new Failure(`${key} was not stored whole.`)
}

/** Calls `use` with the bucket's objects. Throws a Failure if there is no bucket: then the archive cannot be reached. */
export async function withBucket<T>(
  environment: Environment,
  slug: string,
  use: (objects: Objects) => Promise<T>,
): Promise<T | null> {
  if (!environment.bucket) {
    throw new Failure(
      `Rows of the audit log of ${slug} are in an archive, and there is no bucket${placeOf(environment)}: add r2_buckets to ${CONFIG}.`,
    )
  }
  return await withObjects(environment, use)
}
