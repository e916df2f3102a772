import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { type PartnerOptions, saveMapping } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { MAPPING, MENDED, shopOrder } from '../fixtures/shop.ts'
import {
  type Answer,
  type Api,
  client,
  createKey,
  type Json,
  openAdmin,
  openTenant,
} from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

let admin: Api

beforeEach(async () => {
  await openTenant()
  admin = await openAdmin()
})

const kept = (options: PartnerOptions = {}) => openKept({ of: 'errors', days: 7 }, options)

describe('POST /send-again/', () => {
  const all = (request_ids: string[]) => admin.post(`${SETTINGS}/send-again/`, { request_ids })

  it('sends each once, the oldest first, and says what became of each', async () => {
    const partner = await kept({ mappings: { orders: MAPPING } })
    const orders = [await shopOrder(admin), await shopOrder(admin), await shopOrder(admin, 'two')]
    const refused: Answer[] = []
    for (const order of orders) refused.push(await partner.api.post('/orders/', order))
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const ids = refused.map(idOf)
    const unknown = crypto.randomUUID()
    const { status, body } = await all([unknown, ...ids.toReversed(), ids[0] as string])
    expect(status).toBe(200)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(body.data).toEqual([
      { replay_of: ids[0], request_id: id, status: 201, error: null },
      { replay_of: ids[1], request_id: id, status: 201, error: null },
      { replay_of: ids[2], request_id: id, status: 422, error: null },
      {
        replay_of: unknown,
        request_id: null,
        status: null,
        error: {
          code: 'NOT_FOUND',
          reason: 'UNKNOWN_RECORD',
          message: expect.stringContaining(unknown),
        },
      },
    ])
  })

  it('leaves the newest of several changes of one record, however old they are', async () => {
    const byText = { inbound: { fields: { quantity: 'qty' } } }
    const byNumber = { inbound: { fields: { quantity: { from: 'qty', as: 'integer' } } } }
    const partner = await kept({ mappings: { products: byText } })
    const { sku } = await createProduct(admin)
    const refused: Answer[] = []
    for (const qty of ['5', '6', '7']) {
      refused.push(await partner.api.put(`/products/${sku}/`, { qty }))
      await scheduler.wait(5)
    }
    await saveMapping(partner.admin, partner.id, 'products', byNumber)
    const { body } = await all(refused.map(idOf))
    expect(body.data.map(({ status }: Json) => status)).toEqual([200, 200, 200])
    expect((await partner.api.get(`/products/${sku}/`)).body.data.quantity).toBe(7)
    // The first one is older than what has been sent since.
    const [outcome] = (await all([idOf(refused[0] as Answer)])).body.data
    expect([outcome.status, outcome.error.reason]).toEqual([null, 'SUPERSEDED'])
  })

  it('sends nothing twice when the settings change meanwhile', async () => {
    const partner = await kept({ mappings: { orders: MAPPING } })
    const refused = [
      await partner.api.post('/orders/', await shopOrder(admin)),
      await partner.api.post('/orders/', await shopOrder(admin)),
    ]
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const key = await createKey(['settings.*', 'integrations.*'])
    admin = client(key.value)
    let written = 0
    const batch: Watch = async (call) => {
      const result = await call()
      const orders = env.DB_DEMO.prepare('select count(*) as n from audit_log where replay_of = ?')
      const isSent = (await orders.bind(idOf(refused[0] as Answer)).first('n')) === 1
      if (isSent && written === 0) {
        written = 1
        await env.DB_DEMO.prepare("update api_keys set name = 'renamed' where id = ?")
          .bind(key.id)
          .run()
      }
      return result
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const request_ids = refused.map(idOf)
    const { body } = await admin.post(`${SETTINGS}/send-again/`, { request_ids }, { bindings })
    expect(body.data).toMatchObject([
      { status: 201, error: null },
      { status: null, error: { reason: 'SETTINGS_CHANGING' } },
    ])
  })

  it('leaves what has no time left to the next request', async () => {
    const partner = await kept({ mappings: { orders: MAPPING } })
    const ids: string[] = []
    for (const _ of [1, 2]) {
      ids.push(idOf(await partner.api.post('/orders/', await shopOrder(admin))))
    }
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const batch: Watch = async (call) => {
      const result = await call()
      const sent = env.DB_DEMO.prepare('select count(*) as n from audit_log where replay_of = ?')
      const isSent = (await sent.bind(ids[0]).first('n')) === 1
      if (isSent) vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 21_000 })
      return result
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const request = admin.post(`${SETTINGS}/send-again/`, { request_ids: ids }, { bindings })
    const { body } = await request.finally(() => vi.useRealTimers())
    expect(body.data).toMatchObject([
      { status: 201, error: null },
      { status: null, error: { code: 'UNAVAILABLE', reason: 'OUT_OF_TIME' } },
    ])
  })

  it.each([[[]], [['none']], [Array.from({ length: 51 }, () => crypto.randomUUID())]])(
    'is 400 for anything but 1 to 50 ids',
    async (ids) => {
      expectRefusal(await all(ids), 400, 'VALIDATION_ERROR')
    },
  )

  it('says of what is no id where it is', async () => {
    const { body } = await all([crypto.randomUUID(), 'none'])
    expect(body.error.fields).toEqual({
      'request_ids[1]': ['Must be the id of a request, a UUID.'],
    })
  })
})
