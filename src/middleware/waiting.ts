import type { Context } from 'hono'
import { SettingsChanged } from '../db/transact.ts'
import type { AppEnv } from '../env.ts'
import { Budget } from '../limits/budget.ts'
import { endOf } from './authenticate.ts'
import { outOfPlace, ownerOf } from './memory.ts'
import { forgetReplays } from './replay.ts'

const LOOK_MS = 1000
// Timers are late by a little: the last look is at the end of the time, or just after it.
const SLACK_MS = LOOK_MS / 2
const KEY_WAITS_MAX = 10

// Counts the waiting requests of a key. They hold no memory.
const waits = new Budget({
  bytes: 0,
  keySharesMax: KEY_WAITS_MAX,
  refusal: 'This key has too many requests that wait.',
})

/**
 * What `look` finds, once `isFound` says that there is something, or else what it found last when so many seconds have
 * passed. It looks once a second, and while it waits the request has none of its key's places. It does not wait if ten
 * requests of the key wait already, and no longer than its client. A replay waits for the rest of the time.
 */
export async function waitUntilFound<Found>(
  c: Context<AppEnv>,
  seconds: number,
  look: () => Promise<Found>,
  isFound: (found: Found) => boolean,
): Promise<Found> {
  const { kept } = c.get('exchange')
  let looked_at = Date.now()
  kept.waits_until ??= looked_at + seconds * LOOK_MS
  let found = await look()
  const mayWait = () => looked_at + SLACK_MS <= (kept.waits_until ?? 0) && !hasLeft(c)
  if (isFound(found) || !mayWait()) return found
  const turn = waits.takeNow(ownerOf(c), 0)
  if (!turn) return found
  try {
    while (!isFound(found) && mayWait()) {
      await pause(c, looked_at + LOOK_MS - Date.now())
      if (hasLeft(c)) break
      looked_at = Date.now()
      found = await look()
    }
    return found
  } finally {
    turn.leave()
  }
}

/** Throws SettingsChanged if the key has ended meanwhile: no change of settings tells of its expiry. */
async function pause(c: Context<AppEnv>, ms: number): Promise<void> {
  const exchange = c.get('exchange')
  const started_at = Date.now()
  await outOfPlace(c, async () => {
    await scheduler.wait(Math.max(0, ms), { signal: c.req.raw.signal }).catch(() => {})
    exchange.waited_ms += Date.now() - started_at
  })
  forgetReplays(c)
  if (endOf(c.get('caller')) !== null) throw new SettingsChanged()
}

function hasLeft(c: Context<AppEnv>): boolean {
  return c.req.raw.signal.aborted
}
