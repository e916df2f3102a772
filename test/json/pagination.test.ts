import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cutPage,
  decodeCursor,
  encodeCursor,
  PageQuery,
  pageRequest,
} from '../../src/engine/json/pagination.ts'
import { byDepth } from '../fixtures/depth.ts'

const RESOURCES = ['orders', 'products', 'locations', 'inventory', 'api-keys', 'audit-log']

const resources = fc.constantFrom(...RESOURCES)
// As long as a key allows, see engine/identity/key.ts.
const tenants = fc.stringMatching(/^[a-z][a-z0-9]{0,30}(-[a-z0-9]{1,20}){0,2}$/)
const seqs = fc.oneof(fc.integer({ min: 1 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
const cursors = fc.record({ tenant: tenants, seq: seqs })
const CURSOR = { tenant: 'demo', seq: 70 }
const base64url = (text: string) =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

describe('a cursor', () => {
  it('comes back as the tenant and the seq that it was made of', () => {
    fc.assert(
      fc.property(resources, cursors, (resource, cursor) => {
        expect(decodeCursor(resource, encodeCursor(resource, cursor))).toEqual(cursor)
      }),
    )
  })

  it('goes into a URL as it is', () => {
    fc.assert(
      fc.property(resources, cursors, (resource, cursor) => {
        const text = encodeCursor(resource, cursor)
        expect(text).toMatch(/^[\w-]+$/)
        expect(encodeURIComponent(text)).toBe(text)
      }),
    )
  })

  it('of another resource is null', () => {
    fc.assert(
      fc.property(resources, resources, cursors, (one, other, cursor) => {
        fc.pre(one !== other)
        expect(decodeCursor(other, encodeCursor(one, cursor))).toBeNull()
      }),
    )
  })

  it('that is garbage is null, and never throws', () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.stringMatching(/^[\w-]{0,120}$/),
      fc.string().map((text) => base64url(encodeURIComponent(text))),
    )
    fc.assert(
      fc.property(resources, garbage, (resource, text) => {
        expect(decodeCursor(resource, text)).toBeNull()
      }),
      { numRuns: byDepth(100, 1000) },
    )
  })

  it.each([
    '',
    '2',
    '2.demo',
    '2.demo.orders',
    '2.demo.orders.',
    '2.demo.orders.x',
    '2.demo.orders.1.5',
    '2.demo.orders.1e3',
    '2.demo.orders.0x10',
    '2.demo.orders. 7',
    '2.demo.orders.07',
    '2.demo.orders.+7',
    '2.demo.orders.-1',
    '2.demo.orders.-0',
    '2.demo.orders.0',
    '2.demo.orders.-9007199254740991',
    '2.demo.orders.9007199254740993',
    '2.demo.orders.Infinity',
    '2.demo.orders.NaN',
    '2.demo.orders.7.8',
    '2.orders.7',
    '2.orders.demo.7',
    '1.orders.7',
    '1.demo.orders.7',
    '3.demo.orders.7',
    '02.demo.orders.7',
    '.demo.orders.7',
  ])('made of "%s" is null', (text) => {
    expect(decodeCursor('orders', base64url(text))).toBeNull()
  })

  it('is taken to the letter: padding, other alphabets and spaces are refused', () => {
    const cursor = encodeCursor('orders', CURSOR)
    const padded = btoa('2.demo.orders.70')
    expect(padded).toMatch(/=$/)
    const others = [padded, `${cursor}==`, ` ${cursor}`, `${cursor}\n`, `${cursor}A`]
    for (const text of others) expect(decodeCursor('orders', text)).toBeNull()
    expect(decodeCursor('orders', cursor)).toEqual(CURSOR)
  })
})

describe('PageQuery', () => {
  const Query = PageQuery('orders')

  it.each([
    [{}, { limit: 50 }],
    [{ limit: '1' }, { limit: 1 }],
    [{ limit: '200' }, { limit: 200 }],
    [
      { limit: '50', cursor: encodeCursor('orders', CURSOR) },
      { limit: 50, cursor: CURSOR },
    ],
  ])('reads %j', (query, read) => {
    expect(Query.parse(query)).toEqual(read)
  })

  it.each([
    '0',
    '201',
    '-1',
    '1.5',
    '',
    ' ',
    ' 5',
    '5 ',
    '+5',
    '1e2',
    '0x10',
    'ten',
    '٣',
    '9'.repeat(400),
  ])('refuses the limit "%s"', (limit) => {
    const { error } = Query.safeParse({ limit })
    expect(error?.issues.map(({ path }) => path)).toEqual([['limit']])
  })

  it('takes every limit from 1 to 200 and no other number', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 200 }), (any, good) => {
        expect(Query.safeParse({ limit: String(any) }).success).toBe(any >= 1 && any <= 200)
        expect(Query.parse({ limit: String(good) }).limit).toBe(good)
      }),
    )
  })

  it.each(['', 'x', encodeCursor('products', CURSOR)])('refuses the cursor "%s"', (cursor) => {
    const { error } = Query.safeParse({ cursor })
    expect(error?.issues.map(({ path }) => path)).toEqual([['cursor']])
  })
})

describe('pageRequest', () => {
  it('asks for the rows before the cursor, or for the newest', () => {
    expect(pageRequest('demo', { limit: 5, cursor: CURSOR })).toEqual({ limit: 5, before: 70 })
    expect(pageRequest('demo', { limit: 5 })).toEqual({ limit: 5, before: undefined })
  })

  it("refuses another tenant's cursor by its name", () => {
    fc.assert(
      fc.property(tenants, cursors, (tenant, cursor) => {
        fc.pre(tenant !== cursor.tenant)
        expect(() => pageRequest(tenant, { limit: 5, cursor })).toThrow(
          expect.objectContaining({
            code: 'VALIDATION_ERROR',
            details: {
              reason: 'INVALID_CURSOR',
              fields: { cursor: [expect.stringContaining('Not a cursor of this list.')] },
            },
          }),
        )
      }),
    )
  })
})

describe('cutPage', () => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ seq: 1000 - at }))

  it('keeps `limit` rows, and points behind the last of them only if there are more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat({ max: 201 }), (limit, count) => {
        const read = rowsOf(Math.min(count, limit + 1))
        const { rows, next_cursor } = cutPage('demo', 'orders', read, { limit })
        expect(rows).toEqual(read.slice(0, limit))
        const next = next_cursor === null ? null : decodeCursor('orders', next_cursor)
        expect(next).toEqual(read.length > limit ? { tenant: 'demo', seq: rows.at(-1)?.seq } : null)
      }),
    )
  })

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
  ])('ends with null when %i rows were read for a page of 2', (count, kept) => {
    expect(cutPage('demo', 'orders', rowsOf(count), { limit: 2 })).toEqual({
      rows: rowsOf(kept),
      next_cursor: null,
    })
  })
})
