import { describe, expect, it } from 'vitest'
import { api } from '../fixtures/opened-api.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  type Api,
  aMoment,
  createLocation,
  createProduct,
  dataOf,
  expectData,
  expectError,
  ID,
  path,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { testPages } from './paging.ts'

// What holds alike of products and locations. What orders share with them: every-record.test.ts.

interface Kind {
  resource: string
  /** The list of the other kind, and how a row gets into it. */
  other: string
  addToOther: (api: Api) => Promise<unknown>
  /** The field that holds the name. */
  name: string
  create: (api: Api, fields?: object) => Promise<Json>
  /** All fields but the name and is_active, as they are answered, and others in their place. */
  full: object
  replacing: object
  /** One field. */
  change: object
  /** The field that holds an object. */
  object: string
}

const PRODUCTS: Kind = {
  resource: 'products',
  other: '/locations/',
  addToOther: createLocation,
  name: 'sku',
  create: createProduct,
  full: { quantity: 3, cost: '9.99', custom_fields: { colour: 'red' } },
  replacing: { quantity: -2, cost: '3.1', custom_fields: { new: [1] } },
  change: { quantity: 9 },
  object: 'custom_fields',
}

const LOCATIONS: Kind = {
  resource: 'locations',
  other: '/products/',
  addToOther: createProduct,
  name: 'code',
  create: createLocation,
  full: { name: 'Cold store', zone: 'Z1', aisle: 'A7', metadata: { temperature: -18 } },
  replacing: { name: 'Dock', zone: 'Z9', aisle: 'A0', metadata: { new: [1] } },
  change: { zone: 'Z2' },
  object: 'metadata',
}

const KINDS = [PRODUCTS, LOCATIONS]

describe.each(KINDS)('POST /$resource/', ({ resource, name, create, object }) => {
  it('says in DUPLICATE that PUT is_active revives an inactive record', async () => {
    const { [name]: called } = await create(api)
    await api.delete(path(resource, called))
    const answer = await api.post(`/${resource}/`, { [name]: called })
    expectError(answer, 409, 'DUPLICATE', [name])
    expect(answer.body.detail).toMatch(/PUT.*is_active/)
    expect(dataOf(await api.get(path(resource, called)), 200).is_active).toBe(false)
  })

  it('names unknown and read-only fields in warnings and ignores them', async () => {
    const called = unique('N')
    const ignored = { id: 'mine', colour: 'red', created_at: '2020-01-01' }
    const body = { [name]: called, ...ignored, [object]: { anything: 'goes' } }
    const answer = await api.post(`/${resource}/`, body)
    expect(dataOf(answer, 201)).toMatchObject({ id: ID, [name]: called })
    expect(warnedFields(answer).toSorted()).toEqual(Object.keys(ignored).toSorted())
  })
})

describe.each(KINDS)('GET /$resource/', ({ resource, name, create, ...kind }) => {
  testPages({
    path: `/${resource}/`,
    other: kind.other,
    add: async (to) => (await create(to))[name],
    addToOther: (to) => kind.addToOther(to),
    change: (to, called) => to.put(path(resource, called), kind.change),
    nameOf: (row) => row[name],
  })

  it('leaves inactive records out, and shows one again that was revived', async () => {
    const before = await create(api)
    const { [name]: called } = await create(api)
    await api.delete(path(resource, called))
    expect(await listed('limit=1')).toEqual([before[name]])
    await api.put(path(resource, called), { is_active: true })
    expect(await listed('limit=2')).toEqual([called, before[name]])
  })

  it('goes on behind a record that was deactivated after its page', async () => {
    const [first, second, third] = [await create(api), await create(api), await create(api)]
    const { next_cursor } = (await api.get(`/${resource}/?limit=1`)).body.pagination
    await api.delete(path(resource, third[name]))
    expect(await listed(`limit=2&cursor=${next_cursor}`)).toEqual([second[name], first[name]])
  })

  async function listed(query: string): Promise<string[]> {
    const rows = dataOf(await api.get(`/${resource}/?${query}`), 200)
    return rows.map((row: Json) => row[name])
  }
})

describe.each(KINDS)('GET /$resource/{identifier}/', ({ resource, name, create, full }) => {
  it('answers the full record', async () => {
    const { id, [name]: called } = await create(api, full)
    const answer = await api.get(path(resource, called))
    const data = { id, [name]: called, ...full, is_active: true }
    expectData(answer, 200, data)
  })

  it('answers an inactive record with is_active false', async () => {
    const { [name]: called } = await create(api)
    await api.delete(path(resource, called))
    const found = dataOf(await api.get(path(resource, called)), 200)
    expect(found).toMatchObject({ [name]: called, is_active: false })
  })
})

describe.each(KINDS)('PUT /$resource/{identifier}/', ({ resource, name, create, ...kind }) => {
  it('replaces all fields and answers the full record', async () => {
    const { id, [name]: called } = await create(api, kind.full)
    const fields = { ...kind.replacing, is_active: false }
    const answer = await api.put(path(resource, called), fields)
    const data = { id, [name]: called, ...fields }
    expectData(answer, 200, data)
    expect(dataOf(await api.get(path(resource, called)), 200)).toStrictEqual(data)
  })

  it('leaves fields alone that are not given', async () => {
    const { id, [name]: called } = await create(api, kind.full)
    const updated = dataOf(await api.put(path(resource, called), kind.change), 200)
    const record = { id, [name]: called, ...kind.full, is_active: true }
    expect(updated).toStrictEqual({ ...record, ...kind.change })
  })

  it(`replaces ${kind.object} as a whole`, async () => {
    const { [name]: called } = await create(api, { [kind.object]: { a: 1, b: { c: 2 } } })
    const fields = { [kind.object]: { b: {} } }
    const updated = dataOf(await api.put(path(resource, called), fields), 200)
    expect(updated[kind.object]).toStrictEqual({ b: {} })
  })

  it.each([true, false])('sets is_active to %s from either value', async (is_active) => {
    for (const before of [true, false]) {
      const { [name]: called } = await create(api)
      await api.put(path(resource, called), { is_active: before })
      const updated = dataOf(await api.put(path(resource, called), { is_active }), 200)
      expect(updated.is_active).toBe(is_active)
    }
  })

  it('ignores unknown fields, and names them in warnings', async () => {
    const { id, [name]: called } = await create(api)
    const answer = await api.put(path(resource, called), { colour: 'red', ...kind.change })
    expect(dataOf(answer, 200)).toMatchObject({ id, [name]: called, ...kind.change })
    expect(dataOf(answer, 200)).not.toHaveProperty('colour')
    expect(warnedFields(answer)).toEqual(['colour'])
  })
})

describe.each(KINDS)('DELETE /$resource/{identifier}/', ({ resource, name, create, full }) => {
  it('deactivates the record and answers its id, its name and is_active', async () => {
    const { id, [name]: called } = await create(api)
    const answer = await api.delete(path(resource, called))
    const data = { id, [name]: called, is_active: false }
    expectData(answer, 200, data)
  })

  it('keeps the record', async () => {
    const { id, [name]: called } = await create(api, full)
    await api.delete(path(resource, called))
    const kept = dataOf(await api.get(path(resource, called)), 200)
    expect(kept).toStrictEqual({ id, [name]: called, ...full, is_active: false })
  })

  it('answers the same when it is repeated', async () => {
    const { [name]: called } = await create(api)
    const first = await api.delete(path(resource, called))
    await aMoment()
    const second = await api.delete(path(resource, called))
    expect(second.status).toBe(200)
    expect(second.body).toStrictEqual(first.body)
  })
})
