import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { EXAMPLES, type Example, REFUSED } from '../fixtures/mapping-examples.ts'
import { admin } from '../fixtures/opened.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createProduct, openApi } from '../fixtures/warehouse.ts'
import { makePartner } from './mappings.ts'
import { at, dataOf, draft, preview } from './previews.ts'

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
  it.each(sample(CASES, 20))(
    'shows example %i, %s, by the %s mapping',
    async (_, __, how, example) => {
      const { expected } = example
      const data = dataOf(await previewOf(example, how))
      if ('problem' in expected) {
        const problems = [expected.problem]
        const would_answer = { status: 422, code: 'MAPPING_ERROR' }
        const rest = { errors: [], provenance: {}, would_answer, unread: [], records: null }
        expect(data).toEqual({ mapped: null, problems, ...rest })
      } else {
        expect(data.mapped).toEqual(expected.value)
        expect(data.problems).toEqual([])
      }
    },
  )

  it.each(
    sample(
      EXAMPLES.filter(({ expected }) => 'value' in expected).map(
        (example) => [example.number, example.about, example] as const,
      ),
      8,
    ),
  )('tells where each value of example %i, %s, comes from', async (_, __, example) => {
    const { mapped, provenance } = dataOf(await previewOf(example, 'draft'))
    const leaves = leavesOf(mapped)
    expect(Object.keys(provenance).toSorted()).toEqual(leaves.map(([path]) => path).toSorted())
    expect(provenance).toMatchObject(example.provenance ?? {})
    const told = Object.keys(example.provenance ?? {})
    for (const [path, value] of leaves.filter(([path]) => !told.includes(path))) {
      const source = provenance[path]
      expect([path, source === null]).toEqual([path, isFixed(path, example)])
      // An element without the field is null, and its path is where the field should have been.
      if (source !== null)
        expect([path, valueAt(example.payload, source) ?? null]).toEqual([path, value])
    }
  })

  it('is identity where no mapping is saved', async () => {
    const { sku } = await createProduct(await openApi())
    const payload = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
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
        would_answer: { status: 201, code: null },
        unread: [],
        records: null,
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

describe('POST /partners/{id}/mappings/{resource}/preview/ of a text', () => {
  const fields = { order_number: 'no', customer_name: 'name' }
  const mapping = { inbound: { fields } }

  it('reads it by its Content-Type', async () => {
    const form = { payload: 'no=A-1&name=Ada', content_type: 'application/x-www-form-urlencoded' }
    const { mapped, provenance } = dataOf(await preview({ ...form, mapping }))
    expect(mapped).toMatchObject({ order_number: 'A-1', customer_name: 'Ada' })
    expect(provenance.order_number).toBe('no')
    const rows = { 'inventory[]': { each: '$[]' }, 'inventory[].sku_code': '$[].sku' }
    const csv = { payload: 'sku;qty\nS1;2', content_type: 'text/csv' }
    const stock = await preview({ ...csv, mapping: { inbound: { fields: rows } } }, 'inventory')
    expect(dataOf(stock).mapped.inventory).toEqual([{ sku_code: 'S1' }])
    const lines = {
      'items[]': { each: 'o:order.line[]' },
      'items[].sku_code': 'o:order.line[].sku',
    }
    const inbound = { xml: { prefixes: { o: 'urn:o' } }, fields: lines }
    const payload = '<x:order xmlns:x="urn:o"><line xmlns=""><sku>S1</sku></line></x:order>'
    const xml = { payload, content_type: 'application/xml', mapping: { inbound } }
    expect(dataOf(await preview(xml)).mapped.items).toEqual([{ sku_code: 'S1' }])
    const declared = '<?xml version="1.0" encoding="ISO-8859-1"?><o><no>Löwe</no></o>'
    const named = { payload: declared, content_type: 'text/xml' }
    const rule = { inbound: { fields: { order_number: 'o.no' } } }
    expect(dataOf(await preview({ ...named, mapping: rule })).mapped.order_number).toBe('Löwe')
  })

  it('says where it is wrong, and which types there are', async () => {
    const wrong = await preview({ payload: 'a,a\n1,2', content_type: 'text/csv', mapping })
    expect([wrong.status, wrong.body.error.reason]).toEqual([400, 'MALFORMED_BODY'])
    for (const more of [{}, { content_type: 'text/yaml' }, { content_type: 'application/json' }]) {
      expectInvalid(await preview({ payload: '{}', mapping, ...more }), 'content_type')
    }
  })
})
