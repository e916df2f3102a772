import { vi } from 'vitest'
import { atUsualSpeed } from '../fixtures/clock.ts'
import type { CallKind, Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { normalized } from '../fixtures/normalized.ts'
import { type Answer, openTenant } from '../fixtures/tenant.ts'

/** A request that may be asked again and again, each time of a database of its own. */
export interface Subject {
  name: string
  /** The rows that it is about, and a caller whom no cache knows; gives the request. */
  prepare: () => Promise<(bindings: object) => Promise<Answer>>
}

/** What one request did, with or without a fault. */
export interface Trial {
  answer: Answer
  calls: CallKind[]
  /** Whether the fault has met a call. */
  hit: boolean
  /** Rows that are gone and rows that are new, the audit log's aside; '' where nothing has changed. */
  effect: string
  /** Its own audit rows. */
  audited: { status: number; error_code: string | null }[]
  /** What it has left in the log. */
  logged: { event: string; request_id?: string }[]
}

const TABLES = [
  'order_items',
  'inventory',
  'inventory_upload_slices',
  'replaced_values',
  'orders',
  'products',
  'locations',
  'delivered_changes',
  'waiting_deliveries',
  'field_mappings',
  'item_codes',
  'item_code_tables',
  'api_keys',
  'partners',
  // Each entry is in the batch of its change.
  'settings_history',
]

// The shortest deadline for a call to D1, 5 s, is 25 ms of sped-up time, and a fault takes up to 10 of them. When a
// machine has been so busy that a call really took about as long, a trial tells nothing, and is made again.
const CALL_MS_MAX = 12
const TRIES_MAX = 20

/** Asks in an otherwise empty database, and waits for all that is still to happen. */
export async function tryOut(subject: Subject, faults: Fault[]): Promise<Trial> {
  for (let left = TRIES_MAX; ; left--) {
    const { slowest, ...trial } = await tryOnce(subject, faults)
    if (slowest <= CALL_MS_MAX || left === 0) return trial
  }
}

async function tryOnce(subject: Subject, faults: Fault[]) {
  const db = await openTenant()
  await db.batch([
    ...[...TABLES, 'audit_log', 'replaced_values'].map((table) =>
      db.prepare(`delete from ${table}`),
    ),
    db.prepare(
      "update workspace set name = 'Test', integration_enabled = 1, keep_documents = null, pause = null, remembered_since = null",
    ),
    // No cache has anything of the callers to come.
    db.prepare('update workspace set settings_version = 1, version = 1'),
    db.prepare('delete from settings_changes'),
    db.prepare('delete from settings_history'),
  ])
  const ask = await atUsualSpeed(subject.prepare)
  const before = await dump(db)
  const { bindings, calls, hits, slowest, drained } = faultyBindings(faults)
  const lines = recordLog()
  const answer = await ask(bindings).finally(lines.stop)
  await drained()
  return {
    answer,
    calls,
    hit: hits.length > 0,
    effect: difference(before, await dump(db)),
    audited: await auditRows(db, answer),
    logged: lines.logged,
    slowest: slowest(),
  }
}

/** Without positions: a row of the log that is stored after its answer may come before or after them. */
async function dump(db: D1Database): Promise<string[]> {
  const results = await db.batch<Record<string, unknown>>([
    db.prepare("select name from sqlite_schema where type = 'index' and sql is not null"),
    db.prepare('select * from workspace'),
    db.prepare('select distinct order_number from order_words join orders on seq = order_seq'),
    ...TABLES.map((table) => db.prepare(`select * from ${table}`)),
  ])
  const places = ['index', 'workspace', 'words of', ...TABLES]
  return results.flatMap(({ results: rows }, at) =>
    rows.map(({ seq, created_seq, log_seq, ...row }) => `${places[at]} ${JSON.stringify(row)}`),
  )
}

function difference(before: string[], after: string[]): string {
  const lines = [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
  return lines.map(normalized).toSorted().join('\n')
}

async function auditRows(db: D1Database, { headers }: Answer): Promise<Trial['audited']> {
  const select = db.prepare('select status, error_code from audit_log where request_id = ?')
  return (await select.bind(headers.get('X-Request-Id')).all<Trial['audited'][number]>()).results
}

function recordLog() {
  const logged: Trial['logged'] = []
  const spies = (['error', 'warn'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line) => logged.push(JSON.parse(line))),
  )
  const stop = () => {
    for (const spy of spies) spy.mockRestore()
  }
  return { logged, stop }
}
