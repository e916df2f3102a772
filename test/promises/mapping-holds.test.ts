import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { openPartner, type PartnerOptions, saveMapping } from '../partner.ts'
import {
  type Api,
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  openApi,
  path,
} from '../resources/warehouse.ts'
import {
  type Answer,
  type CallOptions,
  client,
  createKey,
  type Json,
  openTenant,
  unique,
} from '../tenant.ts'

// DESIGN, promises 3 and 5, for mappings. Whatever was compiled and cached a moment ago, the very
// next request goes by what is saved, and its errors speak the words of that.

const SETTINGS = '/api/settings/v1'

type Partner = Awaited<ReturnType<typeof openPartner>>
type Request = [method: string, path: string, body?: object]

let db: D1Database
let api: Api
let sku: string
/** The same Worker in another isolate: it shares no memory with the first, and knows no key yet. */
let elsewhere: CallOptions
beforeAll(async () => {
  vi.resetModules()
  elsewhere = { worker: (await import('../../src/index.ts')).default as Json }
  db = await openTenant()
  api = await openApi()
  sku = (await createProduct(api)).sku
})

/** Lets isolate and KV learn what holds now; gives what KV holds then. */
async function warm(partner: Partner): Promise<{ name: string; value: string }> {
  await partner.api.get('/orders/')
  const hash = db.prepare('select hash from api_keys where id = ?').bind(partner.key.id)
  const name = `caller:3:${await hash.first<string>('hash')}`
  const value = (await env.KEYS.get(name)) ?? ''
  expect(value).toContain(partner.id)
  return { name, value }
}

type Save = (partner: Partner, resource: string, mapping: Mapping) => Promise<unknown>

interface Mapping {
  identifier_field?: string
  inbound?: { unmapped: 'keep' | 'drop' | 'reject'; fields: Record<string, Json> }
  outbound?: { unmapped: 'keep' | 'drop'; fields: Record<string, Json> }
}

type GoTo = (known: { name: string; value: string }) => Promise<CallOptions>

const stay: GoTo = async () => ({})

const goElsewhere: GoTo = async ({ name, value }) => {
  await env.KEYS.put(name, value)
  return elsewhere
}

/** From where a request is answered after settings have changed. */
const PLACES: [string, GoTo][] = [
  ['in a warm isolate', stay],
  ['in a cold isolate with a stale KV', goElsewhere],
]

/** How a mapping is saved, and from where the next request is answered. */
const SAVES: [string, Save, GoTo][] = [
  [
    'through the isolate that is asked next',
    (partner, resource, mapping) => saveMapping(partner.admin, partner.id, resource, mapping),
    stay,
  ],
  [
    'through another isolate than is asked next',
    async (partner, resource, mapping) => {
      const { value } = await createKey(['settings.*'])
      const admin = client(value, elsewhere)
      return await saveMapping(admin, partner.id, resource, mapping)
    },
    stay,
  ],
  ['in the database, while a cold isolate finds a stale KV', saveBySql, goElsewhere],
]

async function saveBySql({ id }: Partner, resource: string, mapping: Mapping): Promise<unknown> {
  const { identifier_field = null, inbound = null, outbound = null } = mapping
  return await db
    .prepare(
      `insert into field_mappings values (?1, ?2, ?3, json(?4), json(?5), ?6)
       on conflict do update set identifier_field = ?3, inbound = json(?4), outbound = json(?5)`,
    )
    .bind(
      id,
      resource,
      identifier_field,
      inbound && JSON.stringify(inbound),
      outbound && JSON.stringify(outbound),
      new Date().toISOString(),
    )
    .run()
}

async function auditRowsOf({ headers }: Answer): Promise<Json[]> {
  const rows = await db
    .prepare('select status, error_code, partner_id from audit_log where request_id = ?')
    .bind(headers.get('X-Request-Id'))
    .all()
  return rows.results
}

async function orderRows(number: string): Promise<Json[]> {
  const rows = await db
    .prepare('select customer_name, notes, partner_id from orders where order_number = ?')
    .bind(number)
    .all()
  return rows.results
}

async function versionOf(database: D1Database): Promise<unknown> {
  return await database.prepare('select settings_version from workspace').first('settings_version')
}

const LINES = { 'items[].sku_code': 'lines[].code', 'items[].quantity': 'lines[].qty' }

const inbound = (fields: Record<string, Json>): Mapping => ({
  inbound: { unmapped: 'drop', fields },
})

/** Orders whose name and notes come from this member of the document. */
const from = (member: string) =>
  inbound({
    order_number: 'number',
    customer_name: `${member}.name`,
    notes: `${member}.notes`,
    ...LINES,
  })

