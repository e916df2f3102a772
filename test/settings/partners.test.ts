import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner, saveMapping } from '../partner.ts'
import { expectInvalid, expectRefusal } from '../security/refusal.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../tenant.ts'
import { type Api, AUDIT, findKey, inSeconds, issueKey, KEYS, utc, uuid } from './settings.ts'

const PARTNERS = '/api/settings/v1/partners/'
const PAST = '2026-01-01T00:00:00.000Z'

let db: D1Database
let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

const rowOf = (id: string) => db.prepare('select * from partners where id = ?').bind(id).first()
const partnerCount = () => db.prepare('select count(*) from partners').first('count(*)')
const idsOf = (list: Json[]) => list.map(({ id }) => id)
const fieldsWarned = ({ body }: { body: Json }) => body.warnings?.map(({ field }: Json) => field)

async function makePartner(fields: object = {}): Promise<Json> {
  const { status, body } = await admin.post(PARTNERS, { name: unique('partner'), ...fields })
  expect([status, body.error]).toEqual([201, undefined])
  return body.data
}

async function findPartner(id: string): Promise<Json> {
  const { status, body } = await admin.get(`${PARTNERS}${id}/`)
  expect(status).toBe(200)
  return body.data
}

async function deletePartner(id: string): Promise<void> {
  expect((await admin.delete(`${PARTNERS}${id}/`)).status).toBe(200)
}

/** Lets the administrator's key know of all settings so far: of racing changes, one is then first. */
async function warmUp(): Promise<void> {
  expect((await admin.get(PARTNERS)).status).toBe(200)
}

/** A partner that has been deleted through its endpoint. */
async function makeDeleted(fields: object = {}): Promise<Json> {
  const partner = await makePartner(fields)
  await deletePartner(partner.id)
  return partner
}

