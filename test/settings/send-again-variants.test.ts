import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { badOrder, idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { admin } from '../fixtures/opened.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { type PartnerOptions, saveMapping } from '../fixtures/partner.ts'
import { expectReason, expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { MAPPING, MENDED, shopOrder } from '../fixtures/shop.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { createProduct, dataOf } from '../fixtures/warehouse.ts'

const RECORDS = {
  inbound: {
    unmapped: 'drop',
    records: { each: 'orders[]' },
    fields: {
      order_number: 'orders[].number',
      'items[].sku_code': 'orders[].lines[].sku',
      'items[].quantity': { from: 'orders[].lines[].qty', as: 'integer' },
    },
  },
}

async function openShop() {
  const partner = await openKept({ of: 'errors', days: 7 }, { mappings: { orders: RECORDS } })
  const { sku } = await createProduct(partner.admin)
  const order = (line: object = {}) => ({ number: unique('N'), lines: [{ sku, qty: 1, ...line }] })
  const row = async (answer: Answer): Promise<Json> =>
    dataOf(await partner.admin.get(`${SETTINGS}/audit-log/${idOf(answer)}/`), 200)
  return { ...partner, order, row }
}

describe('POST /audit-log/{request_id}/send-again/ of a document with several records', () => {
  it('is open while records have failed, and leaves alone what was created', async () => {
    const shop = await openShop()
    const lacking = unique('SKU')
    const orders = [shop.order(), shop.order({ sku: lacking }), shop.order({ qty: 'two' })]
    const sent = await shop.api.post('/orders/', { orders })
    expect(await shop.row(sent)).toMatchObject({
      status: 200,
      message: 'Of 3 records, 2 failed.',
      counts: { total: 3, created: 1, updated: 0, unchanged: 0, failed: 2 },
      document: { state: 'kept' },
      details: {
        records: [
          {
            row: 1,
            errors: { 'items[0].sku_code': [expect.stringContaining(lacking)] },
            source: { 'items[0].sku_code': 'orders[1].lines[0].sku' },
          },
        ],
        problems: [{ reason: 'CONVERSION', at: 'orders[2].lines[0].qty' }],
      },
    })
    const dashboard = await openDashboard()
    const all = await dashboard.get(`/dashboard/send-again/?partner_id=${shop.id}`)
    expect(wordsOf(all)).toContain('1 failed request')
    expect(wordsOf(all)).not.toContain('nothing to send again')

    await createProduct(shop.admin, { sku: lacking })
    const again = await shop.admin.post(`${SETTINGS}/audit-log/${idOf(sent)}/send-again/`, {})
    const { answer } = dataOf(again, 200)
    expect(answer.data).toMatchObject({ total: 3, created: 1, unchanged: 1, failed: 1 })
    const reads = orders.map(({ number }) => shop.api.get(`/orders/${number}/`))
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200, 404])
  })

  it('is refused where all records arrived', async () => {
    const shop = await openShop()
    const sent = await shop.api.post('/orders/', { orders: [shop.order(), shop.order()] })
    expect((await shop.row(sent)).counts).toMatchObject({ total: 2, created: 2, failed: 0 })
    const again = await shop.admin.post(`${SETTINGS}/audit-log/${idOf(sent)}/send-again/`, {})
    expect([again.status, again.body.error.reason]).toEqual([400, expect.any(String)])
  })

  it('is offered on the page of the request, with each fault at its place in the document', async () => {
    const shop = await openShop()
    const lacking = unique('SKU')
    const orders = [shop.order(), shop.order({ sku: lacking }), shop.order({ qty: 'two' })]
    const sent = await shop.api.post('/orders/', { orders })
    const dashboard = await openDashboard()
    const page = await dashboard.get(`/dashboard/audit-log/${idOf(sent)}/`)
    expect(wordsOf(page)).toContain('Records 3 sent: 1 created, 0 unchanged, 2 failed')
    expect(page.text).toMatch(new RegExp(`<mark>&quot;${lacking}&quot;</mark>`))
    expect(page.text).toContain('<mark>&quot;two&quot;</mark>')
    expect(page.text).toContain('Record 1: ')
    expect(page.text).toContain(`/dashboard/audit-log/${idOf(sent)}/send-again/`)
  })
})

// Whose request is sent again: its partner's or its key's, and what of theirs was later.

const ERRORS = { of: 'errors', days: 7 }

const again = (answer: Answer, by = admin) =>
  by.post(`${SETTINGS}/audit-log/${idOf(answer)}/send-again/`, {})

