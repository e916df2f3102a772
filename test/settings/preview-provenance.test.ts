import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../fixtures/mapping-examples.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { allRows, oneRow } from '../fixtures/sql.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { fieldsWarned, makePartner } from './mappings.ts'
import { at, dataOf, draft, LISTED, preview } from './previews.ts'

describe('the provenance of a preview', () => {
  it('is null for fixed values, and only for them', async () => {
    const fields = {
      'metadata.a': { value: 1 },
      'metadata.b': { value: { c: [2] } },
      notes: 'memo',
    }
    const { provenance } = await draft(fields, { memo: null })
    expect(provenance).toEqual({ 'metadata.a': null, 'metadata.b.c[0]': null, notes: 'memo' })
  })

  it('names concrete elements, the last one too', async () => {
    const fields = {
      notes: 'refs[-1].id',
      'metadata.rows[].tags[]': 'rows[].tags[]',
    }
    const payload = {
      refs: [{ id: 'A' }, { id: 'B' }],
      rows: [{ tags: ['x'] }, {}, { tags: ['y', 'z'] }],
    }
    const { mapped, provenance } = await draft(fields, payload)
    expect(mapped.metadata.rows).toEqual([{ tags: ['x'] }, {}, { tags: ['y', 'z'] }])
    expect(provenance).toEqual({
      notes: 'refs[1].id',
      'metadata.rows[0].tags[0]': 'rows[0].tags[0]',
      'metadata.rows[1]': 'rows[1]',
      'metadata.rows[2].tags[0]': 'rows[2].tags[0]',
      'metadata.rows[2].tags[1]': 'rows[2].tags[1]',
    })
  })

  it('writes odd names so that a rule could be made of them', async () => {
    const text = `{"payload":{"metadata":{"a b":1,"c.d":2,"e'f":3,"":4,"[0]":5,"$g":6,"__proto__":7}}}`
    const { mapped, provenance } = dataOf(await preview(text))
    expect(JSON.stringify(mapped)).toBe(JSON.stringify(JSON.parse(text).payload))
    const paths = ["['a b']", "['c.d']", "['e\\'f']", "['']", "['[0]']", "['$g']", '.__proto__']
    const expected = paths.map((path) => `metadata${path}`)
    expect(Object.keys(provenance)).toEqual(expected)
    expect(Object.values(provenance)).toEqual(expected)
    expect(Reflect.get({}, 'metadata')).toBeUndefined()
  })

  it('shows what a rule took of an object as a whole, value by value', async () => {
    const payload = { ship_to: { city: 'Oslo', lines: ['a', 'b'], none: {}, empty: [] } }
    const { provenance } = await draft({ customer_info: 'ship_to' }, payload)
    expect(provenance).toEqual({
      'customer_info.city': 'ship_to.city',
      'customer_info.lines[0]': 'ship_to.lines[0]',
      'customer_info.lines[1]': 'ship_to.lines[1]',
      'customer_info.none': 'ship_to.none',
      'customer_info.empty': 'ship_to.empty',
    })
  })

  it('is empty for an empty document', async () => {
    const { mapped, provenance } = dataOf(await preview({ payload: {} }))
    expect([mapped, provenance]).toEqual([{}, {}])
  })

  it(`lists ${LISTED} values, and warns of more`, async () => {
    const list = Array.from({ length: LISTED }, (_, turn) => turn)
    const full = await preview({ payload: { metadata: { list } } })
    expect(Object.keys(dataOf(full).provenance)).toHaveLength(LISTED)
    expect(full.body.warnings).toBeUndefined()

    const over = await preview({ payload: { metadata: { list: [...list, 7] } } })
    const { mapped, provenance } = dataOf(over)
    expect(mapped.metadata.list).toHaveLength(LISTED + 1)
    expect(Object.keys(provenance)).toHaveLength(LISTED)
    expect(Object.keys(provenance).at(-1)).toBe(`metadata.list[${LISTED - 1}]`)
    const message = 'Only the first 1000 values are listed.'
    expect(over.body.warnings).toEqual([{ field: 'provenance', message }])
  })
})

