import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Json, openTenant, unique } from '../tenant.ts'
import { testPages } from './paging.ts'
import { testField, texts } from './samples.ts'
import {
  type Api,
  bodyWith,
  createLocation,
  createProduct,
  dataOf,
  expectError,
  NO_OBJECTS,
  ODD_NAMES,
  ODD_WHOLES,
  openApi,
  path,
  printable,
  stock,
  TEXT,
  warnedFields,
} from './warehouse.ts'

let api: Api
beforeAll(async () => {
  api = await openApi()
})

const MESSAGES = expect.arrayContaining([TEXT])

/** Codes of a new location and a new product. */
async function newPair() {
  const { code: location_code } = await createLocation(api)
  const { sku: sku_code } = await createProduct(api)
  return { location_code, sku_code }
}

async function upload(inventory: unknown[], more: object = {}): Promise<Answer> {
  return await api.post('/inventory/', { inventory, ...more })
}

async function stockAt(location: string): Promise<Json> {
  return dataOf(await api.get(path('inventory', location)), 200)
}

describe('POST /inventory/', () => {
  it('creates missing pairs, updates existing ones and reports the rest', async () => {
    const known = await newPair()
    await stock(api, { ...known, quantity: 3 })
    const fresh = await newPair()
    const unknown = unique('LOC')
    const { status, body } = await upload([
      { ...known, quantity: 10 },
      { ...fresh, quantity: 20 },
      { location_code: unknown, sku_code: known.sku_code, quantity: 1 },
    ])
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: {
          total: 3,
          created: 1,
          updated: 1,
          failed: 1,
          errors: [
            {
              row: 2,
              location_id: unknown,
              product_id: known.sku_code,
              errors: { location_code: MESSAGES },
            },
          ],
        },
      },
    })
    expect(await stockAt(known.location_code)).toStrictEqual([{ ...known, quantity: 10 }])
    expect(await stockAt(fresh.location_code)).toStrictEqual([{ ...fresh, quantity: 20 }])
  })

  it('answers an empty list of errors when no row failed', async () => {
    const { status, body } = await upload([{ ...(await newPair()), quantity: 1 }])
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: { total: 1, created: 1, updated: 0, failed: 0, errors: [] } },
    })
  })

  it('is safe to repeat: the second time every row counts as updated', async () => {
    const rows = [
      { ...(await newPair()), quantity: 1 },
      { ...(await newPair()), quantity: 2 },
    ]
    expect(dataOf(await upload(rows), 200)).toMatchObject({ created: 2, updated: 0 })
    expect(dataOf(await upload(rows), 200)).toMatchObject({ created: 0, updated: 2, failed: 0 })
    for (const row of rows) expect(await stockAt(row.location_code)).toStrictEqual([row])
  })

  it('counts an unchanged quantity as updated and does not rewrite its row', async () => {
    const same = await newPair()
    const other = await newPair()
    await stock(api, { ...same, quantity: 5 })
    await stock(api, { ...other, quantity: 5 })
    const written = await watchWrites(async () => {
      const answer = await upload([
        { ...same, quantity: 5 },
        { ...other, quantity: 6 },
      ])
      expect(dataOf(answer, 200)).toMatchObject({ created: 0, updated: 2 })
    })
    expect(written).toEqual([other.sku_code])
  })

  it('takes the same pair twice in order: the last one wins, the second counts as updated', async () => {
    const pair = await newPair()
    const again = { ...pair, quantity: 2 }
    const answer = await upload([{ ...pair, quantity: 1 }, { ...pair, quantity: 9 }, again])
    const counts = { total: 3, created: 1, updated: 2, failed: 0, errors: [] }
    expect(dataOf(answer, 200)).toStrictEqual(counts)
    expect(await stockAt(pair.location_code)).toStrictEqual([again])
  })

  it('ends a repeated pair as its last good row says', async () => {
    const pair = await newPair()
    const answer = await upload([
      { ...pair, quantity: 1 },
      { ...pair, quantity: 2 },
      { ...pair, quantity: -3 },
    ])
    expect(dataOf(answer, 200)).toMatchObject({ total: 3, created: 1, updated: 1, failed: 1 })
    expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity: 2 }])
  })

  it('keeps a repeated pair in order across a large upload', async () => {
    const pair = await newPair()
    const rows = Array.from({ length: 30_000 }, (_, quantity) => ({ ...pair, quantity }))
    expect(dataOf(await upload(rows), 200)).toMatchObject({ created: 1, updated: 29_999 })
    expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity: 29_999 }])
  })

  it('keeps a record of quantity 0', async () => {
    const row = { ...(await newPair()), quantity: 0 }
    expect(dataOf(await upload([row]), 200).created).toBe(1)
    expect(await stockAt(row.location_code)).toStrictEqual([row])
  })

  it('leaves product quantity alone', async () => {
    const { sku } = await createProduct(api, { quantity: 7 })
    await stock(api, { sku_code: sku, quantity: 99 })
    expect(dataOf(await api.get(path('products', sku)), 200).quantity).toBe(7)
  })

  it.each(['007', '7', '1e3', '1000', 'null', 'true', '[]'])(
    'takes the code %s for text',
    async (odd) => {
      await createLocation(api, { code: odd })
      await createProduct(api, { sku: odd })
      const row = { location_code: odd, sku_code: odd, quantity: 4 }
      expect(dataOf(await upload([row]), 200).created).toBe(1)
      expect(await stockAt(odd)).toStrictEqual([row])
    },
  )

  it('creates a pair once when twenty uploads bring it at the same time', async () => {
    const pair = await newPair()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, quantity) => upload([{ ...pair, quantity }])),
    )
    const counts = answers.map((answer) => dataOf(answer, 200))
    expect(counts.filter((count) => count.created === 1)).toHaveLength(1)
    expect(counts.filter((count) => count.updated === 1)).toHaveLength(19)
    expect(await stockAt(pair.location_code)).toHaveLength(1)
  })

  it('names unknown fields in warnings, of the request and of rows', async () => {
    const row = { ...(await newPair()), quantity: 1, lot: 'A', id: 5 }
    const answer = await upload([row, row], { colour: 'red' })
    expect(dataOf(answer, 200)).toMatchObject({ created: 1, updated: 1 })
    const [colour, ...ofRows] = warnedFields(answer).toSorted()
    expect(colour).toBe('colour')
    expect(ofRows).toEqual(ofRows.map(() => expect.stringMatching(/^inventory\[\d*\]\.(lot|id)$/)))
    expect(new Set(ofRows.map((field) => field.split('.')[1]))).toEqual(new Set(['lot', 'id']))
  })
})