/** A document that `from('old')` and `from('new')` read differently. */
const document = (number = unique('O')) => ({
  number,
  old: { name: `old ${number}`, notes: `old notes ${number}` },
  new: { name: `new ${number}`, notes: `new notes ${number}` },
  lines: [{ code: sku, qty: 1 }],
})

const contentOf = (member: 'old' | 'new', number: string) => ({
  customer_name: `${member} ${number}`,
  notes: `${member} notes ${number}`,
})

interface Fix {
  what: string
  resource: string
  wrong: Mapping
  right: Mapping
  request: () => Promise<Request>
  refusal: [number, string]
  status: number
}

const postOrder = (fields: object) => async (): Promise<Request> => [
  'POST',
  '/orders/',
  { number: unique('O'), lines: [{ code: sku, qty: 1, text: unique('none') }], ...fields },
]

const at = (method: string, name: string): Request =>
  method === 'PUT' ? [method, path('orders', name), { notes: 'x' }] : [method, path('orders', name)]

async function twoOrders(): Promise<string> {
  const name = unique('NAME')
  await createOrder(api, { customer_name: name })
  await createOrder(api, { customer_name: name, external_order_id: name })
  return name
}

const FIXES: Fix[] = [
  {
    what: 'a POST that the mapping could not read',
    resource: 'orders',
    wrong: inbound({ order_number: 'number.text', ...LINES }),
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({}),
    refusal: [422, 'MAPPING_ERROR'],
    status: 201,
  },
  {
    what: 'a POST that lacked what the mapping requires',
    resource: 'orders',
    wrong: inbound({ order_number: { from: 'nr', required: true }, ...LINES }),
    right: inbound({ order_number: { from: 'number', required: true }, ...LINES }),
    request: postOrder({}),
    refusal: [422, 'MAPPING_ERROR'],
    status: 201,
  },
  {
    what: 'a POST with a field that the mapping refused',
    resource: 'orders',
    wrong: { inbound: { unmapped: 'reject', fields: { order_number: 'number', ...LINES } } },
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({ more: 1 }),
    refusal: [422, 'MAPPING_ERROR'],
    status: 201,
  },
  {
    what: 'a POST that was invalid once mapped',
    resource: 'orders',
    wrong: inbound({ order_number: 'nr', ...LINES }),
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({}),
    refusal: [400, 'VALIDATION_ERROR'],
    status: 201,
  },
  {
    what: 'a POST whose lines named no product once mapped',
    resource: 'orders',
    wrong: inbound({ order_number: 'number', ...LINES, 'items[].sku_code': 'lines[].text' }),
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({}),
    refusal: [400, 'SERVICE_ERROR'],
    status: 201,
  },
  {
    what: 'an upload that was invalid once mapped',
    resource: 'inventory',
    wrong: inbound({ 'inventory[].location_code': 'rows[].bin' }),
    right: inbound({ 'inventory[].location_code': 'stock[].bin' }),
    request: async () => ['POST', '/inventory/', { stock: [{ bin: 'x' }] }],
    refusal: [400, 'VALIDATION_ERROR'],
    status: 200,
  },
  {
    what: 'a POST of a duplicate once mapped',
    resource: 'products',
    wrong: inbound({ sku: 'old' }),
    right: inbound({ sku: 'new' }),
    request: async () => ['POST', '/products/', { old: sku, new: unique('S') }],
    refusal: [409, 'DUPLICATE'],
    status: 201,
  },
  {
    what: 'a PUT that was invalid once mapped',
    resource: 'locations',
    wrong: inbound({ zone: 'place' }),
    right: inbound({ zone: 'place.zone' }),
    request: async () => [
      'PUT',
      path('locations', (await createLocation(api)).code),
      { place: { zone: 'z' } },
    ],
    refusal: [400, 'VALIDATION_ERROR'],
    status: 200,
  },
  ...['GET', 'PUT', 'DELETE'].flatMap((method): Fix[] => [
    {
      what: `a ${method} that found nothing by the override`,
      resource: 'orders',
      wrong: { identifier_field: 'external_order_id' },
      right: { identifier_field: 'metadata.ref' },
      request: async () => {
        const ref = unique('REF')
        await createOrder(api, { metadata: { ref } })
        return at(method, ref)
      },
      refusal: [404, 'NOT_FOUND'],
      status: 200,
    },
    {
      what: `a ${method} that found nothing by an indexed column`,
      resource: 'orders',
      wrong: {},
      right: { identifier_field: 'external_order_id' },
      request: async () => {
        const external_order_id = unique('EXT')
        await createOrder(api, { external_order_id })
        return at(method, external_order_id)
      },
      refusal: [404, 'NOT_FOUND'],
      status: 200,
    },
    {
      what: `a ${method} that found several by the override`,
      resource: 'orders',
      wrong: { identifier_field: 'customer_name' },
      right: { identifier_field: 'external_order_id' },
      request: async () => at(method, await twoOrders()),
      refusal: [400, 'SERVICE_ERROR'],
      status: 200,
    },
  ]),
]

