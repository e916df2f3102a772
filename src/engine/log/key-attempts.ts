import { LRUCache } from 'lru-cache'
import type { Connection } from '../db/connect.ts'
import {
  type AttemptReason,
  type CountedAttempts,
  HINTS_MAX,
  OTHER_HINTS,
  STORE_ATTEMPTS,
} from '../db/key-attempts.ts'
import { retrying } from '../db/retry.ts'
import { isTransient, sqliteCode } from '../db/violations.ts'
import { errorName } from '../errors.ts'

const STORE_EVERY_MS = 60_000
// Cloudflare ends a request's work 30 s after its answer. Both bundles of a store have to end before.
const STORE_MS_MAX = 20_000
const STORE_ANSWER_MS_MAX = 5000
// For all tenants together. With their hints and times they take some 5 MB.
const COUNTS_MAX = 10_000

/** A request whose key was refused. */
export interface Attempt {
  tenant: string
  connection: Connection
  /** What is shown of the key. */
  hint: string
  reason: AttemptReason
  /** In ISO 8601. */
  at: string
}

/** The attempts that wait in this isolate, of one tenant. */
interface Tally {
  /** By reason and hint. */
  counts: Map<string, CountedAttempts>
  /** Was sent, and may or may not be stored: it is sent again as it is, so that the database can tell. */
  unsettled: Bundle | null
  /** In ms since 1970: the next attempt from then on stores what waits. */
  due_at: number
}

interface Bundle {
  bundle_id: string
  attempts: CountedAttempts[]
}

// By tenant. Whose attempts are longest ago loses those that wait, when there are too many.
const tallies = new LRUCache<string, Tally>({
  maxSize: COUNTS_MAX,
  sizeCalculation: ({ counts, unsettled }) => 1 + counts.size + (unsettled?.attempts.length ?? 0),
})

/**
 * Counts an attempt; for `waitUntil`. The first of a minute stores what waits of its tenant in this isolate,
 * itself included; the others wait for the first one after that minute. What waits when the isolate ends is lost.
 * If it cannot be stored, the log has a line, and the next minute's first attempt tries again.
 */
export async function countAttempt(attempt: Attempt): Promise<void> {
  const { tenant, connection } = attempt
  const tally = tallies.get(tenant) ?? { counts: new Map(), unsettled: null, due_at: 0 }
  add(tally.counts, attempt)
  const now = Date.now()
  const isDue = now >= tally.due_at
  // Also keeps two requests from storing at once: a store ends within its minute.
  if (isDue) tally.due_at = now + STORE_EVERY_MS
  resize(tenant, tally)
  if (!isDue) return
  // The answer goes out first.
  await scheduler.wait(0)
  await store(connection, tally, now).catch((error) => report(tenant, error))
  if (tallies.peek(tenant) === tally) resize(tenant, tally)
}

/** Beyond HINTS_MAX the attempt counts as one of the other hints. */
function add(counts: Tally['counts'], { hint, reason, at }: Attempt): void {
  const isKnown = counts.has(`${reason} ${hint}`)
  const counted = isKnown || counts.size < HINTS_MAX ? hint : OTHER_HINTS
  const name = `${reason} ${counted}`
  const { count = 0, first_at = at, last_at = at } = counts.get(name) ?? {}
  counts.set(name, {
    hint: counted,
    reason,
    count: count + 1,
    first_at: first_at < at ? first_at : at,
    last_at: last_at > at ? last_at : at,
  })
}

/** The cache calculates a size only when a value is new to it. */
function resize(tenant: string, tally: Tally): void {
  tallies.delete(tenant)
  tallies.set(tenant, tally)
}

async function store(connection: Connection, tally: Tally, now: number): Promise<void> {
  const ends_at = now + STORE_MS_MAX
  if (tally.unsettled) await storeBundle(connection, tally.unsettled, ends_at)
  tally.unsettled = { bundle_id: crypto.randomUUID(), attempts: [...tally.counts.values()] }
  tally.counts.clear()
  await storeBundle(connection, tally.unsettled, ends_at)
  tally.unsettled = null
}

async function storeBundle(
  connection: Connection,
  { bundle_id, attempts }: Bundle,
  ends_at: number,
): Promise<void> {
  const values = { bundle_id, rows: JSON.stringify(attempts), now: new Date().toISOString() }
  await retrying(ends_at - Date.now(), isTransient, (msLeft) =>
    connection.batch(STORE_ATTEMPTS, values, Math.min(msLeft, STORE_ANSWER_MS_MAX)),
  )
}

function report(tenant: string, error: unknown): void {
  const name = errorName(error)
  const sqlite = sqliteCode(error)
  console.error(JSON.stringify({ event: 'key_attempts_not_stored', tenant, name, sqlite }))
}
