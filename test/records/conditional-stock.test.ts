import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { byDepth } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct, dataOf } from '../fixtures/warehouse.ts'
import { sideBySide } from '../releases/callers.ts'
import { newPair, stockAt, upload } from './inventory.ts'

const quantityAt = async (location: string) => (await stockAt(location))[0]?.quantity ?? null

/** The messages of each failed row, by its index. */
function failedRows({ body }: Awaited<ReturnType<typeof upload>>) {
  const errors = body.data.errors.map(({ row, errors }: { row: number; errors: object }) => [
    row,
    errors,
  ])
  return Object.fromEntries(errors)
}

const unmet = (message: string) => ({ if_quantity: [message] })

describe('POST /inventory/ with if_quantity', () => {
  it('writes if that is stored, and if there is no record for null', async () => {
    const pair = await newPair()
    const first = await upload([{ ...pair, quantity: 7, if_quantity: null }])
    expect(first.body.data).toEqual({ total: 1, created: 1, updated: 0, failed: 0, errors: [] })
    const second = await upload([{ ...pair, quantity: 8, if_quantity: 7 }])
    expect(second.body.data).toEqual({ total: 1, created: 0, updated: 1, failed: 0, errors: [] })
    expect(await quantityAt(pair.location_code)).toBe(8)
  })

  it.each([
    [7, { quantity: 6, if_quantity: 5 }, 'Is 7, not 5.'],
    [7, { quantity: 7, if_quantity: 5 }, 'Is 7, not 5; 7 is what this row asks for.'],
    [7, { quantity: 6, if_quantity: null }, 'Is 7: there is a record.'],
    [
      7,
      { quantity: 7, if_quantity: null },
      'Is 7: there is a record; 7 is what this row asks for.',
    ],
    [null, { quantity: 6, if_quantity: 5 }, 'There is no record, not 5.'],
    [null, { quantity: 0, if_quantity: 0 }, 'There is no record, not 0.'],
    [0, { quantity: 6, if_quantity: null }, 'Is 0: there is a record.'],
  ])('is a row error where %j is stored for %j', async (stored, row, message) => {
    const pair = await newPair()
    if (stored !== null) await upload([{ ...pair, quantity: stored }])
    const other = await newPair()
    const answer = await upload([
      { ...other, quantity: 1 },
      { ...pair, ...row },
    ])
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      ...{ total: 2, created: 1, updated: 0, failed: 1 },
      errors: [
        {
          row: 1,
          location_id: pair.location_code,
          product_id: pair.sku_code,
          errors: unmet(message),
        },
      ],
    })
    expect(await quantityAt(pair.location_code)).toBe(stored)
  })

  it('is in the audit log without what was stored', async () => {
    const pair = await newPair()
    await upload([{ ...pair, quantity: 4711 }])
    const answer = await upload([{ ...pair, quantity: 1, if_quantity: 5 }])
    const explained = JSON.stringify(await loggedRow(answer, 'message, details'))
    expect(explained).toContain('Is not what was stored.')
    expect(explained).not.toContain('4711')
  })

  it('judges a row by what the rows before it left', async () => {
    const pair = await newPair()
    await upload([{ ...pair, quantity: 5 }])
    const rows = [
      { quantity: 4, if_quantity: 9 },
      { quantity: 6, if_quantity: 5 },
      { quantity: 7, if_quantity: 5 },
      { quantity: 8, if_quantity: 6 },
      { quantity: 2 },
      { quantity: 3, if_quantity: null },
      { quantity: 9, if_quantity: 2 },
      { quantity: 9, if_quantity: 2 },
    ]
    const answer = await upload(rows.map((row) => ({ ...pair, ...row })))
    expect(answer.body.data).toMatchObject({ total: 8, created: 0, updated: 4, failed: 4 })
    expect(failedRows(answer)).toEqual({
      0: unmet('Is 5, not 9.'),
      2: unmet('Is 6, not 5.'),
      5: unmet('Is 2: there is a record.'),
      7: unmet('Is 9, not 2; 9 is what this row asks for.'),
    })
    expect(await quantityAt(pair.location_code)).toBe(9)
  })

  it('judges rows behind one that creates the record by its quantity', async () => {
    const pair = await newPair()
    const rows = [{ if_quantity: 0 }, { if_quantity: null }, { if_quantity: null }]
    const answer = await upload(rows.map((row, at) => ({ ...pair, quantity: at, ...row })))
    expect(answer.body.data).toMatchObject({ created: 1, updated: 0, failed: 2 })
    expect(failedRows(answer)).toEqual({
      0: unmet('There is no record, not 0.'),
      2: unmet('Is 1: there is a record.'),
    })
  })

  it('has an error of its own if it is none', async () => {
    const pair = await newPair()
    const wrong = ['5', 2.5, true, [], -1, 2_000_000_001]
    const rows = wrong.map((if_quantity) => ({ ...pair, quantity: 1, if_quantity }))
    const answer = await upload([...rows, { ...pair, sku_code: 7, quantity: 'x', if_quantity: {} }])
    expect(answer.body.data).toMatchObject({ total: 7, created: 0, failed: 7 })
    const names = answer.body.data.errors.map(({ errors }: { errors: object }) =>
      Object.keys(errors),
    )
    expect(names.slice(0, 6)).toEqual(wrong.map(() => ['if_quantity']))
    expect(names[6]).toEqual(['sku_code', 'quantity', 'if_quantity'])
    expect(failedRows(answer)[0]).toEqual(unmet('Must be an integer, not a string.'))
  })

  it('is not judged where a code is unknown', async () => {
    const pair = await newPair()
    const sku_code = unique('none')
    const rows = [1, 2].map((quantity) => ({ ...pair, sku_code, quantity, if_quantity: 5 }))
    const answer = await upload([...rows, { ...pair, quantity: 1, if_quantity: null }])
    expect(answer.body.data).toMatchObject({ total: 3, created: 1, updated: 0, failed: 2 })
    const errors = { sku_code: [`No product has the SKU "${sku_code}".`] }
    expect(failedRows(answer)).toEqual({ 0: errors, 1: errors })
  })

  it('lists 1,000 of the rows that fail, in order, and counts all', async () => {
    const pair = await newPair()
    const { sku } = await createProduct(api)
    const row = { ...pair, quantity: 1, if_quantity: 5 }
    const rows = Array.from({ length: 1500 }, (_, at) => (at % 2 ? row : { ...row, sku_code: sku }))
    const { body } = await upload(rows)
    expect(body.data).toMatchObject({ total: 1500, failed: 1500 })
    expect(body.data.errors.map(({ row }: { row: number }) => row)).toEqual([...Array(1000).keys()])
    expect(body.warnings).toEqual([
      { field: 'errors', message: 'Only the first 1000 of 1500 failed rows are listed.' },
    ])
  })

  it('refuses an upload with more than 10,000 conditions for one pair', async () => {
    const pair = await newPair()
    const rows = Array.from({ length: 10_001 }, (_, at) => ({
      ...pair,
      quantity: at + 1,
      if_quantity: at,
    }))
    const refused = await upload(rows)
    expect([refused.status, Object.keys(refused.body.error.fields)]).toEqual([400, ['inventory']])
    const most = await upload([{ ...pair, quantity: 0 }, ...rows.slice(0, 10_000)])
    expect(most.body.data).toMatchObject({ created: 1, updated: 10_000, failed: 0 })
    expect(await quantityAt(pair.location_code)).toBe(10_000)
  })

  it('has no effect for release 1.0, which says so', async () => {
    const { pinned } = await sideBySide()
    const pair = await newPair()
    const inventory = [5, 'x'].map((if_quantity) => ({ ...pair, quantity: 3, if_quantity }))
    const { status, body } = await pinned.post('/inventory/', { inventory })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ created: 1, updated: 1, failed: 0 })
    expect(body.warnings).toMatchObject([
      { field: 'inventory[].if_quantity' },
      { field: 'inventory[1]', code: 'PAIR_REPEATED' },
    ])
  })
})

