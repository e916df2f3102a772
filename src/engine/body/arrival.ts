import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { actingIn } from '../exchange/acting.ts'
import {
  isLarge,
  ownerOf,
  settleMemory,
  takePlace,
  UNKNOWN_BODY_BYTES,
} from '../exchange/memory.ts'
import { Budget, type Share } from '../limits/budget.ts'

const KIB = 1024
// The audit log relies on it (engine/db/log-position.ts).
const BODY_MS_MAX = 5 * 60_000
const IN_PLACE_MS_MAX = 10_000
const KEY_ARRIVING_MAX = 100
// What a request takes besides its body.
const ARRIVING_BYTES = 16 * KIB
// The last piece of a body of unknown length.
const PIECE_BYTES = 16 * KIB

// Bodies that arrive slowly, of requests that have left their places.
const arriving = new Budget({
  bytes: 6 * KIB * KIB,
  timesFreeMax: 1,
  keySharesMax: KEY_ARRIVING_MAX,
  refusals: {
    key: `This API key has ${KEY_ARRIVING_MAX} requests whose bodies arrive slowly, as many as it may. Try again.`,
    tenant: 'This tenant has too many requests whose bodies arrive slowly. Try again.',
    all: 'Too many bodies arrive slowly just now. Try again.',
  },
})

/**
 * A request while its body arrives. Its key's other requests do not wait for a slow client: after 10 s the request
 * leaves its place and keeps a share for its body only. A body over 1 MiB stays: what others wait for is its memory.
 */
export class Arrival {
  readonly #c: Context<AppEnv>
  readonly #started_at = Date.now()
  readonly ends_at = this.#started_at + BODY_MS_MAX
  readonly #bytes: number
  #isAside = false
  #isEnlarged = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLost = false
  #onLost = () => {}

  /** `length` is NaN if nobody knows it. */
  constructor(c: Context<AppEnv>, length: number) {
    this.#c = c
    this.#bytes = Number.isNaN(length) ? UNKNOWN_BODY_BYTES + PIECE_BYTES : length
    const { memory } = c.get('exchange').kept
    this.#follow(memory)
    if (memory === null || this.#isLent || isLarge(this.#bytes)) return
    this.#timer = setTimeout(() => {
      // Without room aside it may stay until another request waits for its place.
      if (!this.#stepAside(this.#bytes)) memory.renew(0)
    }, IN_PLACE_MS_MAX)
  }

  /** Whether so many bytes of a body of unknown length are more than its share covers. */
  needsMore(bytes: number): boolean {
    return bytes > UNKNOWN_BODY_BYTES && !this.#isEnlarged && !this.#isLent
  }

  /** Waits for memory for as much as any body may have. Meanwhile the request has no place: nobody waits for it. */
  async enlarge(bytesMax: number): Promise<void> {
    clearTimeout(this.#timer)
    this.#isEnlarged = true
    if (!this.#stepAside(this.#bytes)) {
      throw arriving.refusalFor(ownerOf(this.#c), ARRIVING_BYTES + this.#bytes)
    }
    await this.#return(bytesMax)
  }

  /** What still comes is thrown away. */
  discards(): void {
    clearTimeout(this.#timer)
    settleMemory(this.#c, 0)
    if (!this.#isLent) this.#stepAside(0)
  }

  /** The body of so many bytes has arrived. Waits for a place if the request has left its own. */
  async end(bytes: number): Promise<void> {
    this.stop()
    if (this.#isAside) await this.#return(bytes)
    else settleMemory(this.#c, bytes)
  }

  /** Nothing more is read. */
  stop(): void {
    clearTimeout(this.#timer)
  }

  /**
   * The result of a read, or 408 as soon as the request has lost its share. The request that takes the share only rejects
   * a promise: it cannot cancel another request's body.
   */
  async unlessLost<Read>(reading: Promise<Read>): Promise<Read> {
    const { promise: lost, reject } = Promise.withResolvers<never>()
    this.#onLost = () => reject(this.#tooSlow())
    if (this.#isLost) this.#onLost()
    try {
      return await Promise.race([reading, lost])
    } finally {
      // Otherwise the share would hold what was read.
      this.#onLost = () => {}
    }
  }

  /** The body of a request of the Worker's own is in memory already, in that of another request. */
  get #isLent(): boolean {
    return actingIn(this.#c) !== undefined
  }

  #follow(share: Share | null): void {
    share?.onTakenBack(() => {
      this.#isLost = true
      this.#onLost()
    })
  }

  /** False if there is no room. */
  #stepAside(bytes: number): boolean {
    const { kept } = this.#c.get('exchange')
    if (this.#isAside || kept.memory === null) return true
    const share = arriving.takeNow(ownerOf(this.#c), ARRIVING_BYTES + bytes)
    if (share === null) return false
    this.#follow(share)
    kept.memory.leave()
    kept.memory = share
    this.#isAside = true
    return true
  }

  async #return(bytes: number): Promise<void> {
    await takePlace(this.#c, bytes)
    this.#isAside = false
    this.#follow(this.#c.get('exchange').kept.memory)
  }

  #tooSlow(): ApiError {
    const seconds = Math.round((Date.now() - this.#started_at) / 1000)
    const message = `The body was still arriving after ${seconds} seconds, and other requests waited for its memory or its place. Send the request again.`
    return new ApiError('REQUEST_TIMEOUT', message, { reason: 'BODY_TOO_SLOW' })
  }
}

export function tooLong(): ApiError {
  const message = `The body was still arriving after ${BODY_MS_MAX / 60_000} minutes. Send a smaller one, or send it faster.`
  return new ApiError('REQUEST_TIMEOUT', message, { reason: 'BODY_TOO_SLOW' })
}
