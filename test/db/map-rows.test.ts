import { sql } from 'drizzle-orm'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { mapRows } from '../../src/engine/db/map-rows.ts'
import { prepared, qb } from '../../src/engine/db/prepared.ts'

const things = sqliteTable('things', {
  id: integer().primaryKey(),
  name: text(),
  share: real(),
  is_active: integer({ mode: 'boolean' }),
  made: integer({ mode: 'timestamp' }),
  metadata: text({ mode: 'json' }),
})

/** A result as D1 gives it. */
const resultOf = (rows: object[]) => ({ results: rows }) as D1Result

const { id, name, share, is_active, made, metadata } = things

describe('the rows of a statement', () => {
  it.each<[string, Parameters<typeof qb.select>[0] & object]>([
    ['columns', { id, name, share }],
    ['a column of another name', { id, title: sql`name`.as('title') }],
    ['SQL', { id, twice: sql<number>`share * 2`.as('twice') }],
  ])('are those of D1 with %s', (_, fields) => {
    const written = prepared(() => qb.select(fields).from(things)).prepare()
    const rows = [1, 2].map((n) =>
      Object.fromEntries(Object.keys(fields).map((key) => [key, key === 'id' ? n : null])),
    )
    expect(mapRows(written, resultOf(rows))).toEqual(rows)
    expect(mapRows(written, resultOf(rows))).toBe(rows)
    expect(mapRows(written, resultOf([]))).toEqual([])
  })

  it.each<[string, Parameters<typeof qb.select>[0] & object, object, object]>([
    ['a boolean', { id, is_active }, { id: 1, is_active: 1 }, { id: 1, is_active: true }],
    ['a time', { id, made }, { id: 1, made: 5 }, { id: 1, made: new Date(5000) }],
    ['JSON', { id, metadata }, { id: 1, metadata: '{"a":1}' }, { id: 1, metadata: { a: 1 } }],
    ['a text of a number', { id: sql`id`.mapWith(String).as('id') }, { id: 1 }, { id: '1' }],
    ['a number of a text', { id: sql`name`.mapWith(Number).as('id') }, { id: '7' }, { id: 7 }],
    ['fields of other names than their columns', { label: name }, { name: 'x' }, { label: 'x' }],
    [
      'SQL without a name',
      { id, twice: sql`share * 2` },
      { id: 1, 'share * 2': 3 },
      { id: 1, twice: 3 },
    ],
    [
      'other names, and a boolean',
      { n: id, is_active },
      { id: 1, is_active: 0 },
      { n: 1, is_active: false },
    ],
    ['nested fields', { of: { id } }, { id: 1 }, { of: { id: 1 } }],
  ])('are mapped with %s', (_, fields, row, mapped) => {
    const written = prepared(() => qb.select(fields).from(things)).prepare()
    expect(mapRows(written, resultOf([row]))).toEqual([mapped])
    expect(mapRows(written, resultOf([row, row]))).toEqual([mapped, mapped])
  })

  it('are what drizzle makes of them, whatever they are', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.constant(null))
    const flag = fc.constantFrom(0, 1, null)
    const rows = fc.array(fc.record({ id: value, name: value, is_active: flag, share: value }))
    const written = prepared(() =>
      qb.select({ id, title: name, is_active, share }).from(things),
    ).prepare()
    fc.assert(
      fc.property(rows, (drawn) => {
        const drizzles = written.mapResult(resultOf(structuredClone(drawn)), true)
        expect(mapRows(written, resultOf(drawn))).toEqual(drizzles)
      }),
    )
  })

  it('are mapped without drizzle where only names and flags differ', () => {
    const written = prepared(() => qb.select({ n: id, is_active }).from(things)).prepare()
    for (let use = 0; use < 2; use++) mapRows(written, resultOf([{ id: 1, is_active: 1 }]))
    const drizzles = vi.spyOn(written, 'mapResult')
    const found = mapRows(
      written,
      resultOf([
        { id: 2, is_active: 0 },
        { id: 3, is_active: null },
      ]),
    )
    expect(found).toEqual([
      { n: 2, is_active: false },
      { n: 3, is_active: null },
    ])
    expect(drizzles).not.toHaveBeenCalled()
  })
})
