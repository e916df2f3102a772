import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import guide from '../../docs/mappings.md?raw'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { sample } from '../fixtures/depth.ts'
import { sectionOf } from '../fixtures/markdown.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { oneValue } from '../fixtures/sql.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'
import { at, FULL, fieldsWarned, makePartner, savedOf } from './mappings.ts'
import { dataOf, preview, at as previewAt } from './previews.ts'

const RESOURCES = ['orders', 'products', 'locations', 'inventory']

describe('GET /partners/{id}/mappings/', () => {
  it('lists those that are saved, in the order of the resources', async () => {
    const id = await makePartner()
    const pagination = { limit: 50, next_cursor: null }
    expect((await admin.get(at(id))).body).toEqual({ success: true, data: [], pagination })
    const saved: Record<string, Json> = {}
    for (const resource of ['inventory', 'locations', 'orders', 'products']) {
      saved[resource] = await saveMapping(admin, id, resource, { inbound: { fields: {} } })
      const { status, body } = await admin.get(at(id))
      const expected = RESOURCES.filter((name) => name in saved).map((name) => saved[name])
      expect([status, body]).toEqual([200, { success: true, data: expected, pagination }])
    }
  })

  it('has pages, whatever is saved between them', async () => {
    const id = await makePartner()
    const rules = { inbound: { fields: {} } }
    for (const resource of ['orders', 'inventory']) await saveMapping(admin, id, resource, rules)
    const first = (await admin.get(`${at(id)}?limit=1`)).body
    await saveMapping(admin, id, 'products', rules)
    await saveMapping(admin, id, 'locations', rules)
    const next = `${at(id)}?cursor=${first.pagination.next_cursor}`
    const resources = [...first.data, ...(await admin.get(next)).body.data].map(
      ({ resource }) => resource,
    )
    expect(resources).toEqual(RESOURCES)
    const other = await makePartner()
    expectInvalid(await admin.get(`${at(other)}?cursor=${first.pagination.next_cursor}`), 'cursor')
  })

  it("lists no other partner's", async () => {
    const [id, other] = [await makePartner(), await makePartner()]
    await saveMapping(admin, other, 'orders', FULL)
    expect((await admin.get(at(id))).body.data).toEqual([])
  })
})

describe('DELETE /partners/{id}/mappings/{resource}/', () => {
  it('ends the mapping; repeated it is 404', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const kept = await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'nr' } } })
    const { status, body } = await admin.delete(at(id, 'orders'))
    expect([status, body]).toEqual([200, { success: true, data: { resource: 'orders' } }])
    const message = 'The partner has no mapping for orders.'
    expectRefusal(await admin.delete(at(id, 'orders')), 404, 'NOT_FOUND', message)
    expectRefusal(await admin.get(at(id, 'orders')), 404, 'NOT_FOUND', message)
    expect((await admin.get(at(id))).body.data).toEqual([kept])
    expect(await savedOf(id)).toHaveLength(1)
  })

  it("leaves another partner's mapping of the same resource", async () => {
    const [id, other] = [await makePartner(), await makePartner()]
    await saveMapping(admin, id, 'orders', FULL)
    const kept = await saveMapping(admin, other, 'orders', FULL)
    await admin.delete(at(id, 'orders'))
    expect((await admin.get(at(other, 'orders'))).body.data).toEqual(kept)
  })

  it("lets bodies through as they are from the very next request of the partner's keys", async () => {
    const inbound = { fields: { sku: 'nr' } }
    const { id, api } = await openPartner({ mappings: { products: { inbound } } })
    expect((await api.post('/products/', { nr: unique('S') })).status).toBe(201)
    await admin.delete(at(id, 'products'))
    expectInvalid(await api.post('/products/', { nr: unique('S') }), 'sku')
    expect((await api.post('/products/', { sku: unique('S') })).status).toBe(201)
  })

  it('lets the mapping be saved again', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    await admin.delete(at(id, 'orders'))
    await saveMapping(admin, id, 'orders', {})
    expect((await admin.get(at(id, 'orders'))).body.data.inbound).toBeNull()
  })

  it('names what has no effect in a body', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const answer = await admin.delete(at(id, 'orders'), { inbound: null })
    expect([answer.status, fieldsWarned(answer)]).toEqual([200, ['inbound']])
  })
})

