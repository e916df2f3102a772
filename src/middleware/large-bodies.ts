import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv, Exchange } from '../env.ts'
import { BODY_BYTES_MAX } from '../fields.ts'
import { Gate, Gates } from '../gate.ts'

// An isolate has 128 MB. A body takes eight times its size while it is parsed, mapped and written.
const ARRIVING_BYTES_MAX = 3 * BODY_BYTES_MAX
const WORKED_ON_BYTES_MAX = BODY_BYTES_MAX
const SMALL_BYTES_MAX = 64 * 1024
// Shorter than others wait: one upload that is lost must not be a refusal for all. Longer than the
// database is waited for.
const WORK_LEASE_MS = 26_000

const arriving = new Gates(
  ARRIVING_BYTES_MAX,
  'Too many large bodies of this key are on their way. Try again.',
)
const workedOn = new Gate(
  WORKED_ON_BYTES_MAX,
  'Too many large bodies are being worked on. Try again.',
  WORK_LEASE_MS,
)

/**
 * Keeps bodies of more than 64 KiB from filling an isolate: of a key, 30 MiB are taken in at a time,
 * and of all keys, 10 MiB are worked on; the rest wait in order of arrival, unread, and after 30
 * seconds get 503. A replay keeps the places of its first pass.
 */
export const largeBodies = createMiddleware<AppEnv>(async (c, next) => {
  const exchange = c.get('exchange')
  const { tenant, key } = c.get('caller')
  const bytes = bytesToCome(c)
  if (bytes > SMALL_BYTES_MAX) {
    exchange.arrival ??= await arriving.enter(`${tenant} ${key.id}`, bytes)
  }
  const passed = next().finally(() => giveBack(exchange))
  // Others wait for its places: it is heard to its end even where its client goes away.
  if (exchange.arrival) c.executionCtx.waitUntil(passed)
  await passed
})

/** For a body that has arrived: waits until there is room for what is made of it. */
export async function makeRoom(c: Context<AppEnv>, bytes: number): Promise<void> {
  const exchange = c.get('exchange')
  const weight = bytes <= SMALL_BYTES_MAX ? 0 : bytes
  exchange.arrival?.renew(weight)
  if (weight === 0) return
  exchange.work = await workedOn.enter(weight)
  exchange.inside?.renew()
  exchange.arrival?.renew()
}

function giveBack(exchange: Exchange): void {
  exchange.work?.leave()
  exchange.arrival?.leave()
  exchange.work = exchange.arrival = null
}

/** Without Content-Length a body may be as long as any; one that says too much is not read at all. */
function bytesToCome(c: Context<AppEnv>): number {
  if (!c.req.raw.body) return 0
  const length = c.req.header('Content-Length')
  const bytes = length === undefined ? BODY_BYTES_MAX : Number(length)
  return bytes <= BODY_BYTES_MAX ? bytes : 0
}
