import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutPage, decodeCursor, encodeCursor, PageQuery } from '../../src/pagination.ts'

const RESOURCES = ['orders', 'products', 'locations', 'inventory', 'api-keys', 'audit-log']

const resources = fc.constantFrom(...RESOURCES)
const seqs = fc.oneof(fc.nat(), fc.maxSafeNat())
const base64url = (text: string) =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

describe('a cursor', () => {
  it('comes back as the seq that it was made of', () => {
    fc.assert(
      fc.property(resources, seqs, (resource, seq) => {
        expect(decodeCursor(resource, encodeCursor(resource, seq))).toBe(seq)
      }),
    )
  })

  it('goes into a URL as it is', () => {
    fc.assert(
      fc.property(resources, seqs, (resource, seq) => {
        const cursor = encodeCursor(resource, seq)
        expect(cursor).toMatch(/^[\w-]+$/)
        expect(encodeURIComponent(cursor)).toBe(cursor)
      }),
    )
  })

  it('of another resource is null', () => {
    fc.assert(
      fc.property(resources, resources, seqs, (one, other, seq) => {
        fc.pre(one !== other)
        expect(decodeCursor(other, encodeCursor(one, seq))).toBeNull()
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
      { numRuns: 1000 },
    )
  })

  it.each([
    '',
    '1',
    '1.orders',
    '1.orders.',
    '1.orders.x',
    '1.orders.1.5',
    '1.orders.1e3',
    '1.orders.0x10',
    '1.orders. 7',
    '1.orders.07',
    '1.orders.+7',
    '1.orders.9007199254740993',
    '1.orders.Infinity',
    '1.orders.NaN',
    '1.orders.7.8',
    '2.orders.7',
    '01.orders.7',
    '.orders.7',
  ])('made of "%s" is null', (text) => {
    expect(decodeCursor('orders', base64url(text))).toBeNull()
  })

  it('is taken to the letter: padding, other alphabets and spaces are refused', () => {
    const cursor = encodeCursor('orders', 7)
    for (const text of [`${cursor}=`, `${cursor}==`, ` ${cursor}`, `${cursor}\n`, `${cursor}A`]) {
      expect(decodeCursor('orders', text)).toBeNull()
    }
    expect(decodeCursor('orders', btoa('1.orders.7'))).toBe(
      cursor === btoa('1.orders.7') ? 7 : null,
    )
  })
})

describe('PageQuery', () => {
  const Query = PageQuery('orders')

  it.each([
    [{}, { limit: 50, before: undefined }],
    [{ limit: '1' }, { limit: 1, before: undefined }],
    [{ limit: '200' }, { limit: 200, before: undefined }],
    [
      { limit: '50', cursor: encodeCursor('orders', 7) },
      { limit: 50, before: 7 },
    ],
  ])('makes of %j a page request', (query, request) => {
    expect(Query.parse(query)).toEqual(request)
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

  it.each(['', 'x', encodeCursor('products', 7)])('refuses the cursor "%s"', (cursor) => {
    const { error } = Query.safeParse({ cursor })
    expect(error?.issues.map(({ path }) => path)).toEqual([['cursor']])
  })
})

describe('cutPage', () => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ seq: 1000 - at }))

  it('keeps `limit` rows, and points behind the last of them only if there are more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat({ max: 201 }), (limit, count) => {
        const read = rowsOf(Math.min(count, limit + 1))
        const { rows, next_cursor } = cutPage('orders', read, limit)
        expect(rows).toEqual(read.slice(0, limit))
        const before = next_cursor === null ? null : decodeCursor('orders', next_cursor)
        expect(before).toBe(read.length > limit ? rows.at(-1)?.seq : null)
      }),
    )
  })

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
  ])('ends with null when %i rows were read for a page of 2', (count, kept) => {
    expect(cutPage('orders', rowsOf(count), 2)).toEqual({
      rows: rowsOf(kept),
      next_cursor: null,
    })
  })
})