describe('a mapping that is not there', () => {
  it.each(sample(RESOURCES, 5))('is 404 for %s', async (resource) => {
    const id = await makePartner()
    const message = `The partner has no mapping for ${resource}.`
    expectRefusal(await admin.get(at(id, resource)), 404, 'NOT_FOUND', message)
    expectRefusal(await admin.delete(at(id, resource)), 404, 'NOT_FOUND', message)
  })

  it.each(
    sample(
      ['returns', 'order', 'Orders', 'orders2', 'api-keys', '__proto__', 'constructor', '%00'],
      4,
    ),
  )('is 404 for the resource %s', async (resource) => {
    const id = await makePartner()
    for (const answer of [
      await admin.get(at(id, resource)),
      await admin.put(at(id, resource), { inbound: { fields: {} } }),
      await admin.delete(at(id, resource)),
      await admin.post(`${at(id, resource)}preview/`, { payload: {} }),
    ]) {
      expectRefusal(answer, 404, 'NOT_FOUND')
    }
    expect(await savedOf(id)).toEqual([])
  })

  it.each(['unknown', "another tenant's"])('is 404 for a partner that is %s', async (kind) => {
    const foreign = async () =>
      (await openPartner({ tenant: 'other', mappings: { orders: FULL } })).id
    const id = kind === 'unknown' ? crypto.randomUUID() : await foreign()
    const message = `No partner has the id "${id}".`
    for (const answer of [
      await admin.get(at(id)),
      await admin.get(at(id, 'orders')),
      await admin.put(at(id, 'orders'), { inbound: { fields: { notes: 'x' } } }),
      await admin.put(at(id, 'products'), { identifier_field: 'custom_fields.ean' }),
      await admin.delete(at(id, 'orders')),
      await admin.post(`${at(id, 'orders')}preview/`, { payload: {} }),
    ]) {
      expectRefusal(answer, 404, 'NOT_FOUND', message)
    }
    expect(await savedOf(id)).toEqual([])
  })

  it("leaves another tenant's mapping as it is", async () => {
    const { id, admin: other } = await openPartner({ tenant: 'other', mappings: { orders: FULL } })
    const before = (await other.get(at(id))).body.data
    await admin.put(at(id, 'orders'), {})
    await admin.delete(at(id, 'orders'))
    expect((await other.get(at(id))).body.data).toEqual(before)
    expect(before).toHaveLength(1)
  })

  it('answers GET, PUT and DELETE and nothing else', async () => {
    const id = await makePartner()
    const answer = await admin.post(at(id, 'orders'), {})
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(answer.headers.get('Allow')?.split(', ').toSorted()).toEqual(
      expect.arrayContaining(['DELETE', 'GET', 'PUT']),
    )
  })
})

describe('settings_version', () => {
  const version = async () =>
    (await oneValue<number>('select settings_version from workspace')) ?? 0

  it.each<[string, number, number, (id: string) => Promise<Answer>]>([
    ['goes up when a mapping is saved', 200, 1, (id) => admin.put(at(id, 'products'), {})],
    [
      'goes up when a mapping is changed',
      200,
      1,
      (id) => admin.put(at(id, 'orders'), { outbound: null }),
    ],
    ['stays when a change names nothing', 200, 0, (id) => admin.put(at(id, 'orders'), {})],
    ['goes up when a mapping is deleted', 200, 1, (id) => admin.delete(at(id, 'orders'))],
    ['stays when mappings are listed', 200, 0, (id) => admin.get(at(id))],
    ['stays when a mapping is read', 200, 0, (id) => admin.get(at(id, 'orders'))],
    [
      'stays when a mapping is tried',
      200,
      0,
      (id) => admin.post(`${at(id, 'orders')}preview/`, { payload: {} }),
    ],
    [
      'stays when a mapping is refused',
      400,
      0,
      (id) => admin.put(at(id, 'orders'), { inbound: 1 }),
    ],
    ['stays when there is none to delete', 404, 0, (id) => admin.delete(at(id, 'products'))],
  ])('%s', async (_, status, raise, request) => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const before = await version()
    expect((await request(id)).status).toBe(status)
    expect((await version()) - before).toBe(raise)
  })
})

