import { type ApiError, unavailable } from '../errors.ts'
import {
  Holders,
  type KeyHolder,
  type Owner,
  orderedHolders,
  type TenantHolder,
} from './holders.ts'

const WAIT_MS_MAX = 30_000
// Each waiting request takes some 10 KB.
const WAITING_MAX = 2000
const WAITING_TIMES_FREE_MAX = 2
const LEASE_MS = 60_000
const LEASE_CHECK_MS = 1000

/** The part of a budget that one request holds. */
export interface Share {
  readonly bytes: number
  /** Gives the share back. Another call does nothing. */
  leave: () => void
  /** Changes the share's size. False, without a change, if there is no room for a larger one at once. */
  resize: (bytes: number) => boolean
  /** Starts the lease again, for so many milliseconds or as long as at first. After 0 it has ended. */
  renew: (leaseMs?: number) => void
  /** No longer counts among the shares of its key. Its bytes stay. */
  leavePlace: () => void
  /** Calls `act` if the budget takes the share back. */
  onTakenBack: (act: () => void) => void
}

export interface BudgetOptions {
  /** The size of all shares together. */
  bytes: number
  /** A tenant may hold at most this many times the free bytes. No limit by default. */
  timesFreeMax?: number
  /** What a tenant may hold at a time. No limit by default. */
  tenantBytesMax?: number
  /** Shares that a key may hold at a time. No limit by default. */
  keySharesMax?: number
  /** Serves strictly in turn: a smaller share that would fit does not overtake the next one. */
  isStrict?: boolean
  leaseMs?: number
  /** Pause before a request that has waited goes on. */
  pauseMs?: number
  /** The messages of the 503: the one of those whose limit is reached, or else `all`. */
  refusals: { key?: string; tenant?: string; all: string }
}

/** Whose limit is reached: `all` if a tenant would have room without the other ones. */
type Limited = 'key' | 'tenant' | 'all'

const BUSY = { key: 'KEY_BUSY', tenant: 'TENANT_BUSY', all: 'SERVER_BUSY' } as const

interface Wanted {
  holder: KeyHolder<Waiting>
  bytes: number
}

export interface Waiting extends Wanted {
  begin: (share: Share) => void
}

interface Held extends Wanted {
  leased_until: number
  hasPlace: boolean
  onTakenBack?: () => void
}

/**
 * Memory that the requests of one isolate share. A request that asks for more than is free waits. The tenant
 * that holds least is served next; among equals, the one that was served longest ago. The same order holds
 * among the keys of a tenant. Requests of one key are served in order of arrival. While another one waits for it, a share
 * whose lease has ended is taken back: a request whose client went away may never run again.
 */
export class Budget {
  readonly #options: BudgetOptions
  readonly #holders = new Holders<Waiting>()
  readonly #held = new Set<Held>()
  #free: number
  #waiting = 0
  #served = 0

  constructor(options: BudgetOptions) {
    this.#options = options
    this.#free = options.bytes
  }

  /**
   * A share of this size, or of the whole budget if that is less. 503 UNAVAILABLE after 30 seconds, or at
   * once if too many requests wait already, of this tenant or altogether.
   */
  take(owner: Owner, bytes: number): Share | Promise<Share> {
    const holder = this.#holders.of(owner)
    const wanted = { holder, bytes: Math.min(bytes, this.#options.bytes) }
    const before = this.#options.isStrict ? this.#waiting : holder.tenant.waiting
    if (before === 0 && this.#fits(wanted)) return this.#give(wanted)
    if (this.#mayWait(holder.tenant)) return this.#wait(wanted)
    this.#holders.forget(holder)
    throw this.#refusalOf(wanted)
  }

  /** A share of this size; null if there is no room for it at once. Whoever waits is not passed over. */
  takeNow(owner: Owner, bytes: number): Share | null {
    const wanted = { holder: this.#holders.of(owner), bytes }
    const hasRoom = this.#waiting === 0 && this.#fitsWithExpired(wanted, this.#expired())
    // The holder is forgotten with the last share that is taken back.
    if (hasRoom) return this.#give({ holder: this.#holders.of(owner), bytes })
    this.#holders.forget(wanted.holder)
    return null
  }

  /** What an owner without room for a share of this size is told. */
  refusalFor(owner: Owner, bytes: number): ApiError {
    const holder = this.#holders.of(owner)
    const refusal = this.#refusalOf({ holder, bytes })
    this.#holders.forget(holder)
    return refusal
  }

  #refusalOf(wanted: Wanted): ApiError {
    const { refusals } = this.#options
    const limited = this.#limitOf(wanted) ?? 'all'
    return unavailable(refusals[limited] ?? refusals.all, BUSY[limited])
  }

  #mayWait({ waiting }: TenantHolder<Waiting>): boolean {
    const free = WAITING_MAX - this.#waiting - 1
    return waiting + 1 <= WAITING_TIMES_FREE_MAX * free
  }

  #fits(wanted: Wanted): boolean {
    return this.#limitOf(wanted) === null
  }

  /** Null if there is room. */
  #limitOf({ holder: { places, tenant }, bytes }: Wanted): Limited | null {
    const { keySharesMax, bytes: all } = this.#options
    if (keySharesMax !== undefined && places >= keySharesMax) return 'key'
    if (this.#hasRoom(tenant, bytes)) return null
    return this.#hasRoom(tenant, bytes, all - tenant.bytes) ? 'all' : 'tenant'
  }

  #hasRoom(tenant: TenantHolder<Waiting>, more: number, freeNow = this.#free): boolean {
    const { timesFreeMax, tenantBytesMax } = this.#options
    const [free, held] = [freeNow - more, tenant.bytes + more]
    if (free < 0 || (tenantBytesMax !== undefined && held > tenantBytesMax)) return false
    return timesFreeMax === undefined || held <= timesFreeMax * free
  }

  #give(wanted: Wanted): Share {
    const held: Held = { ...wanted, leased_until: 0, hasPlace: true }
    const { holder } = wanted
    this.#held.add(held)
    this.#served += 1
    holder.served = holder.tenant.served = this.#served
    holder.shares += 1
    holder.places += 1
    this.#add(held, wanted.bytes)
    const renew = (leaseMs = this.#options.leaseMs ?? LEASE_MS) => {
      held.leased_until = Date.now() + leaseMs
    }
    renew()
    return {
      get bytes() {
        return held.bytes
      },
      leave: () => this.#leave(held),
      resize: (bytes) => this.#resize(held, bytes),
      renew,
      leavePlace: () => this.#leavePlace(held),
      onTakenBack: (act) => {
        held.onTakenBack = act
      },
    }
  }

