import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  type Api,
  aMoment,
  bodyWith,
  createLocation,
  createProduct,
  dataOf,
  expectError,
  ID,
  openApi,
  path,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { testPages } from './paging.ts'
import { booleans, identifiers, notNull, objects, orNull, testField, texts } from './samples.ts'

let api: Api
beforeAll(async () => {
  api = await openApi()
})

const FULL = { name: 'Cold store', zone: 'Z1', aisle: 'A7' }

describe('POST /locations/', () => {
  it('creates a location with all its fields and answers it without metadata', async () => {
    const code = unique('LOC')
    const metadata = { temperature: -18, doors: ['N', 'S'] }
    const { status, body } = await api.post('/locations/', { code, ...FULL, metadata })
    expect({ status, body }).toStrictEqual({
      status: 201,
      body: { success: true, data: { id: ID, code, ...FULL, is_active: true } },
    })
  })

  it('leaves name, zone and aisle null when only code is given', async () => {
    const code = unique('LOC')
    const { status, body } = await api.post('/locations/', { code })
    expect({ status, body }).toStrictEqual({
      status: 201,
      body: {
        success: true,
        data: { id: ID, code, name: null, zone: null, aisle: null, is_active: true },
      },
    })
    expect(dataOf(await api.get(path('locations', code)), 200).metadata).toBeNull()
  })

  it('ignores is_active with a warning: a new location is active', async () => {
    const answer = await api.post('/locations/', { code: unique('LOC'), is_active: false })
    expect(dataOf(answer, 201).is_active).toBe(true)
    expect(warnedFields(answer)).toEqual(['is_active'])
  })

  it('names every bad field at once', async () => {
    const bad = { code: ' ', name: 1, zone: [], aisle: {}, metadata: 'x' }
    const answer = await api.post('/locations/', bad)
    expectError(answer, 400, 'VALIDATION_ERROR', Object.keys(bad))
  })

  it('says in DUPLICATE that PUT is_active revives an inactive location', async () => {
    const { code } = await createLocation(api)
    await api.delete(path('locations', code))
    const answer = await api.post('/locations/', { code })
    expectError(answer, 409, 'DUPLICATE', ['code'])
    expect(answer.body.detail).toMatch(/PUT.*is_active/)
    expect(dataOf(await api.get(path('locations', code)), 200).is_active).toBe(false)
  })

  it('takes a code that is a SKU too', async () => {
    const { sku } = await createProduct(api)
    expect((await createLocation(api, { code: sku })).code).toBe(sku)
  })

  it('names unknown and read-only fields in warnings and ignores them', async () => {
    const code = unique('LOC')
    const answer = await api.post('/locations/', {
      code,
      id: 'mine',
      row: 5,
      metadata: { anything: 'goes' },
    })
    expect(dataOf(answer, 201)).toMatchObject({ id: ID, code })
    expect(warnedFields(answer).toSorted()).toEqual(['id', 'row'])
  })

  const post = (field: string) => (json: string) =>
    api.post('/locations/', bodyWith({ code: unique('LOC') }, field, json))
  testField('code', notNull(identifiers()), post('code'))
  testField('name', orNull(texts(255)), post('name'))
  testField('zone', orNull(texts(255)), post('zone'))
  testField('aisle', orNull(texts(255)), post('aisle'))
  testField('metadata', orNull(objects()), async (json) => {
    const answer = await post('metadata')(json)
    if (answer.status !== 201) return answer
    return await api.get(path('locations', answer.body.data.code))
  })
})

describe('GET /locations/', () => {
  testPages({
    path: '/locations/',
    other: '/products/',
    add: async (to) => (await createLocation(to)).code,
    addToOther: (to) => createProduct(to),
    change: (to, code) => to.put(path('locations', code), { name: 'New' }),
    nameOf: (row) => row.code,
  })

  it('shows code, name, zone, aisle and is_active of each location, and no id', async () => {
    const code = unique('LOC')
    await createLocation(api, { code, ...FULL, metadata: { a: 1 } })
    const { status, body } = await api.get('/locations/?limit=1')
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: [{ code, ...FULL, is_active: true }],
        pagination: { limit: 1, next_cursor: body.pagination.next_cursor },
      },
    })
  })

  it('leaves inactive locations out, and shows one again that was revived', async () => {
    const before = await createLocation(api)
    const { code } = await createLocation(api)
    await api.delete(path('locations', code))
    expect(await newest(1)).toEqual([before.code])
    await api.put(path('locations', code), { is_active: true })
    expect(await newest(2)).toEqual([code, before.code])
  })

  it('goes on behind a location that was deactivated after its page', async () => {
    const codes: string[] = []
    while (codes.length < 3) codes.push((await createLocation(api)).code)
    const first = await api.get('/locations/?limit=1')
    await api.delete(path('locations', codes[2]!))
    const { next_cursor } = first.body.pagination
    const second = await api.get(`/locations/?limit=2&cursor=${next_cursor}`)
    expect(dataOf(second, 200).map((row: Json) => row.code)).toEqual([codes[1], codes[0]])
  })

  async function newest(limit: number): Promise<string[]> {
    const rows = dataOf(await api.get(`/locations/?limit=${limit}`), 200)
    return rows.map((row: Json) => row.code)
  }
})

