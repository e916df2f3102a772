import { LRUCache } from 'lru-cache'
import { ApiError } from '../errors.ts'
import { entriesFor } from './caches.ts'
import { inTime } from './deadline.ts'

const CLOSED_MAX = 10_000
// The same as the period of the binding (wrangler.toml).
const CLOSED_FOR_MS = 60_000
const COUNT_MS_MAX = 1000

/**
 * Networks that have looked for too many keys or tenants that do not exist. A name, such as `<tenant> <network>`, is what the
 * binding counts by. Asking the binding also counts, so it is asked only after a failure, and its answer is remembered here.
 */
export class ClosedNetworks {
  readonly #closed = new LRUCache<string, true>(entriesFor(CLOSED_FOR_MS, CLOSED_MAX))
  readonly #why: string

  /** `why` goes on after "Your address has". */
  constructor(why: string) {
    this.#why = why
  }

  /** 429 RATE_LIMITED if it is closed. */
  refuse(name: string): void {
    if (!this.#closed.has(name)) return
    const seconds = Math.max(1, Math.ceil(this.#closed.getRemainingTTL(name) / 1000))
    const message = `Your address has ${this.#why}. Try again in ${seconds} s.`
    throw new ApiError('RATE_LIMITED', message, { retryAfter: seconds, reason: 'UNKNOWN_KEYS' })
  }

  /** A failure that cannot be counted closes nothing. */
  async countFailure(
    env: { FAILED_LOOKUPS: RateLimit },
    name: string,
    request_id: string,
  ): Promise<void> {
    try {
      const { success } = await inTime(env.FAILED_LOOKUPS.limit({ key: name }), COUNT_MS_MAX)
      if (typeof success !== 'boolean') throw new TypeError('the binding answers nonsense')
      if (!success) this.#closed.set(name, true)
    } catch {
      console.error(JSON.stringify({ event: 'failed_lookup_uncounted', request_id }))
    }
  }
}
