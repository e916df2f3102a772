import { type BucketRange, lastBuckets } from '../../src/requests/traffic/buckets.ts'
import { summarizeTraffic } from '../../src/requests/traffic/queries.ts'
import type { Subjects } from '../../src/requests/traffic/statements.ts'
import { meteredDatabase } from '../fixtures/metered.ts'

export const HOUR = 3_600_000

export const DAY = () => lastBuckets(24, 3600)
export const WEEK = () => lastBuckets(28, 6 * 3600)

/** The traffic, and what the database has done for it. */
export async function summarize(range: BucketRange = DAY(), subjects: Subjects = {}) {
  const { db, meter } = await meteredDatabase()
  const traffic = await summarizeTraffic(db, range, subjects)
  return { traffic, meter }
}

export const startOf = (hours: number) => Math.floor(Date.now() / (hours * HOUR)) * hours * HOUR
export const iso = (time: number) => new Date(time).toISOString()
