import type { Context } from 'hono'
import { SettingsChanged } from '../../engine/db/transact.ts'
import type { AppEnv } from '../../engine/env.ts'
import { endingOf } from '../../engine/exchange/identify.ts'
import { outOfPlace, ownerOf } from '../../engine/exchange/memory.ts'
import { forgetReruns } from '../../engine/exchange/rerun.ts'
import { Budget } from '../../engine/limits/budget.ts'

// Timers are late by a little: the last read is at the end of the time, or just after it.
const SLACK_MS = 100
const KEY_WAITS_MAX = 10
const TENANT_WAITS_MAX = 100
const ALL_WAITS_MAX = 500
const AGAIN_SECONDS = 5

// Counts requests that wait. Each takes some 10 KB.
const waits = new Budget({
  bytes: ALL_WAITS_MAX,
  timesFreeMax: 1,
  tenantBytesMax: TENANT_WAITS_MAX,
  keySharesMax: KEY_WAITS_MAX,
  refusals: {
    key: `This API key has ${KEY_WAITS_MAX} requests that wait`,
    tenant: `This tenant has ${TENANT_WAITS_MAX} requests that wait`,
    all: 'Too many requests wait just now',
  },
})

export interface Awaited<Found> {
  look: () => Promise<Found>
  isFound: (found: Found) => boolean
  /** How long it makes no sense to ask for news since the look that began then, in milliseconds. */
  pauseMs: (since: number) => number
  /** Whether `look` may find something new since then. */
  hasNews: (since: number) => Promise<boolean>
}

/**
 * What `look` finds, once `isFound` says that there is something, or else what it found last when so many seconds have
 * passed. While it waits the request has none of its key's places. It waits no longer than its client, and not at all if
 * as many requests wait as may: then a warning says so. A rerun waits for the rest of the time.
 */
export async function waitUntilFound<Found>(
  c: Context<AppEnv>,
  seconds: number,
  awaited: Awaited<Found>,
): Promise<Found> {
  const { kept } = c.get('exchange')
  let looked_at = Date.now()
  kept.waits_until ??= looked_at + seconds * 1000
  let found = await awaited.look()
  if (awaited.isFound(found) || timeLeft(c) <= 0) return found
  const turn = waits.takeNow(ownerOf(c), 1)
  if (!turn) {
    tellNotWaited(c)
    return found
  }
  try {
    while (!awaited.isFound(found) && (await isWorthALook(c, looked_at, awaited))) {
      looked_at = Date.now()
      found = await awaited.look()
    }
    return found
  } finally {
    turn.leave()
  }
}

/**
 * Waits for news; false if there are none until the request's time is up. Throws SettingsChanged if the key has ended
 * meanwhile: no change of settings tells of its expiry.
 */
async function isWorthALook(
  c: Context<AppEnv>,
  looked_at: number,
  { pauseMs, hasNews }: Pick<Awaited<unknown>, 'pauseMs' | 'hasNews'>,
): Promise<boolean> {
  const exchange = c.get('exchange')
  const started_at = Date.now()
  let isNews = false
  await outOfPlace(c, async () => {
    while (!isNews && timeLeft(c) > 0) {
      await pause(c, pauseMs(looked_at))
      if (c.req.raw.signal.aborted) break
      isNews = (await hasNews(looked_at)) || endingOf(c.get('caller')) !== null
    }
    exchange.waited_ms += Date.now() - started_at
  })
  if (endingOf(c.get('caller')) !== null) throw new SettingsChanged()
  return isNews
}

async function pause(c: Context<AppEnv>, ms: number): Promise<void> {
  const left = timeLeft(c)
  const { signal } = c.req.raw
  await scheduler.wait(ms <= left + SLACK_MS ? ms : left, { signal }).catch(() => {})
  forgetReruns(c)
}

/** In milliseconds; 0 if the client has left. */
function timeLeft(c: Context<AppEnv>): number {
  if (c.req.raw.signal.aborted) return 0
  return (c.get('exchange').kept.waits_until ?? 0) - Date.now()
}

function tellNotWaited(c: Context<AppEnv>): void {
  const message = `${waits.refusalFor(ownerOf(c), 1).message}, as many as may: this one was answered at once. Ask again in ${AGAIN_SECONDS} s.`
  c.set('warnings', [...c.get('warnings'), { field: 'wait', message }])
  c.header('Retry-After', String(AGAIN_SECONDS))
}