/** SKUs of the inventory rows that were written while `work` ran. */
async function watchWrites(work: () => Promise<void>): Promise<string[]> {
  const db = await openTenant()
  const log = `watched_${crypto.randomUUID().replaceAll('-', '')}`
  await db.batch([
    db.prepare(`create table ${log} (sku_code text)`),
    db.prepare(`create trigger ${log}_update after update on inventory
      begin insert into ${log} values (new.sku_code); end`),
  ])
  try {
    await work()
    const { results } = await db.prepare(`select sku_code from ${log}`).all<{ sku_code: string }>()
    return results.map((row) => row.sku_code)
  } finally {
    await db.batch([db.prepare(`drop trigger ${log}_update`), db.prepare(`drop table ${log}`)])
  }
}

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

describe('POST /inventory/ request', () => {
  it.each(['missing', 'null', '{}', '"x"', '5', 'true', '[]'])(
    'answers 400 VALIDATION_ERROR for inventory %s',
    async (json) => {
      const body = json === 'missing' ? '{}' : bodyWith({}, 'inventory', json)
      const answer = await api.post('/inventory/', body)
      expectError(answer, 400, 'VALIDATION_ERROR', ['inventory'])
    },
  )

  it('answers 400 VALIDATION_ERROR for no body', async () => {
    expectError(await api.post('/inventory/'), 400, 'VALIDATION_ERROR', ['inventory'])
  })

  it.each(NO_OBJECTS)('answers 400 VALIDATION_ERROR for the body %s', async (body) => {
    expectError(await api.post('/inventory/', body), 400, 'VALIDATION_ERROR')
  })

  it('answers 415 for a body that is not sent as JSON', async () => {
    const headers = { 'Content-Type': 'text/csv' }
    const answer = await api.post('/inventory/', 'A,B,1', { headers })
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['bulk_import', 'manual_adjustment', 'erp_sync', 'initial_load'])(
    'takes the source %s and keeps it in the audit log',
    async (source) => {
      const answer = await upload([{ ...(await newPair()), quantity: 1 }], { source })
      expect(dataOf(answer, 200).created).toBe(1)
      expect(await auditRow(answer)).toMatchObject({ source, notes: null })
    },
  )

  it('takes bulk_import for the source by default', async () => {
    const answer = await upload([{ ...(await newPair()), quantity: 1 }])
    expect(await auditRow(answer)).toMatchObject({ source: 'bulk_import', notes: null })
  })

  it.each(['other', '', 'BULK_IMPORT', ' bulk_import', 5, true, []])(
    'answers 400 VALIDATION_ERROR for source %j and changes nothing',
    async (source) => {
      const pair = await newPair()
      const answer = await upload([{ ...pair, quantity: 1 }], { source })
      expectError(answer, 400, 'VALIDATION_ERROR', ['source'])
      expect(await stockAt(pair.location_code)).toStrictEqual([])
    },
  )

  it('keeps notes and counts in the audit log', async () => {
    const pair = await newPair()
    const notes = 'Count of week 9 \u0000 👩‍🚀'
    const answer = await upload([{ ...pair, quantity: 1 }, { ...pair, quantity: 2 }, {}], { notes })
    expect(await auditRow(answer)).toStrictEqual({
      source: 'bulk_import',
      notes,
      rows_total: 3,
      rows_created: 1,
      rows_updated: 1,
      rows_failed: 1,
    })
  })

  it('takes notes null for none', async () => {
    const answer = await upload([{ ...(await newPair()), quantity: 1 }], { notes: null })
    expect(await auditRow(answer)).toMatchObject({ notes: null })
  })

  const { accepted, refused } = texts(10_000)
  const read = (data: Json) => data.notes
  testField('notes', { accepted, refused }, sendNotes, read)
})

/** Uploads with these notes; on success, answers what the audit log then has. */
async function sendNotes(json: string): Promise<Answer> {
  const body = bodyWith({ inventory: [{ ...(await newPair()), quantity: 1 }] }, 'notes', json)
  const answer = await api.post('/inventory/', body)
  if (answer.status !== 200) return answer
  return { ...answer, body: { data: await auditRow(answer) } }
}

async function auditRow(answer: Answer): Promise<Json> {
  const db = await openTenant()
  const columns = 'source, notes, rows_total, rows_created, rows_updated, rows_failed'
  const row = await db
    .prepare(`select ${columns} from audit_log where request_id = ?`)
    .bind(answer.headers.get('X-Request-Id'))
    .first()
  expect(row).not.toBeNull()
  return row
}

describe('GET /inventory/', () => {
  testPages({
    path: '/inventory/',
    other: '/products/',
    add: async (to) => (await stock(to)).sku_code,
    addToOther: (to) => createProduct(to),
    change: async (to, sku_code) => {
      const found = dataOf(await to.get(`${path('inventory', sku_code)}?by=sku`), 200)
      return await to.post('/inventory/', { inventory: [{ ...found[0], quantity: 77 }] })
    },
    nameOf: (row) => row.sku_code,
  })

  it('shows location_code, sku_code and quantity of each record', async () => {
    const row = await stock(api, { quantity: 12 })
    const { status, body } = await api.get('/inventory/?limit=1')
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: [row],
        pagination: { limit: 1, next_cursor: body.pagination.next_cursor },
      },
    })
  })

  it('shows the rows of one upload last one first, across locations', async () => {
    const rows: object[] = []
    while (rows.length < 5) rows.push({ ...(await newPair()), quantity: rows.length })
    await upload(rows)
    expect(dataOf(await api.get('/inventory/?limit=5'), 200)).toStrictEqual(rows.toReversed())
  })

  it('shows records of inactive products and locations', async () => {
    const row = await stock(api)
    await api.delete(path('locations', row.location_code))
    await api.delete(path('products', row.sku_code))
    expect(dataOf(await api.get('/inventory/?limit=1'), 200)).toStrictEqual([row])
  })
})

