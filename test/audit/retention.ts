import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, vi } from 'vitest'
import worker from '../../src/index.ts'
import { type Json, openTenant } from '../tenant.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

/** Of the day's first run. */
export const NOW = Date.UTC(2026, 10, 21, 3)

export let demo: D1Database

export let other: D1Database

beforeEach(async () => {
  demo = await openTenant('demo')
  other = await openTenant('other')
  for (const db of [demo, other]) {
    await db.exec('delete from audit_log')
    await keepFor(db, 365)
  }
  await env.KEYS.delete(TURNS)
})

/** Under this name KV has where the turns stand. */
export const TURNS = 'turns:1'

export const keepFor = (db: D1Database, days: number) =>
  db
    .prepare('update workspace set audit_retention_days = ?, audit_hot_days = 3650')
    .bind(days)
    .run()

/** So many rows of requests that came in then, as they would have left them. */
export async function addRows(db: D1Database, at: number, times = 1, key = 'key'): Promise<void> {
  await db
    .prepare(
      `with recursive turn (n) as (select 1 union all select n + 1 from turn where n < ?1)
       insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
         api_key_name, method, path, status, duration_ms)
       select lower(hex(randomblob(16))), ?2, 1, 'x', ?3, 'key', 'GET',
         '/api/integrations/v1/orders/', 200, 1 from turn`,
    )
    .bind(times, new Date(at).toISOString(), key)
    .run()
}

export const daysAgo = (days: number) => NOW - days * DAY_MS

export const countIn = async (db: D1Database) =>
  (await db.prepare('select count(*) as rows from audit_log').first('rows')) as number

export interface RunOptions {
  at?: number
  bindings?: object
  event?: 'audit_retention' | 'audit_archive' | 'document_retention'
}

/** Runs the cron by the Worker's own entry; gives the lines that it leaves, with their level. */
export async function linesOf(at: number, bindings: object): Promise<Json[]> {
  const lines: Json[] = []
  const spies = (['log', 'warn', 'error'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line) => lines.push({ level, line })),
  )
  try {
    const controller = createScheduledController({ scheduledTime: new Date(at) })
    await worker.scheduled(controller, { KEYS: env.KEYS, ...bindings } as typeof env)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return lines.map(({ level, line }) => ({ level, ...JSON.parse(line) }))
}

/** Runs the cron; gives the one line of the event. */
export async function run({
  at = NOW,
  bindings = env,
  event = 'audit_retention',
}: RunOptions = {}): Promise<Json> {
  const ofEvent = (await linesOf(at, bindings)).filter((line) => line.event === event)
  expect(ofEvent).toHaveLength(1)
  return ofEvent[0]
}

/** The database, with something done ahead of each of its statements. */
export function interrupted(db: D1Database, act: () => unknown): object {
  return {
    prepare: db.prepare.bind(db),
    batch: async (statements: D1PreparedStatement[]) => {
      await act()
      return await db.batch(statements)
    },
  }
}
