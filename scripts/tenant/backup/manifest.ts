import { createHash } from 'node:crypto'
import * as z from 'zod'
import { Failure } from '../../failure.ts'
import type { Place } from './place.ts'

export const MANIFEST = 'manifest.json'

const Entry = z.object({
  tenant: z.string(),
  /** Beside the manifest. */
  file: z.string().regex(/^[\w.-]+$/),
  /** Of the file, in hex. */
  sha256: z.string(),
  /** By table. */
  rows: z.record(z.string(), z.number()),
  /** When the export began. */
  taken_at: z.string(),
  migrations: z.array(z.string()),
})
const Manifest = z.object({ tenants: z.array(Entry) })

/** A tenant in a backup. */
export type Entry = z.output<typeof Entry>

/** The tenants that the backup has; none if it has no manifest. */
export async function readManifest(place: Place): Promise<Entry[]> {
  const bytes = await place.read(MANIFEST)
  if (bytes === null) return []
  try {
    return Manifest.parse(JSON.parse(new TextDecoder().decode(bytes))).tenants
  } catch {
    throw new Failure(`${place.title}/${MANIFEST} is not the manifest of a backup.`)
  }
}

/** Adds the tenant, or replaces what the manifest says of it. */
export async function writeEntry(place: Place, entry: Entry): Promise<void> {
  const others = (await readManifest(place)).filter(({ tenant }) => tenant !== entry.tenant)
  const text = `${JSON.stringify({ tenants: [...others, entry] }, null, 2)}\n`
  await place.write(MANIFEST, new Uint8Array(Buffer.from(text)))
}

/** The file of the tenant; null if it is not there as the manifest says. */
export async function readWhole(
  place: Place,
  { file, sha256 }: Pick<Entry, 'file' | 'sha256'>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = await place.read(file)
  return bytes && sha256Of(bytes) === sha256 ? bytes : null
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