describe.each(SAVES)('a mapping that has been saved %s', (_, save, goTo) => {
  it.each(FIXES.map((fix) => [fix.what, fix] as const))(
    'answers %s once that is put right, within one request',
    async (_, { resource, wrong, right, request, refusal, status }) => {
      const partner = await openPartner({ mappings: { [resource]: wrong } })
      const again = await request()
      const known = await warm(partner)
      const refused = await partner.api.call(...again)
      expect([refused.status, refused.body.error?.code]).toEqual(refusal)

      await save(partner, resource, right)
      const options = await goTo(known)
      const [method, target, body] = again
      const answer = await partner.api.call(method, target, body, options)

      expect([answer.status, answer.body.error]).toEqual([status, undefined])
      expect(await auditRowsOf(answer)).toEqual([
        { status, error_code: null, partner_id: partner.id },
      ])
      // The refusal of the stale mapping, the look-up of the caller, the request itself.
      expect(answer.headers.get('Server-Timing')).toMatch(/round trips 3,/)
    },
  )

  it('holds for a partner that had no mapping', async () => {
    const partner = await openPartner()
    const known = await warm(partner)
    await save(partner, 'orders', from('new'))
    const body = document()
    const options = await goTo(known)
    dataOf(await partner.api.post('/orders/', body, options), 201)
    expect(await orderRows(body.number)).toMatchObject([contentOf('new', body.number)])
  })

  it('stores an order as the new mapping reads it', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const known = await warm(partner)
    const before = document()
    dataOf(await partner.api.post('/orders/', before), 201)
    await save(partner, 'orders', from('new'))
    const after = document()
    const options = await goTo(known)
    dataOf(await partner.api.post('/orders/', after, options), 201)
    const partner_id = partner.id
    expect(await orderRows(before.number)).toEqual([
      { ...contentOf('old', before.number), partner_id },
    ])
    expect(await orderRows(after.number)).toEqual([
      { ...contentOf('new', after.number), partner_id },
    ])
  })

  it('refuses, by the new mapping and in its words, what the old one would take', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const known = await warm(partner)
    const renamed = { ...LINES, 'items[].quantity': 'lines[].count' }
    await save(partner, 'orders', inbound({ order_number: 'number', ...renamed }))
    const { number, ...rest } = document()
    const options = await goTo(known)
    const answer = await partner.api.post('/orders/', { number, ...rest }, options)
    expect([answer.status, answer.body.error.source]).toEqual([
      400,
      { 'items[0].quantity': 'lines[0].count' },
    ])
    expect(await orderRows(number)).toEqual([])
    expect(await auditRowsOf(answer)).toEqual([
      { status: 400, error_code: 'VALIDATION_ERROR', partner_id: partner.id },
    ])
  })

  it('changes the order that the new identifier_field names, and no other', async () => {
    const name = unique('REF')
    const old = await createOrder(api, { external_order_id: name })
    const named = await createOrder(api, { metadata: { ref: name } })
    const mappings = { orders: { identifier_field: 'external_order_id' } }
    const partner = await openPartner({ mappings })
    const known = await warm(partner)
    await save(partner, 'orders', { identifier_field: 'metadata.ref' })
    const options = await goTo(known)
    const answer = await partner.api.delete(path('orders', name), undefined, options)
    expect(dataOf(answer, 200).id).toBe(named.id)
    expect((await api.get(path('orders', old.order_number))).body.data.status).toBe('pending')
  })

  it('shows records as the new outbound mapping says', async () => {
    const { order_number } = await createOrder(api)
    const shown = (name: string): Mapping => ({
      outbound: { unmapped: 'drop', fields: { [name]: 'order_number' } },
    })
    const partner = await openPartner({ mappings: { orders: shown('one') } })
    const known = await warm(partner)
    const first = await partner.api.get(path('orders', order_number))
    await save(partner, 'orders', shown('two'))
    const options = await goTo(known)
    const second = await partner.api.get(path('orders', order_number), options)
    const list = await partner.api.get('/orders/?limit=1', options)
    expect([first.body.data, second.body.data]).toEqual([
      { one: order_number },
      { two: order_number },
    ])
    expect(Object.keys(list.body.data[0])).toEqual(['two'])
  })

  it('takes the rows of an upload as the new mapping reads them', async () => {
    const [old, renamed] = [await createLocation(api), await createLocation(api)]
    const rows = (bin: string) =>
      inbound({
        'inventory[].location_code': `stock[].${bin}`,
        'inventory[].sku_code': 'stock[].item',
        'inventory[].quantity': 'stock[].qty',
      })
    const partner = await openPartner({ mappings: { inventory: rows('old') } })
    const known = await warm(partner)
    await save(partner, 'inventory', rows('new'))
    const stock = [{ old: old.code, new: renamed.code, item: sku, qty: 5 }]
    const options = await goTo(known)
    const answer = await partner.api.post('/inventory/', { stock }, options)
    expect(dataOf(answer, 200)).toMatchObject({ created: 1, failed: 0 })
    const stockAt = async (code: string) => (await api.get(path('inventory', code))).body.data
    expect([await stockAt(old.code), await stockAt(renamed.code)]).toEqual([
      [],
      [{ location_code: renamed.code, sku_code: sku, quantity: 5 }],
    ])
  })
})

