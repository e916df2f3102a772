import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Failure } from '../../failure.ts'
import { isWhole, readArchives } from '../archive.ts'
import { exportVerified, rowsOf } from '../dump/verified-export.ts'
import type { Environment, Tenant } from '../environment.ts'
import { step } from '../progress.ts'
import { withCleanup } from '../stop.ts'
import { type Entry, readManifest, readWhole, sha256Of, writeEntry } from './manifest.ts'
import type { Place } from './place.ts'

/** What the backup has of the tenant, whole; null if it has nothing or the file is not what it was. */
export async function findTaken(place: Place, { slug }: Tenant): Promise<Entry | null> {
  const entry = (await readManifest(place)).find(({ tenant }) => tenant === slug)
  return entry && (await readWhole(place, entry)) ? entry : null
}

/** Exports the tenant, stores the file, reads it back, and only then names it in the manifest. */
export async function take(
  environment: Environment,
  { slug, database_name }: Tenant,
  place: Place,
): Promise<Entry> {
  const taken_at = new Date().toISOString()
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-'))
  return await withCleanup(
    () => rm(folder, { recursive: true, force: true }),
    async () => {
      const exported = join(folder, `${slug}.sql`)
      const { extents, migrations, archives } = await exportVerified(
        environment,
        database_name,
        slug,
        exported,
      )
      const bytes = new Uint8Array(await promisify(gzip)(await readFile(exported)))
      const [file, sha256] = [`${slug}.sql.gz`, sha256Of(bytes)]
      const entry = { tenant: slug, file, sha256, rows: rowsOf(extents), taken_at, migrations }
      await readArchives(environment, slug, archives, async (name, packed, object) => {
        const beside = archiveFileOf(slug, name)
        // Of an earlier backup into the same place.
        if (!(await isWhole(object, await place.read(beside)))) await place.write(beside, packed)
      })
      await step(`Storing ${place.title}/${file}`, () => store(place, entry, bytes))
      return entry
    },
  )
}

/** Where a backup has an object of the tenant's audit log. */
export function archiveFileOf(slug: string, name: string): string {
  return `${slug}.audit-${name}`
}

async function store(place: Place, entry: Entry, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await place.write(entry.file, bytes)
  if (!(await readWhole(place, entry))) {
    throw new Failure(`${place.title}/${entry.file} is not what was stored there.`)
  }
  await writeEntry(place, entry)
}