describe('GET /inventory/{identifier}/', () => {
  it('answers every SKU held at the location, by default and with by=location', async () => {
    const { code: location_code } = await createLocation(api)
    const rows: Json[] = []
    while (rows.length < 3) {
      const { sku: sku_code } = await createProduct(api)
      rows.push({ location_code, sku_code, quantity: rows.length })
    }
    await upload([...rows, { ...(await newPair()), quantity: 5 }])
    for (const by of ['', '?by=location']) {
      const { status, body } = await api.get(path('inventory', location_code) + by)
      expect({ status, body }).toStrictEqual({
        status: 200,
        body: { success: true, data: rows.toReversed() },
      })
    }
  })

  it('answers every location holding the SKU with by=sku', async () => {
    const { sku: sku_code } = await createProduct(api)
    const rows: Json[] = []
    while (rows.length < 3) {
      const { code: location_code } = await createLocation(api)
      rows.push({ location_code, sku_code, quantity: rows.length })
    }
    await upload([...rows, { ...(await newPair()), quantity: 5 }])
    const { status, body } = await api.get(`${path('inventory', sku_code)}?by=sku`)
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: rows.toReversed() },
    })
  })

  it.each(['', '?by=location', '?by=sku'])(
    'answers [] for an unknown code with "%s"',
    async (by) => {
      const { status, body } = await api.get(path('inventory', unique('NO')) + by)
      expect({ status, body }).toStrictEqual({ status: 200, body: { success: true, data: [] } })
    },
  )

  it('answers [] for a location and for a SKU without stock', async () => {
    const { location_code, sku_code } = await newPair()
    expect(await stockAt(location_code)).toStrictEqual([])
    expect(dataOf(await api.get(`${path('inventory', sku_code)}?by=sku`), 200)).toStrictEqual([])
  })

  it('answers [] for a SKU taken for a location, and the other way round', async () => {
    const row = await stock(api)
    expect(await stockAt(row.sku_code)).toStrictEqual([])
    const answer = await api.get(`${path('inventory', row.location_code)}?by=sku`)
    expect(dataOf(answer, 200)).toStrictEqual([])
  })

  it('tells a location from a SKU of the same code by the parameter by', async () => {
    const both = unique('BOTH')
    await createLocation(api, { code: both })
    await createProduct(api, { sku: both })
    const here = await stock(api, { location_code: both, quantity: 1 })
    const there = await stock(api, { sku_code: both, quantity: 2 })
    expect(await stockAt(both)).toStrictEqual([here])
    const found = dataOf(await api.get(`${path('inventory', both)}?by=sku`), 200)
    expect(found).toStrictEqual([there])
  })

  it.each(['product', 'code', '', 'SKU', 'Location', 'sku%20', 'location,sku', '1'])(
    'answers 400 VALIDATION_ERROR for by=%s',
    async (by) => {
      const answer = await api.get(`/inventory/X/?by=${by}`)
      expectError(answer, 400, 'VALIDATION_ERROR', ['by'])
    },
  )

  it('answers 400 VALIDATION_ERROR for a repeated by', async () => {
    const answer = await api.get('/inventory/X/?by=sku&by=location')
    expectError(answer, 400, 'VALIDATION_ERROR', ['by'])
  })

  it('is not paginated: limit and cursor have no effect and are named in warnings', async () => {
    const { code: location_code } = await createLocation(api)
    await stock(api, { location_code })
    await stock(api, { location_code })
    const answer = await api.get(`${path('inventory', location_code)}?limit=1&cursor=x`)
    expect(dataOf(answer, 200)).toHaveLength(2)
    expect(answer.body.pagination).toBeUndefined()
    expect(warnedFields(answer).toSorted()).toEqual(['cursor', 'limit'])
  })

  it('shows an inactive location and an inactive product', async () => {
    const row = await stock(api)
    await api.delete(path('locations', row.location_code))
    await api.delete(path('products', row.sku_code))
    expect(await stockAt(row.location_code)).toStrictEqual([row])
    const found = dataOf(await api.get(`${path('inventory', row.sku_code)}?by=sku`), 200)
    expect(found).toStrictEqual([row])
  })

  it.each([9_999, 10_000, 10_001, 20_001])(
    'answers all of %i SKUs at one location',
    async (count) => {
      const { code: location_code } = await createLocation(api)
      const skus = await seedProducts(count)
      const rows = skus.map((sku_code, quantity) => ({ location_code, sku_code, quantity }))
      expect(dataOf(await upload(rows), 200)).toMatchObject({ created: count, failed: 0 })
      const answer = await api.get(path('inventory', location_code))
      expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
      const found = dataOf(answer, 200)
      expect(found).toHaveLength(count)
      expect(JSON.stringify(found)).toBe(JSON.stringify(rows.toReversed()))
    },
  )

  it.each(ODD_NAMES)('finds stock at a location and of a SKU named …%s', async (odd) => {
    await findStock(unique('ODD') + odd)
  })

  it.each(ODD_WHOLES)('finds stock at a location and of a SKU named %s', findStock)

  async function findStock(odd: string) {
    await createLocation(api, { code: odd })
    await createProduct(api, { sku: odd })
    const row = await stock(api, { location_code: odd, sku_code: odd, quantity: 3 })
    expect(await stockAt(odd)).toStrictEqual([row])
    const found = dataOf(await api.get(`${path('inventory', odd)}?by=sku`), 200)
    expect(found).toStrictEqual([row])
  }
})

