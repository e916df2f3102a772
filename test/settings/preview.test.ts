import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLES, type Example, REFUSED } from '../mapping/examples.ts'
import { openPartner, saveMapping } from '../partner.ts'
import { expectInvalid, expectRefusal } from '../security/refusal.ts'
import { type Answer, type Json, openAdmin, openTenant, unique } from '../tenant.ts'
import { type Api, AUDIT } from './settings.ts'

const PARTNERS = '/api/settings/v1/partners/'
const LISTED = 1000

let db: D1Database
let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

const fieldsWarned = ({ body }: Answer) => body.warnings?.map(({ field }: Json) => field) ?? []
const at = (id: string, resource = 'orders') => `${PARTNERS}${id}/mappings/${resource}/preview/`

async function makePartner(): Promise<string> {
  const { status, body } = await admin.post(PARTNERS, { name: unique('partner') })
  expect(status).toBe(201)
  return body.data.id
}

/** Previews for a new partner without a mapping. */
async function preview(body: unknown, resource = 'orders'): Promise<Answer> {
  return await admin.post(at(await makePartner(), resource), body)
}

/** As `preview`, with a draft of inbound rules; gives `data`. */
async function draft(fields: object, payload: object, more: Json = {}, resource = 'orders') {
  const { unmapped, ...others } = more
  const inbound = { fields, ...(unmapped && { unmapped }) }
  return dataOf(await preview({ mapping: { inbound }, payload, ...others }, resource))
}

function dataOf(answer: Answer): Json {
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  expect(answer.body.success).toBe(true)
  const members = ['mapped', 'problems', 'errors', 'provenance']
  expect(Object.keys(answer.body.data)).toEqual(members)
  return answer.body.data
}

/** What a preview of the example answers, of its rules as a draft or as the saved mapping. */
async function previewOf({ resource, method, rules, payload }: Example, how: string) {
  const id = await makePartner()
  const mapping = { inbound: rules }
  if (how === 'saved') await saveMapping(admin, id, resource, mapping)
  const drafted = how === 'draft' && { mapping }
  return await admin.post(at(id, resource), { payload, method, ...drafted })
}

/** The values that are not made of others, by their paths; names here are plain ones. */
function leavesOf(value: Json, path = ''): [string, unknown][] {
  const isParent = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!isParent) return [[path, value]]
  return Object.entries(value as object).flatMap(([step, member]) => {
    const name = path ? `${path}.${step}` : step
    return leavesOf(member, Array.isArray(value) ? `${path}[${step}]` : name)
  })
}

/** What a payload holds at a path; written without the code that is tested. */
function valueAt(payload: Json, path: string): unknown {
  const steps = path.match(/\['(?:[^'\\]|\\.)*'\]|\[\d+\]|[^.[\]]+/g) ?? []
  expect(steps.join('')).toBe(
    path.replaceAll('.', (dot, at) => (/'[^']*$/.test(path.slice(0, at)) ? dot : '')),
  )
  return steps.reduce<Json>((value, step) => {
    const name = step.startsWith('[') ? step.slice(1, -1).replaceAll("'", '') : step
    return value?.[name]
  }, payload)
}

const isFixed = (field: string, { rules }: Example) =>
  Object.entries(rules.fields).some(
    ([target, rule]) =>
      typeof rule === 'object' && 'value' in rule && target === field.replace(/\[\d+\]/g, '[]'),
  )

const CASES = EXAMPLES.flatMap((example) =>
  ['draft', 'saved'].map((how) => [example.number, example.about, how, example] as const),
)

