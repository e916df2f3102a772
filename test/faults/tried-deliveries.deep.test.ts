import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { withCookie } from '../fixtures/session.ts'
import { type Answer, client, createKey, unique } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'
import { faultsOf } from './cases.ts'
import { sessionOf } from './page.ts'

// A try is answered inside of another answer, so the tables of endpoints and pages do not fit.

// As in deliveries.test.ts.
const SPEED = 40

/** A delivery that could be applied by now, and that waits for a person, so that nothing tries it by itself. */
async function prepare() {
  const shop = await openWebhook()
  const sku = unique('SKU')
  const document = await shopDocument(shop.partner.api, { lines: [{ sku, qty: 1 }] })
  const { body } = await shop.deliver(document)
  const id = body.data.delivery_id as string
  await env.DB_DEMO.prepare(
    "update waiting_deliveries set needs = 'person', needs_code = null where delivery_id = ?",
  )
    .bind(id)
    .run()
  await shop.partner.api.post('/products/', { sku })
  const key = await createKey(['settings.*', 'integrations.*'])
  return { id, number: document.number, key }
}

type Prepared = Awaited<ReturnType<typeof prepare>>
type Ask = (one: Prepared, options: object) => Promise<Answer>

/** What the database holds of it. */
async function stateOf({ id, number }: Prepared) {
  const db = env.DB_DEMO
  const order = db.prepare('select count(*) as n from orders where order_number = ?').bind(number)
  const waiting = db
    .prepare('select count(*) as n from waiting_deliveries where delivery_id = ?')
    .bind(id)
  const tries = db
    .prepare("select outcome from audit_log where replay_of = ? and outcome = 'created'")
    .bind(id)
  return {
    hasOrder: (await order.first('n')) === 1,
    waits: (await waiting.first('n')) === 1,
    created: (await tries.all()).results.length,
  }
}

/** Asked with the faults, and once more without. */
async function askTwice(ask: Ask, faults: Fault[]) {
  const one = await prepare()
  const { bindings, calls, drained } = faultyBindings(faults)
  // Only now: a delivery has 4 s, which would pass too fast.
  const slowDown = speedUpTime(SPEED)
  const first = await ask(one, { bindings }).finally(drained).finally(slowDown)
  const between = await stateOf(one)
  const second = await ask(one, {})
  return { one, calls, first, between, second, after: await stateOf(one) }
}

type Asked = Awaited<ReturnType<typeof askTwice>>

/** What is not true; empty where all is well. */
function untruths({ one, first, between, second, after }: Asked): string[] {
  const { status, text } = first
  const to = first.headers.get('Location') ?? ''
  const tells = status === 200 || status === 303
  const saysApplied =
    tells && (/"outcome":"created"|: 1 applied\./.test(text) || /audit-log/.test(to))
  const saysWaiting =
    tells && (/"outcome":"waiting"|1 still waiting/.test(text) || to.includes(one.id))
  const wrong: [boolean, string][] = [
    [![200, 303, 409, 500, 503].includes(status), `is ${status}`],
    [between.hasOrder === between.waits, 'has an order that waits, or neither'],
    [between.created !== Number(between.hasOrder), `has ${between.created} tries that created it`],
    [saysApplied && !between.hasOrder, 'says that it was applied'],
    [saysWaiting && between.hasOrder, 'says that it waits on'],
    [/Nothing was changed/.test(text) && between.hasOrder, 'says that nothing was changed'],
    [second.status >= 500, `is ${second.status} without a fault`],
    [!after.hasOrder || after.waits || after.created !== 1, 'is not applied by the second try'],
  ]
  return wrong.filter(([is]) => is).map(([, what]) => `${what}: ${status} ${to} ${text}`)
}

const page = async ({ key }: Prepared, options: object) =>
  withCookie(await sessionOf(key.id), options)

const WAYS: [string, Ask][] = [
  [
    'POST /api/settings/v1/deliveries/{delivery_id}/apply/',
    ({ id, key }, options) =>
      client(key.value).post(`/api/settings/v1/deliveries/${id}/apply/`, {}, options),
  ],
  [
    'POST /dashboard/deliveries/:id/apply/',
    async (one, options) =>
      (await page(one, options)).post(`/dashboard/deliveries/${one.id}/apply/`),
  ],
  [
    'POST /dashboard/apply-deliveries/',
    async (one, options) =>
      (await page(one, options)).post('/dashboard/apply-deliveries/', {
        ...{ run: crypto.randomUUID(), ids: one.id, results: '[]' },
      }),
  ],
]

describe.each(WAYS)('%s', (_, ask) => {
  it('applies a delivery once, and tells the truth, whichever call fails the first time', async () => {
    const sound = await askTwice(ask, [])
    expect(sound.between).toEqual({ hasOrder: true, waits: false, created: 1 })
    expect(untruths(sound)).toEqual([])
    const wrong: object[] = []
    for (const fault of faultsOf(sound.calls)) {
      const found = untruths(await askTwice(ask, [fault]))
      if (found.length > 0) wrong.push({ fault, found })
    }
    expect(wrong).toEqual([])
  }, 240_000)
})