describe('GET /locations/{code}/', () => {
  it('answers the full record', async () => {
    const metadata = { temperature: -18 }
    const { id, code } = await createLocation(api, { ...FULL, metadata })
    const { status, body } = await api.get(path('locations', code))
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: { id, code, ...FULL, metadata, is_active: true } },
    })
  })

  it('answers an inactive location with is_active false', async () => {
    const { code } = await createLocation(api)
    await api.delete(path('locations', code))
    const found = dataOf(await api.get(path('locations', code)), 200)
    expect(found).toMatchObject({ code, is_active: false })
  })
})

describe('PUT /locations/{code}/', () => {
  it('replaces all fields and answers the full record', async () => {
    const { id, code } = await createLocation(api, { ...FULL, metadata: { old: true } })
    const fields = {
      name: 'Dock',
      zone: 'Z9',
      aisle: 'A0',
      metadata: { new: [1] },
      is_active: false,
    }
    const { status, body } = await api.put(path('locations', code), fields)
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: { id, code, ...fields } },
    })
    expect(dataOf(await api.get(path('locations', code)), 200)).toStrictEqual(body.data)
  })

  it('leaves fields alone that are not given', async () => {
    const metadata = { a: 1 }
    const location = { ...(await createLocation(api, { ...FULL, metadata })), metadata }
    const updated = dataOf(await api.put(path('locations', location.code), { zone: 'Z2' }), 200)
    expect(updated).toStrictEqual({ ...location, zone: 'Z2' })
  })

  it('replaces metadata as a whole', async () => {
    const { code } = await createLocation(api, { metadata: { a: 1, b: 2 } })
    const updated = dataOf(await api.put(path('locations', code), { metadata: { b: 3 } }), 200)
    expect(updated.metadata).toStrictEqual({ b: 3 })
  })

  it('clears name, zone, aisle and metadata with null', async () => {
    const { id, code } = await createLocation(api, { ...FULL, metadata: { a: 1 } })
    const none = { name: null, zone: null, aisle: null, metadata: null }
    const updated = dataOf(await api.put(path('locations', code), none), 200)
    expect(updated).toStrictEqual({ id, code, ...none, is_active: true })
  })

  it.each([true, false])('sets is_active to %s from either value', async (is_active) => {
    for (const before of [true, false]) {
      const { code } = await createLocation(api)
      await api.put(path('locations', code), { is_active: before })
      const updated = dataOf(await api.put(path('locations', code), { is_active }), 200)
      expect(updated.is_active).toBe(is_active)
    }
  })

  it('answers the same when it is repeated', async () => {
    const { code } = await createLocation(api)
    const fields = { ...FULL, metadata: { a: 1 } }
    const first = dataOf(await api.put(path('locations', code), fields), 200)
    expect(dataOf(await api.put(path('locations', code), fields), 200)).toStrictEqual(first)
  })

  it('ignores unknown fields, and names them in warnings', async () => {
    const { id, code } = await createLocation(api)
    const body = { row: 1, name: 'Dock' }
    const answer = await api.put(path('locations', code), body)
    expect(dataOf(answer, 200)).toMatchObject({ id, code, name: 'Dock' })
    expect(warnedFields(answer).toSorted()).toEqual(['row'])
  })

  const put = (field: string) => async (json: string) => {
    const { code } = await createLocation(api)
    return await api.put(path('locations', code), bodyWith({}, field, json))
  }
  testField('name', orNull(texts(255)), put('name'))
  testField('zone', orNull(texts(255)), put('zone'))
  testField('aisle', orNull(texts(255)), put('aisle'))
  testField('metadata', orNull(objects()), put('metadata'))
  testField('is_active', notNull(booleans()), put('is_active'))
})

describe('DELETE /locations/{code}/', () => {
  it('deactivates the location and answers id, code and is_active', async () => {
    const { id, code } = await createLocation(api)
    const { status, body } = await api.delete(path('locations', code))
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: { id, code, is_active: false } },
    })
  })

  it('keeps the record', async () => {
    const metadata = { a: 1 }
    const location = await createLocation(api, { ...FULL, metadata })
    await api.delete(path('locations', location.code))
    const kept = dataOf(await api.get(path('locations', location.code)), 200)
    expect(kept).toStrictEqual({ ...location, metadata, is_active: false })
  })

  it('answers the same when it is repeated', async () => {
    const { code } = await createLocation(api)
    const first = await api.delete(path('locations', code))
    await aMoment()
    const second = await api.delete(path('locations', code))
    expect(second.status).toBe(200)
    expect(second.body).toStrictEqual(first.body)
  })
})
