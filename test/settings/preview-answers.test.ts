import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  openApi,
  path,
  stock,
} from '../fixtures/warehouse.ts'
import { makePartner } from './mappings.ts'
import { at, dataOf } from './previews.ts'

interface Tried {
  resource: string
  method?: 'POST' | 'PUT'
  inbound?: object
  payload: Json
  /** Of a PUT. */
  identifier?: string
}

/** Previews the document, then sends it: the first must tell what the second answers. */
async function tried({ resource, method = 'POST', inbound, payload, identifier = '' }: Tried) {
  const mappings = inbound ? { [resource]: { inbound } } : {}
  const { id, api } = await openPartner({ mappings })
  const previewed = dataOf(await admin.post(at(id, resource), { payload, method }))
  const place = method === 'PUT' ? path(resource, identifier) : `/${resource}/`
  const sent = await api.call(method, place, payload)
  const { status, code } = previewed.would_answer
  expect({ status, code }).toEqual({ status: sent.status, code: sent.body.error?.code ?? null })
  return { previewed, sent }
}

/** The errors as the request itself names them. */
function toldBy({ body }: Answer) {
  return Object.entries<string[]>(body.error.fields).map(([field, messages]) => ({
    field,
    messages,
    source: body.error.source?.[field] ?? field,
  }))
}

const LINES = { 'items[].sku_code': 'lines[].sku', 'items[].quantity': 'lines[].qty' }
const ORDER = { unmapped: 'drop', fields: { order_number: 'number', ...LINES } }

async function lineOf(qty: unknown = 1) {
  return { sku: (await createProduct(await openApi())).sku, qty }
}

describe('item_codes of a preview', () => {
  const coded = (or_own: boolean) => ({
    fields: {
      order_number: 'number',
      'items[].sku_code': { from: 'lines[].id', code: { of: 'products', or_own } },
      'items[].quantity': 'lines[].qty',
    },
  })

  it('says what each code stands for, and nothing of our own and of those that are unknown', async () => {
    const [{ sku }, other] = [
      await createProduct(await openApi()),
      await createProduct(await openApi()),
    ]
    const { id } = await openPartner({ mappings: { orders: { inbound: coded(true) } } })
    const codes = `/api/settings/v1/partners/${id}/item-codes/products/`
    await admin.put(`${codes}4712/`, { sku_code: sku, units: 12 })
    const line = (code: unknown) => ({ id: code, qty: 2 })
    const lines = [line('4712'), line(other.sku), line(unique('none'))]
    const payload = { number: unique('O'), lines }
    const found = dataOf(await admin.post(at(id, 'orders'), { payload }))
    expect(found.item_codes).toEqual({
      'items[0].sku_code': { record: sku, units: 12 },
    })
    expect(found.errors.map(({ field }: Json) => field)).toEqual(['items[2].sku_code'])
    const plain = await admin.post(at(id, 'orders'), { payload: { number: 'x', lines: [] } })
    expect(dataOf(plain)).not.toHaveProperty('item_codes')
  })
})

