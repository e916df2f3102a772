import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { saveMapping } from '../fixtures/partner.ts'
import {
  type Answer,
  dispatch,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'
import { Clock, Dice, HOUR, MINUTE } from './shops/clock.ts'
import { Receiver } from './shops/receiver.ts'
import type { Said } from './shops/shop.ts'
import { Shopify } from './shops/shopify.ts'
import { drawFaults } from './shops/trouble.ts'
import { WooCommerce } from './shops/woocommerce.ts'

// Two shops deliver their orders for half a day, while one thing after another goes wrong here. In the end nothing is lost.

const ORDERS = 500
/** When the mappings are broken, and when they are mended. */
const BROKEN_MS = 0.5 * HOUR
const MENDED_MS = 1.5 * HOUR
const SETTINGS = '/api/settings/v1'
const SECRET = 'a long secret of the shop, 0123456789'

type Shop = WooCommerce | Shopify
type Admin = Awaited<ReturnType<typeof openAdmin>>

let clock: Clock
let logged: Json[]
beforeAll(() => {
  clock = new Clock()
  logged = []
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((line) => logged.push(JSON.parse(line)))
  }
})
afterAll(() => {
  clock.stop()
  vi.restoreAllMocks()
})

/** A partner with the shop's starter and a webhook by its preset, unchanged. */
async function connect(admin: Admin, starterName: string, presetName: string) {
  const starter = (await admin.get(`${SETTINGS}/mapping-starters/${starterName}/`)).body.data
  const preset = (await admin.get(`${SETTINGS}/webhook-presets/${presetName}/`)).body.data
  const mappings = { orders: starter.mapping }
  const opened = await openWebhook({ mappings, rules: preset.rules, secret: SECRET })
  return { ...opened, mapping: starter.mapping, example: starter.document }
}

describe('two shops, for half a day with a broken mapping, missing products, the switch off and faults of D1', () => {
  it('lose nothing that was delivered', async ({ task }) => {
    const seed = env.RANDOM.seed
    task.meta.notice = `shops: seed ${seed}`
    const db = await openTenant()
    const admin = await openAdmin()
    const receiver = new Receiver()
    const skus = Array.from({ length: 20 }, () => unique('SKU'))
    const outside = { clock, dice: new Dice(seed), send: receiver.send, skus }
    const one = await connect(admin, 'woocommerce-order', 'woocommerce-orders')
    const other = await connect(admin, 'shopify-order', 'shopify-orders')
    const woo = new WooCommerce(outside, one.webhook.address, SECRET, one.example)
    const shopify = new Shopify(outside, other.webhook.address, SECRET, other.example)
    const late = new Set(skus.slice(0, 6))
    for (const sku of skus) if (!late.has(sku)) await admin.post('/products/', { sku })

    expect(await woo.ping()).toEqual([200, 200, 200, 200])
    woo.open(ORDERS, 5 * HOUR)
    shopify.open(ORDERS, 5 * HOUR)
    plan({ admin, receiver, late, dice: new Dice(seed + 1) }, [one, other])
    const resaved: number[] = []
    const broken_at = isoAfter(BROKEN_MS)
    clock.after(MENDED_MS + 2 * MINUTE, async () => {
      const names = await changedSince(broken_at, db, [one.id, other.id])
      resaved.push(saveAgain(woo, names) + saveAgain(shopify, names))
    })
    clock.after(8 * HOUR, () => resaved.push(woo.saveAgain()))
    await clock.run(9, async () => await receiver.runAlarms(clock.now))
    await receiver.rest()

    expect([woo.isDisabled, shopify.isDisabled]).toEqual([false, false])
    expect(receiver.faults).toBeGreaterThan(0)
    await expectRows(db, [one.id, other.id], receiver)
    const left = await expectNothingToApply(db, admin)
    const differing = [await expectSaid(woo, admin), await expectSaid(shopify, admin)]
    task.meta.notice = `${await figures(db, [one.id, other.id], receiver)}, ${shopify.retries} retries by Shopify, ${resaved.join(' and ')} orders saved again, ${left} left to a person, ${differing.join(' and ')} orders with other lines; seed ${seed}`
  }, 900_000)
})

interface Trouble {
  admin: Admin
  receiver: Receiver
  late: Set<string>
  dice: Dice
}

