import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Journal, Thing, Write } from './journal.ts'
import { API } from './load/writes.ts'
import type { Access } from './server.ts'
import { type FedRecord, readFed } from './snapshot.ts'

const PAUSE_AFTER_FAILURE_MS = 100

interface Change {
  resource: string
  request_id: string | null
  record: Record<string, unknown> & { items?: { sku: { sku: string }; quantity: number }[] }
}

/** Knows the database from the feed of changes alone, with one cursor for the whole run. */
export class Follower {
  /** By resource and name. */
  readonly #copy = new Map<string, FedRecord>()
  readonly #seen = new Set<string>()
  readonly #problems: string[] = []
  #next = 'from=start'

  /** Follows while others write, as far as it is answered. */
  async follow(access: Access, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const isAnswered = await this.#page(access, stop, 'wait=1').then(
        () => true,
        () => false,
      )
      if (!isAnswered) await sleep(PAUSE_AFTER_FAILURE_MS)
    }
  }

  /**
   * Follows to the end, while nobody writes. Returns the problems, in words: what differs between the copy and the
   * database, and newest writes that are not in it. The journal must have no open doubts.
   */
  async verify(access: Access, folder: string, journal: Journal, life: AbortSignal) {
    while (await this.#page(access, life, 'limit=200'));
    const stored = new Map(readFed(folder).map((record) => [record.name, record]))
    const differing = [...new Set([...stored.keys(), ...this.#copy.keys()])].filter(
      (name) => !isDeepStrictEqual({ ...stored.get(name) }, { ...this.#copy.get(name) }),
    )
    const differences = differing.map((name) => {
      const [is, should] = [this.#copy.get(name), stored.get(name)]
      return `${name}: the feed says ${JSON.stringify(is)}, the database ${JSON.stringify(should)}`
    })
    const unheard = journal.things.flatMap((thing) => this.#unheard(thing, journal.writes))
    return [...this.#problems.splice(0), ...differences, ...unheard]
  }

  /** False at the end. */
  async #page(access: Access, life: AbortSignal, more: string): Promise<boolean> {
    const response = await fetch(`${access.origin}/api/${API}/changes/?${this.#next}&${more}`, {
      headers: { 'X-API-Key': access.key },
      signal: life,
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`The feed was answered ${response.status}`)
    const { data, pagination } = answer as {
      data: Change[]
      pagination: { next_cursor: string; has_more: boolean }
    }
    for (const change of data) this.#learn(change)
    this.#next = `cursor=${pagination.next_cursor}`
    return pagination.has_more
  }

  #learn({ resource, request_id, record }: Change): void {
    const { order_number, sku, code, location_code, sku_code, quantity, status } = record
    const name = `${resource} ${order_number ?? sku ?? code ?? `${location_code} ${sku_code}`}`
    const change = `${name} in ${request_id}`
    if (request_id !== null && this.#seen.has(change)) this.#problems.push(`${change}: fed twice`)
    this.#seen.add(change)
    const items = record.items?.map((line) => `${line.sku.sku} ${line.quantity}`) ?? null
    const text = record.notes ?? record.cost ?? record.name ?? null
    const value = status ?? quantity ?? record.zone ?? null
    this.#copy.set(name, { name, request_id, value, text, items: items && JSON.stringify(items) })
  }

  /** The last write that changed the thing, if the feed has another one. */
  #unheard(thing: Thing, writes: Write[]): string[] {
    const landed = writes.filter((write) => write.thing === thing && write.landed)
    const last = landed.findLast(
      ({ wanted }, at) => !isDeepStrictEqual(wanted, landed[at - 1]?.wanted ?? null),
    )
    if (!last?.requestId) return []
    return namesOf(thing).flatMap((name) => {
      const known = this.#copy.get(name)?.request_id
      if (known === last.requestId) return []
      return [`${name}: the last write is ${last.requestId}, and the feed has ${known}`]
    })
  }
}

function namesOf({ kind, key, pairs }: Thing): string[] {
  if (kind === 'stock') {
    const { locations = [], skus = [] } = pairs ?? {}
    return locations.flatMap((location) => skus.map((sku) => `inventory ${location} ${sku}`))
  }
  return ['order', 'product', 'location'].includes(kind) ? [`${kind}s ${key}`] : []
}