describe('POST /partners/{id}/mappings/{resource}/preview/', () => {
  it.each(CASES)('shows example %i, %s, by the %s mapping', async (_, __, how, example) => {
    const { expected } = example
    const data = dataOf(await previewOf(example, how))
    if ('problem' in expected) {
      const problems = [expected.problem]
      expect(data).toEqual({ mapped: null, problems, errors: [], provenance: {} })
    } else {
      expect(data.mapped).toEqual(expected.value)
      expect(data.problems).toEqual([])
    }
  })

  it.each(
    EXAMPLES.filter(({ expected }) => 'value' in expected).map(
      (example) => [example.number, example.about, example] as const,
    ),
  )('tells where each value of example %i, %s, comes from', async (_, __, example) => {
    const { mapped, provenance } = dataOf(await previewOf(example, 'draft'))
    const leaves = leavesOf(mapped)
    expect(Object.keys(provenance).toSorted()).toEqual(leaves.map(([path]) => path).toSorted())
    for (const [path, value] of leaves) {
      const source = provenance[path]
      expect([path, source === null]).toEqual([path, isFixed(path, example)])
      // An element without the field is null, and its path is where the field should have been.
      if (source !== null)
        expect([path, valueAt(example.payload, source) ?? null]).toEqual([path, value])
    }
  })

  it('is identity where no mapping is saved', async () => {
    const payload = { order_number: 'A', items: [{ sku_code: 'S', quantity: 1 }] }
    const answer = await preview({ payload })
    expect(answer.body).toEqual({
      success: true,
      data: {
        mapped: payload,
        problems: [],
        errors: [],
        provenance: {
          order_number: 'order_number',
          'items[0].sku_code': 'items[0].sku_code',
          'items[0].quantity': 'items[0].quantity',
        },
      },
    })
  })

  it('is identity where the mapping has no inbound rules, saved or drafted', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'products', { outbound: { fields: { nr: 'sku' } } })
    const payload = { sku: 'S', cost: 1 }
    for (const mapping of [
      undefined,
      {},
      { inbound: null },
      { outbound: { fields: { a: 'sku' } } },
    ]) {
      const data = dataOf(await admin.post(at(id, 'products'), { payload, mapping }))
      expect(data.mapped).toEqual(payload)
      expect(data.provenance).toEqual({ sku: 'sku', cost: 'cost' })
    }
  })

  it('tries the draft instead of the saved mapping', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'nr' } } })
    const payload = { nr: 'A', ean: 'B' }
    const mapped = async (mapping?: object) =>
      dataOf(await admin.post(at(id, 'products'), { payload, mapping })).mapped
    expect(await mapped()).toEqual({ sku: 'A', ean: 'B' })
    expect(await mapped({ inbound: { fields: { sku: 'ean' } } })).toEqual({ sku: 'B', nr: 'A' })
    expect(await mapped({ inbound: null })).toEqual(payload)
    expect(await mapped()).toEqual({ sku: 'A', ean: 'B' })
  })

  it('tries the mapping of the resource in its path', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'nr' } } })
    await saveMapping(admin, id, 'locations', { inbound: { fields: { code: 'nr' } } })
    const payload = { nr: 'A' }
    const mapped = async (resource: string) =>
      dataOf(await admin.post(at(id, resource), { payload })).mapped
    expect(await mapped('products')).toEqual({ sku: 'A' })
    expect(await mapped('locations')).toEqual({ code: 'A' })
    expect(await mapped('orders')).toEqual(payload)
  })

  it('lists up to 20 problems and nothing else', async () => {
    const lines = Array.from({ length: 30 }, (_, turn) => ({ article: turn }))
    const data = await draft({ 'items[].sku_code': 'lines[].article.code' }, { lines })
    expect(data).toMatchObject({ mapped: null, errors: [], provenance: {} })
    expect(data.problems).toEqual(
      Array.from({ length: 20 }, (_, turn) => ({
        reason: 'TYPE_MISMATCH',
        rule: 'items[].sku_code',
        at: `lines[${turn}].article`,
        expected: 'object',
        found: 'number',
      })),
    )
  })

  it('reports what is required and what is not known as problems', async () => {
    const required = await draft({ notes: { from: 'memo.text', required: true } }, { memo: {} })
    expect(required.problems).toEqual([
      expect.objectContaining({ reason: 'SOURCE_MISSING', rule: 'notes', at: 'memo.text' }),
    ])
    const rejected = await draft(
      { notes: 'memo' },
      { memo: 'x', a: 1, 'b c': 2 },
      { unmapped: 'reject' },
    )
    expect(rejected.problems).toEqual([
      { reason: 'UNMAPPED_FIELD', at: 'a' },
      { reason: 'UNMAPPED_FIELD', at: "['b c']" },
    ])
    expect(rejected.mapped).toBeNull()
  })
})