/** Many products at once, past the API, which creates one at a time. */
async function seedProducts(count: number): Promise<string[]> {
  const prefix = unique('SEED')
  const db = await openTenant()
  await db
    .prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ?)
       insert into products (id, sku, created_at, updated_at)
       select ? || i, ? || i, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`,
    )
    .bind(count, prefix, prefix)
    .run()
  return Array.from({ length: count }, (_, i) => prefix + i)
}

describe('/inventory/ paths', () => {
  it.each([
    ['PUT', '/inventory/', 'GET, POST'],
    ['DELETE', '/inventory/', 'GET, POST'],
    ['POST', '/inventory/X/', 'GET'],
    ['PUT', '/inventory/X/', 'GET'],
    ['DELETE', '/inventory/X/', 'GET'],
  ])('answers 405 METHOD_NOT_ALLOWED to %s %s', async (method, at, allowed) => {
    const answer = await api.call(method, at, {})
    expectError(answer, 405, 'METHOD_NOT_ALLOWED')
    const allow = answer.headers.get('Allow')?.split(', ') ?? []
    expect(allow).toEqual(expect.arrayContaining(allowed.split(', ')))
    expect(allow).not.toContain(method)
  })

  it('redirects a path without its trailing slash with 308', async () => {
    const answer = await api.get('/inventory/a%2Fb?by=sku')
    expect(answer.status).toBe(308)
    expect(answer.headers.get('Location')).toMatch(/\/inventory\/a%2Fb\/\?by=sku$/)
  })
})
