import { env } from 'cloudflare:workers'
import { type Json, openTenant } from '../tenant.ts'
import { DAY_MS, linesOf, NOW, TURNS } from './retention.ts'

export const HOT_DAYS = 30

/** A request of the log: what is not given is as of a read that succeeded. */
export interface Logged {
  request_id?: string
  created_at: string
  api_key_id?: string
  partner_id?: string | null
  record_name?: string | null
  method?: string
  path?: string
  status?: number
  error_code?: string | null
  error_fields?: string | null
  message?: string | null
  dry_run?: number
}

const COLUMNS = {
  settings_version: 1,
  record_id: 'x',
  api_key_id: 'key',
  api_key_name: 'Key',
  partner_id: null,
  partner_name: null,
  method: 'GET',
  path: '/api/integrations/v1/orders/',
  status: 200,
  error_code: null,
  duration_ms: 1,
  record_name: null,
  message: null,
  error_fields: null,
  dry_run: 0,
}

/** Stores the requests in this order. */
export async function addLog(db: D1Database, rows: Logged[]): Promise<void> {
  const names = ['request_id', 'created_at', ...Object.keys(COLUMNS)]
  const whole = rows.map((row) => ({ request_id: crypto.randomUUID(), ...COLUMNS, ...row }))
  for (let at = 0; at < whole.length; at += 2000) {
    await db
      .prepare(
        `insert into audit_log (${names.join(', ')})
         select ${names.map((name) => `value ->> '${name}'`).join(', ')} from json_each(?)`,
      )
      .bind(JSON.stringify(whole.slice(at, at + 2000)))
      .run()
  }
}

/** So many requests, one in each second from then on. */
export function requestsFrom(time: number, count: number, more: Partial<Logged> = {}): Logged[] {
  return Array.from({ length: count }, (_, n) => ({
    created_at: new Date(time + n * 1000).toISOString(),
    ...more,
  }))
}

/** Empties the log, its archive and R2. */
export async function emptyLog(db: D1Database, tenant = 'demo'): Promise<void> {
  await db.batch(
    ['audit_log', 'audit_archives', 'archived_key_uses'].map((name) =>
      db.prepare(`delete from ${name}`),
    ),
  )
  await db.exec(`update workspace set audit_retention_days = 365, audit_hot_days = ${HOT_DAYS}`)
  for (const key of await objectsOf(tenant)) await env.DOCUMENTS.delete(key)
}

/** The names of the tenant's objects. */
export async function objectsOf(tenant = 'demo'): Promise<string[]> {
  const { objects } = await env.DOCUMENTS.list({ prefix: `${tenant}/audit/` })
  return objects.map(({ key }) => key)
}

/** The rows of the objects that the database names, in order of seq. */
export async function archivedRows(db: D1Database, tenant = 'demo'): Promise<Json[]> {
  const { results } = await db.prepare('select * from audit_archives').all<Json>()
  const rows: Json[] = []
  for (const { first_seq, last_seq, sha256, rows: count } of results) {
    const name = `_${first_seq}-${last_seq}_${sha256.slice(0, 16)}.ndjson.gz`
    const key = (await objectsOf(tenant)).find((each) => each.endsWith(name))
    const object = key && (await env.DOCUMENTS.get(key))
    if (!object) throw new Error(`there is no object ${name}`)
    const text = await new Response(object.body.pipeThrough(new DecompressionStream('gzip'))).text()
    const lines = text.trimEnd().split('\n')
    if (lines.length !== count) throw new Error(`${key} has ${lines.length} rows, not ${count}`)
    rows.push(...lines.map((line) => JSON.parse(line)))
  }
  return rows.sort((one, other) => one.seq - other.seq)
}

/** The ids of all requests of the log, wherever they are, in order of seq. */
export async function everyId(db: D1Database, tenant = 'demo'): Promise<string[]> {
  const { results } = await db.prepare('select seq, request_id from audit_log').all<Json>()
  const rows = [...(await archivedRows(db, tenant)), ...results]
  return rows.sort((one, other) => one.seq - other.seq).map(({ request_id }) => request_id)
}

export const countHot = async (db: D1Database) =>
  (await db.prepare('select count(*) as rows from audit_log').first('rows')) as number

/** Runs the cron until the archive has nothing more to do; gives the lines of its event. */
export async function archive(at = NOW, bindings: object = env): Promise<Json[]> {
  const lines: Json[] = []
  await env.KEYS.delete(TURNS)
  for (let run = 0; run < 5; run++) {
    const told = await linesOf(at, bindings)
    lines.push(...told.filter(({ event }) => event === 'audit_archive'))
    if (!lines.at(-1)?.unfinished) break
  }
  return lines
}

export async function openLog(): Promise<D1Database> {
  const db = await openTenant()
  await emptyLog(db)
  return db
}

export const daysBefore = (days: number, of = NOW) => of - days * DAY_MS
