import type { Context } from 'hono'
import { BATCH_BYTES_MAX, READ_BYTES_MAX } from '../db/wide-rows.ts'
import type { AppEnv, Kept } from '../env.ts'
import { unavailable } from '../errors.ts'
import type { Caller } from '../identity/caller.ts'
import { BODY_BYTES_MAX } from '../json/fields.ts'
import { LIMIT_DEFAULT, LIMIT_MAX } from '../json/pagination.ts'
import { Budget, type Share } from '../limits/budget.ts'
import type { Owner } from '../limits/holders.ts'

const MIB = 1024 * 1024

// Spec 8: further requests wait.
const KEY_REQUESTS_MAX = 50
const TENANT_IS_FULL = 'This tenant has too many requests in progress. Try again.'
const REFUSALS = {
  key: `This API key has ${KEY_REQUESTS_MAX} requests in progress, as many as it may. Try again when some of them have ended.`,
  tenant: TENANT_IS_FULL,
  all: 'Too many requests are in progress just now. Try again.',
}
const TENANT_REFUSED_MAX = 100
const ALL_REFUSED_MAX = 400
// Covers a request's first read from the database (READ_BYTES_MAX) and its response. A page above the
// default limit takes more.
const REQUEST_BYTES = 2 * READ_BYTES_MAX
const SMALL_BODY_BYTES_MAX = MIB
/** What is kept of a body of unknown length before its request takes memory for the largest (engine/body/arrival.ts). */
export const UNKNOWN_BODY_BYTES = MIB / 16
// Processing a body takes this many times its size: text, values, statements, the response.
const BODY_FACTOR = 8
// A little less than others wait (30 s), and longer than a request waits for the database (25 s).
const LARGE_WORK_LEASE_MS = 26_000
// Lets small requests run that arrived during a large document, to their end: with 5 ms they wait for several documents.
const LARGE_WORK_PAUSE_MS = 20
// Covers the rows of an export that have been read and not been sent: those of a batch, and the text of a part.
const EXPORT_BYTES = 3 * REQUEST_BYTES
// So the exports of a key leave it most of its 50 places, and its tenant most of the memory.
const KEY_EXPORTS_MAX = 4
// Parts of large responses that are made at a time.
const PARTS_MAX = 2

// An isolate has 128 MB, of which code and caches take about 20. A tenant that asks for all it can get
// holds two thirds of this budget, two such tenants two fifths each: some is always left for others.
const requests = new Budget({
  bytes: 40 * MIB,
  timesFreeMax: 2,
  keySharesMax: KEY_REQUESTS_MAX,
  refusals: REFUSALS,
})

// Counts the requests that are refused before they have a place among those in progress, and wait for the database. A
// budget of their own: a 429 must not wait for requests in progress.
const refused = new Budget({
  bytes: ALL_REFUSED_MAX,
  timesFreeMax: 1,
  tenantBytesMax: TENANT_REFUSED_MAX,
  keySharesMax: KEY_REQUESTS_MAX,
  refusals: REFUSALS,
})

// Counts the exports of a key. Their memory is that of their requests.
const exports = new Budget({
  bytes: 0,
  keySharesMax: KEY_EXPORTS_MAX,
  refusals: {
    all: `This API key has ${KEY_EXPORTS_MAX} exports in progress, as many as it may. Try again.`,
  },
})

// In bytes of documents: processing them takes about four times as much.
const largeWork = new Budget({
  bytes: BODY_BYTES_MAX,
  isStrict: true,
  leaseMs: LARGE_WORK_LEASE_MS,
  pauseMs: LARGE_WORK_PAUSE_MS,
  refusals: { all: 'Too many large documents are being processed. Try again.' },
})

// A part takes up to BATCH_BYTES_MAX. Its budget is separate: it never waits for a large document. A tenant makes one at
// a time, because a part waits for the tenant's database, which does one thing at a time.
const answerParts = new Budget({
  bytes: PARTS_MAX * BATCH_BYTES_MAX,
  tenantBytesMax: BATCH_BYTES_MAX,
  leaseMs: LARGE_WORK_LEASE_MS,
  refusals: { all: 'Too many large responses are being sent. Try again.' },
})

/** Runs `work` with memory for the request and its body, which it waits for. */
export async function holdingMemory(c: Context<AppEnv>, work: () => Promise<void>): Promise<void> {
  const { kept } = c.get('exchange')
  kept.hasEnded = false
  const share = requests.take(ownerOf(c), bytesFor(c))
  kept.memory = share instanceof Promise ? await inQueue(c, share) : share
  const done = work().finally(() => leaveMemory(c))
  // Others may wait for this share: the request runs to its end even if its client disconnects.
  c.executionCtx.waitUntil(done)
  await done
}

/** Notes how long the request waits for the share. */
async function inQueue(c: Context<AppEnv>, share: Share | Promise<Share>): Promise<Share> {
  const exchange = c.get('exchange')
  const since = Date.now()
  try {
    return await share
  } finally {
    exchange.queued_ms += Date.now() - since
  }
}

/** Adjusts the request's share to the size of the body that arrived. */
export function settleMemory(c: Context<AppEnv>, bodyBytes: number): void {
  c.get('exchange').kept.memory?.resize(bytesForBody(bodyBytes))
}

/** Whether a document of this size waits for its turn among other large ones. */
export function isLarge(bytes: number): boolean {
  return bytes > SMALL_BODY_BYTES_MAX
}

/** Whether the request's share covers a document of this many bytes. */
export function isCovered(c: Context<AppEnv>, bytes: number): boolean {
  return bytes <= bytesCovered(c.get('exchange').kept.memory)
}

