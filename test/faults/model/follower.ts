import { type Json as Any, client, type Worker } from '../../fixtures/tenant.ts'
import { Contradiction, type Course } from './course.ts'
import type { Json, State } from './state.ts'
import type { World } from './world.ts'

// Somebody who knows the database from the feed of changes alone.

/** Records by resource and name. */
type Copy = Map<string, { request_id: string | null; record: Json }>

const LIMIT = 3

export class Follower {
  readonly copy: Copy = new Map()
  readonly #world: World
  readonly #api: ReturnType<typeof client>
  readonly #seen = new Set<string>()
  #next = 'from=start'
  #isAtEnd = false

  constructor(world: World, worker: Worker) {
    this.#world = world
    const { value } = world.keys.get('follower') ?? { value: '' }
    this.#api = client(value, { worker })
  }

  /** To the end of the feed; or until it is refused, as it may be while others change settings. */
  async walk({ isLast = false } = {}): Promise<void> {
    if (this.#isAtEnd) await this.#forget()
    this.#isAtEnd = false
    for (let hasMore = true; hasMore; ) {
      const { status, text, body } = await this.#api.get(`/changes/?${this.#next}&limit=${LIMIT}`)
      if (status !== 200 && !isLast && (status >= 500 || status === 403)) return
      if (status !== 200) throw new Contradiction(`The feed was answered ${status} ${text}`)
      for (const change of body.data) this.#learn(change)
      this.#next = `cursor=${body.pagination.next_cursor}`
      hasMore = body.pagination.has_more
    }
    this.#isAtEnd = true
  }

  /** To the very end, whatever the settings are by now. */
  async finish(): Promise<void> {
    const { db } = this.#world
    await db.batch([
      db.prepare('update workspace set integration_enabled = 1, pause = null'),
      db.prepare('update api_keys set pause = null'),
    ])
    await this.walk({ isLast: true })
  }

  /** Deletes, as the daily retention does, the slices of uploads that are not remembered. Stock is to be found all the same. */
  async #forget(): Promise<void> {
    const slices = 'position between 2001 and 2999'
    await this.#world.db.prepare(`delete from replaced_values where ${slices}`).run()
  }

  #learn({ resource, request_id, record }: Any): void {
    const name = `${resource} ${nameOf(record)}`
    const change = `${name} in ${request_id}`
    if (this.#seen.has(change)) throw new Contradiction(`The feed has twice: ${change}`)
    this.#seen.add(change)
    this.copy.set(name, { request_id, record })
  }
}

function nameOf({ order_number, sku, code, location_code, sku_code }: Any): string {
  return order_number ?? sku ?? code ?? `${location_code} ${sku_code}`
}

/** The copy is the state, and each record has the request that changed it last. */
export function checkCopy({ choices, states, commits }: Course, { copy }: Follower): void {
  const last = states.at(-1) as State
  const expected = recordsOf(last)
  for (const name of copy.keys()) {
    if (!expected.has(name)) throw new Contradiction(`The feed has what nobody made: ${name}`)
  }
  for (const [name, { record, stored }] of expected) {
    const found = copy.get(name)
    if (!found) throw new Contradiction(`The feed lacks ${name}`)
    const difference = choices.difference(record, found.record)
    if (difference) throw new Contradiction(`${name} in the feed: ${difference}`)
    const at = states.findLastIndex((state) => recordsOf(state).get(name)?.stored !== stored)
    const changed_by = commits[at]?.row.request_id ?? null
    if (found.request_id !== changed_by && !isUploadedLater(name, at)) {
      throw new Contradiction(`${name} in the feed is of ${found.request_id}, not ${changed_by}`)
    }
  }

  /** An upload may change a quantity and change it back. */
  function isUploadedLater(name: string, at: number): boolean {
    if (!name.startsWith('inventory ')) return false
    return commits.slice(at + 1).some(({ row }) => row.path.endsWith('/inventory/'))
  }
}

/** `stored` is another one after each change. */
interface Kept {
  record: object
  stored: unknown
}

/** By resource and name, as the feed shows them, and as the model holds them. */
function recordsOf(state: State): Map<string, Kept> {
  const known = memory.get(state)
  if (known) return known
  const { orders, products, locations, stock } = state
  const all = new Map<string, Kept>()
  const add = (resource: string, name: string, stored: unknown, record: object) =>
    all.set(`${resource} ${name}`, { record, stored })
  for (const [name, one] of products) add('products', name, one, shown(one))
  for (const [name, one] of locations) add('locations', name, one, shown(one))
  for (const [name, one] of stock) add('inventory', name, one.quantity, one)
  for (const [name, one] of orders) {
    const { lines, partner_id, version, ...order } = one
    const items = lines.map(({ sku_code, ...line }) => ({ ...line, sku: { sku: sku_code } }))
    add('orders', name, one, { ...order, items })
  }
  memory.set(state, all)
  return all
}

const memory = new WeakMap<State, Map<string, Kept>>()

function shown<One extends { created_at: unknown; updated_at: unknown; version: number }>({
  created_at,
  updated_at,
  version,
  ...record
}: One): object {
  return record
}
