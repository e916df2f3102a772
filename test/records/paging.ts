import { expect, it } from 'vitest'
import { encodeCursor } from '../../src/engine/json/pagination.ts'
import { byDepth } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import { type Api, dataOf, expectData, openEmptyApi } from '../fixtures/warehouse.ts'

/** A list endpoint: how a row gets into it, what names the row there, how a row is changed. */
export interface List {
  path: string
  /** Another list, with a row in it. */
  other: string
  add: (api: Api) => Promise<string>
  addToOther: (api: Api) => Promise<unknown>
  change: (api: Api, name: string) => Promise<Answer>
  nameOf: (row: Json) => string
}

const LIMITS_REFUSED = ['0', '201', '-1', 'abc', '', '1.5', '1e1', '%201', '1%20', '0x10', 'NaN']
const CURSORS_REFUSED = ['garbage', '', '0', '%00', 'AAAA', '2.demo.orders.5', '%F0%9F%98%80']

/** Declares the tests of spec 4, Pagination, which every list keeps. */
export function testPages(list: List) {
  testLimit(list)
  testCursor(list)
  testOrder(list)
}

function testLimit({ path, add, nameOf }: List) {
  it('answers an empty list with next_cursor null', async () => {
    const answer = await (await openEmptyApi()).get(path)
    expectData(answer, 200, [], { pagination: { limit: 50, next_cursor: null } })
  })

  it('gives 50 rows by default and up to 200 when asked', async () => {
    const empty = await openEmptyApi()
    const rows = byDepth(60, 201)
    await addMany(empty, add, rows)
    const byDefault = await empty.get(path)
    expect(dataOf(byDefault, 200)).toHaveLength(50)
    expect(byDefault.body.pagination).toStrictEqual({
      limit: 50,
      next_cursor: expect.stringMatching(/^\S+$/),
    })
    const most = await empty.get(`${path}?limit=200`)
    expect(dataOf(most, 200)).toHaveLength(Math.min(rows, 200))
    expect(most.body.pagination).toStrictEqual({
      limit: 200,
      next_cursor: rows > 200 ? expect.stringMatching(/^\S+$/) : null,
    })
  })

  it('gives one row with limit 1', async () => {
    await add(api)
    const name = await add(api)
    const answer = await api.get(`${path}?limit=1`)
    expect(dataOf(answer, 200).map(nameOf)).toEqual([name])
    expect(answer.body.pagination.limit).toBe(1)
  })

  it.each(LIMITS_REFUSED)('answers 400 VALIDATION_ERROR for limit=%s', async (limit) => {
    expectInvalid(await api.get(`${path}?limit=${limit}`), 'limit')
  })

  it('answers 400 VALIDATION_ERROR for a repeated limit', async () => {
    expectInvalid(await api.get(`${path}?limit=5&limit=5`), 'limit')
  })

  it('answers 400 VALIDATION_ERROR for an unknown query parameter', async () => {
    expectInvalid(await api.get(`${path}?limit=1&offset=5`), 'offset')
  })
}

function testCursor({ path, other, add, addToOther }: List) {
  it.each(CURSORS_REFUSED)('answers 400 VALIDATION_ERROR for cursor=%s', async (cursor) => {
    expectInvalid(await api.get(`${path}?cursor=${cursor}`), 'cursor')
  })

  it('answers 400 VALIDATION_ERROR for a cursor that was changed', async () => {
    const cursor = await cursorOf(api, path, () => add(api))
    for (const changed of [`${cursor}A`, `A${cursor}`, `${cursor}=`, cursor.slice(1)]) {
      expectInvalid(await api.get(`${path}?cursor=${changed}`), 'cursor')
    }
  })

  it.each([-1, 0])(
    'answers 400 VALIDATION_ERROR for a cursor that was forged, at %i',
    async (seq) => {
      const cursor = encodeCursor(path.slice(1, -1), { tenant: 'demo', seq })
      expectInvalid(await api.get(`${path}?cursor=${cursor}`), 'cursor')
    },
  )

  it('answers 400 VALIDATION_ERROR for a cursor of another resource', async () => {
    const cursor = await cursorOf(api, other, () => addToOther(api))
    expectInvalid(await api.get(`${path}?cursor=${cursor}`), 'cursor')
  })

  it('answers 400 VALIDATION_ERROR for a repeated cursor', async () => {
    const cursor = await cursorOf(api, path, () => add(api))
    expectInvalid(await api.get(`${path}?cursor=${cursor}&cursor=${cursor}`), 'cursor')
  })

  it('takes a cursor with another limit than the one it came with', async () => {
    const names = await addInTurn(api, add, 4)
    const { body } = await api.get(`${path}?limit=1`)
    const answer = await api.get(`${path}?limit=3&cursor=${body.pagination.next_cursor}`)
    expect(dataOf(answer, 200)).toHaveLength(3)
    expect(answer.body.pagination.limit).toBe(3)
    expect(names).toHaveLength(4)
  })
}

function testOrder({ path, add, change, nameOf }: List) {
  it('pages through all rows, newest first, and ends a full last page with null', async () => {
    const empty = await openEmptyApi()
    const names = await addInTurn(empty, add, 4)
    const first = await empty.get(`${path}?limit=2`)
    expect(dataOf(first, 200).map(nameOf)).toEqual([names[3], names[2]])
    const last = await empty.get(`${path}?limit=2&cursor=${first.body.pagination.next_cursor}`)
    expect(dataOf(last, 200).map(nameOf)).toEqual([names[1], names[0]])
    expect(last.body.pagination).toStrictEqual({ limit: 2, next_cursor: null })
  })

  it('ends a last page that is not full with null', async () => {
    const empty = await openEmptyApi()
    await addInTurn(empty, add, 3)
    const first = await empty.get(`${path}?limit=2`)
    const last = await empty.get(`${path}?limit=2&cursor=${first.body.pagination.next_cursor}`)
    expect(dataOf(last, 200)).toHaveLength(1)
    expect(last.body.pagination).toStrictEqual({ limit: 2, next_cursor: null })
  })

  it('neither skips nor repeats a row when rows are added between pages', async () => {
    const empty = await openEmptyApi()
    const names = await addInTurn(empty, add, 5)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor && `&cursor=${cursor}`
      const answer = await empty.get(`${path}?limit=2${query}`)
      seen.push(...dataOf(answer, 200).map(nameOf))
      cursor = answer.body.pagination.next_cursor
      await addInTurn(empty, add, 2)
    }
    expect(seen).toEqual(names.toReversed())
  })

  it('keeps a row in its place when it is updated', async () => {
    const empty = await openEmptyApi()
    const names = await addInTurn(empty, add, 3)
    dataOf(await change(empty, names[0] ?? ''), 200)
    const listed = dataOf(await empty.get(path), 200)
    expect(listed.map(nameOf)).toEqual(names.toReversed())
  })
}

/** The cursor of a list's first page; a row is added so that there is one. */
async function cursorOf(api: Api, path: string, add: () => Promise<unknown>): Promise<string> {
  await add()
  await add()
  const { body } = await api.get(`${path}?limit=1`)
  expect(body.pagination.next_cursor).toEqual(expect.stringMatching(/^\S+$/))
  return body.pagination.next_cursor
}

async function addInTurn(api: Api, add: List['add'], count: number): Promise<string[]> {
  const names: string[] = []
  while (names.length < count) names.push(await add(api))
  return names
}

async function addMany(api: Api, add: List['add'], count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => add(api)))
}