async function listPages(api: Api, limit: number): Promise<Json[][]> {
  const pages: Json[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await api.get(`${PARTNERS}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
    expect(body.pagination.limit).toBe(limit)
    pages.push(body.data)
    cursor = body.pagination.next_cursor
  }
  return pages
}

const ORDER_FIELDS = [
  'id',
  'order_number',
  'external_order_id',
  'customer_name',
  'notes',
  'order_date',
  'due_date',
  'status',
  'created_at',
  'updated_at',
  'cancelled_at',
  'cancel_reason',
]
const IDENTIFIER_FIELDS = [
  ...ORDER_FIELDS,
  ...['sku', 'quantity', 'cost'],
  ...['code', 'name', 'zone', 'aisle'],
]

const NO_IDENTIFIER_FIELDS = [
  '',
  ' ',
  'Order_Number',
  'order_number ',
  'order-number',
  'order_number,sku',
  'items',
  'customer_info',
  'customer_info.id',
  'metadata',
  'metadata.erp_id',
  'custom_fields',
  'custom_fields.ean',
  'location_code',
  'sku_code',
  'source',
  'partner_id',
  'seq',
  'rowid',
  '*',
  'constructor',
  '__proto__',
  'toString',
  '1); drop table orders; --',
  7,
  true,
  [],
  ['sku'],
  {},
]

const BAD_NAMES: [string, unknown][] = [
  ['null', null],
  ['empty', ''],
  ['a number', 7],
  ['a list', ['x']],
  ['longer than 255 characters', 'x'.repeat(256)],
  ['not well-formed', 'a\udc00'],
]

describe('POST /partners/', () => {
  it('answers exactly the record', async () => {
    const name = unique('Acme')
    const { status, body } = await admin.post(PARTNERS, { name })
    expect([status, body]).toEqual([
      201,
      {
        success: true,
        data: { id: uuid, name, default_identifier_field: null, created_at: utc, updated_at: utc },
      },
    ])
    expect(body.data.updated_at).toBe(body.data.created_at)
    expect(await findPartner(body.data.id)).toEqual(body.data)
  })

  it('needs a name', async () => {
    expectInvalid(await admin.post(PARTNERS, {}), 'name')
    expectInvalid(await admin.post(PARTNERS), 'name')
  })

  it.each(BAD_NAMES)('refuses a name that is %s', async (_, name) => {
    const before = await partnerCount()
    expectInvalid(await admin.post(PARTNERS, { name }), 'name')
    expect(await partnerCount()).toBe(before)
  })

  it('takes a name of 255 characters and one in another script', async () => {
    for (const name of ['é'.repeat(255), '取引先', '😀'.repeat(255)]) {
      expect((await makePartner({ name })).name).toBe(name)
    }
  })

  it('is 409 DUPLICATE for a name that another partner has', async () => {
    const { name } = await makePartner()
    const before = await partnerCount()
    const answer = await admin.post(PARTNERS, { name })
    expectRefusal(answer, 409, 'DUPLICATE', `A partner with the name "${name}" already exists.`)
    expect(Object.keys(answer.body.error.fields)).toEqual(['name'])
    expect(await partnerCount()).toBe(before)
  })

  it('compares names exactly', async () => {
    const name = unique('Exact')
    for (const other of [name, name.toLowerCase(), ` ${name}`, `${name} `]) {
      expect((await makePartner({ name: other })).name).toBe(other)
    }
  })

  it('lets exactly one of several concurrent requests have the name', async () => {
    for (let round = 0; round < 5; round++) {
      const name = unique('race')
      await warmUp()
      const answers = await Promise.all(
        Array.from({ length: 2 + round }, () => admin.post(PARTNERS, { name })),
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      expect(statuses).toEqual([201, ...Array.from({ length: 1 + round }, () => 409)])
      const [winner] = answers.filter(({ status }) => status === 201)
      const rows = await db.prepare('select id from partners where name = ?').bind(name).all()
      expect(rows.results).toEqual([{ id: winner?.body.data.id }])
    }
  })

  it('lets exactly one have the name while settings change, and asks the rest to retry', async () => {
    for (let round = 0; round < 5; round++) {
      const name = unique('race')
      await makePartner()
      const answers = await Promise.all(
        Array.from({ length: 2 + round }, () => admin.post(PARTNERS, { name })),
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      for (const { status, headers } of answers) {
        expect([201, 409, 503]).toContain(status)
        expect(headers.get('Retry-After')).toBe(status === 503 ? '1' : null)
      }
      expectRefusal(await admin.post(PARTNERS, { name }), 409, 'DUPLICATE')
      const rows = await db.prepare('select id from partners where name = ?').bind(name).all()
      expect(rows.results).toHaveLength(1)
    }
  })

  it('lets the name of a deleted partner be used again', async () => {
    const deleted = await makePartner()
    await saveMapping(admin, deleted.id, 'orders', { inbound: { fields: { notes: 'memo' } } })
    await deletePartner(deleted.id)
    const { id, name } = await makePartner({ name: deleted.name })
    expect(name).toBe(deleted.name)
    expect(id).not.toBe(deleted.id)
    expect((await admin.get(`${PARTNERS}${id}/mappings/`)).body.data).toEqual([])
    expectRefusal(await admin.post(PARTNERS, { name }), 409, 'DUPLICATE')
  })

  it.each(IDENTIFIER_FIELDS)('takes default_identifier_field %s', async (field) => {
    const { id, default_identifier_field } = await makePartner({ default_identifier_field: field })
    expect(default_identifier_field).toBe(field)
    expect((await findPartner(id)).default_identifier_field).toBe(field)
  })

  it.each(NO_IDENTIFIER_FIELDS)('refuses default_identifier_field %j', async (field) => {
    const before = await partnerCount()
    const fields = { name: unique('x'), default_identifier_field: field }
    expectInvalid(await admin.post(PARTNERS, fields), 'default_identifier_field')
    expect(await partnerCount()).toBe(before)
  })

  it('says which fields default_identifier_field may name', async () => {
    const fields = { name: unique('x'), default_identifier_field: 'number' }
    const { body } = await admin.post(PARTNERS, fields)
    const [message] = body.error.fields.default_identifier_field
    for (const field of IDENTIFIER_FIELDS) expect(message).toContain(field)
  })

  it('takes default_identifier_field null', async () => {
    const { default_identifier_field } = await makePartner({ default_identifier_field: null })
    expect(default_identifier_field).toBeNull()
  })

  it('names every bad field at once', async () => {
    const answer = await admin.post(PARTNERS, { name: '', default_identifier_field: 'x' })
    expectInvalid(answer, 'name', 'default_identifier_field')
  })

  it('names the fields that have no effect', async () => {
    const extra = { id: 'mine', created_at: PAST, deleted_at: PAST, mappings: {}, colour: 'red' }
    const answer = await admin.post(PARTNERS, { name: unique('x'), ...extra })
    expect(answer.body.data).toMatchObject({
      id: uuid,
      created_at: expect.not.stringMatching(PAST),
    })
    expect(fieldsWarned(answer)).toEqual(Object.keys(extra))
    expect((await rowOf(answer.body.data.id))?.deleted_at).toBeNull()
  })
})

describe('GET /partners/', () => {
  it('lists the same records that GET of one answers, newest first', async () => {
    const made = [await makePartner({ default_identifier_field: 'sku' }), await makePartner()]
    const { status, body } = await admin.get(`${PARTNERS}?limit=2`)
    expect([status, body.success]).toEqual([200, true])
    expect(body.data).toEqual(made.toReversed())
  })

  it('is an empty list where there is none', async () => {
    const other = await openAdmin('other')
    const others = await openTenant('other')
    await others.prepare('update partners set deleted_at = created_at').run()
    const { status, body } = await other.get(PARTNERS)
    expect([status, body]).toEqual([
      200,
      { success: true, data: [], pagination: { limit: 50, next_cursor: null } },
    ])
  })

  it('does not list deleted partners, and pages past them', async () => {
    const kept: Json[] = []
    for (let turn = 0; turn < 3; turn++) {
      kept.push(await makePartner())
      await makeDeleted()
    }
    const pages = await listPages(admin, 2)
    expect(pages.slice(0, -1).every(({ length }) => length === 2)).toBe(true)
    const ids = idsOf(pages.flat())
    expect(ids.slice(0, 3)).toEqual(idsOf(kept).toReversed())
    const live = await db.prepare('select id from partners where deleted_at is null').all()
    expect(ids.toSorted()).toEqual(idsOf(live.results).toSorted())
  })

  it('ends a full last page with null', async () => {
    await makePartner()
    const live = (await listPages(admin, 200)).flat().length
    const last = (await listPages(admin, 1)).at(-1)
    expect(last).toHaveLength(1)
    expect(await listPages(admin, 1)).toHaveLength(live)
  })

  it('keeps its place when partners are made and changed meanwhile', async () => {
    const older = [await makePartner(), await makePartner()]
    const newer = await makePartner()
    const first = (await admin.get(`${PARTNERS}?limit=1`)).body
    await makePartner()
    const name = unique('renamed')
    await admin.put(`${PARTNERS}${older[0].id}/`, { name })
    const cursor = first.pagination.next_cursor
    const second = (await admin.get(`${PARTNERS}?limit=2&cursor=${cursor}`)).body
    const seen = [...first.data, ...second.data]
    expect(idsOf(seen)).toEqual(idsOf([newer, ...older.toReversed()]))
    expect(seen[2].name).toBe(name)
  })

  it.each([
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '-1'],
    ['limit', '2.5'],
    ['limit', 'ten'],
    ['limit', ''],
    ['cursor', 'x'],
    ['cursor', ''],
  ])('refuses %s=%s', async (name, value) => {
    expectInvalid(await admin.get(`${PARTNERS}?${name}=${value}`), name)
  })

  it("refuses another list's cursor", async () => {
    await issueKey(admin)
    const cursor = (await admin.get(`${KEYS}?limit=1`)).body.pagination.next_cursor
    expect(cursor).toEqual(expect.any(String))
    expectInvalid(await admin.get(`${PARTNERS}?cursor=${cursor}`), 'cursor')
  })

  it('names a parameter that has no effect', async () => {
    expect(fieldsWarned(await admin.get(`${PARTNERS}?limit=1&name=x`))).toEqual(['name'])
  })
})

describe('GET /partners/{id}/', () => {
  it('answers the record', async () => {
    const record = await makePartner({ default_identifier_field: 'external_order_id' })
    const answer = await admin.get(`${PARTNERS}${record.id}/`)
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: record }])
  })

  it('is 404 for an unknown id, and for a name in its place', async () => {
    const { name } = await makePartner()
    for (const place of [crypto.randomUUID(), name, '1', '%00']) {
      expectRefusal(await admin.get(`${PARTNERS}${place}/`), 404, 'NOT_FOUND')
    }
  })
})

describe('PUT /partners/{id}/', () => {
  it('changes what is sent, leaves the rest, and answers the record', async () => {
    const record = await makePartner()
    let expected = record
    for (const change of [
      { name: unique('renamed') },
      { default_identifier_field: 'external_order_id' },
      { name: unique('again'), default_identifier_field: 'customer_name' },
      { default_identifier_field: null },
    ]) {
      expected = { ...expected, ...change, updated_at: utc }
      const answer = await admin.put(`${PARTNERS}${record.id}/`, change)
      expect([answer.status, answer.body]).toEqual([200, { success: true, data: expected }])
      expect(await findPartner(record.id)).toEqual(answer.body.data)
    }
  })

  it('moves updated_at and never created_at', async () => {
    const { id, created_at } = await makePartner()
    await scheduler.wait(5)
    const { body } = await admin.put(`${PARTNERS}${id}/`, { name: unique('x') })
    expect(body.data.created_at).toBe(created_at)
    expect(body.data.updated_at > created_at).toBe(true)
  })

  it('without a field changes nothing', async () => {
    const { id } = await makePartner({ default_identifier_field: 'sku' })
    const before = await rowOf(id)
    await scheduler.wait(5)
    for (const body of [{}, undefined]) {
      expect((await admin.put(`${PARTNERS}${id}/`, body)).status).toBe(200)
      expect(await rowOf(id)).toEqual(before)
    }
  })

  it('names what it does not change', async () => {
    const record = await makePartner()
    const readOnly = { id: 'x', created_at: PAST, updated_at: PAST, deleted_at: PAST, mappings: {} }
    const answer = await admin.put(`${PARTNERS}${record.id}/`, readOnly)
    expect(answer.body.data).toEqual(record)
    expect(fieldsWarned(answer)).toEqual(Object.keys(readOnly))
    expect(await findPartner(record.id)).toEqual(record)
  })

  it.each(BAD_NAMES)('refuses a name that is %s and changes nothing', async (_, name) => {
    const { id } = await makePartner({ default_identifier_field: 'sku' })
    const before = await rowOf(id)
    const change = { name, default_identifier_field: null }
    expectInvalid(await admin.put(`${PARTNERS}${id}/`, change), 'name')
    expect(await rowOf(id)).toEqual(before)
  })

  it.each(IDENTIFIER_FIELDS)('takes default_identifier_field %s', async (field) => {
    const { id } = await makePartner()
    const { body } = await admin.put(`${PARTNERS}${id}/`, { default_identifier_field: field })
    expect(body.data.default_identifier_field).toBe(field)
  })

  it.each(NO_IDENTIFIER_FIELDS)('refuses default_identifier_field %j', async (field) => {
    const { id } = await makePartner({ default_identifier_field: 'sku' })
    const before = await rowOf(id)
    const change = { name: unique('x'), default_identifier_field: field }
    expectInvalid(await admin.put(`${PARTNERS}${id}/`, change), 'default_identifier_field')
    expect(await rowOf(id)).toEqual(before)
  })

  it('is 409 DUPLICATE for a name that another partner has, and changes nothing', async () => {
    const { name } = await makePartner()
    const { id } = await makePartner()
    const before = await rowOf(id)
    const answer = await admin.put(`${PARTNERS}${id}/`, { name, default_identifier_field: 'sku' })
    expectRefusal(answer, 409, 'DUPLICATE', `A partner with the name "${name}" already exists.`)
    expect(Object.keys(answer.body.error.fields)).toEqual(['name'])
    expect(await rowOf(id)).toEqual(before)
  })

  it('takes its own name and the name of a deleted partner', async () => {
    const { id, name } = await makePartner()
    expect((await admin.put(`${PARTNERS}${id}/`, { name })).status).toBe(200)
    const deleted = await makeDeleted()
    const { status, body } = await admin.put(`${PARTNERS}${id}/`, { name: deleted.name })
    expect([status, body.data.name]).toEqual([200, deleted.name])
  })

  it('lets exactly one of two concurrent requests have the name', async () => {
    for (let round = 0; round < 5; round++) {
      const name = unique('race')
      const { id } = await makePartner()
      await warmUp()
      const answers = await Promise.all([
        admin.put(`${PARTNERS}${id}/`, { name }),
        admin.post(PARTNERS, { name }),
      ])
      const won = answers.filter(({ status }) => status < 300)
      const lost = answers.filter(({ status }) => status === 409)
      expect([won.length, lost.length]).toEqual([1, 1])
    }
  })

  it('holds from the very next request of a key of the partner', async () => {
    const { id, api } = await openPartner()
    const [external, sku] = [unique('EXT'), unique('S')]
    await api.post('/products/', { sku })
    const items = [{ sku_code: sku, quantity: 1 }]
    const order = { order_number: unique('O'), external_order_id: external, items }
    expect((await api.post('/orders/', order)).status).toBe(201)
    expectRefusal(await api.get(`/orders/${external}/`), 404, 'NOT_FOUND')

    await admin.put(`${PARTNERS}${id}/`, { default_identifier_field: 'external_order_id' })
    expect((await api.get(`/orders/${external}/`)).body.data.order_number).toBe(order.order_number)
    expect((await api.get(`/products/${sku}/`)).body.data.sku).toBe(sku)

    await admin.put(`${PARTNERS}${id}/`, { default_identifier_field: null })
    expectRefusal(await api.get(`/orders/${external}/`), 404, 'NOT_FOUND')
  })

  it('is 404 for an unknown id', async () => {
    const path = `${PARTNERS}${crypto.randomUUID()}/`
    const { name } = await makePartner()
    for (const body of [{}, { name: unique('x') }, { name }, { default_identifier_field: null }]) {
      expectRefusal(await admin.put(path, body), 404, 'NOT_FOUND')
    }
  })
})

describe('DELETE /partners/{id}/', () => {
  it('answers the record once, then 404', async () => {
    const record = await makePartner({ default_identifier_field: 'sku' })
    const answer = await admin.delete(`${PARTNERS}${record.id}/`)
    const data = { ...record, updated_at: utc }
    expect([answer.status, answer.body]).toEqual([200, { success: true, data }])
    const before = await rowOf(record.id)
    expectRefusal(await admin.delete(`${PARTNERS}${record.id}/`), 404, 'NOT_FOUND')
    expect(await rowOf(record.id)).toEqual(before)
  })

  it('is 404 for an unknown id', async () => {
    expectRefusal(await admin.delete(`${PARTNERS}${crypto.randomUUID()}/`), 404, 'NOT_FOUND')
  })

  it('names what has no effect in a body', async () => {
    const { id } = await makePartner()
    const answer = await admin.delete(`${PARTNERS}${id}/`, { reason: 'x', force: true })
    expect(answer.status).toBe(200)
    expect(fieldsWarned(answer)).toEqual(['reason', 'force'])
  })

  it('is 409 IN_USE while a live key is linked, and changes nothing', async () => {
    const { id, name } = await makePartner()
    await issueKey(admin, { partner_id: id, expires_at: inSeconds(60) })
    const before = await rowOf(id)
    const message = `A live key is linked to "${name}": revoke or unlink it first.`
    expectRefusal(await admin.delete(`${PARTNERS}${id}/`), 409, 'IN_USE', message)
    expect(await rowOf(id)).toEqual(before)
    expect((await findPartner(id)).name).toBe(name)
  })

  it.each([
    ['revoked', (id: string) => admin.delete(`${KEYS}${id}/`)],
    ['unlinked', (id: string) => admin.put(`${KEYS}${id}/`, { partner_id: null })],
    [
      'linked to another partner',
      async (id: string) =>
        admin.put(`${KEYS}${id}/`, { partner_id: (await makePartner()).id as string }),
    ],
    [
      'expired',
      async (id: string) => {
        const answer = await admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(1) })
        await scheduler.wait(1100)
        return answer
      },
    ],
  ])('works once the only key is %s', async (_, end) => {
    const partner = await makePartner()
    const key = await issueKey(admin, { partner_id: partner.id })
    expectRefusal(await admin.delete(`${PARTNERS}${partner.id}/`), 409, 'IN_USE')
    expect((await end(key.id)).status).toBe(200)
    await deletePartner(partner.id)
  })

  it('is 409 IN_USE as long as one of several keys is live', async () => {
    const { id } = await makePartner()
    const keys = [
      await issueKey(admin, { partner_id: id }),
      await issueKey(admin, { partner_id: id }),
    ]
    for (const key of keys) {
      expectRefusal(await admin.delete(`${PARTNERS}${id}/`), 409, 'IN_USE')
      await admin.delete(`${KEYS}${key.id}/`)
    }
    await deletePartner(id)
  })

  it('is 409 IN_USE while a rotated key overlaps with the new one, and for the new one', async () => {
    const { id } = await makePartner()
    const old = await issueKey(admin, { partner_id: id })
    const path = `${KEYS}${old.id}/rotate/`
    const { body } = await admin.post(path, { overlap_seconds: 60 })
    await admin.delete(`${KEYS}${body.data.id}/`)
    expectRefusal(await admin.delete(`${PARTNERS}${id}/`), 409, 'IN_USE')
    await admin.delete(`${KEYS}${old.id}/`)
    await deletePartner(id)
  })

  it('leaves its ended keys linked and ended: no later expires_at revives them', async () => {
    const { id } = await makePartner()
    const { id: key, value } = await createKey(['integrations.*'], { expires_at: PAST })
    await admin.put(`${KEYS}${key}/`, { partner_id: id })
    await deletePartner(id)
    const answer = await admin.put(`${KEYS}${key}/`, { expires_at: inSeconds(60) })
    expectRefusal(answer, 400, 'SERVICE_ERROR')
    expectRefusal(await client(value).get('/orders/'), 401, 'KEY_EXPIRED')
    expect(await findKey(admin, key)).toMatchObject({ partner_id: id, status: 'expired' })
  })

  it('never calls the partner "undefined" when an ended key of it is to live longer', async () => {
    const { id } = await makePartner()
    const { id: key } = await createKey(['integrations.*'], { expires_at: PAST })
    await admin.put(`${KEYS}${key}/`, { partner_id: id })
    await deletePartner(id)
    const { body } = await admin.put(`${KEYS}${key}/`, { expires_at: inSeconds(60) })
    expect(body.error.message).not.toContain('undefined')
  })

  it('lets an ended key live again without the partner', async () => {
    const { id } = await makePartner()
    const { id: key, value } = await createKey(['integrations.*'], { expires_at: PAST })
    await admin.put(`${KEYS}${key}/`, { partner_id: id })
    await deletePartner(id)
    const change = { expires_at: inSeconds(60), partner_id: null }
    expect((await admin.put(`${KEYS}${key}/`, change)).status).toBe(200)
    expect((await client(value).get('/orders/')).status).toBe(200)
  })

  it.each<[string, (partner_id: string) => Promise<() => Promise<Answer>>]>([
    [
      'a new key',
      async (partner_id) => () => admin.post(KEYS, { name: unique('raced'), partner_id }),
    ],
    [
      'a link of a key',
      async (partner_id) => {
        const { id } = await issueKey(admin)
        return () => admin.put(`${KEYS}${id}/`, { partner_id })
      },
    ],
    [
      'a later end of an expired key',
      async (partner_id) => {
        const { id } = await createKey(['integrations.*'], { expires_at: PAST })
        await admin.put(`${KEYS}${id}/`, { partner_id })
        return () => admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(60) })
      },
    ],
  ])('never leaves a live key of a deleted partner when it meets %s', async (_, prepare) => {
    for (let round = 0; round < 8; round++) {
      const { id } = await makePartner()
      const link = await prepare(id)
      await warmUp()
      const remove = () => admin.delete(`${PARTNERS}${id}/`)
      const [first, second] = round % 2 === 0 ? [remove, link] : [link, remove]
      const answers = await Promise.all([first(), second()])
      const [removed, linked] = round % 2 === 0 ? answers : answers.toReversed()
      const outcomes = [
        [200, 400],
        [409, 200],
        [409, 201],
      ]
      expect(outcomes).toContainEqual([removed?.status, linked?.status])
    }
    const stray = await db
      .prepare(
        `select count(*) as n from api_keys join partners on partners.id = partner_id
         where deleted_at is not null and revoked_at is null
           and (expires_at is null or expires_at > ?)`,
      )
      .bind(new Date().toISOString())
      .first('n')
    expect(stray).toBe(0)
  })

  it('makes its id unknown everywhere', async () => {
    const { id } = await makeDeleted()
    const path = `${PARTNERS}${id}/`
    const mapping = { inbound: { fields: { notes: 'memo' } } }
    for (const answer of [
      await admin.get(path),
      await admin.put(path, { name: unique('x') }),
      await admin.put(path, {}),
      await admin.get(`${path}mappings/`),
      await admin.get(`${path}mappings/orders/`),
      await admin.put(`${path}mappings/orders/`, mapping),
      await admin.delete(`${path}mappings/orders/`),
      await admin.post(`${path}mappings/orders/preview/`, { payload: {} }),
      await admin.post(`${path}mappings/orders/preview/`, { payload: {}, mapping }),
    ]) {
      expectRefusal(answer, 404, 'NOT_FOUND', `No partner has the id "${id}".`)
    }
  })

  it('hides its mappings, which nothing can then change', async () => {
    const { id } = await makePartner()
    await saveMapping(admin, id, 'orders', { inbound: { fields: { notes: 'memo' } } })
    const kept = () =>
      db.prepare('select * from field_mappings where partner_id = ?').bind(id).all()
    const before = (await kept()).results
    await deletePartner(id)
    for (const resource of ['orders', 'products']) {
      const path = `${PARTNERS}${id}/mappings/${resource}/`
      expectRefusal(await admin.get(path), 404, 'NOT_FOUND')
      expectRefusal(await admin.delete(path), 404, 'NOT_FOUND')
      expectRefusal(await admin.put(path, {}), 404, 'NOT_FOUND')
    }
    expect((await kept()).results).toEqual(before)
  })

  it('keeps keys from being linked to it: 400 naming partner_id', async () => {
    const { id: partner_id } = await makeDeleted()
    const { id } = await issueKey(admin)
    expectInvalid(await admin.post(KEYS, { name: 'x', partner_id }), 'partner_id')
    expectInvalid(await admin.put(`${KEYS}${id}/`, { partner_id }), 'partner_id')
    expect((await findKey(admin, id)).partner_id).toBeNull()
  })

  it('leaves its orders as they are, and in use', async () => {
    const { id, key, api } = await openPartner()
    const sku = unique('S')
    await api.post('/products/', { sku })
    const items = [{ sku_code: sku, quantity: 1 }]
    const order = { order_number: unique('O'), external_order_id: unique('EXT'), items }
    const created = (await api.post('/orders/', order)).body.data
    await admin.delete(`${KEYS}${key.id}/`)
    await deletePartner(id)

    const path = `/orders/${order.order_number}/`
    expect((await admin.get(path)).body.data).toEqual(created)
    expect((await admin.put(path, { status: 'shipped' })).body.data.status).toBe('shipped')
    const another = { ...order, order_number: unique('O') }
    expect((await admin.post('/orders/', another)).status).toBe(201)
    const listed = (await admin.get('/orders/?limit=200')).body.data
    expect(idsOf(listed)).toContain(created.id)
  })
})

describe('default_identifier_field', () => {
  // In the other tenant, where no other test has had a field indexed.
  const make = async (fields: object): Promise<string> => {
    const { body } = await (await openAdmin('other')).post(PARTNERS, {
      name: unique('partner'),
      ...fields,
    })
    return body.data.id
  }
  const planOf = async (table: string, field: string) => {
    const plan = `explain query plan select id from ${table} where ${field} = 'x'`
    return JSON.stringify((await (await openTenant('other')).prepare(plan).all()).results)
  }

  it('is indexed when a partner is made with it', async () => {
    expect(await planOf('locations', 'aisle')).toContain('SCAN locations')
    await make({ default_identifier_field: 'aisle' })
    expect(await planOf('locations', 'aisle')).toMatch(/SEARCH locations USING INDEX/)
  })

  it('is indexed when a partner is given it, in every resource that has it', async () => {
    const id = await make({})
    for (const field of ['customer_name', 'cost']) {
      await (await openAdmin('other')).put(`${PARTNERS}${id}/`, { default_identifier_field: field })
    }
    expect(await planOf('orders', 'customer_name')).toMatch(/SEARCH orders USING INDEX/)
    expect(await planOf('products', 'cost')).toMatch(/SEARCH products USING INDEX/)
  })
})

describe("another tenant's partner", () => {
  it('is 404, cannot be linked, and stays as it is', async () => {
    const { id, name, admin: other } = await openPartner({ tenant: 'other' })
    const before = (await other.get(`${PARTNERS}${id}/`)).body.data
    expect(before.name).toBe(name)
    expectRefusal(await admin.get(`${PARTNERS}${id}/`), 404, 'NOT_FOUND')
    expectRefusal(await admin.put(`${PARTNERS}${id}/`, { name: 'mine' }), 404, 'NOT_FOUND')
    expectRefusal(await admin.delete(`${PARTNERS}${id}/`), 404, 'NOT_FOUND')
    expectInvalid(await admin.post(KEYS, { name: 'x', partner_id: id }), 'partner_id')
    expect(idsOf((await listPages(admin, 200)).flat())).not.toContain(id)
    expect((await other.get(`${PARTNERS}${id}/`)).body.data).toEqual(before)
  })

  it('may have the same name as ours', async () => {
    const { name } = await openPartner({ tenant: 'other' })
    expect((await makePartner({ name })).name).toBe(name)
  })
})

describe('the audit log of a partner', () => {
  const find = async (query: Record<string, string>): Promise<Json[]> =>
    (await admin.get(`${AUDIT}?${new URLSearchParams({ limit: '200', ...query })}`)).body.data

  const told = ({ method, status, path }: Json) => `${method} ${status} ${path.split('/')[4]}`

  it('names partner and key with every request of its keys', async () => {
    const { id, name, key, api } = await openPartner({ scopes: ['integrations.products.*'] })
    const sku = unique('S')
    await api.post('/products/', { sku })
    await api.post('/products/', { sku })
    await api.get(`/products/${sku}/`)
    await api.get('/products/unknown/')
    await api.get('/orders/')
    const rows = await find({ partner_id: id })
    expect(rows.map(told)).toEqual([
      'GET 403 orders',
      'GET 404 products',
      'GET 200 products',
      'POST 409 products',
      'POST 201 products',
    ])
    for (const row of rows) {
      expect(row.partner).toEqual({ id, name })
      expect(row.api_key).toEqual({ id: key.id, name: key.name })
    }
    expect(await find({ api_key_id: key.id })).toEqual(rows)
  })

  it('holds the requests of all its keys and of no other', async () => {
    const { id, key, api } = await openPartner()
    const second = await issueKey(admin, { partner_id: id })
    const stranger = await openPartner()
    await api.get('/orders/')
    await client(second.key).get('/orders/')
    await stranger.api.get('/orders/')
    const rows = await find({ partner_id: id })
    expect(rows.map(({ api_key }) => api_key.id)).toEqual([second.id, key.id])
  })

  it('keeps the name of the time of each request', async () => {
    const { id, name, api } = await openPartner()
    await api.get('/orders/')
    const renamed = unique('renamed')
    await admin.put(`${PARTNERS}${id}/`, { name: renamed })
    await api.get('/orders/')
    const partners = (await find({ partner_id: id })).map(({ partner }) => partner)
    expect(partners).toEqual([
      { id, name: renamed },
      { id, name },
    ])
  })

  it('is kept when the partner is deleted, and when its name is used again', async () => {
    const { id, name, key, api } = await openPartner()
    await api.post('/products/', { sku: unique('S') })
    await admin.delete(`${KEYS}${key.id}/`)
    await deletePartner(id)
    const heir = await makePartner({ name })
    const rows = await find({ partner_id: id })
    expect(rows.map(({ partner, status }) => ({ partner, status }))).toEqual([
      { partner: { id, name }, status: 201 },
    ])
    expect(await find({ partner_id: heir.id })).toEqual([])
  })

  it('has no request of a key before it is linked or after it is unlinked', async () => {
    const { id } = await makePartner()
    const key = await issueKey(admin)
    const api = client(key.key)
    await api.get('/orders/')
    await admin.put(`${KEYS}${key.id}/`, { partner_id: id })
    await api.get('/products/')
    await admin.put(`${KEYS}${key.id}/`, { partner_id: null })
    await api.get('/locations/')
    expect((await find({ partner_id: id })).map(told)).toEqual(['GET 200 products'])
    const rows = await find({ api_key_id: key.id })
    expect(rows.map(({ partner }) => partner?.id ?? null)).toEqual([null, id, null])
  })

  it('shows null as the partner of a pass-through key', async () => {
    const { id, value } = await createKey()
    await client(value).get('/orders/')
    await client(value).post('/products/', { sku: unique('S') })
    const rows = await find({ api_key_id: id })
    expect(rows.map(({ partner }) => partner)).toEqual([null, null])
  })

  it("has a row for each change of the partner, of the administrator's key", async () => {
    const { id, value } = await createKey(['settings.*'])
    const own = client(value)
    const partner = (await own.post(PARTNERS, { name: unique('x') })).body.data
    await own.put(`${PARTNERS}${partner.id}/`, { name: unique('x') })
    await own.delete(`${PARTNERS}${partner.id}/`)
    await own.delete(`${PARTNERS}${partner.id}/`)
    const rows = await find({ api_key_id: id, resource: 'partners' })
    expect(rows.map(told)).toEqual([
      'DELETE 404 partners',
      'DELETE 200 partners',
      'PUT 200 partners',
      'POST 201 partners',
    ])
    expect(rows.map(({ partner }) => partner)).toEqual([null, null, null, null])
    const records = await db
      .prepare('select record_id from audit_log where api_key_id = ? and status < 400')
      .bind(id)
      .all()
    expect(new Set(records.results.map(({ record_id }) => record_id))).toEqual(
      new Set([partner.id]),
    )
  })
})

describe('settings_version', () => {
  const version = () =>
    db.prepare('select settings_version from workspace').first<number>('settings_version')

  it.each([
    ['goes up when a partner is made', 201, 1, () => admin.post(PARTNERS, { name: unique('x') })],
    [
      'goes up when a partner is renamed',
      200,
      1,
      (id: string) => admin.put(`${PARTNERS}${id}/`, { name: unique('x') }),
    ],
    [
      'goes up when a partner gets a default_identifier_field',
      200,
      1,
      (id: string) => admin.put(`${PARTNERS}${id}/`, { default_identifier_field: 'sku' }),
    ],
    [
      'goes up when a partner is deleted',
      200,
      1,
      (id: string) => admin.delete(`${PARTNERS}${id}/`),
    ],
    ['stays when partners are listed', 200, 0, () => admin.get(PARTNERS)],
    ['stays when a partner is read', 200, 0, (id: string) => admin.get(`${PARTNERS}${id}/`)],
    [
      'stays when a change names no field',
      200,
      0,
      (id: string) => admin.put(`${PARTNERS}${id}/`, {}),
    ],
    [
      'stays when a change is refused',
      400,
      0,
      (id: string) => admin.put(`${PARTNERS}${id}/`, { name: '' }),
    ],
    ['stays when an unknown partner is deleted', 404, 0, () => admin.delete(`${PARTNERS}x/`)],
  ])('%s', async (_, status, raise, request) => {
    const { id } = await makePartner()
    const before = (await version()) ?? 0
    expect((await request(id)).status).toBe(status)
    expect(((await version()) ?? 0) - before).toBe(raise)
  })
})