describe.each(PLACES)('%s', (_, goTo) => {
  /** A partner that this place knows as it was before the change. */
  async function changed(options: PartnerOptions, change: (partner: Partner) => Promise<Answer>) {
    const partner = await openPartner(options)
    const known = await warm(partner)
    expect((await change(partner)).status).toBe(200)
    return { partner, options: await goTo(known) }
  }

  const ownWords = () => ({
    order_number: unique('O'),
    items: [{ sku_code: sku, quantity: 1 }],
  })

  const deleteMapping = ({ admin, id }: Partner) =>
    admin.delete(`${SETTINGS}/partners/${id}/mappings/orders/`)

  const linkTo = (partner_id: string | null) => (partner: Partner) =>
    partner.admin.put(`${SETTINGS}/api-keys/${partner.key.id}/`, { partner_id })

  const setDefault = (default_identifier_field: string | null) => (partner: Partner) =>
    partner.admin.put(`${SETTINGS}/partners/${partner.id}/`, { default_identifier_field })

  it.each([
    ['the mapping has been deleted', deleteMapping],
    ['the partner has been unlinked from the key', linkTo(null)],
  ])('takes our own words, and no others, once %s', async (_, change) => {
    const mappings = { orders: from('old') }
    const first = await changed({ mappings }, change)
    expect((await first.partner.api.post('/orders/', ownWords(), first.options)).status).toBe(201)
    const second = await changed({ mappings }, change)
    const answer = await second.partner.api.post('/orders/', document(), second.options)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error).not.toHaveProperty('source')
  })

  it.each([
    ['the mapping has been deleted', deleteMapping],
    ['the partner has been unlinked from the key', linkTo(null)],
  ])('finds an order by order_number again once %s', async (_, change) => {
    const { id, order_number } = await createOrder(api, { metadata: { ref: unique('REF') } })
    const mappings = { orders: { identifier_field: 'metadata.ref' } }
    const { partner, options } = await changed({ mappings }, change)
    const answer = await partner.api.get(path('orders', order_number), options)
    expect(dataOf(answer, 200).id).toBe(id)
  })

  it('shows records in our own words again once the mapping has been deleted', async () => {
    const order = await createOrder(api)
    const outbound = { unmapped: 'drop', fields: { nr: 'order_number' } }
    const { partner, options } = await changed(
      { mappings: { orders: { outbound } } },
      deleteMapping,
    )
    expect((await partner.api.get(path('orders', order.order_number), options)).body.data).toEqual(
      order,
    )
  })

  it.each([
    ['set', undefined, 'external_order_id', 'external_order_id'],
    ['changed', 'customer_name', 'external_order_id', 'external_order_id'],
    ['changed to one that orders have not', 'external_order_id', 'zone', 'order_number'],
    ['cleared', 'external_order_id', null, 'order_number'],
  ])('finds an order once the default_identifier_field is %s', async (_, before, after, field) => {
    const order = await createOrder(api, { external_order_id: unique('EXT') })
    const { partner, options } = await changed(
      before ? { default_identifier_field: before } : {},
      setDefault(after),
    )
    const answer = await partner.api.put(path('orders', order[field]), { notes: 'x' }, options)
    expect(dataOf(answer, 200).id).toBe(order.id)
  })

  it('stores an order for no partner once its partner has been unlinked', async () => {
    const { partner, options } = await changed({}, linkTo(null))
    const order = ownWords()
    const answer = await partner.api.post('/orders/', order, options)
    expect(answer.status).toBe(201)
    expect((await orderRows(order.order_number))[0].partner_id).toBe(null)
    expect(await auditRowsOf(answer)).toEqual([{ status: 201, error_code: null, partner_id: null }])
  })

  it('goes by the mapping of the partner that the key has been moved to', async () => {
    const other = await openPartner({ mappings: { orders: from('new') } })
    const mappings = { orders: from('old') }
    const { partner, options } = await changed({ mappings }, linkTo(other.id))
    const body = document()
    const answer = await partner.api.post('/orders/', body, options)
    expect(answer.status).toBe(201)
    expect(await orderRows(body.number)).toEqual([
      { ...contentOf('new', body.number), partner_id: other.id },
    ])
    expect(await auditRowsOf(answer)).toEqual([
      { status: 201, error_code: null, partner_id: other.id },
    ])
  })
})