/** The most bytes of a document that the request's share covers, or its turn among large documents. */
export function bytesAllowed(c: Context<AppEnv>): number {
  const { memory, largeWork } = c.get('exchange').kept
  return Math.max(bytesCovered(memory), largeWork?.bytes ?? 0)
}

function bytesCovered(memory: Share | null): number {
  return memory ? (memory.bytes - REQUEST_BYTES / 2) / BODY_FACTOR : 0
}

/**
 * Waits for a turn to process a document of this size, and holds it until the response is sent. Gives
 * back a turn that the request holds already if it cannot be enlarged.
 */
export async function takeLargeWork(c: Context<AppEnv>, bytes: number): Promise<void> {
  const { kept } = c.get('exchange')
  if (kept.largeWork?.resize(bytes)) return
  kept.largeWork?.leave()
  kept.largeWork = null
  kept.largeWork = unlessEnded(kept, await inQueue(c, largeWork.take(ownerOf(c), bytes)))
  kept.memory?.renew()
}

/** As takeLargeWork, without waiting: false if there is no room at once. */
export function takeLargeWorkNow(c: Context<AppEnv>, bytes: number): boolean {
  leaveLargeWork(c)
  const { kept } = c.get('exchange')
  kept.largeWork = largeWork.takeNow(ownerOf(c), bytes)
  return kept.largeWork !== null
}

/**
 * Waits until the key has fewer than four exports in progress, and enlarges the request's memory. The export holds
 * both until it is sent. 503 UNAVAILABLE if that takes 30 seconds, or if there is no memory at once.
 */
export async function takeExport(c: Context<AppEnv>): Promise<void> {
  const { kept } = c.get('exchange')
  kept.exporting ??= await inQueue(c, exports.take(ownerOf(c), 0))
  kept.memory?.renew()
  if (kept.memory?.resize(EXPORT_BYTES) === false) throw unavailable(TENANT_IS_FULL, 'TENANT_BUSY')
}

/** Runs `work`, which makes a part of a large response, in turn with the parts of others. */
export async function answerInTurn<Result>(
  owner: Owner,
  work: () => Promise<Result>,
): Promise<Result> {
  const share = await answerParts.take(owner, BATCH_BYTES_MAX)
  try {
    return await work()
  } finally {
    share.leave()
  }
}

/**
 * Runs `work`, which asks the database about a request that is to be refused, or that signs in. At most 50 such requests
 * of the caller's key do that at a time, unless the request is in progress already.
 */
export async function amongRefused(
  c: Context<AppEnv>,
  { tenant, key }: Caller,
  work: () => Promise<unknown>,
): Promise<void> {
  if (c.get('exchange').kept.memory) {
    await work()
    return
  }
  const share = await inQueue(c, refused.take({ tenant, key: key.id }, 1))
  try {
    await work()
  } finally {
    share.leave()
  }
}

/**
 * Runs `work`, which needs no memory, while the request has none of its key's 50 places. Then it waits for one, as a new
 * request does.
 */
export async function outOfPlace(c: Context<AppEnv>, work: () => Promise<void>): Promise<void> {
  const { kept } = c.get('exchange')
  kept.memory?.leave()
  kept.memory = null
  await work()
  kept.memory = unlessEnded(kept, await inQueue(c, requests.take(ownerOf(c), bytesFor(c))))
}

/** Waits for a place among the requests in progress, and memory for a body of this size, in exchange for its share. */
export async function takePlace(c: Context<AppEnv>, bodyBytes: number): Promise<void> {
  const { kept } = c.get('exchange')
  // It holds the share longer than it may wait.
  kept.memory?.renew()
  const taken = await inQueue(c, requests.take(ownerOf(c), bytesForBody(bodyBytes)))
  const share = unlessEnded(kept, taken)
  kept.memory?.leave()
  kept.memory = share
}

export function ownerOf(c: Context<AppEnv>): Owner {
  const { tenant, key } = c.get('caller')
  return { tenant, key: key.id }
}

/** Gives the turn among large documents back before the response is sent. */
export function leaveLargeWork(c: Context<AppEnv>): void {
  const { kept } = c.get('exchange')
  kept.largeWork?.leave()
  kept.largeWork = null
}

function leaveMemory(c: Context<AppEnv>): void {
  const { kept } = c.get('exchange')
  kept.exporting?.leave()
  kept.largeWork?.leave()
  kept.memory?.leave()
  kept.exporting = kept.largeWork = kept.memory = null
  kept.hasEnded = true
}

/** A delivery is answered after 4 s, whatever is still at work. What that takes later, nobody would give back. */
function unlessEnded({ hasEnded }: Kept, share: Share): Share {
  if (!hasEnded) return share
  share.leave()
  throw unavailable(REFUSALS.all, 'SERVER_BUSY')
}

/** A body that is announced as too large is not kept. */
function bytesFor(c: Context<AppEnv>): number {
  if (!c.req.raw.body) return REQUEST_BYTES * pagesFor(c)
  const length = c.req.header('Content-Length')
  if (length === undefined) return bytesForBody(UNKNOWN_BODY_BYTES)
  return bytesForBody(Number(length) <= BODY_BYTES_MAX ? Number(length) : 0)
}

/** The request's `limit` as a multiple of the default one, at least 1. */
function pagesFor(c: Context<AppEnv>): number {
  const { search, searchParams } = c.get('exchange').url
  const limit = search === '' ? 0 : Number(searchParams.get('limit'))
  return limit > LIMIT_DEFAULT ? Math.min(limit, LIMIT_MAX) / LIMIT_DEFAULT : 1
}

/** Covers a large body only while it arrives: takeLargeWork covers its processing. */
function bytesForBody(bytes: number): number {
  return REQUEST_BYTES + (isLarge(bytes) ? bytes : bytes * BODY_FACTOR)
}