describe('would_answer of a preview', () => {
  it('is 201 for an order, a product and a location that would be created', async () => {
    const payload = { number: unique('O'), lines: [await lineOf()] }
    const { previewed } = await tried({ resource: 'orders', inbound: ORDER, payload })
    expect(previewed.would_answer).toEqual({ status: 201, code: null })
    expect(previewed.errors).toEqual([])
    await tried({ resource: 'products', payload: { sku: unique('S') } })
    await tried({ resource: 'locations', payload: { code: unique('L') } })
  })

  it('is 200 for a PUT', async () => {
    const { order_number } = await createOrder(await openApi())
    const change = { resource: 'orders', method: 'PUT', identifier: order_number } as const
    const { previewed } = await tried({ ...change, payload: { notes: 'late' } })
    expect(previewed.would_answer).toEqual({ status: 200, code: null })
    await tried({ ...change, payload: { notes: 7 } })
  })

  it('is 400 VALIDATION_ERROR for a wrong field', async () => {
    const payload = { number: unique('O'), lines: [await lineOf('1')] }
    const { previewed, sent } = await tried({ resource: 'orders', inbound: ORDER, payload })
    expect(previewed.would_answer).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(previewed.errors).toEqual(toldBy(sent))
  })

  it('is 400 VALIDATION_ERROR for an order number that exists, of whichever partner', async () => {
    const { order_number } = await createOrder(await openApi())
    const payload = { number: order_number, lines: [await lineOf()] }
    const { previewed, sent } = await tried({ resource: 'orders', inbound: ORDER, payload })
    expect(previewed.would_answer).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(previewed.errors).toEqual(toldBy(sent))
    expect(previewed.errors[0].messages[0]).toContain('It did not come from you')

    const { id, api } = await openPartner({ mappings: { orders: { inbound: ORDER } } })
    const own = { ...payload, number: unique('O') }
    await api.post('/orders/', own)
    const [error] = dataOf(await admin.post(at(id), { payload: own })).errors
    expect(error.messages[0]).toMatch(/already exists\.$/)
  })

  it('is 400 SERVICE_ERROR for a product that nobody has, with each line', async () => {
    const lines = [await lineOf(), { sku: unique('NOTHING'), qty: 1 }, { sku: 'NONE', qty: 1 }]
    const payload = { number: unique('O'), lines }
    const { previewed, sent } = await tried({ resource: 'orders', inbound: ORDER, payload })
    expect(previewed.would_answer).toEqual({ status: 400, code: 'SERVICE_ERROR' })
    expect(previewed.errors).toEqual(toldBy(sent))
    expect(previewed.errors.map(({ source }: Json) => source)).toEqual([
      'lines[1].sku',
      'lines[2].sku',
    ])
  })

  it('is 409 for a SKU or a code that exists', async () => {
    const api = await openApi()
    const { sku } = await createProduct(api)
    const { code } = await createLocation(api)
    const { previewed, sent } = await tried({ resource: 'products', payload: { sku } })
    expect(previewed.would_answer).toEqual({ status: 409, code: 'DUPLICATE' })
    expect(previewed.errors).toEqual(toldBy(sent))
    const location = await tried({ resource: 'locations', payload: { code } })
    expect(location.previewed.would_answer).toEqual({ status: 409, code: 'DUPLICATE' })
  })

  it('is 413 for a document that its mapping makes too large', async () => {
    const fields = { ...ORDER.fields, 'items[].notes': 'memo' }
    const lines = Array.from({ length: 600 }, () => ({ sku: 'S', qty: 1 }))
    const payload = { number: unique('O'), memo: 'x'.repeat(20_000), lines }
    const inbound = { unmapped: 'drop', fields }
    const { previewed } = await tried({ resource: 'orders', inbound, payload })
    expect(previewed.would_answer).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })

  it.each(
    sample<[reason: string, rule: unknown, source: Json]>(
      [
        ['SOURCE_MISSING', { from: 'source', required: true }, null],
        ['CONVERSION', { from: 'source', as: 'datetime' }, '01/02/24'],
        ['UNMAPPED_VALUE', { from: 'source', values: { a: 'b' } }, 'c'],
        ['AMBIGUOUS', "source[?@.kind == 'a'].name", [{ kind: 'a' }, { kind: 'a' }]],
        ['TYPE_MISMATCH', 'source.name', 'text'],
      ],
      2,
    ),
  )('is 422 for the problem %s', async (reason, rule, source) => {
    const inbound = { unmapped: 'drop', fields: { ...ORDER.fields, notes: rule } }
    const payload = { number: unique('O'), lines: [await lineOf()], source }
    const { previewed, sent } = await tried({ resource: 'orders', inbound, payload })
    expect(previewed.would_answer).toEqual({ status: 422, code: 'MAPPING_ERROR' })
    expect(previewed.problems).toMatchObject([{ reason, rule: 'notes' }])
    expect(previewed.problems).toEqual(sent.body.error.problems)
  })

  it('is 200 for an upload, with the errors of its rows', async () => {
    const api = await openApi()
    const [{ code }, { sku }] = [await createLocation(api), await createProduct(api)]
    const inbound = {
      fields: {
        'inventory[].location_code': { from: 'rows[].bin', required: true },
        'inventory[].sku_code': 'rows[].item',
        'inventory[].quantity': { from: 'rows[].qty', as: 'integer' },
      },
    }
    const rows = [
      { bin: code, item: sku, qty: '4' },
      { bin: null, item: sku, qty: 4 },
      { bin: unique('NOWHERE'), item: sku, qty: 'x' },
    ]
    const { previewed, sent } = await tried({ resource: 'inventory', inbound, payload: { rows } })
    expect(previewed.would_answer).toEqual({ status: 200, code: null })
    const told = sent.body.data.errors.flatMap(({ row, errors, source }: Json) =>
      Object.entries(errors).map(([name, messages]) => ({
        field: `inventory[${row}].${name}`,
        messages,
        source: source[name],
      })),
    )
    expect(previewed.errors).toEqual(told)
    expect(told).toHaveLength(3)
  })

  it('is that of the request for a document that is an array, with and without a mapping for it', async () => {
    const inbound = { fields: { code: '$[0].code' } }
    const payload = [{ code: unique('L') }]
    const { previewed } = await tried({ resource: 'locations', inbound, payload })
    expect(previewed).toMatchObject({
      mapped: { code: payload[0]?.code },
      provenance: { code: '$[0].code' },
      would_answer: { status: 201, code: null },
    })
    const refused = await tried({ resource: 'locations', payload })
    expect(refused.previewed).toMatchObject({
      mapped: null,
      errors: [{ field: 'body', messages: [refused.sent.body.detail], source: null }],
      would_answer: { status: 400, code: 'VALIDATION_ERROR' },
    })
  })
})