describe('a pass-through key', () => {
  it.each(PLACES)('gets the mapping of a partner once that is linked, %s', async (_, goTo) => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const { id, value, hash } = await createKey()
    const caller = client(value)
    const refused = await caller.post('/orders/', document())
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    const name = `caller:3:${hash}`
    const known = { name, value: (await env.KEYS.get(name)) ?? '' }
    await partner.admin.put(`${SETTINGS}/api-keys/${id}/`, { partner_id: partner.id })

    const body = document()
    const answer = await caller.post('/orders/', body, await goTo(known))
    expect(answer.status).toBe(201)
    expect(await orderRows(body.number)).toEqual([
      { ...contentOf('old', body.number), partner_id: partner.id },
    ])
  })
})

describe('a mapping that is compiled once', () => {
  it('serves every key of its partner, and changes for all of them', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const linked = { name: unique('second key'), partner_id: partner.id }
    const { key } = dataOf(await partner.admin.post(`${SETTINGS}/api-keys/`, linked), 201)
    const callers = [partner.api, client(key)]
    for (const member of ['old', 'new'] as const) {
      await saveMapping(partner.admin, partner.id, 'orders', from(member))
      for (const caller of callers) {
        const body = document()
        expect((await caller.post('/orders/', body)).status).toBe(201)
        expect(await orderRows(body.number)).toMatchObject([contentOf(member, body.number)])
      }
    }
  })

  it('is nobody else’s, though all post the same documents at the same time', async () => {
    const old = await openPartner({ mappings: { orders: from('old') } })
    const renamed = await openPartner({ mappings: { orders: from('new') } })
    const none = await openPartner()
    for (const { api: caller } of [old, renamed, none]) await caller.get('/orders/')

    const posted = await Promise.all(
      Array.from({ length: 30 }, async (_, turn) => {
        const owner = [old, renamed, none][turn % 3] as Partner
        const body = document()
        return { owner, body, answer: await owner.api.post('/orders/', body) }
      }),
    )
    for (const { owner, body, answer } of posted) {
      const content = contentOf(owner === old ? 'old' : 'new', body.number)
      expect(answer.status).toBe(owner === none ? 400 : 201)
      expect(await orderRows(body.number)).toEqual(
        owner === none ? [] : [{ ...content, partner_id: owner.id }],
      )
    }
  })

  it('is no other tenant’s, though partner, id and settings version are the same', async () => {
    const other = await openTenant('other')
    const mine = await openPartner({ mappings: { orders: from('old') } })
    const theirs = await openPartner({
      tenant: 'other',
      name: mine.name,
      mappings: { orders: from('new') },
    })
    const theirApi = client((await createKey(undefined, { tenant: 'other' })).value)
    await theirApi.post('/products/', { sku })
    await other.batch([
      other.prepare('pragma defer_foreign_keys = on'),
      other.prepare('update partners set id = ? where id = ?').bind(mine.id, theirs.id),
      other
        .prepare('update field_mappings set partner_id = ? where partner_id = ?')
        .bind(mine.id, theirs.id),
      other
        .prepare('update api_keys set partner_id = ? where partner_id = ?')
        .bind(mine.id, theirs.id),
      other.prepare('update workspace set settings_version = ?').bind(await versionOf(db)),
    ])
    expect(await versionOf(other)).toBe(await versionOf(db))

    const body = document()
    const answers = await Promise.all([
      mine.api.post('/orders/', body),
      theirs.api.post('/orders/', body),
    ])
    const names = answers.map((answer) => dataOf(answer, 201).customer_name)
    expect(names).toEqual([`old ${body.number}`, `new ${body.number}`])
  })
})

