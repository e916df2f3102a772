import { Failure } from '../../failure.ts'
import type { Environment } from '../environment.ts'
import { type Objects, withObjects } from '../objects.ts'
import { MANIFEST, readManifest } from './manifest.ts'
import { openPlace, PREFIX } from './place.ts'

/** Older ones are as good as none: the workflow takes one each night. */
const DAYS_MAX = 7
const DAY_MS = 86_400_000

/** The newest backup in the environment's bucket. */
export interface Newest {
  /** Such as `2026-11-23T03-00-00Z`. */
  name: string
  tenants: string[]
}

/** Null if the last days have none, or there is no bucket. A folder without a time for a name is not found. */
export async function newestBackup(environment: Environment, now: Date): Promise<Newest | null> {
  return await withObjects(environment, async (objects) => {
    for (let days = 0; days <= DAYS_MAX; days++) {
      const day = new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10)
      const name = (await namesOf(objects, day)).toSorted().at(-1)
      if (name === undefined) continue
      const entries = await readManifest(openPlace(environment, name, true))
      return { name, tenants: entries.map(({ tenant }) => tenant) }
    }
    return null
  })
}

/** Of backups of the day that have a manifest. */
async function namesOf({ list }: Objects, day: string): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(`${PREFIX}${day}`, cursor)
    const manifests = page.objects.filter(({ key }) => key.endsWith(`/${MANIFEST}`))
    names.push(...manifests.map(({ key }) => key.slice(PREFIX.length, -MANIFEST.length - 1)))
    cursor = page.cursor
  } while (cursor !== null)
  return names
}

/** For people: when the last backup was taken, and of whom it has nothing. */
export async function tellOfBackup(environment: Environment, slugs: string[]): Promise<string[]> {
  const { name, bucket } = environment
  if (name === null || bucket === null || slugs.length === 0) return []
  try {
    const newest = await newestBackup(environment, new Date())
    if (!newest) return [`Backups in ${bucket.name}: none of the last ${DAYS_MAX} days.`]
    const missing = slugs.filter((slug) => !newest.tenants.includes(slug))
    const lacks = missing.length > 0 ? `; it lacks ${missing.join(', ')}` : ''
    return [`Last backup in ${bucket.name}: ${newest.name}${lacks}.`]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [`The backups in ${bucket.name} cannot be read: ${error.message}`]
  }
}
