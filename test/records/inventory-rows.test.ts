import { describe, expect, it } from 'vitest'
import { api } from '../fixtures/opened-api.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  bodyWith,
  createLocation,
  createProduct,
  dataOf,
  path,
  printable,
  stock,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { MESSAGES, newPair, stockAt, upload } from './inventory.ts'

describe('POST /inventory/ rows', () => {
  it('reports an unknown location, an unknown SKU and both, each at its index', async () => {
    const pair = await newPair()
    const [location, sku] = [unique('LOC'), unique('SKU')]
    const answer = await upload([
      { ...pair, quantity: 1 },
      { ...pair, location_code: location, quantity: 1 },
      { ...pair, sku_code: sku, quantity: 1 },
      { location_code: location, sku_code: sku, quantity: 1 },
    ])
    const { errors, ...counts } = dataOf(answer, 200)
    expect(counts).toStrictEqual({ total: 4, created: 1, updated: 0, failed: 3 })
    expect(errors).toStrictEqual([
      {
        row: 1,
        location_id: location,
        product_id: pair.sku_code,
        errors: { location_code: MESSAGES },
      },
      { row: 2, location_id: pair.location_code, product_id: sku, errors: { sku_code: MESSAGES } },
      {
        row: 3,
        location_id: location,
        product_id: sku,
        errors: { location_code: MESSAGES, sku_code: MESSAGES },
      },
    ])
    expect(errors[0].errors.location_code[0]).toMatch(/location/i)
    expect(errors[1].errors.sku_code[0]).toMatch(/sku|product/i)
  })

  it('reports a wrong quantity and an unknown location of one row at once', async () => {
    const { sku_code } = await newPair()
    const answer = await upload([{ location_code: unique('LOC'), sku_code, quantity: -1 }])
    const { errors } = dataOf(answer, 200)
    expect(Object.keys(errors[0].errors).sort()).toEqual(['location_code', 'quantity'])
  })

  it('stays 200 with success true when all rows fail', async () => {
    const answer = await upload([
      { location_code: unique('LOC'), sku_code: unique('SKU'), quantity: 1 },
      { quantity: -1 },
    ])
    expect(answer.status).toBe(200)
    expect(answer.body.success).toBe(true)
    expect(answer.body.data).toMatchObject({ total: 2, created: 0, updated: 0, failed: 2 })
    expect(answer.body.data.errors).toHaveLength(2)
  })

  it('stays 200 with success true when all rows are malformed', async () => {
    const answer = await upload([null, {}])
    expect(answer.status).toBe(200)
    expect(answer.body.success).toBe(true)
    expect(answer.body.data).toMatchObject({ total: 2, created: 0, updated: 0, failed: 2 })
  })

  it.each([
    ['quantity missing', {}, ['quantity']],
    ['quantity null', { quantity: null }, ['quantity']],
    ['quantity -1', { quantity: -1 }, ['quantity']],
    ['quantity 2.5', { quantity: 2.5 }, ['quantity']],
    ['quantity "2"', { quantity: '2' }, ['quantity']],
    ['quantity true', { quantity: true }, ['quantity']],
    ['quantity []', { quantity: [] }, ['quantity']],
    ['quantity 2,000,000,001', { quantity: 2_000_000_001 }, ['quantity']],
    ['quantity 2^53', { quantity: 2 ** 53 }, ['quantity']],
    ['quantity 1e21', { quantity: 1e21 }, ['quantity']],
    ['location_code missing', { location_code: undefined, quantity: 1 }, ['location_code']],
    ['location_code null', { location_code: null, quantity: 1 }, ['location_code']],
    ['location_code empty', { location_code: '', quantity: 1 }, ['location_code']],
    ['location_code 5', { location_code: 5, quantity: 1 }, ['location_code']],
    ['location_code {}', { location_code: {}, quantity: 1 }, ['location_code']],
    ['sku_code missing', { sku_code: undefined, quantity: 1 }, ['sku_code']],
    ['sku_code null', { sku_code: null, quantity: 1 }, ['sku_code']],
    ['sku_code empty', { sku_code: '', quantity: 1 }, ['sku_code']],
    ['sku_code ["x"]', { sku_code: ['x'], quantity: 1 }, ['sku_code']],
    ['sku_code a lone surrogate', { sku_code: '\ud83d', quantity: 1 }, ['sku_code']],
    [
      'everything wrong',
      { location_code: 1, sku_code: false, quantity: 'x' },
      ['location_code', 'quantity', 'sku_code'],
    ],
  ])('reports a row with %s and takes the others', async (_, wrong, fields) => {
    const pair = await newPair()
    const good = { ...pair, quantity: 6 }
    const { errors, ...counts } = dataOf(await upload([{ ...pair, ...wrong }, good]), 200)
    expect(counts).toStrictEqual({ total: 2, created: 1, updated: 0, failed: 1 })
    const { location_code, sku_code } = printable({ ...pair, ...wrong }) as Json
    expect(printable(errors)).toStrictEqual([
      {
        row: 0,
        location_id: typeof location_code === 'string' ? location_code : expect.any(String),
        product_id: typeof sku_code === 'string' ? sku_code : expect.any(String),
        errors: Object.fromEntries(fields.map((field) => [field, MESSAGES])),
      },
    ])
    expect(await stockAt(pair.location_code)).toStrictEqual([good])
  })

  it.each([
    ['2.0', 2],
    ['-0', 0],
    ['2e0', 2],
    ['2000000000', 2_000_000_000],
  ])('takes the quantity %s', async (json, quantity) => {
    const pair = await newPair()
    const body = `{"inventory":[${bodyWith(pair, 'quantity', json)}]}`
    expect(dataOf(await api.post('/inventory/', body), 200).failed).toBe(0)
    expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity }])
  })

  it.each(['1e400', '9007199254740993'])('reports a row with the quantity %s', async (json) => {
    const pair = await newPair()
    const body = `{"inventory":[${bodyWith(pair, 'quantity', json)}]}`
    const { failed, errors } = dataOf(await api.post('/inventory/', body), 200)
    expect(failed).toBe(1)
    expect(errors[0].errors).toStrictEqual({ quantity: MESSAGES })
  })

  it.each([null, 5, true, 'x', [], [1]])('reports the row %j, which is no object', async (row) => {
    const good = { ...(await newPair()), quantity: 6 }
    const { errors, ...counts } = dataOf(await upload([good, row]), 200)
    expect(counts).toStrictEqual({ total: 2, created: 1, updated: 0, failed: 1 })
    expect(errors).toStrictEqual([
      { row: 1, location_id: '', product_id: '', errors: expect.any(Object) },
    ])
    expect(Object.values(errors[0].errors)).toEqual([MESSAGES])
  })

  it('reports a code that is right but for NUL, white space or case, and changes nothing', async () => {
    const pair = { location_code: unique('loc'), sku_code: unique('sku') }
    await createLocation(api, { code: pair.location_code })
    await createProduct(api, { sku: pair.sku_code })
    await stock(api, { ...pair, quantity: 1 })
    const near = (code: string) => [
      `${code}\u0000`,
      `${code}\u0000x`,
      ` ${code}`,
      `${code} `,
      `${code}\n`,
      code.toUpperCase(),
    ]
    const rows = [
      ...near(pair.location_code).map((location_code) => ({ ...pair, location_code, quantity: 9 })),
      ...near(pair.sku_code).map((sku_code) => ({ ...pair, sku_code, quantity: 9 })),
    ]
    const { errors, ...counts } = dataOf(await upload(rows), 200)
    expect(counts).toStrictEqual({ total: 12, created: 0, updated: 0, failed: 12 })
    expect(errors.map((error: Json) => [error.location_id, error.product_id])).toEqual(
      rows.map((row) => [row.location_code, row.sku_code]),
    )
    expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity: 1 }])
  })

  it('echoes codes as they were sent, too long ones as well', async () => {
    const [location_code, sku_code] = ['L'.repeat(256), 'S'.repeat(300)]
    const { errors } = dataOf(await upload([{ location_code, sku_code, quantity: 1 }]), 200)
    expect(errors).toStrictEqual([
      {
        row: 0,
        location_id: location_code,
        product_id: sku_code,
        errors: { location_code: MESSAGES, sku_code: MESSAGES },
      },
    ])
  })

  it('echoes a code of 255 emoji as it was sent', async () => {
    const code = unique('E')
    const long = code + '😀'.repeat(255 - code.length)
    await createLocation(api, { code: long })
    await createProduct(api, { sku: long })
    const row = { location_code: long, sku_code: long, quantity: 1 }
    const { errors, ...counts } = dataOf(await upload([row, { ...row, quantity: -1 }]), 200)
    expect(counts).toStrictEqual({ total: 2, created: 1, updated: 0, failed: 1 })
    expect(printable(errors)).toStrictEqual([
      { row: 1, location_id: long, product_id: long, errors: { quantity: MESSAGES } },
    ])
  })

  it('lists no more than 1,000 errors, the first ones, counts all, and says so', async () => {
    const pair = await newPair()
    const rows = Array.from({ length: 1500 }, (_, at) =>
      at % 2 === 0 ? { ...pair, quantity: -1 } : { ...pair, sku_code: `${at}-no`, quantity: 1 },
    )
    const answer = await upload([{ ...pair, quantity: 1 }, ...rows])
    const { errors, ...counts } = dataOf(answer, 200)
    expect(counts).toStrictEqual({ total: 1501, created: 1, updated: 0, failed: 1500 })
    expect(errors.map((error: Json) => error.row)).toEqual(
      Array.from({ length: 1000 }, (_, at) => at + 1),
    )
    expect(warnedFields(answer)).toEqual(['errors'])
    expect(answer.body.warnings[0].message).toMatch(/1,?000.*1,?500/)
  })

  it('lists exactly 1,000 errors without a warning', async () => {
    const answer = await upload(Array.from({ length: 1000 }, () => ({})))
    expect(dataOf(answer, 200).errors).toHaveLength(1000)
    expect(answer.body.warnings).toBeUndefined()
  })

  it.each([
    ['location_code', 'sku_code'],
    ['sku_code', 'location_code'],
  ] as const)(
    'reports an unknown %s in a row that is malformed besides, whatever else is wrong',
    async (unknown, other) => {
      const pair = await newPair()
      const lost = { ...pair, [unknown]: unique('lost') }
      const rows = [
        { ...lost, quantity: -1 },
        { ...lost, [other]: 7, quantity: 1 },
        { ...lost, [other]: undefined, quantity: 'x' },
        { ...pair, quantity: 5 },
        { ...pair, [unknown]: '', quantity: 1 },
      ]
      const { errors, ...counts } = dataOf(await upload(rows), 200)
      expect(counts).toStrictEqual({ total: 5, created: 1, updated: 0, failed: 4 })
      const told = errors.map(({ row, errors }: Json) => [row, Object.keys(errors).toSorted()])
      expect(told).toEqual([
        [0, ['quantity', unknown].toSorted()],
        [1, ['location_code', 'sku_code']],
        [2, ['location_code', 'quantity', 'sku_code']],
        [4, [unknown]],
      ])
      const message = dataOf(await upload([{ ...lost, quantity: 1 }]), 200).errors[0].errors[
        unknown
      ]
      for (const row of [0, 1, 2]) expect(errors[row].errors[unknown]).toEqual(message)
      expect(errors[3].errors[unknown]).not.toEqual(message)
      expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity: 5 }])
    },
  )

  it('reports no code of a malformed row that is known, and warns of an inactive one', async () => {
    const pair = await newPair()
    await api.delete(path('locations', pair.location_code))
    const answer = await upload([{ ...pair, quantity: -1 }])
    expect(dataOf(answer, 200).errors[0].errors).toStrictEqual({ quantity: MESSAGES })
    expect(warnedFields(answer)).toEqual(['inventory[].location_code'])
  })

  it('lists the first 1,000 of 3,000 malformed rows with their unknown codes', async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => ({
      location_code: `${at}-no`,
      sku_code: `${at}-none`,
      quantity: -1,
    }))
    const { errors, ...counts } = dataOf(await upload(rows), 200)
    expect(counts).toStrictEqual({ total: 3000, created: 0, updated: 0, failed: 3000 })
    expect(errors).toHaveLength(1000)
    for (const [at, { row, errors: found }] of errors.entries()) {
      expect([row, Object.keys(found).toSorted()]).toEqual([
        at,
        ['location_code', 'quantity', 'sku_code'],
      ])
    }
  })

  it('takes rows of an inactive location and of an inactive product, with warnings', async () => {
    const pair = await newPair()
    await api.delete(path('locations', pair.location_code))
    await api.delete(path('products', pair.sku_code))
    const answer = await upload([{ ...pair, quantity: 8 }])
    const counts = { total: 1, created: 1, updated: 0, failed: 0, errors: [] }
    expect(dataOf(answer, 200)).toStrictEqual(counts)
    expect(warnedFields(answer).toSorted()).toEqual([
      expect.stringMatching(/^inventory\[\d*\]\.location_code$/),
      expect.stringMatching(/^inventory\[\d*\]\.sku_code$/),
    ])
    const messages = answer.body.warnings.map((warning: Json) => warning.message).join()
    expect(messages).toContain(pair.location_code)
    expect(messages).toContain(pair.sku_code)
    expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity: 8 }])
  })
})
