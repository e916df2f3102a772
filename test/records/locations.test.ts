import { describe, expect, it } from 'vitest'
import { api } from '../fixtures/opened-api.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { unique } from '../fixtures/tenant.ts'
import {
  bodyWith,
  createLocation,
  createProduct,
  dataOf,
  expectData,
  ID,
  path,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { booleans, identifiers, notNull, objects, orNull, testField, texts } from './samples.ts'

const FULL = { name: 'Cold store', zone: 'Z1', aisle: 'A7' }

describe('POST /locations/', () => {
  it('creates a location with all its fields and answers it without metadata', async () => {
    const code = unique('LOC')
    const metadata = { temperature: -18, doors: ['N', 'S'] }
    const answer = await api.post('/locations/', { code, ...FULL, metadata })
    expectData(answer, 201, { id: ID, code, ...FULL, is_active: true })
  })

  it('leaves name, zone and aisle null when only code is given', async () => {
    const code = unique('LOC')
    const answer = await api.post('/locations/', { code })
    expectData(answer, 201, { id: ID, code, name: null, zone: null, aisle: null, is_active: true })
    expect(dataOf(await api.get(path('locations', code)), 200).metadata).toBeNull()
  })

  it('ignores is_active with a warning: a new location is active', async () => {
    const answer = await api.post('/locations/', { code: unique('LOC'), is_active: false })
    expect(dataOf(answer, 201).is_active).toBe(true)
    expect(warnedFields(answer)).toEqual(['is_active'])
  })

  it('names every bad field at once', async () => {
    const bad = { code: ' ', name: 1, zone: [], aisle: {}, metadata: 'x' }
    expectInvalid(await api.post('/locations/', bad), ...Object.keys(bad))
  })

  it('takes a code that is a SKU too', async () => {
    const { sku } = await createProduct(api)
    expect((await createLocation(api, { code: sku })).code).toBe(sku)
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
  it('shows code, name, zone, aisle and is_active of each location, and no id', async () => {
    const code = unique('LOC')
    await createLocation(api, { code, ...FULL, metadata: { a: 1 } })
    const answer = await api.get('/locations/?limit=1')
    expectData(answer, 200, [{ code, ...FULL, is_active: true }], {
      pagination: { limit: 1, next_cursor: answer.body.pagination.next_cursor },
    })
  })
})

describe('PUT /locations/{code}/', () => {
  it('clears name, zone, aisle and metadata with null', async () => {
    const { id, code } = await createLocation(api, { ...FULL, metadata: { a: 1 } })
    const none = { name: null, zone: null, aisle: null, metadata: null }
    const updated = dataOf(await api.put(path('locations', code), none), 200)
    expect(updated).toStrictEqual({ id, code, ...none, is_active: true })
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
