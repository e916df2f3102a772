import { LRUCache } from 'lru-cache'

const TENANTS_MAX = 1000
const EVERY_MS = 1000
/** How soon to look whether the read of another request has its result. */
const AGAIN_MS = 100
/** A read that has no result by then has failed, or its client has left. */
const READ_MS_MAX = 15_000

interface Shared<State> {
  /** When the newest read began, of those with a result and of all. */
  read_at: number
  begun_at: number
  isReading: boolean
  state: State | null
}

/**
 * What requests that wait have last read of their tenant's database. One of them reads it once a second for all. None
 * of them waits for another one's read, because that request may end at any time: each has its own timer.
 */
export class SharedReads<State> {
  readonly #tenants = new LRUCache<string, Shared<State>>({ max: TENANTS_MAX })

  /**
   * The state as a read that began after `since` found it; null as long as there is none. Calls `read` if it is time
   * for another one.
   */
  async newerThan(
    since: number,
    tenant: string,
    read: () => Promise<State>,
  ): Promise<State | null> {
    const shared = this.#sharedBy(tenant)
    if (this.#pauseMs(shared, since) <= 0) await this.#read(shared, read)
    return shared.read_at > since ? shared.state : null
  }

  /** How long until it makes sense to ask again, in milliseconds. */
  pauseMs(since: number, tenant: string): number {
    return Math.max(0, this.#pauseMs(this.#sharedBy(tenant), since))
  }

  #pauseMs({ begun_at, isReading }: Shared<State>, since: number): number {
    const age = Date.now() - begun_at
    if (isReading && age < READ_MS_MAX) return AGAIN_MS
    return Math.max(begun_at, since) + EVERY_MS - Date.now()
  }

  async #read(shared: Shared<State>, read: () => Promise<State>): Promise<void> {
    const begun_at = Date.now()
    Object.assign(shared, { begun_at, isReading: true })
    try {
      const state = await read()
      if (begun_at > shared.read_at) Object.assign(shared, { state, read_at: begun_at })
      shared.isReading = shared.begun_at > begun_at
    } catch (error) {
      // So that another one reads at once.
      if (shared.begun_at === begun_at) Object.assign(shared, { begun_at: 0, isReading: false })
      throw error
    }
  }

  #sharedBy(tenant: string): Shared<State> {
    const known = this.#tenants.get(tenant)
    if (known) return known
    const added = { read_at: 0, begun_at: 0, isReading: false, state: null }
    this.#tenants.set(tenant, added)
    return added
  }
}