describe('a request that is sent again', () => {
  it('has the release of its own key', async () => {
    const required = { from: 'lines', required: true }
    const inbound = { fields: { ...MAPPING.inbound.fields, notes: required } }
    const partner = await openKept(ERRORS, { mappings: { orders: { inbound } } })
    const at = `${SETTINGS}/api-keys/${partner.key.id}/`
    expect((await admin.put(at, { release: '1.0' })).status).toBe(200)
    const order = { ...(await shopOrder(admin)), lines: [] }
    const refused = await partner.api.post('/orders/', { ...order, lines: undefined })
    // 422 in the current release.
    expect([refused.status, refused.body.error.code]).toEqual([400, 'MAPPING_ERROR'])
    const { status, answer } = (await again(refused)).body.data
    expect([status, answer.error.code]).toEqual([400, 'MAPPING_ERROR'])
  })

  it('may be of a key without a partner, unless that key has changed the record since', async () => {
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: ERRORS })
    const own = client((await createKey(['integrations.*'])).value)
    const other = client((await createKey(['integrations.*'])).value)
    const { sku } = await createProduct(admin)
    const refused = await own.put(`/products/${sku}/`, { quantity: 'seven' })
    await other.put(`/products/${sku}/`, { quantity: 8 })
    expect((await again(refused)).body.data.status).toBe(400)
    await own.put(`/products/${sku}/`, { quantity: 9 })
    expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: null })
  })

  it('is older than a success about its record by another name', async () => {
    const mappings = { orders: { identifier_field: 'external_order_id' } }
    const partner = await openKept(ERRORS, { mappings })
    const { sku } = await createProduct(admin)
    const number = badOrder().order_number
    const items = [{ sku_code: sku, quantity: 1 }]
    const order = { order_number: number, external_order_id: `E-${number}`, items }
    await partner.api.post('/orders/', order)
    const refused = await partner.api.put(`/orders/${number}/`, { notes: 7 })
    expect(refused.status).toBe(400)
    await partner.api.put(`/orders/E-${number}/`, { notes: 'later' })
    expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
  })

  inDeepPass(() => {
    it('counts as overtaken beyond 20,000 later requests', async () => {
      const partner = await openKept(ERRORS)
      const { sku } = await createProduct(admin)
      const refused = await partner.api.put(`/products/${sku}/`, { quantity: 'seven' })
      await insertRequests([{ partner_id: partner.id }], 19_998)
      expect((await again(refused)).status).toBe(200)
      await insertRequests([{ partner_id: partner.id }])
      expectRefusal(await again(refused), 400, 'SERVICE_ERROR')
    })

    it('gives back the place of the request that sends it, and no more', async () => {
      const { api } = await openKept(ERRORS)
      const refused = await api.post('/orders/', badOrder())
      const key = await createKey(['settings.*', 'integrations.*'])
      const other = client(key.value)
      for (let turn = 0; turn < 3; turn++) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => again(refused, other)))
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      }
      expect(
        await oneValue('select count(*) as n from audit_log where replay_of = ?', idOf(refused)),
      ).toBe(150)
    })
  })
})

const openWith = (options: PartnerOptions = {}) => openKept({ of: 'errors', days: 7 }, options)

const againAs = (answer: Answer, body: object = { as: 'change' }) =>
  admin.post(`${SETTINGS}/audit-log/${idOf(answer)}/send-again/`, body)

const productNow = async (sku: string) => (await admin.get(`/products/${sku}/`)).body.data

const ORDERS = {
  identifier_field: 'external_order_id',
  inbound: {
    fields: {
      order_number: 'no',
      external_order_id: 'id',
      customer_name: 'name',
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': 'lines[].qty',
    },
  },
}