describe('POST /orders/', () => {
  it('remembers the partner whose key created it, whatever becomes of key and partner', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const other = await openPartner({ mappings: { orders: from('old') } })
    const [mine, theirs, nobodys] = [document(), document(), unique('O')]
    dataOf(await partner.api.post('/orders/', mine), 201)
    dataOf(await other.api.post('/orders/', theirs), 201)
    await createOrder(api, { order_number: nobodys })
    const partnerIds = async () =>
      Promise.all(
        [mine.number, theirs.number, nobodys].map(
          async (number) => (await orderRows(number))[0].partner_id,
        ),
      )
    expect(await partnerIds()).toEqual([partner.id, other.id, null])

    const moved = { partner_id: other.id }
    await partner.admin.put(`${SETTINGS}/api-keys/${partner.key.id}/`, moved)
    await partner.admin.delete(`${SETTINGS}/partners/${partner.id}/`)
    dataOf(await other.api.put(path('orders', mine.number), { note: 'x' }), 200)
    expect(await partnerIds()).toEqual([partner.id, other.id, null])
  })

  it.each(['partner_id', 'partner'])('does not take %s from the document', async (field) => {
    const [partner, other] = [await openPartner(), await openPartner()]
    const order_number = unique('O')
    const items = [{ sku_code: sku, quantity: 1 }]
    dataOf(await partner.api.post('/orders/', { order_number, items, [field]: other.id }), 201)
    expect((await orderRows(order_number))[0].partner_id).toBe(partner.id)
  })
})

const ACME = {
  orders: inbound({
    order_number: 'header.number',
    customer_name: 'header.buyer.name',
    'items[].sku_code': 'lines[].article.code',
    'items[].quantity': 'lines[].qty',
  }),
  products: inbound({ sku: 'article.code', quantity: 'article.qoh' }),
  locations: inbound({ code: 'bin.code', zone: 'bin.zone' }),
  inventory: inbound({
    'inventory[].location_code': 'stock[].bin',
    'inventory[].sku_code': 'stock[].item',
    'inventory[].quantity': 'stock[].on_hand',
    source: 'meta.source',
  }),
}

const line = (code: string, qty: unknown) => ({ article: { code }, qty })

interface Faulty {
  what: string
  /** The document in the partner's words and the same in ours. */
  partners: () => Promise<Request>
  ours: () => Promise<Request>
  error: [number, string]
  source: Record<string, string>
}

