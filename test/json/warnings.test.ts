import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DateTime } from '../../src/engine/json/date-time.ts'
import { AnyObject, Decimal } from '../../src/engine/json/fields.ts'
import { unusedFields } from '../../src/engine/json/warnings.ts'

const Line = z.object({ sku: z.string(), notes: z.string().nullish() })
const Sample = z.object({
  name: z.string(),
  cost: Decimal.nullish(),
  due: DateTime.optional(),
  extra: AnyObject.default({}),
  address: z.object({ street: z.string() }).nullish(),
  lines: z.array(Line).default([]),
})

const fieldsOf = (value: unknown, schema: z.ZodType = Sample) =>
  unusedFields(schema, value).map(({ field }) => field)

describe('unusedFields', () => {
  it('names nothing that the schema knows, absent or null', () => {
    expect(fieldsOf({})).toEqual([])
    const value = { name: 'x', cost: null, due: '2026-01-01', address: null, lines: [{ sku: 'a' }] }
    expect(fieldsOf(value)).toEqual([])
  })

  it('names what it does not know, where it stands', () => {
    const value = { name: 'x', colour: 1, address: { street: 'y', town: 'z' }, id: null }
    expect(fieldsOf(value)).toEqual(['colour', 'address.town', 'id'])
  })

  it('says that it had no effect', () => {
    expect(unusedFields(Sample, { colour: 1 })).toEqual([
      { field: 'colour', message: expect.stringMatching(/no effect/) },
    ])
  })

  it('names a field of many elements once', () => {
    const lines = Array.from({ length: 500 }, () => ({ sku: 'a', colour: 1, size: { x: 1 } }))
    expect(fieldsOf({ lines })).toEqual(['lines[].colour', 'lines[].size'])
  })

  it('leaves the members of a free object alone', () => {
    expect(fieldsOf({ extra: { anything: { at: ['all'] } } })).toEqual([])
  })

  it('looks through transforms, defaults, optional and nullable', () => {
    const Piped = Sample.transform((value) => value)
    expect(fieldsOf({ colour: 1, lines: [{ colour: 1 }] }, Piped)).toEqual([
      'colour',
      'lines[].colour',
    ])
    const Wrapped = z.object({ deep: z.array(z.array(Line)).nullish().default(null) })
    expect(fieldsOf({ deep: [[{ colour: 1 }]] }, Wrapped)).toEqual(['deep[][].colour'])
  })

  it('names fields that are called like members of every object', () => {
    const value = JSON.parse('{"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4}')
    expect(fieldsOf(value)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
  })

  it('takes a value of another shape than the schema asks for', () => {
    for (const value of [null, 7, 'x', [], [{ colour: 1 }], { lines: 7, address: [1] }]) {
      expect(fieldsOf(value)).toEqual([])
    }
  })

  it('does not repeat a field name of any length', () => {
    const [warning] = unusedFields(Sample, { ['x'.repeat(100_000)]: 1 })
    expect(warning?.field.length).toBeLessThanOrEqual(300)
    expect(warning?.field).toMatch(/^x+/)
  })
})