describe('the warnings of a preview', () => {
  it('name the fields of the payload that nothing reads', async () => {
    const mapping = {
      inbound: {
        unmapped: 'drop',
        fields: { 'items[].sku_code': 'lines[].sku', notes: 'head.memo' },
      },
    }
    const payload = {
      head: { memo: 'x', author: 'y' },
      lines: [{ sku: 'a' }, { sku: 'b', colour: 1 }, { colour: 2 }],
      batch: 77,
      'odd name': 1,
    }
    const answer = await preview({ payload, mapping })
    expect(fieldsWarned(answer)).toEqual(['head.author', 'lines[].colour', 'batch', "['odd name']"])
    for (const { message } of answer.body.warnings) expect(message).toMatch(/no effect/)
  })

  it('name the fields of the mapped document that no body takes', async () => {
    const payload = { sku: 'S', colour: 'red', id: 'x' }
    expect(fieldsWarned(await preview({ payload }, 'products'))).toEqual(['colour', 'id'])
    const put = await preview({ payload: { sku: 'S', cost: 1 }, method: 'PUT' }, 'products')
    expect(fieldsWarned(put)).toEqual(['sku'])
  })

  it('name what the request itself says too much', async () => {
    const mapping = { inbound: { fields: {} }, resource: 'orders' }
    const answer = await preview({ payload: {}, mapping, dry_run: true })
    expect(fieldsWarned(answer).toSorted()).toEqual(['dry_run', 'mapping.resource'])
  })

  it('are none where every field has an effect', async () => {
    const { body } = await preview({ payload: { sku: 'S' } }, 'products')
    expect('warnings' in body).toBe(false)
  })

  it("are those of the partner's own request, with the payload's own path", async () => {
    const inbound = {
      fields: { order_number: 'nr', items: 'lines', 'customer_info.city': 'ship_to.city' },
    }
    const { id, api } = await openPartner({ mappings: { orders: { inbound } } })
    const sku = unique('S')
    await api.post('/products/', { sku })
    const lines = [{ sku_code: sku, quantity: 1, colour: 'red' }]
    const payload = { nr: unique('O'), lines, ship_to: { city: 'Oslo', zip: 1 }, foo: 1 }
    const previewed = await admin.post(at(id), { payload })
    expect(dataOf(previewed).errors).toEqual([])
    const { status, body } = await api.post('/orders/', payload)
    expect(status).toBe(201)
    expect(fieldsWarned(previewed)).toEqual(body.warnings.map(({ field }: Json) => field))
    expect(previewed.body.warnings).toEqual(body.warnings)
  })
})

describe('a preview changes nothing', () => {
  async function everything(): Promise<Record<string, unknown>> {
    const tables = await allRows<{ name: string }>(
      "select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\' and name not like 'sqlite%'",
    )
    const rows = await Promise.all(
      tables
        .filter(({ name }) => name !== 'audit_log')
        .map(async ({ name }) => [name, await allRows(`select * from ${name}`)]),
    )
    const schema = await allRows('select * from sqlite_master')
    return { ...Object.fromEntries(rows), schema }
  }

  it('in any table but the audit log', async () => {
    const { id } = await openPartner({
      mappings: { orders: { inbound: { fields: { notes: 'memo' } } } },
    })
    const before = await everything()
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(['orders', 'products', 'field_mappings']),
    )
    const mapping = {
      identifier_field: 'metadata.never_indexed',
      inbound: { fields: { notes: 'x' } },
    }
    for (const { resource, method, rules, payload } of EXAMPLES) {
      dataOf(await admin.post(at(id, resource), { payload, method, mapping: { inbound: rules } }))
    }
    for (const body of [{ payload: { memo: 'x' } }, { payload: {}, mapping }]) {
      dataOf(await admin.post(at(id), body))
    }
    expect(await everything()).toEqual(before)
  })

  it('but is in the audit log, about the partner', async () => {
    const id = await makePartner()
    const { headers } = await admin.post(at(id), { payload: {} })
    const request_id = headers.get('X-Request-Id')
    const { body } = await admin.get(`${AUDIT}?request_id=${request_id}`)
    expect(body.data).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: at(id),
        status: 200,
        error_code: null,
        partner: null,
      }),
    ])
    const row = await oneRow('select record_id from audit_log where request_id = ?', request_id)
    expect(row).toEqual({ record_id: id })
  })

  it('but is in the audit log when it is refused', async () => {
    const refusals = [
      await preview({ payload: 7 }),
      await admin.post(at(crypto.randomUUID()), { payload: {} }),
    ]
    const rows = await Promise.all(
      refusals.map(async ({ headers }) => {
        const { body } = await admin.get(`${AUDIT}?request_id=${headers.get('X-Request-Id')}`)
        return body.data.map(({ status, error_code }: Json) => [status, error_code])
      }),
    )
    expect(rows).toEqual([[[400, 'VALIDATION_ERROR']], [[404, 'NOT_FOUND']]])
  })

  it('and needs settings.write, not settings.read', async () => {
    const { id } = await openPartner()
    const { body } = await admin.post('/api/settings/v1/api-keys/', {
      name: unique('reader'),
      scopes: ['settings.read', 'integrations.*'],
    })
    const headers = { 'X-API-Key': body.data.key }
    const answer = await admin.post(at(id), { payload: {} }, { headers })
    expectRefusal(answer, 403, 'SCOPE_MISSING')
  })
})