const FAULTY: Faulty[] = [
  {
    what: 'values of a wrong type',
    partners: async () => [
      'POST',
      '/orders/',
      {
        header: { number: unique('O'), buyer: { name: 5 } },
        lines: [line(sku, 1), line(sku, 'two'), line(sku, 0)],
      },
    ],
    ours: async () => [
      'POST',
      '/orders/',
      {
        order_number: unique('O'),
        customer_name: 5,
        items: [
          { sku_code: sku, quantity: 1 },
          { sku_code: sku, quantity: 'two' },
          { sku_code: sku, quantity: 0 },
        ],
      },
    ],
    error: [400, 'VALIDATION_ERROR'],
    source: {
      customer_name: 'header.buyer.name',
      'items[1].quantity': 'lines[1].qty',
      'items[2].quantity': 'lines[2].qty',
    },
  },
  {
    what: 'values that are missing',
    partners: async () => ['POST', '/orders/', { header: {}, lines: [{ article: {} }] }],
    ours: async () => ['POST', '/orders/', { items: [{}] }],
    error: [400, 'VALIDATION_ERROR'],
    source: {
      order_number: 'header.number',
      'items[0].sku_code': 'lines[0].article.code',
      'items[0].quantity': 'lines[0].qty',
    },
  },
  {
    what: 'a list that is missing',
    partners: async () => ['POST', '/orders/', { header: { number: unique('O') } }],
    ours: async () => ['POST', '/orders/', { order_number: unique('O') }],
    error: [400, 'VALIDATION_ERROR'],
    source: { items: 'lines' },
  },
  {
    what: 'lines that name no product',
    partners: async () => [
      'POST',
      '/orders/',
      { header: { number: unique('O') }, lines: [line(sku, 1), line('none', 1)] },
    ],
    ours: async () => [
      'POST',
      '/orders/',
      {
        order_number: unique('O'),
        items: [
          { sku_code: sku, quantity: 1 },
          { sku_code: 'none', quantity: 1 },
        ],
      },
    ],
    error: [400, 'SERVICE_ERROR'],
    source: { 'items[1].sku_code': 'lines[1].article.code' },
  },
  {
    what: 'a number that an order has',
    partners: async () => {
      const { order_number } = await createOrder(api)
      return ['POST', '/orders/', { header: { number: order_number }, lines: [line(sku, 1)] }]
    },
    ours: async () => {
      const { order_number } = await createOrder(api)
      return ['POST', '/orders/', { order_number, items: [{ sku_code: sku, quantity: 1 }] }]
    },
    error: [400, 'VALIDATION_ERROR'],
    source: { order_number: 'header.number' },
  },
  {
    what: 'a PUT of an order',
    partners: async () => [
      'PUT',
      path('orders', (await createOrder(api)).order_number),
      { header: { buyer: { name: [] } } },
    ],
    ours: async () => [
      'PUT',
      path('orders', (await createOrder(api)).order_number),
      { customer_name: [] },
    ],
    error: [400, 'VALIDATION_ERROR'],
    source: { customer_name: 'header.buyer.name' },
  },
  {
    what: 'a SKU that a product has',
    partners: async () => ['POST', '/products/', { article: { code: sku } }],
    ours: async () => ['POST', '/products/', { sku }],
    error: [409, 'DUPLICATE'],
    source: { sku: 'article.code' },
  },
  {
    what: 'a PUT of a product',
    partners: async () => ['PUT', path('products', sku), { article: { qoh: '3' } }],
    ours: async () => ['PUT', path('products', sku), { quantity: '3' }],
    error: [400, 'VALIDATION_ERROR'],
    source: { quantity: 'article.qoh' },
  },
  {
    what: 'a location without its code',
    partners: async () => ['POST', '/locations/', { bin: { zone: 7 } }],
    ours: async () => ['POST', '/locations/', { zone: 7 }],
    error: [400, 'VALIDATION_ERROR'],
    source: { code: 'bin.code', zone: 'bin.zone' },
  },
  {
    what: 'a code that a location has',
    partners: async () => ['POST', '/locations/', { bin: await createLocation(api) }],
    ours: async () => ['POST', '/locations/', await createLocation(api)],
    error: [409, 'DUPLICATE'],
    source: { code: 'bin.code' },
  },
  {
    what: 'an upload of no known source',
    partners: async () => ['POST', '/inventory/', { stock: [{}], meta: { source: 'x' } }],
    ours: async () => ['POST', '/inventory/', { inventory: [{}], source: 'x' }],
    error: [400, 'VALIDATION_ERROR'],
    source: { source: 'meta.source' },
  },
  {
    what: 'an upload without rows',
    partners: async () => ['POST', '/inventory/', { stock: [] }],
    ours: async () => ['POST', '/inventory/', { inventory: [] }],
    error: [400, 'VALIDATION_ERROR'],
    source: { inventory: 'stock' },
  },
]

describe('the error of', () => {
  it.each(FAULTY.map((faulty) => [faulty.what, faulty] as const))(
    "%s names the partner's own paths beside ours",
    async (_, { partners, error, source }) => {
      const partner = await openPartner({ mappings: ACME })
      const answer = await partner.api.call(...(await partners()))
      expect([answer.status, answer.body.error.code]).toEqual(error)
      expect(answer.body.error.source).toEqual(source)
      expect(Object.keys(answer.body.error.fields).toSorted()).toEqual(
        Object.keys(source).toSorted(),
      )
    },
  )

  it.each(FAULTY.map((faulty) => [faulty.what, faulty] as const))(
    '%s names no source to a pass-through key, nor to a partner without that mapping',
    async (_, { ours, error, source }) => {
      const request = await ours()
      const resource = request[1].split('/')[1] as keyof typeof ACME
      const { [resource]: __, ...mappings } = ACME
      const partner = await openPartner({ mappings })
      for (const caller of [api, partner.api]) {
        const answer = await caller.call(...request)
        expect([answer.status, answer.body.error.code]).toEqual(error)
        expect(Object.keys(answer.body.error.fields).toSorted()).toEqual(
          Object.keys(source).toSorted(),
        )
        expect(answer.body.error).not.toHaveProperty('source')
      }
    },
  )

  it('a fixed value of the mapping names no source of it', async () => {
    const fields = { 'items[].sku_code': { value: 'none' }, 'items[].quantity': 'lines[].qty' }
    const orders = inbound({ order_number: 'header.number', ...fields })
    const partner = await openPartner({ mappings: { orders } })
    const body = { header: { number: unique('O') }, lines: [{ qty: 1 }] }
    const { error } = (await partner.api.post('/orders/', body)).body
    expect(Object.keys(error.fields)).toEqual(['items[0].sku_code'])
    expect(error).not.toHaveProperty('source')
  })

  it("each row of an upload names the partner's own paths", async () => {
    const { code } = await createLocation(api)
    const partner = await openPartner({ mappings: ACME })
    const stock = [
      { bin: code, item: sku, on_hand: 1 },
      { bin: code, item: sku, on_hand: -1 },
      { bin: 'none', item: 'none', on_hand: 1 },
      { item: sku },
    ]
    const data = dataOf(await partner.api.post('/inventory/', { stock }), 200)
    expect([data.created, data.failed]).toEqual([1, 3])
    expect(data.errors.map(({ row, source }: Json) => [row, source])).toEqual([
      [1, { quantity: 'stock[1].on_hand' }],
      [2, { location_code: 'stock[2].bin', sku_code: 'stock[2].item' }],
      [3, { location_code: 'stock[3].bin', quantity: 'stock[3].on_hand' }],
    ])
  })

  it('each row of an upload names no source to a pass-through key', async () => {
    const inventory = [{ location_code: 'none', sku_code: sku, quantity: 1 }, {}]
    const { errors } = dataOf(await api.post('/inventory/', { inventory }), 200)
    expect(errors).toHaveLength(2)
    for (const error of errors) expect(error).not.toHaveProperty('source')
  })
})