/** Hour by hour: what goes wrong, and when it is mended. */
function plan(
  { admin, receiver, late, dice }: Trouble,
  shops: Awaited<ReturnType<typeof connect>>[],
) {
  for (const { partner, mapping } of shops) {
    const { fields } = mapping.inbound
    const broken = {
      ...fields,
      customer_name: { from: 'client.fullname', as: 'string', required: true },
    }
    const save = (changed: object) =>
      saveMapping(admin, partner.id, 'orders', {
        identifier_field: mapping.identifier_field,
        inbound: { ...mapping.inbound, fields: changed },
      })
    clock.after(BROKEN_MS, () => save(broken))
    clock.after(MENDED_MS, () => save(fields))
  }
  for (const sku of late) {
    clock.after((1.5 + dice.roll()) * HOUR, () => admin.post('/products/', { sku }))
  }
  const turn = (integration_enabled: boolean) =>
    admin.put(`${SETTINGS}/workspace/`, { integration_enabled })
  clock.after(2.6 * HOUR, () => turn(false))
  clock.after(3.1 * HOUR, () => turn(true))
  let slowDown = () => {}
  clock.after(3.5 * HOUR, () => {
    slowDown = speedUpTime(20)
    receiver.draw = () => drawFaults(dice)
  })
  clock.after(5 * HOUR, () => {
    receiver.draw = () => []
    slowDown()
  })
}

const isoAfter = (ms: number) => new Date(clock.now + ms).toISOString()

/** Of the orders that deliveries have changed since then, the numbers, as the audit log lists them. */
async function changedSince(since: string, db: D1Database, webhooks: string[]) {
  const { results } = await db
    .prepare(
      `select distinct record_name from audit_log where api_key_id in (?, ?)
       and outcome in ('updated', 'unchanged') and created_at >= ?`,
    )
    .bind(...webhooks, since)
    .all<Json>()
  return new Set(results.map(({ record_name }) => record_name))
}

/**
 * A change for which the broken mapping has found no name was applied without it, and nobody delivers it again: whoever mends the
 * mapping saves the orders of that time once more in the shop. Gives how many.
 */
function saveAgain(shop: Shop, names: Set<string>): number {
  const all = [...shop.said()].filter(
    ([, { order_number, state }]) => state !== 'gone' && names.has(order_number),
  )
  for (const [id] of all) shop.save(id)
  return all.length
}

/** Each delivery has one row, which says what its sender was told, and none is applied twice. */
async function expectRows(db: D1Database, webhooks: string[], { answers, sent }: Receiver) {
  const { results } = await db
    .prepare(
      `select request_id, replay_of, outcome, status from audit_log where api_key_id in (?, ?)`,
    )
    .bind(...webhooks)
    .all<Json>()
  const rows = results.filter(({ replay_of }) => replay_of === null)
  const byId = Map.groupBy(rows, ({ request_id }) => request_id)
  expect(answers.length).toBe(sent)
  const wrong = answers.filter((answer) => !isRowOf(answer, byId.get(idOf(answer)) ?? []))
  expect(wrong.map((answer) => [answer.text, byId.get(idOf(answer))])).toEqual([])
  const asked = new Set(answers.map(idOf))
  expect(rows.filter(({ request_id }) => !asked.has(request_id))).toEqual([])
  const { results: left } = await db
    .prepare('select delivery_id from waiting_deliveries')
    .all<Json>()
  // Each that was told to wait has ended with a reason, or a try has ended it, or it waits.
  const known = new Set([
    ...results
      .filter(({ outcome }) => outcome !== null && outcome !== 'waiting')
      .map(({ request_id, replay_of }) => replay_of ?? request_id),
    ...left.map(({ delivery_id }) => delivery_id),
  ])
  const waited = answers.filter(({ body }) => body?.data?.outcome === 'waiting')
  expect(waited.filter(({ body }) => !known.has(body.data.delivery_id))).toEqual([])
  const applied = results.filter(({ outcome }) => APPLIED.includes(outcome))
  const times = Map.groupBy(applied, ({ request_id, replay_of }) => replay_of ?? request_id)
  expect([...times.values()].filter(({ length }) => length > 1)).toEqual([])
}

const APPLIED = ['created', 'updated', 'unchanged', 'cancelled', 'uploaded']
const idOf = ({ headers }: Answer) => headers.get('X-Request-Id') ?? ''
const isPing = ({ body }: Answer) => body?.data?.reason === 'A ping.'
/** Its caller could not be looked up, or its row not be stored: the log says so. */
const isLogged = (answer: Answer, as?: string) =>
  logged.some(({ request_id, event }) => request_id === idOf(answer) && event === (as ?? event))