const ORDER = {
  order_number: 'no',
  'items[].sku_code': 'lines[].sku',
  'items[].quantity': 'lines[].qty',
}
const document = { no: 'N-1', lines: [{ sku: 'S', qty: 1 }] }

async function warningsOf(fields: object, more: object = {}): Promise<Map<string, string>> {
  const inbound = { fields: { ...ORDER, ...fields } }
  const answer = await preview({ mapping: { inbound }, payload: { ...document, ...more } })
  dataOf(answer)
  const warnings: { field: string; message: string }[] = answer.body.warnings ?? []
  return new Map(warnings.map(({ field, message }) => [field, message]))
}

describe('POST /partners/{id}/mappings/{resource}/preview/', () => {
  it('names rules that found nothing, and no others', async () => {
    const nothing = await warningsOf({
      notes: 'remark',
      'items[].notes': 'lines[].title',
      'metadata.shop': { value: 'x' },
      external_order_id: { from: 'id', default: 'none' },
    })
    const found = [...nothing].filter(([, message]) => message.includes('found nothing'))
    expect(found.map(([field]) => field).sort()).toEqual(['items[].notes', 'notes'])
    expect(await warningsOf({ notes: 'remark' }, { remark: 'x' })).toEqual(new Map())
  })

  it.each([
    '0001-01-01T00:00:00',
    '0001-01-01T00:00:00+01:00',
    '1900-01-01',
    '1970-01-01T00:00:00Z',
  ])('hints at %s as the date', async (date) => {
    const dated = await warningsOf({ order_date: 'date' }, { date })
    expect(dated.get('order_date')).toContain(`write "none": ["${date.slice(0, 10)}"]`)
    const none = [date.slice(0, 10)]
    const said = await warningsOf({ order_date: { from: 'date', none } }, { date })
    expect(said.get('order_date')).toContain('found nothing')
    expect(await warningsOf({ order_date: 'date' }, { date: '2026-01-02' })).toEqual(new Map())
  })

  it('hints at milliseconds that may be seconds', async () => {
    const rule = { from: 'date', as: 'datetime', format: 'epoch_milliseconds' }
    const early = await warningsOf({ order_date: rule }, { date: 1503354139 })
    expect(early.get('order_date')).toContain('"format": "epoch_seconds"')
    expect(await warningsOf({ order_date: rule }, { date: 1503354139000 })).toEqual(new Map())
  })

  it('says that a status has no effect on a new order', async () => {
    const named = await warningsOf({ status: 'state' }, { state: 'cancelled' })
    expect(named.get('status')).toContain('no effect')
    const inbound = { fields: { status: 'state' } }
    const put = await preview({ mapping: { inbound }, method: 'PUT', payload: { state: 'draft' } })
    expect(put.body.warnings).toBeUndefined()
  })

  it.each([
    ['a comma', { total: '12,50' }],
    ['a semicolon', { codes: 'A;B' }],
  ])('hints at points that may group thousands, beside %s', async (_, more) => {
    const rule = { from: 'lines[].qty', as: 'integer' }
    const lines = [{ sku: 'S', qty: '1.000' }]
    const fields = { ...ORDER, 'items[].quantity': rule }
    const hinted = await warningsOf(fields, { lines, ...more })
    expect(hinted.get('items[].quantity')).toContain('"decimal": ","')
    const said = { 'items[].quantity': { ...rule, decimal: ',' } }
    expect((await warningsOf(said, { lines, ...more })).get('items[].quantity')).toBeUndefined()
    expect((await warningsOf(fields, { lines })).get('items[].quantity')).toBeUndefined()
  })

  it('hints at an address of which each field may come from another one', async () => {
    const from = (name: string) => ({ from: [`shipping.${name}`, `billing.${name}`] })
    const fields = { 'customer_info.city': from('city'), 'customer_info.zip': from('zip') }
    const payload = { shipping: { city: 'A' }, billing: { city: 'B', zip: '1' } }
    const mixed = await warningsOf(fields, payload)
    expect(mixed.get('customer_info.city')).toContain('customer_info.zip')
    const whole = { 'customer_info.address': { from: ['shipping', 'billing'] } }
    expect(await warningsOf(whole, payload)).toEqual(new Map())
  })

  it('lists more unread fields than warnings', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`f${at}`, at]))
    const inbound = { unmapped: 'drop', fields: ORDER }
    const answer = await preview({ mapping: { inbound }, payload: { ...document, ...many } })
    expect(answer.body.warnings.length).toBeLessThanOrEqual(101)
    expect(dataOf(answer).unread).toEqual(Object.keys(many))
  })
})

