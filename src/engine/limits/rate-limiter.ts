import { DurableObject } from 'cloudflare:workers'

const WINDOW_MS = 60_000
const WINDOW = 'window'

/** A minute, which begins with its first request. */
interface Window {
  ends_at: number
  counted: number
}

/** A request's place in its window. */
export interface Turn {
  /** Counts from 1. Above the limit the request is refused and not counted: the next gets the same place. */
  place: number
  /** Whole seconds until the window ends, at least 1. */
  ends_in: number
}

/**
 * Counts the requests of one key, wherever they come from, one after the other. The count is in the object's
 * storage, so it survives when Cloudflare evicts the object.
 */
export class RateLimiter extends DurableObject {
  /** Counts a request, unless the window already has `limit` of them. */
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

  /** Deletes a window that has ended, so that an unused key takes no storage. */
  override async alarm(): Promise<void> {
    const stored = this.ctx.storage.kv.get<Window>(WINDOW)
    // A request may have begun another window since the alarm was set.
    if (stored && stored.ends_at > Date.now()) await this.ctx.storage.setAlarm(stored.ends_at)
    else await this.ctx.storage.deleteAll()
  }
}