/** Real D1, where each request's first batch arrives and then waits until it is opened. */
function gated() {
  const state = { arrived: 0, opened: false }
  const bindings = () => {
    let first = true
    const DB_DEMO = new Proxy(env.DB_DEMO, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (name !== 'batch') return member.bind(target)
        return async (statements: D1PreparedStatement[]) => {
          if (first) {
            first = false
            state.arrived += 1
            while (!state.opened) await scheduler.wait(1)
          }
          return await target.batch(statements)
        }
      },
    })
    return { bindings: { ...env, DB_DEMO } }
  }
  return { bindings, state }
}

const IN_FLIGHT = 20

/** Each order that was answered 201 is there once, wholly old or wholly new; no other is there. */
async function expectEachStoredWhole(posted: { number: string; answer: Answer }[]) {
  const read: ('old' | 'new')[] = []
  for (const { number, answer } of posted) {
    const rows = await orderRows(number)
    if (answer.status !== 201) {
      expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
      expect(answer.headers.get('Retry-After')).toMatch(/^\d+$/)
      expect(rows).toEqual([])
      continue
    }
    const member = answer.body.data.customer_name.startsWith('old') ? 'old' : 'new'
    expect(rows).toMatchObject([contentOf(member, number)])
    expect(answer.body.data).toMatchObject(contentOf(member, number))
    expect((await auditRowsOf(answer)).map(({ status }) => status)).toEqual([201])
    read.push(member)
  }
  return read
}

describe(`${IN_FLIGHT} orders in flight while the mapping changes`, () => {
  async function postAll(partner: Partner, options: (turn: number) => CallOptions = () => ({})) {
    return await Promise.all(
      Array.from({ length: IN_FLIGHT }, async (_, turn) => {
        const body = document()
        const answer = await partner.api.post('/orders/', body, options(turn))
        return { number: body.number, answer }
      }),
    )
  }

  it('are stored as the new one reads them, if they reach the database after it', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    await warm(partner)
    const { bindings, state } = gated()
    const posting = postAll(partner, bindings)
    await vi.waitFor(() => expect(state.arrived).toBe(IN_FLIGHT))
    await saveMapping(partner.admin, partner.id, 'orders', from('new'))
    state.opened = true
    const posted = await posting
    expect(await expectEachStoredWhole(posted)).toEqual(Array(IN_FLIGHT).fill('new'))
  })

  it.each([0, 2, 5, 10, 20, 40])(
    'are each stored wholly under one of them, none lost, none doubled: %i ms later',
    async (delay) => {
      const partner = await openPartner({ mappings: { orders: from('old') } })
      await warm(partner)
      const posting = postAll(partner)
      await scheduler.wait(delay)
      await saveMapping(partner.admin, partner.id, 'orders', from('new'))
      await expectEachStoredWhole(await posting)
      const [last] = await postAll(partner)
      expect(last?.answer.body.data.customer_name).toMatch(/^new/)
    },
  )

  it('are each stored wholly, or answered 503, when it changes again and again', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    await warm(partner)
    const posting = postAll(partner)
    for (let turn = 0; turn < 30; turn++) {
      await saveBySql(partner, 'orders', from(turn % 2 ? 'old' : 'new'))
      await scheduler.wait(turn % 7)
    }
    await expectEachStoredWhole(await posting)
  })
})