describe('PUT /partners/{id}/mappings/{resource}/ whose answer is lost while another request deletes it', () => {
  it('answers what it has saved', async () => {
    const id = await makePartner()
    let isLost = false
    const batch: Watch = async (call) => {
      const results = await call()
      if (isLost || (await savedOf(id)).length === 0) return results
      isLost = true
      await admin.delete(at(id, 'orders'))
      throw new Error('D1_ERROR: Network connection lost.')
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const mapping = { inbound: { fields: { notes: 'remark' } } }
    const { status, body } = await admin.put(at(id, 'orders'), mapping, { bindings })
    expect([isLost, status]).toEqual([true, 200])
    expect(body.data).toMatchObject({ resource: 'orders', inbound: mapping.inbound })
    expect(await savedOf(id)).toEqual([])
  })
})

// The examples of docs/mappings.md, as a reader would try them in a preview.

interface Example {
  text: string
  resource: string
  fields: Json
  none?: Json
  single_as_list?: Json
  records?: Json
  results?: Json
  headers?: Json
  query?: Json
  result?: Json
  problem?: Json
}

const blocks = [...guide.matchAll(/^```json\n(.*?)^```/gms)].map(([, text = '']) => text)
const examples = blocks
  .map((text): [string, Example] => {
    const { resource = 'orders', ...example } = JSON.parse(text)
    return [Object.keys(example.fields ?? {}).join(), { text, resource, ...example }]
  })
  .filter(([, { fields }]) => fields !== undefined)

const filters = [...sectionOf(guide, 'Filters').matchAll(/`(\[\?[^.].*?\])`/g)].map(
  ([, filter = '']) => filter.replaceAll('\\|', '|'),
)

/** JSON that keeps the digits of numbers, as they stand in the guide. */
function exactly(text: string): Json {
  const { rawJSON } = JSON as unknown as { rawJSON: (digits: string) => unknown }
  const keep = (_: string, value: unknown, context?: { source: string }) =>
    typeof value === 'number' && context ? rawJSON(context.source) : value
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown)
}

describe('an example of the guide', () => {
  it.each(examples)(
    'maps %s',
    async (_, {
      text,
      resource,
      fields,
      none,
      single_as_list,
      records,
      headers,
      query,
      result,
      results,
      problem,
    }) => {
      const { document: payload } = exactly(text)
      const id = await makePartner()
      const sent = JSON.stringify({
        payload,
        headers,
        query,
        mapping: { inbound: { none, single_as_list, records, fields } },
      })
      const data = dataOf(await admin.post(previewAt(id, resource), sent))
      const { mapped, problems } = data
      if (results) {
        const told = data.records.map(({ mapped, problems }: Json) => mapped ?? problems[0])
        expect(told).toEqual(results)
      } else if (problem) expect(problems).toMatchObject([problem])
      else expect({ problems, mapped }).toEqual({ problems: [], mapped: result })
    },
  )

  it('goes out by rules that can be saved', async () => {
    const [outbound] = blocks.flatMap((text) => JSON.parse(text).outbound ?? [])
    const id = await makePartner()
    const place = previewAt(id).replace('preview/', '')
    const { status, body } = await admin.put(place, { outbound })
    expect([status, body.data?.outbound.fields]).toEqual([200, outbound.fields])
  })

  it.each(filters)('has the filter %s, which can be saved', async (filter) => {
    const { status, body } = await preview({
      payload: { a: [{ b: 1 }] },
      mapping: { inbound: { fields: { 'metadata.tags[]': { each: `a${filter}.b` } } } },
    })
    expect([status, body.error]).toEqual([200, undefined])
  })

  it('is there for each construct, whether it works or fails', () => {
    const rules = examples.flatMap(([, { fields }]) => Object.values<Json>(fields))
    const members = new Set(
      rules.flatMap((rule) => (typeof rule === 'string' ? [] : Object.keys(rule))),
    )
    expect([...members].sort()).toEqual([
      ...[
        'as',
        'at_zero',
        'code',
        'decimal',
        'default',
        'each',
        'format',
        'from',
        'join',
        'less',
        'none',
        'required',
        'split',
        'text',
        'times',
        'value',
        'values',
        'with',
        'zone',
      ],
    ])
    const page = sectionOf(guide, 'The language on one page')
    const beside = ['unmapped', 'records', 'group_by', 'first', 'single_as_list', 'pair']
    for (const member of [...members, ...beside]) expect(page).toContain(`"${member}"`)
    expect(examples.filter(([, { problem }]) => problem).length).toBeGreaterThan(4)
    expect(filters.length).toBeGreaterThan(10)
  })
})

it('the example of item codes stores what the guide says', async () => {
  const section = sectionOf(guide, "`code`: the partner's own numbers")
  const [, text = ''] = /```json\n(.*?)```/s.exec(section) ?? []
  const { item_codes, fields, document, stored } = JSON.parse(text)
  const mappings = { orders: { inbound: { unmapped: 'drop', fields } } }
  const { admin, api, id } = await openPartner({ mappings })
  for (const sku of new Set(stored.map(([sku]: Json) => sku)))
    await admin.post('/products/', { sku })
  await admin.put(`/api/settings/v1/partners/${id}/item-codes/products/`, { item_codes })
  const { status, body } = await api.post('/orders/', document)
  expect([status, body.error]).toEqual([201, undefined])
  const lines = body.data.items.map(({ sku, quantity }: Json) => [sku.sku, quantity])
  expect(lines).toEqual(stored)
})