describe('the errors of a preview', () => {
  const LINES = {
    order_number: 'header.number',
    customer_name: 'buyer',
    'items[].sku_code': 'lines[].article.code',
    'items[].quantity': 'lines[].qty',
  }

  it("are those of validation, by our field, with the payload's own path", async () => {
    const payload = {
      header: {},
      buyer: 7,
      due_date: 'soon',
      lines: [
        { article: { code: 'S' }, qty: 1 },
        { article: { code: '' }, qty: '2' },
        { article: {}, qty: 1.5 },
      ],
    }
    const { mapped, problems, errors } = await draft(LINES, payload)
    expect(problems).toEqual([])
    expect(mapped.items[1]).toEqual({ sku_code: '', quantity: '2' })
    const found = errors.toSorted((a: Json, b: Json) => (a.field < b.field ? -1 : 1))
    expect(found).toEqual([
      { field: 'customer_name', messages: ['Must be a string, not a number.'], source: 'buyer' },
      { field: 'due_date', messages: [expect.stringContaining('ISO 8601')], source: 'due_date' },
      {
        field: 'items[1].quantity',
        messages: ['Must be an integer, not a string.'],
        source: 'lines[1].qty',
      },
      {
        field: 'items[1].sku_code',
        messages: ['Must have at least 1 character.'],
        source: 'lines[1].article.code',
      },
      {
        field: 'items[2].quantity',
        messages: ['Must be an integer, not a fraction.'],
        source: 'lines[2].qty',
      },
      {
        field: 'items[2].sku_code',
        messages: ['This field is required.'],
        source: 'lines[2].article.code',
      },
      { field: 'order_number', messages: ['This field is required.'], source: 'header.number' },
    ])
  })

  it('say of a quantity of 0 that it must be at least 1', async () => {
    const { errors } = await draft(LINES, {
      header: { number: 'A' },
      lines: [{ article: { code: 'S' }, qty: 0 }],
    })
    expect(errors).toEqual([
      { field: 'items[0].quantity', messages: ['Must be at least 1.'], source: 'lines[0].qty' },
    ])
  })

  it('are named by the array where it is missing or empty', async () => {
    const missing = await draft(LINES, { header: { number: 'A' } })
    expect(missing.errors).toEqual([
      { field: 'items', messages: ['This field is required.'], source: 'lines' },
    ])
    const empty = await draft(LINES, { header: { number: 'A' }, lines: [] })
    expect(empty.errors).toEqual([
      { field: 'items', messages: ['Must have at least 1 entry.'], source: 'lines' },
    ])
  })

  it('have source null where nothing of the payload could fill the field', async () => {
    const payload = { header: { number: 'A' }, items: 'x' }
    const { errors } = await draft({ order_number: 'items' }, payload)
    expect(errors).toEqual([
      { field: 'items', messages: ['This field is required.'], source: null },
    ])
  })

  it('are those of the method: a PUT needs no field', async () => {
    const payload = { buyer: 'Kim' }
    const fields = { customer_name: 'buyer', order_number: 'header.number' }
    expect((await draft(fields, payload, { method: 'PUT' })).errors).toEqual([])
    const created = await draft(fields, payload, { method: 'POST' })
    expect(created.errors.map(({ field }: Json) => field)).toEqual(['order_number', 'items'])
    expect((await draft(fields, payload)).errors).toEqual(created.errors)
  })

  it('name the rows of an upload, one by one', async () => {
    const fields = {
      'inventory[].location_code': 'stock[].bin',
      'inventory[].sku_code': 'stock[].item',
      'inventory[].quantity': { from: 'stock[].on_hand', required: true },
    }
    const stock = [
      { bin: 'A', item: 'S', on_hand: 1 },
      { bin: 'A', item: 'S' },
      { bin: null, item: 'S', on_hand: '4' },
    ]
    const { problems, errors } = await draft(fields, { stock }, {}, 'inventory')
    expect(problems).toEqual([])
    expect(errors).toEqual([
      {
        field: 'inventory[1].quantity',
        messages: ['This field is required.'],
        source: 'stock[1].on_hand',
      },
      {
        field: 'inventory[2].location_code',
        messages: ['Must be a string, not null.'],
        source: 'stock[2].bin',
      },
      {
        field: 'inventory[2].quantity',
        messages: ['Must be an integer, not a string.'],
        source: 'stock[2].on_hand',
      },
    ])
  })

  it(`are cut at ${LISTED}, with a warning`, async () => {
    const linesOf = async (count: number) => {
      const items = Array.from({ length: count }, () => ({ notes: 'x' }))
      return await preview({ payload: { order_number: 'A', items } })
    }
    const full = await linesOf(LISTED / 2)
    expect(dataOf(full).errors).toHaveLength(LISTED)
    expect(fieldsWarned(full)).toEqual([])
    const over = await linesOf(LISTED / 2 + 1)
    expect(dataOf(over).errors).toEqual(dataOf(full).errors)
    expect(fieldsWarned(over)).toEqual(['errors'])
  })

  it(`are cut at ${LISTED} for an upload of any size, with a warning`, async () => {
    for (const rows of [LISTED + 1, 150_000]) {
      const inventory = Array.from({ length: rows }, () => ({ location_code: 'A', sku_code: 'S' }))
      const answer = await preview({ payload: { inventory } }, 'inventory')
      expect(dataOf(answer).errors).toHaveLength(LISTED)
      expect(dataOf(answer).errors.at(-1).field).toBe(`inventory[${LISTED - 1}].quantity`)
      expect(fieldsWarned(answer)).toEqual(['errors', 'provenance'])
    }
  })

  it.each<[string, Json]>([
    [
      'wrong kinds',
      { header: { number: 7 }, buyer: [], lines: [{ article: { code: 1 }, qty: 'x' }] },
    ],
    ['missing fields', { lines: [{ article: {} }] }],
    ['no lines', {}],
    ['a document in our own words', { order_number: 'A', items: [], customer_name: 'Kim' }],
    [
      'unread fields',
      { header: { number: '', x: 1 }, lines: [{ article: { code: 'S' }, qty: 1.5, y: 1 }] },
    ],
  ])("are what the partner's own request is answered: %s", async (_, payload) => {
    const mappings = { orders: { inbound: { fields: LINES } } }
    const { id, api } = await openPartner({ mappings })
    const { errors } = dataOf(await admin.post(at(id), { payload }))
    const { status, body } = await api.post('/orders/', payload)
    expect(status).toBe(400)
    const told = Object.entries(body.error.fields).map(([field, messages]) => ({
      field,
      messages,
      source: body.error.source[field] ?? null,
    }))
    expect(errors).toEqual(told)
  })

  it("are the problems that the partner's own request is answered", async () => {
    const mappings = { orders: { inbound: { unmapped: 'reject', fields: LINES } } }
    const { id, api } = await openPartner({ mappings })
    const payload = { header: 'A', lines: [{ article: 1 }, { article: { code: 'S' } }], other: 1 }
    const { problems } = dataOf(await admin.post(at(id), { payload }))
    const { status, body } = await api.post('/orders/', payload)
    expect([status, body.error.problems]).toEqual([422, problems])
    expect(problems).toHaveLength(3)
  })
})

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
      order_number: 'refs[-1].id',
      'metadata.rows[].tags[]': 'rows[].tags[]',
    }
    const payload = {
      refs: [{ id: 'A' }, { id: 'B' }],
      rows: [{ tags: ['x'] }, {}, { tags: ['y', 'z'] }],
    }
    const { mapped, provenance } = await draft(fields, payload)
    expect(mapped.metadata.rows).toEqual([{ tags: ['x'] }, {}, { tags: ['y', 'z'] }])
    expect(provenance).toEqual({
      order_number: 'refs[1].id',
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

describe('the method of a preview', () => {
  it('decides whether a fixed value is written: not by a PUT that says nothing else there', async () => {
    const fields = {
      'custom_fields.channel': { value: 'acme' },
      'custom_fields.ean': 'ean',
      cost: 'price',
    }
    const mapped = async (payload: object, method?: string) =>
      (await draft(fields, payload, { method }, 'products')).mapped
    expect(await mapped({ price: 3 }, 'PUT')).toEqual({ cost: 3 })
    expect(await mapped({ price: 3 }, 'POST')).toEqual({
      cost: 3,
      custom_fields: { channel: 'acme' },
    })
    expect(await mapped({ price: 3 })).toEqual({ cost: 3, custom_fields: { channel: 'acme' } })
    expect(await mapped({ ean: '7' }, 'PUT')).toEqual({
      custom_fields: { channel: 'acme', ean: '7' },
    })
  })

  it.each(['orders', 'products', 'locations'])('of %s is POST or PUT', async (resource) => {
    for (const method of ['POST', 'PUT']) dataOf(await preview({ payload: {}, method }, resource))
  })

  it.each([
    ['orders', 'GET'],
    ['orders', 'DELETE'],
    ['orders', 'PATCH'],
    ['orders', 'post'],
    ['orders', ''],
    ['orders', null],
    ['orders', 7],
    ['orders', ['POST']],
    ['orders', 'constructor'],
    ['orders', '__proto__'],
    ['products', 'DELETE'],
    ['locations', 'put'],
    ['inventory', 'PUT'],
    ['inventory', 'DELETE'],
  ])('of %s must not be %j', async (resource, method) => {
    expectInvalid(await preview({ payload: {}, method }, resource), 'method')
  })

  it('is named in the refusal', async () => {
    const { body } = await preview({ payload: {}, method: 'DELETE' })
    expect(body.error.fields.method).toEqual(['Must be one of: POST, PUT.'])
    const upload = await preview({ payload: {}, method: 'PUT' }, 'inventory')
    expect(upload.body.error.fields.method).toEqual(['Must be one of: POST.'])
  })
})

describe('a preview that is refused', () => {
  it.each([
    ['missing', {}],
    ['null', { payload: null }],
    ['a list', { payload: [{ order_number: 'A' }] }],
    ['text', { payload: '{"order_number":"A"}' }],
    ['a number', { payload: 7 }],
    ['true', { payload: true }],
  ])('names a payload that is %s', async (_, body) => {
    expectInvalid(await preview(body), 'payload')
  })

  it.each(['', '[]', 'null', '{"payload":{', '7'])('has the body %j', async (text) => {
    expectRefusal(await preview(text), 400, 'VALIDATION_ERROR')
  })

  it.each(REFUSED)('names the rule of a draft: $about', async ({ fields, rule }) => {
    const mapping = { inbound: { fields } }
    const answer = await preview({ payload: { lines: [] }, mapping })
    expectInvalid(answer, `mapping.inbound.fields.${rule}`)
  })

  it('names every bad rule of a draft, and what else is wrong, at once', async () => {
    const mapping = {
      identifier_field: 'sku',
      inbound: { fields: { notes: 'a[]', order_no: 'x', customer_name: 'fine' } },
      outbound: { fields: { a: { from: 'notes', required: true } } },
    }
    const answer = await preview({ mapping, method: 'DELETE' })
    expectRefusal(answer, 400, 'VALIDATION_ERROR')
    expect(Object.keys(answer.body.error.fields).toSorted()).toEqual([
      'mapping.identifier_field',
      'mapping.inbound.fields.notes',
      'mapping.inbound.fields.order_no',
      'mapping.outbound.fields.a',
      'method',
      'payload',
    ])
  })

  it.each([
    ['null', null, 'mapping'],
    ['text', 'orders', 'mapping'],
    ['a list', [], 'mapping'],
    ['inbound rules alone', { inbound: { notes: 'memo' } }, 'mapping.inbound.fields'],
  ])('names a draft that is %s', async (_, mapping, field) => {
    expectInvalid(await preview({ payload: {}, mapping }), field)
  })

  it.each([
    '{"payload":{},"mapping":{"inbound":{"fields":{"__proto__":"a"}}}}',
    '{"payload":{},"mapping":{"inbound":{"fields":{"__proto__":{"value":{"polluted":1}}}}}}',
  ])('has the body %s', async (text) => {
    expectInvalid(await preview(text), 'mapping.inbound.fields.__proto__')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('judges a draft by the resource in the path', async () => {
    const mapping = { inbound: { fields: { sku: 'nr' } } }
    expectInvalid(await preview({ payload: {}, mapping }), 'mapping.inbound.fields.sku')
    dataOf(await preview({ payload: {}, mapping }, 'products'))
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
    const mapping = { inbound: { fields: {}, colour: 1 }, resource: 'orders' }
    const answer = await preview({ payload: {}, mapping, dry_run: true })
    expect(fieldsWarned(answer).toSorted()).toEqual([
      'dry_run',
      'mapping.inbound.colour',
      'mapping.resource',
    ])
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
    const tables = await db
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\' and name not like 'sqlite%'",
      )
      .all<{ name: string }>()
    const rows = await Promise.all(
      tables.results
        .filter(({ name }) => name !== 'audit_log')
        .map(async ({ name }) => [name, (await db.prepare(`select * from ${name}`).all()).results]),
    )
    const schema = (await db.prepare('select * from sqlite_master').all()).results
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
    const row = await db
      .prepare('select record_id from audit_log where request_id = ?')
      .bind(request_id)
      .first()
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
