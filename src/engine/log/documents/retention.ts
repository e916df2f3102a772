import { sql } from 'drizzle-orm'
import type { Chunk, Job } from '../../cron/job.ts'
import type { Connection } from '../../db/connect.ts'
import { qb } from '../../db/prepared.ts'
import { partners, workspace } from '../../db/tables.ts'
import { DAY_MS } from '../../json/date-time.ts'
import { KEPT_DAYS_MAX } from '../../redaction/policy.ts'
import { R2_OBJECTS_MAX } from '../objects.ts'
import { deleteChunkOf, foldersIn } from './deletion.ts'
import { documentsPrefix } from './store.ts'

// More than it takes to look at each of 91 days, so that each chunk gets further.
const CHUNK_CALLS_MAX = 400

/** Days for which a partner's documents are kept, by its id (`-` without a partner); no entry if none are. */
type DaysKept = ReadonlyMap<string, number>

interface Deletion extends Chunk {
  bucket: R2Bucket
}

/**
 * Deletes from R2 the documents that have passed their day: those of days that are over for more days than their
 * partner's policy, or the workspace's, says by now; all where it says none; in any case after 90.
 */
export function documentRetention(bucket: R2Bucket): Job {
  return {
    name: 'documents',
    event: 'document_retention',
    counts: ['documents_deleted', 'calls'],
    queries_max: 2,
    calls_max: CHUNK_CALLS_MAX,
    async work(chunk) {
      const spend = () => {
        chunk.spend()
        chunk.add('calls', 1)
      }
      await deleteExpired({ ...chunk, bucket, spend })
      return false
    },
  }
}

async function deleteExpired(deletion: Deletion): Promise<void> {
  const { bucket, tenant, connection, spend } = deletion
  const days = await foldersIn(bucket, documentsPrefix(tenant), spend)
  if (days.length === 0) return
  const kept = await daysKept(connection)
  for (const day of days) {
    const prefix = `${documentsPrefix(tenant)}${day}/`
    if (hasPassed(deletion, day, KEPT_DAYS_MAX)) {
      await deleteAll(deletion, prefix)
      continue
    }
    for (const owner of await foldersIn(bucket, prefix, spend)) {
      const ofOwner = kept.get(owner)
      if (ofOwner === undefined || hasPassed(deletion, day, ofOwner)) {
        await deleteAll(deletion, `${prefix}${owner}/`)
      }
    }
  }
}

/** Whether the last moment of the day is so many days ago. */
function hasPassed({ now }: Deletion, day: string, days: number): boolean {
  return Date.parse(day) + (days + 1) * DAY_MS <= Date.parse(now)
}

/** Each round is two calls, one to list and one to delete. */
async function deleteAll({ bucket, spend, add }: Deletion, prefix: string): Promise<void> {
  for (let deleted = R2_OBJECTS_MAX; deleted === R2_OBJECTS_MAX; ) {
    spend()
    spend()
    deleted = await deleteChunkOf(bucket, prefix)
    add('documents_deleted', deleted)
  }
}

/** Of deleted partners too. */
async function daysKept(connection: Connection): Promise<DaysKept> {
  const days = sql<number | null>`keep_documents ->> 'days'`
  const [[own], others] = await connection.batch([
    qb.select({ days }).from(workspace),
    qb.select({ id: partners.id, days }).from(partners).where(sql`keep_documents is not null`),
  ])
  const all = [{ id: '-', days: own?.days ?? null }, ...others]
  return new Map(all.flatMap(({ id, days: kept }) => (kept === null ? [] : [[id, kept]])))
}