describe('a mapping of inventory[].if_quantity', () => {
  const fields = {
    'inventory[].location_code': 'stock[].bin',
    'inventory[].sku_code': 'stock[].item',
    'inventory[].quantity': 'stock[].count',
  }
  const inboundWith = (condition: unknown) => ({
    inventory: { inbound: { fields: { ...fields, 'inventory[].if_quantity': condition } } },
  })

  it('makes rows without the source unconditional, and errors name its path', async () => {
    const partner = await openPartner({ mappings: inboundWith('stock[].was') })
    const { location_code: bin, sku_code: item } = await newPair()
    const stock = [
      { count: 1 },
      { count: 2, was: 1 },
      { count: 3, was: 1 },
      { count: 4, was: null },
    ]
    const { body } = await partner.api.post('/inventory/', {
      stock: stock.map((row) => ({ bin, item, ...row })),
    })
    expect(body.data).toMatchObject({ created: 1, updated: 1, failed: 2 })
    expect(body.data.errors).toMatchObject([
      { row: 2, errors: unmet('Is 2, not 1.'), source: { if_quantity: 'stock[2].was' } },
      {
        row: 3,
        errors: unmet('Is 2: there is a record.'),
        source: { if_quantity: 'stock[3].was' },
      },
    ])
  })

  it('with required makes them errors', async () => {
    const required = { from: 'stock[].was', as: 'integer', required: true }
    const partner = await openPartner({ mappings: inboundWith(required) })
    const { location_code: bin, sku_code: item } = await newPair()
    const stock = [{ count: 1 }, { count: 2, was: 'x' }]
    const { body } = await partner.api.post('/inventory/', {
      stock: stock.map((row) => ({ bin, item, ...row })),
    })
    expect(body.data).toMatchObject({ created: 0, failed: 2 })
    expect(body.data.errors.map(({ errors }: { errors: object }) => Object.keys(errors))).toEqual([
      ['if_quantity'],
      ['if_quantity'],
    ])
  })
})