const fields = {
  order_number: 'o[].n',
  'items[].sku_code': 'o[].s[]',
  'items[].quantity': { value: 1 },
}
const mapping = { inbound: { records: { each: 'o[]' }, fields } }

describe('POST /partners/{id}/mappings/{resource}/preview/ of a document with several records', () => {
  it('shows what would become of each', async () => {
    const sku = unique('S')
    await admin.post('/products/', { sku })
    const [one, two] = [unique('A'), unique('B')]
    const o = [{ n: one, s: [sku], x: 1 }, { n: two, s: ['none'] }, { n: 5, s: [sku] }, 'no']
    const { records, ...all } = dataOf(await preview({ mapping, payload: { o } }))
    expect(all).toEqual({
      mapped: null,
      problems: [],
      errors: [],
      provenance: {},
      would_answer: { status: 200, code: null },
      unread: ['o[].x'],
    })
    expect(records[0]).toEqual({
      index: 0,
      record: one,
      mapped: { order_number: one, items: [{ sku_code: sku, quantity: 1 }] },
      problems: [],
      errors: [],
      provenance: {
        order_number: 'o[0].n',
        'items[0].sku_code': 'o[0].s[0]',
        'items[0].quantity': null,
      },
      would_answer: { status: 201, code: null },
    })
    expect(records.map(({ would_answer }: Json) => would_answer.code)).toEqual([
      null,
      'SERVICE_ERROR',
      'VALIDATION_ERROR',
      'MAPPING_ERROR',
    ])
    expect(records[1].errors).toMatchObject([{ source: 'o[1].s[0]' }])
    expect(records[3].problems[0]).toMatchObject({ at: 'o[3]' })
  })

  it('shows the first 50, and says so', async () => {
    const o = Array.from({ length: 51 }, (_, n) => ({ n: `${n}` }))
    const answer = await preview({ mapping, payload: { o } })
    expect(dataOf(answer).records.length).toBe(50)
    expect(fieldsWarned(answer)).toEqual(['records'])
  })

  it('says why the document has none', async () => {
    const { problems, records, would_answer } = dataOf(await preview({ mapping, payload: {} }))
    expect(problems).toMatchObject([{ reason: 'SOURCE_MISSING', at: 'o' }])
    expect([records, would_answer]).toEqual([[], { status: 422, code: 'MAPPING_ERROR' }])
  })

  it('reads one record by PUT', async () => {
    const payload = { o: [{ n: 'A' }] }
    const one = dataOf(await preview({ mapping, payload, method: 'PUT' }))
    expect([one.mapped, one.records]).toEqual([{ order_number: 'A' }, null])
    const two = dataOf(await preview({ mapping, payload: { o: [{}, {}] }, method: 'PUT' }))
    expect(two.problems).toMatchObject([{ reason: 'SEVERAL_RECORDS', expected: 1, found: 2 }])
  })
})
