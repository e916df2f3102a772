import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Fault } from '../../../fixtures/fault.ts'
import { faultyBindings } from '../../../fixtures/harness.ts'
import { type Answer, dispatch, type Json, unique } from '../../../fixtures/tenant.ts'
import { type openWebhook, signed } from '../../../fixtures/webhooks.ts'
import type { Action, Document } from './actions.ts'
import type { Sent } from './course.ts'

const SETTINGS = '/api/settings/v1'

type Shop = Awaited<ReturnType<typeof openWebhook>>

/** A delivery and what was said to it. */
export interface Told {
  sent: Sent
  answer: Answer
}

/** One sequence, with names that no other sequence has. */
export class Play {
  readonly shop: Shop
  readonly db: D1Database
  readonly names: Record<string, string>
  /** By the id of the request. */
  readonly told = new Map<string, Told>()
  /** What a change of the switch set it to, by the id of the request. */
  readonly switched = new Map<string, boolean>()
  /** The last seq of the audit log when a step was over. */
  readonly steps: number[] = []
  faults = 0
  /** Of what was told to wait. */
  readonly #waiting: string[] = []

  constructor(shop: Shop, db: D1Database, names: Record<string, string>) {
    this.shop = shop
    this.db = db
    this.names = names
  }

  static async begin(shop: Shop, db: D1Database): Promise<Play> {
    await db.batch([
      db.prepare('delete from waiting_deliveries'),
      db.prepare('update workspace set integration_enabled = 1'),
    ])
    const names = Object.fromEntries(
      ['A', 'B', 'S-1', 'S-2', 'S-3'].map((name) => [name, unique(name)]),
    )
    await shop.partner.api.post('/products/', { sku: names['S-1'] })
    const play = new Play(shop, db, names)
    await play.#note()
    return play
  }

  async step(actions: Action[]): Promise<void> {
    await Promise.all(actions.map((action) => this.#act(action)))
    await this.#note()
  }

  /** Lets all be there, and tries until nothing is left to be tried. A try on a busy machine may be too slow. */
  async mend(): Promise<void> {
    await this.step([
      { does: 'switch', on: true },
      { does: 'create', sku: 'S-2' },
      { does: 'create', sku: 'S-3' },
    ])
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.step([{ does: 'alarm', faults: [] }])
      const { results } = await this.db
        .prepare("select delivery_id, needs from waiting_deliveries where is_due or needs = 'time'")
        .all<Json>()
      // What had trouble is tried later.
      const later = results.filter(({ needs }) => needs === 'time')
      for (const { delivery_id } of later) await this.#try('apply', delivery_id, [])
      await this.#note()
      if (results.length === 0) return
    }
  }

  async #note(): Promise<void> {
    const seq = await this.db.prepare('select max(seq) as seq from audit_log').first<number>('seq')
    this.steps.push(seq ?? 0)
  }

  async #act(action: Action): Promise<unknown> {
    const { partner } = this.shop
    switch (action.does) {
      case 'deliver':
        return await this.#deliver(action)
      case 'create':
        return await partner.api.post('/products/', { sku: this.names[action.sku] })
      case 'switch':
        return await this.#switch(action.on)
      case 'alarm':
        return await this.#alarm(action.faults)
      default: {
        const id = this.#waiting.at(-1 - action.nth)
        return id && (await this.#try(action.does, id, action.faults))
      }
    }
  }

  async #switch(on: boolean): Promise<void> {
    const changed = { integration_enabled: on }
    const { headers } = await this.shop.admin.put(`${SETTINGS}/workspace/`, changed)
    this.switched.set(headers.get('X-Request-Id') ?? '', on)
  }

  async #deliver({ event, document, faults }: Extract<Action, { does: 'deliver' }>) {
    const modified = document.age === null ? null : timeOf(document.age)
    const body = this.#bodyOf(document, modified)
    const request = signed(this.shop.webhook.address, body, { event })
    const { bindings, hits, drained } = faultyBindings(faults)
    const arrived = new Date().toISOString()
    const { answer, afterwards } = await dispatch(request, { bindings })
    const id = answer.headers.get('X-Request-Id') ?? ''
    this.told.set(id, { sent: { event, document, modified, arrived }, answer })
    if (answer.body?.data?.outcome === 'waiting') this.#waiting.push(id)
    await afterwards()
    await drained()
    this.faults += hits.length
  }

  #bodyOf({ order, status, customer, isBroken, sku }: Document, modified: string | null): object {
    const number = this.names[order]
    if (modified === null) return { number }
    const lines = [{ sku: this.names[sku], qty: 2 }]
    return { number, status, customer: isBroken ? { name: customer } : customer, modified, lines }
  }

  async #alarm(faults: Fault[]): Promise<void> {
    const { bindings, hits, drained } = faultyBindings(faults)
    await runInDurableObject(env.DELIVERIES.getByName('demo'), async (driver) => {
      Object.assign(driver, { env: bindings })
      await driver.tryDue('demo').catch(() => {})
      await drained()
    })
    this.faults += hits.length
  }

  async #try(what: 'apply' | 'dismiss', id: string, faults: Fault[]): Promise<void> {
    const { bindings, hits, drained } = faultyBindings(faults)
    await this.shop.admin.post(`${SETTINGS}/deliveries/${id}/${what}/`, {}, { bindings })
    await drained()
    this.faults += hits.length
  }
}

const ROUNDS_MAX = 20
const BEGINNING = Date.UTC(2026, 0, 2)
const timeOf = (age: number) => new Date(BEGINNING - age * 60_000).toISOString()