function isRowOf(answer: Answer, rows: Json[]): boolean {
  if (isPing(answer)) return rows.length === 0
  if (answer.status >= 500) return rows.length === 1 || (rows.length === 0 && isLogged(answer))
  const [row, ...more] = rows
  if (more.length > 0 || answer.status !== 200) return false
  // As for reads: the row of what changes nothing is stored after the answer. If D1 does not take it, the log has it.
  if (!row)
    return (
      ['skipped', 'stale'].includes(answer.body.data.outcome) &&
      isLogged(answer, 'audit_row_not_stored')
    )
  const told = answer.body.data.outcome
  const isEnded = told === 'waiting' && ['superseded', 'dismissed'].includes(row.outcome)
  return row.outcome === told || isEnded
}

/** What still waits needs a person, and cannot be applied now. Gives how many that are. */
async function expectNothingToApply(db: D1Database, admin: Admin): Promise<number> {
  const { results } = await db
    .prepare('select delivery_id, needs, message from waiting_deliveries')
    .all<Json>()
  expect(results.filter(({ needs }) => needs !== 'person')).toEqual([])
  for (const { delivery_id } of results) {
    const { body } = await admin.post(`${SETTINGS}/deliveries/${delivery_id}/apply/`, {})
    expect(body.data.outcome).toBe('waiting')
    expect(['SHIPPED_ORDER_STAYS', 'ORDER_IS_FINAL']).toContain(body.data.error.reason)
  }
  return results.length
}

/** Each order is what its shop says, but for lines; of these a repetition warns. Gives how many have other lines. */
async function expectSaid(shop: Shop, admin: Admin): Promise<number> {
  let differing = 0
  for (const [id, said] of shop.said()) {
    const { status, body } = await admin.get(`/orders/${said.order_number}/`)
    const order = status === 404 ? null : body.data
    expect({ said, order: order && shownOf(order) }).toSatisfy(isAsSaid)
    if (order === null || said.state === 'gone' || isSame(said.lines, linesOf(order))) continue
    differing += 1
    const { answer, afterwards } = await dispatch(shop.repeat(id))
    await afterwards()
    if (said.state === 'cancelled') continue
    expect(answer.body.warnings).toContainEqual(expect.objectContaining({ code: 'LINES_DIFFER' }))
  }
  return differing
}

type Line = Said['lines'][number]
interface Shown {
  state: string
  customer_name: string
  notes: string | null
}

const shownOf = ({ status, customer_name, notes }: Json): Shown => ({
  state: status,
  customer_name,
  notes,
})

function isAsSaid({ said, order }: { said: Said; order: Shown | null }): boolean {
  // An order that was never open when it could be created is not there.
  if (order === null) return said.state !== 'open'
  if (said.state === 'unpaid') return false
  const { state, customer_name, notes } = order
  const ended = {
    open: ['pending'],
    shipped: ['shipped'],
    cancelled: ['cancelled', 'shipped'],
    gone: ['cancelled'],
  }
  if (!ended[said.state].includes(state)) return false
  // What cancels changes nothing else.
  return state === 'cancelled' || (customer_name === said.customer_name && notes === said.notes)
}

const linesOf = ({ items }: Json): Line[] =>
  items.map(({ sku, quantity }: Json) => ({ sku: sku.sku, quantity }))

function isSame(one: Line[], another: Line[]): boolean {
  const texts = (lines: Line[]) => lines.map(({ sku, quantity }) => `${sku} ${quantity}`).toSorted()
  return JSON.stringify(texts(one)) === JSON.stringify(texts(another))
}

async function figures(db: D1Database, webhooks: string[], { sent, faults, alarms }: Receiver) {
  const { results } = await db
    .prepare(
      `select coalesce(outcome, status) as outcome, replay_of is not null as is_try, count(*) as n from audit_log
       where api_key_id in (?, ?) group by 1, 2 order by 1`,
    )
    .bind(...webhooks)
    .all<Json>()
  const told = (isTry: number) =>
    results
      .filter(({ is_try }) => is_try === isTry)
      .map(({ outcome, n }) => `${n} ${outcome}`)
      .join(', ')
  return `shops: ${sent} deliveries (${told(0)}), tries (${told(1)}) in ${alarms} alarms, ${faults} faults of D1`
}
