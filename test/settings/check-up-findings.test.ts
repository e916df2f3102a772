import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type DocumentName, storeDocument } from '../../src/engine/log/documents/store.ts'
import { KeptDocuments } from '../../src/requests/check-up/kept-documents.ts'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { pace } from '../fixtures/pace.ts'
import { rowsRead } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { allRows, execute } from '../fixtures/sql.ts'
import { client, type Json, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'
import { openWebhook } from '../fixtures/webhooks.ts'

const PARTNERS = '/api/settings/v1/partners/'
const KEYS = '/api/settings/v1/api-keys/'
const SAVED_AT = '2025-05-01T00:00:00.000Z'

const MELTING = {
  unmapped: 'drop',
  fields: {
    order_number: '$[0].order',
    'items[].sku_code': '$[].sku',
    'items[].quantity': '$[].qty',
  },
}

type Partner = Awaited<ReturnType<typeof openPartner>>
type Saved = { identifier_field?: string; inbound?: object; outbound?: object }

/** As a release has saved it that did not refuse it yet. */
async function saveBefore({ id }: Partner, resource: string, saved: Saved): Promise<void> {
  const { identifier_field = null, inbound = null, outbound = null } = saved
  const texts = [inbound, outbound].map((rules) => rules && JSON.stringify(rules))
  await execute(
    `insert into field_mappings (partner_id, resource, identifier_field, inbound, outbound, updated_at)
       values (?, ?, ?, ?, ?, ?)`,
    id,
    resource,
    identifier_field,
    ...texts,
    SAVED_AT,
  )
}

async function found({ admin, id }: Partner): Promise<Json[]> {
  return dataOf(await admin.get(`${PARTNERS}${id}/check-up/`), 200).filter(
    ({ kind }: Json) => kind === 'mapping_refused',
  )
}

async function refusalOf({ admin, id }: Partner, resource: string, saved: Saved): Promise<Json> {
  const { status, body } = await admin.put(`${PARTNERS}${id}/mappings/${resource}/`, saved)
  expect(status).toBe(400)
  return body.error.fields
}

describe('GET /partners/{id}/check-up/ about mappings that would be refused now', () => {
  it('finds one that makes one order of rows of several, with what saving it would say', async () => {
    const partner = await openPartner()
    await saveBefore(partner, 'orders', { inbound: MELTING })
    const refusal = await refusalOf(partner, 'orders', { inbound: MELTING })
    const field = 'inbound.fields.order_number'
    expect(Object.keys(refusal)).toEqual([field])
    expect(await found(partner)).toEqual([
      {
        kind: 'mapping_refused',
        since: SAVED_AT,
        count: 1,
        requests: [],
        message: `The inbound mapping of orders would be refused if it were saved now. "${field}": ${refusal[field][0]}`,
        remedy: expect.stringContaining('works as it was saved'),
      },
    ])
  })

  it('counts the places of each direction, and names the first', async () => {
    const partner = await openPartner()
    const inbound = { unmapped: 'drop', fields: { sku: '/sku', name: '/name' } }
    const outbound = { unmapped: 'drop', fields: { code: 'no_field_of_ours' } }
    await saveBefore(partner, 'products', { identifier_field: 'no', inbound, outbound })
    await saveBefore(partner, 'locations', { inbound: { unmapped: 'keep', fields: {} } })
    const told = (await found(partner)).map(({ count, message }) => [
      count,
      message.split(': ')[0] ?? '',
    ])
    const refused = 'would be refused if it were saved now'
    expect(told).toEqual([
      [1, `The mapping of products ${refused}. "identifier_field"`],
      [2, `The inbound mapping of products ${refused}, at 2 places. "inbound.fields.sku"`],
      [1, `The outbound mapping of products ${refused}. "outbound.fields.code"`],
    ])
  })

  it('finds nothing in mappings that can be saved again', async () => {
    const fields = { ...MELTING.fields, order_number: '$[].order' }
    const inbound = { records: { each: '$[]', group_by: ['$[].order'] }, fields }
    const outbound = { fields: { number: 'order_number' } }
    const partner = await openPartner({
      mappings: {
        orders: { identifier_field: 'order_number', inbound, outbound },
        inventory: { inbound: { fields: { inventory: 'rows' } } },
      },
    })
    expect(await found(partner)).toEqual([])
  })

  it('tells nothing of mappings to a key that may not read them', async () => {
    const partner = await openPartner()
    await saveBefore(partner, 'orders', { inbound: MELTING })
    const path = `${PARTNERS}${partner.id}/check-up/`
    for (const [scopes, count] of [
      [['settings.audit.read'], 0],
      [['settings.audit.read', 'settings.partners.read'], 1],
    ] as const) {
      const made = await partner.admin.post(KEYS, { name: 'reader', scopes })
      const { body } = await client(made.body.data.key).get(path)
      expect(body.data).toHaveLength(count)
    }
  })

  it('is on the page of the partner', async () => {
    const partner = await openPartner()
    await saveBefore(partner, 'orders', { inbound: MELTING })
    const dashboard = await openDashboard()
    const { text } = await dashboard.get(`/dashboard/partners/${partner.id}/`)
    expect(text).toContain('The inbound mapping of orders would be refused')
  })
})

const ORDERS = {
  inbound: {
    records: { each: 'orders[]' },
    fields: {
      order_number: 'orders[].number',
      'items[].sku_code': 'orders[].lines[].sku',
      'items[].quantity': 'orders[].lines[].qty',
    },
  },
}
const RULES = { take_if: null, cancel_if: null, changed_at: null }

type Shop = Pick<Awaited<ReturnType<typeof openPartner>>, 'admin' | 'id'>

async function foundBy({ admin, id }: Shop): Promise<Json[]> {
  return dataOf(await admin.get(`${SETTINGS}/partners/${id}/check-up/`), 200)
}

const orders = (count: number, qty: unknown = 'two') =>
  Array.from({ length: count }, () => ({ number: unique('N'), lines: [{ sku: 'x', qty }] }))

async function idsOf(document: string): Promise<string[]> {
  return (
    await allRows<Json>(
      'select request_id from audit_log where replay_of = ? order by seq desc',
      document,
    )
  ).map(({ request_id }) => request_id)
}

describe('GET /partners/{id}/check-up/ about documents with several records', () => {
  it('finds a field that their records are refused for, with the requests of those', async () => {
    const partner = await openPartner({ mappings: { orders: ORDERS } })
    const { body, headers } = await partner.api.post('/orders/', { orders: orders(5) })
    expect(body.data.failed).toBe(5)
    const [finding, ...others] = await foundBy(partner)
    expect(others).toEqual([])
    const requests = await idsOf(headers.get('X-Request-Id') ?? '')
    expect(finding).toMatchObject({ kind: 'field_refused', count: 5, requests })
    expect(finding?.message).toContain('"items[].quantity" (with "orders[].lines[].qty")')
  })

  it('finds a record that comes three times and is refused alike', async () => {
    const partner = await openPartner({ mappings: { orders: ORDERS } })
    const [order] = orders(1)
    for (let n = 0; n < 3; n++) await partner.api.post('/orders/', { orders: [order] })
    expect(await foundBy(partner)).toMatchObject([{ kind: 'same_document', count: 3 }])
    const dry = await openPartner({ mappings: { orders: ORDERS } })
    for (let n = 0; n < 3; n++) await dry.api.post('/orders/?dry_run=true', { orders: [order] })
    expect(await foundBy(dry)).toEqual([])
  })

  it('counts the records of a document that was sent again, and not the request that repeats it', async () => {
    const partner = await openKept({ of: 'errors', days: 7 }, { mappings: { orders: ORDERS } })
    const refused = await partner.api.post('/orders/', { orders: { of: orders(5) } })
    expect(refused.status).toBe(422)
    const again = `${SETTINGS}/audit-log/${refused.body.request_id}/send-again/`
    for (let n = 0; n < 5; n++) {
      expect((await partner.admin.post(again, {})).body.data.status).toBe(422)
    }
    expect(await foundBy(partner)).toEqual([])
    const each = 'orders.of[]'
    const fields = Object.fromEntries(
      Object.entries(ORDERS.inbound.fields).map(([to, from]) => [
        to,
        from.replace('orders[]', each),
      ]),
    )
    await saveMapping(partner.admin, partner.id, 'orders', {
      inbound: { records: { each }, fields },
    })
    const { data } = (await partner.admin.post(again, {})).body
    expect([data.status, data.answer.data.failed]).toEqual([200, 5])
    expect(await foundBy(partner)).toMatchObject([
      { kind: 'field_refused', count: 5, requests: await idsOf(data.request_id) },
    ])
  })

  it('finds a field that records of deliveries are refused for, and counts no try of those', async () => {
    const shop = await openWebhook({ mappings: { orders: ORDERS }, rules: RULES })
    const partner = { admin: shop.admin, id: shop.partner.id }
    const deliver = async (count: number): Promise<Json> => {
      const { body } = await shop.deliver({ orders: orders(count) })
      expect(body.data.outcome).toBe('several')
      return body.data
    }
    const { results } = await deliver(4)
    for (let n = 0; n < 3; n++) {
      for (const { outcome, delivery_id } of results) {
        expect(outcome).toBe('waiting')
        const at = `${SETTINGS}/deliveries/${delivery_id}/apply/`
        expect((await shop.admin.post(at, {})).body.data.outcome).toBe('waiting')
      }
    }
    expect(await foundBy(partner)).toEqual([])
    await deliver(2)
    expect(await foundBy(partner)).toMatchObject([{ kind: 'field_refused', count: 6 }])
  })

  it('reads as many rows as for requests of their own', async () => {
    const partner = await openPartner()
    const at = `${SETTINGS}/partners/${partner.id}/check-up/`
    const reading = async () => rowsRead(await partner.admin.get(at))
    const refused = { method: 'POST', status: 400, error_code: 'VALIDATION_ERROR' }
    await insertRequests([{ partner_id: partner.id, ...refused, error_fields: '\na\n' }], 50)
    const own = await reading()
    const change = "update audit_log set replay_of = 'd', record_id = 'd' where partner_id = ?"
    await execute(change, partner.id)
    expect(await reading()).toBeLessThanOrEqual(own)
    expect(await foundBy(partner)).toMatchObject([{ kind: 'field_refused', count: 50 }])
  })
})

const partner_id = crypto.randomUUID()
const names: DocumentName[] = Array.from({ length: 12 }, () => ({
  tenant: 'demo',
  created_at: new Date().toISOString(),
  partner_id,
  request_id: crypto.randomUUID(),
}))

beforeAll(async () => {
  for (const [n, name] of names.entries()) {
    const document = {
      body: `${n}`,
      encoding: 'utf-8' as const,
      answer: { status: 200, body: null },
    }
    await storeDocument(env.DOCUMENTS, name, {
      content_type: null,
      redacted: [],
      until: 0,
      ...document,
    })
  }
})

const ROOM = { take: () => true, leave: () => {} }

function reader(get: Watch = (call) => call(), memory = ROOM): KeptDocuments {
  const bucket = intercept(env.DOCUMENTS, { get }) as R2Bucket
  return new KeptDocuments({ bucket, tenant: 'demo', memory, pace }, partner_id)
}

/** What it reads, whether it has had all, and whether it misses anything. */
async function outcomeOf(documents: KeptDocuments, asked = names) {
  const read = new Map<number, string>()
  const isWhole = await documents.each(asked, async ({ body }, index) => {
    await scheduler.wait(1)
    read.set(index, body)
  })
  return { read, isWhole, isComplete: documents.isComplete }
}

describe('KeptDocuments', () => {
  it('reads all documents, one at a time in memory, and asks R2 for four at a time', async () => {
    const counts = { asked: 0, askedMax: 0, inMemory: 0, inMemoryMax: 0 }
    const get: Watch = async (call) => {
      counts.askedMax = Math.max(counts.askedMax, ++counts.asked)
      const object = await call()
      await scheduler.wait(5)
      counts.asked -= 1
      return object
    }
    const take = () => {
      counts.inMemoryMax = Math.max(counts.inMemoryMax, ++counts.inMemory)
      return true
    }
    const leave = () => {
      counts.inMemory -= 1
    }
    const { read, ...ended } = await outcomeOf(reader(get, { take, leave }))
    expect(ended).toEqual({ isWhole: true, isComplete: true })
    expect([...read].sort(([one], [other]) => one - other)).toEqual(
      names.map((_, n) => [n, `${n}`]),
    )
    expect(counts).toEqual({ asked: 0, askedMax: 4, inMemory: 0, inMemoryMax: 1 })
  })

  it('leaves out documents that are not there', async () => {
    const gone = { ...(names[0] as DocumentName), request_id: crypto.randomUUID() }
    const { read, ...ended } = await outcomeOf(reader(), [gone, ...names])
    expect([read.size, read.has(0), ended]).toEqual([
      12,
      false,
      { isWhole: true, isComplete: true },
    ])
  })

  it('passes over a document that has no room in memory, and says so', async () => {
    let taken = 0
    const memory = { ...ROOM, take: () => ++taken !== 3 }
    const { read, ...ended } = await outcomeOf(reader(undefined, memory))
    expect([read.size, ended]).toEqual([11, { isWhole: true, isComplete: false }])
  })

  it('ends as soon as R2 fails, and asks for nothing any more', async () => {
    let asked = 0
    const get: Watch = (call) => {
      asked += 1
      return asked === 6 ? Promise.reject(new Error('secret')) : call()
    }
    const documents = reader(get)
    const { read, ...ended } = await outcomeOf(documents)
    expect(ended).toEqual({ isWhole: false, isComplete: false })
    expect(read.size).toBeLessThan(12)
    const before = asked
    expect((await outcomeOf(documents)).read.size).toBe(0)
    expect(asked).toBe(before)
  })

  it.each<[string, Watch]>([
    ['an answer', () => new Promise(() => {})],
    [
      'the end of a document',
      async (call) => {
        const object = (await call()) as R2ObjectBody
        const body = new TransformStream().readable
        return { customMetadata: object.customMetadata, body }
      },
    ],
  ])('does not wait for %s longer than five seconds', async (_, get) => {
    const slowDown = speedUpTime()
    const started = Date.now()
    const { read, ...ended } = await outcomeOf(reader(get))
    slowDown()
    expect([read.size, ended]).toEqual([0, { isWhole: false, isComplete: false }])
    // 25 ms for each of the four that were asked for.
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it('throws what is no fault of R2', async () => {
    const fault = () => {
      throw new TypeError('ours')
    }
    await expect(reader().each(names, fault)).rejects.toThrow('ours')
  })
})