describe('POST /audit-log/{request_id}/send-again/ as a change', () => {
  it('changes the record that is there, and creates no second one', async () => {
    const { api } = await openWith()
    const sku = unique('S')
    const { id } = (await api.post('/products/', { sku, quantity: 1 })).body.data
    const refused = await api.post('/products/', { sku, quantity: 9 })
    expect(refused.status).toBe(409)
    const { body } = await againAs(refused)
    expect(body.data).toMatchObject({ status: 200, replay_of: idOf(refused) })
    expect(await productNow(sku)).toMatchObject({ id, quantity: 9 })
    const row = (await admin.get(`${SETTINGS}/audit-log/${body.data.request_id}/`)).body.data
    expect(row).toMatchObject({ method: 'PUT', replay_of: idOf(refused), record_name: sku })
  })

  it('finds an order whatever its partner calls it, and keeps its lines', async () => {
    const { api } = await openWith({ mappings: { orders: ORDERS } })
    const { sku } = await createProduct(admin)
    const order = (name: string, qty: number) => ({
      no: number,
      id: unique('E'),
      name,
      lines: [{ sku, qty }],
    })
    const number = unique('O')
    const { items } = (await api.post('/orders/', order('Ada', 2))).body.data
    const refused = await api.post('/orders/', order('Eve', 3))
    expect(refused.status).toBe(400)
    expect((await againAs(refused)).body.data.status).toBe(200)
    const { data } = (await admin.get(`/orders/${number}/`)).body
    expect(data).toMatchObject({ customer_name: 'Eve', items })
  })

  it('does not undo a later change of the record, unless it is told to', async () => {
    const { api } = await openWith()
    const sku = unique('S')
    await api.post('/products/', { sku, quantity: 1 })
    const refused = await api.post('/products/', { sku, quantity: 9 })
    await api.put(`/products/${sku}/`, { quantity: 5 })
    // That of another product is none.
    await api.post('/products/', { sku: unique('S') })
    const sent = await againAs(refused)
    expectReason(sent, 400, 'SERVICE_ERROR', 'SUPERSEDED')
    expect(await productNow(sku)).toMatchObject({ quantity: 5 })
    expect((await againAs(refused, { as: 'change', force: true })).body.data.status).toBe(200)
    expect(await productNow(sku)).toMatchObject({ quantity: 9 })
  })

  it.each([
    [
      'a record that is not there',
      async () => (await openWith()).api.post('/products/', { sku: unique('S'), quantity: 'x' }),
    ],
    ['stock', async () => (await openWith()).api.post('/inventory/', { inventory: 'x' })],
    [
      'an order of another partner',
      async () => {
        const { sku } = await createProduct(admin)
        const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
        await (await openWith()).api.post('/orders/', order)
        return await (await openWith()).api.post('/orders/', { ...order, notes: 'mine' })
      },
    ],
  ])('is 400 for %s', async (_, refuse) => {
    const refused = await refuse()
    expect(refused.status).toBeGreaterThanOrEqual(400)
    const sent = await againAs(refused)
    expectReason(sent, 400, 'SERVICE_ERROR', 'CANNOT_SEND_AGAIN')
  })
})

describe('POST /send-again/', () => {
  const all = (request_ids: string[]) => admin.post(`${SETTINGS}/send-again/`, { request_ids })

  it('sends each once, the oldest first, and says what became of each', async () => {
    const partner = await openWith({ mappings: { orders: MAPPING } })
    const orders = [await shopOrder(admin), await shopOrder(admin), await shopOrder(admin, 'two')]
    const refused: Answer[] = []
    for (const order of orders) refused.push(await partner.api.post('/orders/', order))
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const ids = refused.map(idOf)
    const unknown = crypto.randomUUID()
    const data = dataOf(await all([unknown, ...ids.toReversed(), ids[0] as string]), 200)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(data).toEqual([
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
    const partner = await openWith({ mappings: { products: byText } })
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
    const partner = await openWith({ mappings: { orders: MAPPING } })
    const refused = [
      await partner.api.post('/orders/', await shopOrder(admin)),
      await partner.api.post('/orders/', await shopOrder(admin)),
    ]
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const key = await createKey(['settings.*', 'integrations.*'])
    const other = client(key.value)
    let written = 0
    const batch: Watch = async (call) => {
      const result = await call()
      const isSent =
        (await oneValue(
          'select count(*) as n from audit_log where replay_of = ?',
          idOf(refused[0] as Answer),
        )) === 1
      if (isSent && written === 0) {
        written = 1
        await execute("update api_keys set name = 'renamed' where id = ?", key.id)
      }
      return result
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const request_ids = refused.map(idOf)
    const { body } = await other.post(`${SETTINGS}/send-again/`, { request_ids }, { bindings })
    expect(body.data).toMatchObject([
      { status: 201, error: null },
      { status: null, error: { reason: 'SETTINGS_CHANGING' } },
    ])
  })

  it('leaves what has no time left to the next request', async () => {
    const partner = await openWith({ mappings: { orders: MAPPING } })
    const ids: string[] = []
    for (const _ of [1, 2]) {
      ids.push(idOf(await partner.api.post('/orders/', await shopOrder(admin))))
    }
    await saveMapping(partner.admin, partner.id, 'orders', MENDED)
    const batch: Watch = async (call) => {
      const result = await call()
      const isSent =
        (await oneValue('select count(*) as n from audit_log where replay_of = ?', ids[0])) === 1
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
