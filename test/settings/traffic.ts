import { env } from 'cloudflare:workers'
import { connect, newMeter } from '../../src/engine/db/connect.ts'
import { TenantDatabase } from '../../src/engine/db/transact.ts'
import { type BucketRange, lastBuckets } from '../../src/requests/traffic/buckets.ts'
import { summarizeTraffic } from '../../src/requests/traffic/queries.ts'
import type { Subjects } from '../../src/requests/traffic/statements.ts'
import { limits } from '../fixtures/pace.ts'

export const HOUR = 3_600_000

export const DAY = () => lastBuckets(24, 3600)
export const WEEK = () => lastBuckets(28, 6 * 3600)

/** The traffic, and what the database has done for it. */
export async function summarize(range: BucketRange = DAY(), subjects: Subjects = {}) {
  const version = await env.DB_DEMO.prepare('select settings_version from workspace').first<number>(
    'settings_version',
  )
  const meter = newMeter()
  const subject = {
    settings_version: version,
    api_key_id: 'key',
    partner_id: null,
  } as ConstructorParameters<typeof TenantDatabase>[1]
  const traffic = await summarizeTraffic(
    new TenantDatabase(connect(env.DB_DEMO, meter), subject, limits),
    range,
    subjects,
  )
  return { traffic, meter }
}

export const startOf = (hours: number) => Math.floor(Date.now() / (hours * HOUR)) * hours * HOUR
export const iso = (time: number) => new Date(time).toISOString()
