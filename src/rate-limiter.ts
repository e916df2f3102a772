import { DurableObject } from 'cloudflare:workers'

const WINDOW_MS = 60_000
const WINDOW = 'window'

/** A minute that begins with its first request. */
interface Window {
  ends_at: number
  counted: number
}

/** A request's turn in its minute. */
export interface Turn {
  /** From 1 on; beyond the limit the request is refused and not counted, so the next has it too. */
  place: number
  /** Whole seconds until the minute ends, 1 at least. */
  ends_in: number
}

/**
 * The requests of one key, counted one after the other wherever they come from. The count is in the
 * object's storage: it outlives the object, which Cloudflare may evict at any time.
 */
export class RateLimiter extends DurableObject {
  /** Counts a request unless `limit` of them have been counted in this minute. */
  async take(limit: number): Promise<Turn> {
    const now = Date.now()
    const { kv } = this.ctx.storage
    const stored = kv.get<Window>(WINDOW)
    const ongoing = stored && stored.ends_at > now
    const { ends_at, counted } = ongoing ? stored : { ends_at: now + WINDOW_MS, counted: 0 }
    const place = counted + 1
    if (place <= limit) {
      kv.put<Window>(WINDOW, { ends_at, counted: place })
      if (!ongoing) await this.ctx.storage.setAlarm(ends_at)
    }
    return { place, ends_in: Math.max(1, Math.ceil((ends_at - now) / 1000)) }
  }

  /** Deletes a window that has ended, so that a key which rests takes no room. */
  override async alarm(): Promise<void> {
    const stored = this.ctx.storage.kv.get<Window>(WINDOW)
    // A request may have begun another one since.
    if (stored && stored.ends_at > Date.now()) await this.ctx.storage.setAlarm(stored.ends_at)
    else await this.ctx.storage.deleteAll()
  }
}