describe('a preview whose mapping has very long names', () => {
  it('leaves the mapped document out beyond 10 MiB, says so, and tells the rest', async () => {
    const { id } = await openPartner()
    const names = Array.from({ length: 150 }, (_, n) => `${'n'.repeat(230)}${n}`)
    const targets = names.map((name) => [`metadata.l[].${name}`, 'l[].a'])
    const fields = { order_number: 'number', ...Object.fromEntries(targets) }
    const tryIt = async (elements: number) => {
      const l = Array.from({ length: elements }, () => ({ a: 1 }))
      const payload = { number: unique('O'), l }
      return await admin.post(at(id, 'orders'), { payload, mapping: { inbound: { fields } } })
    }
    const left = await tryIt(1000)
    expect(left.text.length).toBeLessThan(1_000_000)
    expect(left.body.data).toMatchObject({ mapped: null, would_answer: { status: 400 } })
    expect(left.body.warnings[0]).toEqual({
      field: 'mapped',
      message: 'Left out: with the names of its fields it has more than 10485760 bytes as JSON.',
    })
    expect((await tryIt(10)).body.data.mapped.metadata.l).toHaveLength(10)
  })
})

// A preview looks up what is stored only for a key that may send the request itself.

const PARTNERS = 'settings.partners.write'

async function previewAs(scopes: string[], resource: string, payload: Json, method = 'POST') {
  const { value } = await createKey([PARTNERS, ...scopes])
  return await client(value).post(at(await makePartner(), resource), { payload, method })
}

const message = (resource: string) =>
  `Products, locations and existing records were not looked up: this API key lacks the scope integrations.${resource}.write. This is the answer if they all fit.`

/** A document of the resource that the database refuses. */
const REFUSED: Record<string, () => Promise<Json>> = {
  orders: async () => {
    const { order_number } = await createOrder(await openApi())
    return { order_number, items: [{ sku_code: unique('NONE'), quantity: 1 }] }
  },
  products: async () => ({ sku: (await createProduct(await openApi())).sku }),
  locations: async () => ({ code: (await createLocation(await openApi())).code }),
  inventory: async () => {
    const api = await openApi()
    const { location_code, sku_code } = await stock(api, { quantity: 7 })
    return { inventory: [{ location_code, sku_code, quantity: 1, if_quantity: null }] }
  },
}

describe.each(Object.keys(REFUSED))('POST …/mappings/%s/preview/', (resource) => {
  const document = async () => await REFUSED[resource]?.()

  it.each(
    sample(
      [
        ['no scope of records', []],
        ['the scopes of other records', otherWrites(resource)],
        ['the scope to read', [`integrations.${resource}.read`]],
      ],
      4,
    ),
  )('tells a key with %s nothing that is stored, and says so', async (_, scopes) => {
    const answer = await previewAs(scopes, resource, await document())
    const { errors, would_answer } = dataOf(answer)
    expect(errors).toEqual([])
    expect(would_answer).toEqual({ status: resource === 'inventory' ? 200 : 201, code: null })
    expect(answer.body.warnings).toEqual([{ field: 'would_answer', message: message(resource) }])
  })

  it('tells a key that may send the request what it would be refused for', async () => {
    const answer = await previewAs([`integrations.${resource}.write`], resource, await document())
    expect(dataOf(answer).errors).not.toEqual([])
    expect(answer.body.warnings).toBeUndefined()
  })

  it('warns of nothing if there is nothing to look up', async () => {
    const answer = await previewAs([], resource, [7])
    expect(dataOf(answer).would_answer.code).toBe('VALIDATION_ERROR')
    expect(answer.body.warnings).toBeUndefined()
  })
})

describe('a preview of a PUT', () => {
  it('looks nothing up, so it warns of nothing', async () => {
    const answer = await previewAs([], 'orders', { notes: 'late' }, 'PUT')
    expect(dataOf(answer).would_answer).toEqual({ status: 200, code: null })
    expect(answer.body.warnings).toBeUndefined()
  })
})

function otherWrites(resource: string): string[] {
  return Object.keys(REFUSED)
    .filter((other) => other !== resource)
    .map((other) => `integrations.${other}.write`)
}