  #add({ holder }: Wanted, bytes: number): void {
    holder.bytes += bytes
    holder.tenant.bytes += bytes
    this.#free -= bytes
  }

  #leave(held: Held): void {
    if (!this.#held.has(held)) return
    this.#takeBack(held)
    this.#serve()
  }

  #leavePlace(held: Held): void {
    if (!held.hasPlace || !this.#held.has(held)) return
    held.hasPlace = false
    held.holder.places -= 1
    this.#serve()
  }

  #takeBack(held: Held): void {
    this.#held.delete(held)
    held.holder.shares -= 1
    if (held.hasPlace) held.holder.places -= 1
    this.#add(held, -held.bytes)
    this.#holders.forget(held.holder)
  }

  #resize(held: Held, bytes: number): boolean {
    const more = bytes - held.bytes
    if (!this.#held.has(held) || (more > 0 && !this.#hasRoom(held.holder.tenant, more)))
      return false
    held.bytes = bytes
    this.#add(held, more)
    if (more < 0) this.#serve()
    return true
  }

  /**
   * The timers also keep the request alive: workerd ends a request as hung if it waits only for another
   * request's promise. The waiting request clears them itself, because workerd counts timers per request.
   */
  async #wait(wanted: Wanted): Promise<Share> {
    const { promise, resolve, reject } = Promise.withResolvers<Share>()
    const waiting: Waiting = { ...wanted, begin: resolve }
    const check = setInterval(() => this.#serve(), LEASE_CHECK_MS)
    const limit = setTimeout(() => {
      if (!this.#remove(waiting)) return
      reject(this.#refusalOf(wanted))
      this.#serve()
    }, WAIT_MS_MAX)
    this.#waiting += 1
    waiting.holder.tenant.waiting += 1
    waiting.holder.waiting.add(waiting)
    this.#serve()
    try {
      const share = await promise
      // Lets small requests go first that came meanwhile: one thread serves them all.
      await new Promise((next) => setTimeout(next, this.#options.pauseMs))
      return share
    } finally {
      clearTimeout(limit)
      clearInterval(check)
    }
  }

  /** False if it was no longer waiting. */
  #remove(waiting: Waiting): boolean {
    const { holder } = waiting
    if (!holder.waiting.delete(waiting)) return false
    this.#waiting -= 1
    holder.tenant.waiting -= 1
    this.#holders.forget(holder)
    return true
  }

  #serve(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const share = this.#give(next)
      this.#remove(next)
      next.begin(share)
    }
  }

  #next(): Waiting | undefined {
    if (this.#waiting === 0) return undefined
    const fitting = this.#first((waiting) => this.#fits(waiting))
    if (fitting) return fitting
    const expired = this.#expired()
    if (expired.length === 0) return undefined
    return this.#first((waiting) => this.#fitsWithExpired(waiting, expired))
  }

  #first(isServed: (waiting: Waiting) => boolean): Waiting | undefined {
    for (const tenant of this.#holders.inTurn()) {
      for (const key of orderedHolders(tenant.keys)) {
        const [first] = key.waiting
        if (first && isServed(first)) return first
        if (first && this.#options.isStrict) return undefined
      }
    }
    return undefined
  }

  /** The shares whose lease has ended, the first to end first. */
  #expired(): Held[] {
    const now = Date.now()
    return [...this.#held]
      .filter(({ leased_until }) => leased_until <= now)
      .sort((one, other) => one.leased_until - other.leased_until)
  }

  /** Takes back what it needs of these shares. False if there is no room even then. */
  #fitsWithExpired(wanted: Wanted, expired: Held[]): boolean {
    for (const held of expired) {
      const limit = this.#limitOf(wanted)
      if (limit === null) break
      if (!this.#held.has(held) || !isOf(held, limit, wanted)) continue
      this.#takeBack(held)
      held.onTakenBack?.()
    }
    return this.#fits(wanted)
  }
}

/** Whether the share is one of those that reach this limit. */
function isOf(held: Held, limit: Limited, { holder }: Wanted): boolean {
  if (limit === 'key') return held.hasPlace && held.holder === holder
  return limit === 'all' || held.holder.tenant === holder.tenant
}
