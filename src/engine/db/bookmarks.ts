import { LRUCache } from 'lru-cache'
import { entriesFor } from '../limits/caches.ts'
import type { StatementTarget } from './connect.ts'

// A near read may miss what was written within this time, and no more.
export const NEAR_MS_MAX = 5000
const TENANTS_MAX = 10_000
const PRIMARY = 'first-primary'
// Of D1. Bookmarks of one database sort in the order of its states.
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

interface Known {
  bookmark: string
  /** When the primary was asked for it, or for an earlier one, in milliseconds since 1970. */
  asked_at: number
}

// By tenant: the newest state of its database that this isolate has seen. All requests share it, so the reads of an
// isolate never go back in time.
const newest = new LRUCache<string, Known>(entriesFor(NEAR_MS_MAX, TENANTS_MAX))

/** Whether the text has the form of a D1 bookmark. D1 itself accepts anything. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text)
}

/**
 * The copy of the tenant's database that is nearest, at the state `after` or a later one, and at most 5 s behind the
 * primary: if this isolate has not heard from the primary for so long, or not of the state `after`, the primary answers
 * itself. All batches of one source see states in their order.
 */
export function nearSource(
  binding: D1Database,
  tenant: string,
  after: string | null,
): StatementTarget {
  let session: D1DatabaseSession | undefined
  return {
    prepare: (query) => binding.prepare(query),
    async batch<T>(statements: D1PreparedStatement[]) {
      const asked_at = Date.now()
      const known = newest.get(tenant)
      // A caller can make `after` up. A session keeps what it was given if that is later than what D1 answers, and
      // `newest` would hold a state that there is not, for all keys of the tenant.
      const hasHeard = known !== undefined && later(known.bookmark, after) === known.bookmark
      if (!hasHeard) session = binding.withSession(PRIMARY)
      session ??= binding.withSession(known?.bookmark ?? PRIMARY)
      const results = await session.batch<T>(statements)
      note(tenant, session.getBookmark(), hasHeard ? known.asked_at : asked_at)
      return results
    },
  }
}

/** The tenant's primary database. `told` gets the bookmark of the state after each batch. */
export function primarySource(
  binding: D1Database,
  tenant: string,
  told: (bookmark: string | null) => void,
): StatementTarget {
  return {
    prepare: (query) => binding.prepare(query),
    async batch<T>(statements: D1PreparedStatement[]) {
      const asked_at = Date.now()
      const session = binding.withSession(PRIMARY)
      const results = await session.batch<T>(statements)
      const bookmark = session.getBookmark()
      note(tenant, bookmark, asked_at)
      told(bookmark)
      return results
    },
  }
}

function note(tenant: string, bookmark: string | null, asked_at: number): void {
  const known = newest.get(tenant)
  const newer = later(known?.bookmark, bookmark)
  if (newer === null) return
  const at = Math.max(known?.asked_at ?? 0, asked_at)
  // The cache forgets the entry 5 s after the primary was asked, not after this answer.
  newest.set(tenant, { bookmark: newer, asked_at: at }, { start: at })
}

function later(one: string | null | undefined, other: string | null): string | null {
  if (!one || !other) return one || other
  return one > other ? one : other
}