describe('8 clients that count up one pair by if_quantity', () => {
  it('count each row that is no error once, also where answers are lost', async () => {
    const db = await openTenant()
    const pair = await newPair()
    await upload([{ ...pair, quantity: 0 }])
    const ROUNDS = byDepth(2, 10)
    let [refused, lost] = [0, 0]
    const batch: Watch = async (call) => {
      await scheduler.wait(Math.random() * 5)
      if (Math.random() < 0.05) throw new Error('D1_ERROR: Network connection lost.')
      const answer = await call()
      if (Math.random() < 0.2) {
        lost += 1
        throw new Error('D1_ERROR: Network connection lost.')
      }
      return answer
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    let landed = 0
    const appliedBy = async (requestId: string | null) =>
      (await db
        .prepare(
          `select count(*) as n from audit_log
           where request_id = ? and status = 200 and rows_failed = 0`,
        )
        .bind(requestId)
        .first<number>('n')) ?? 0
    const countUp = async () => {
      for (let done = 0; done < ROUNDS; ) {
        const stored = (await quantityAt(pair.location_code)) as number
        const row = { ...pair, quantity: stored + 1, if_quantity: stored }
        const answer = await api.post('/inventory/', { inventory: [row] }, { bindings })
        const { status, headers, body } = answer
        // A 503 may say that the write was applied.
        if (status !== 200) landed += await appliedBy(headers.get('X-Request-Id'))
        if (status !== 200) continue
        if (body.data.failed === 0) {
          done += 1
          landed += 1
        } else {
          expect(body.data.errors[0].errors.if_quantity).toHaveLength(1)
          refused += 1
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, countUp))
    expect(await quantityAt(pair.location_code)).toBe(landed)
    expect(refused).toBeGreaterThan(0)
    expect(lost).toBeGreaterThan(0)
    const slices = await db.prepare('select count(*) as n from inventory_upload_slices').first('n')
    expect(slices).toBe(0)
  }, 120_000)
})

describe('the answer to an upload whose answer from D1 was lost', () => {
  it('says what the upload found, although others have written since', async () => {
    const pair = await newPair()
    await upload([{ ...pair, quantity: 5 }])
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      const answer = await call()
      if (calls > 1) return answer
      await upload([{ ...pair, quantity: 42 }])
      throw new Error('D1_ERROR: Network connection lost.')
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const inventory = [
      { ...pair, quantity: 6, if_quantity: 5 },
      { ...pair, quantity: 7, if_quantity: 5 },
    ]
    const { status, body } = await api.post('/inventory/', { inventory }, { bindings })
    expect(status).toBe(200)
    expect(calls).toBeGreaterThan(1)
    expect(body.data).toMatchObject({ updated: 1, failed: 1 })
    expect(body.data.errors).toMatchObject([{ row: 1, errors: unmet('Is 6, not 5.') }])
    const stock = dataOf(await api.get(`/inventory/${pair.location_code}/`), 200)
    expect(stock[0].quantity).toBe(42)
  })
})
