import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { mapRecord } from '../../src/engine/mapping/outbound.ts'
import type { Format } from '../../src/engine/mapping/saved-rule.ts'
import { map, outcome } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

const fieldsOf = (format?: Format) => ({
  order_date: { from: 'a', as: 'datetime' as const, ...(format && { format }) },
})

const read = (a: Json, format?: Format) => {
  const { value, problems } = map(fieldsOf(format), { a }, { unmapped: 'drop' })
  expect(problems).toEqual([])
  return (value as Json).order_date
}

const refused = (a: Json, format?: Format) =>
  expect(outcome(fieldsOf(format), { a }, { unmapped: 'drop' })).toMatchObject([
    { reason: 'CONVERSION', rule: 'order_date', at: 'a', expected: 'datetime' },
  ])

const MOMENT = '2017-08-21T22:22:19.000Z'

describe('as datetime, without a format', () => {
  it.each([
    ['2017-08-21T22:22:19Z', MOMENT],
    ['2017-08-21t22:22:19z', MOMENT],
    ['2017-08-21T22:22:19', MOMENT],
    ['2017-08-21 22:22:19', MOMENT],
    ['2017-08-21 22:22:19Z', MOMENT],
    ['2017-08-21 22:22:19 Z', MOMENT],
    ['2017-08-21T22:22:19+00:00', MOMENT],
    ['2017-08-21T22:22:19+0000', MOMENT],
    ['2017-08-21 22:22:19 +0000', MOMENT],
    ['2017-08-22T00:22:19+02:00', MOMENT],
    ['2017-08-21T15:22:19-0700', MOMENT],
    ['2017-08-22T03:52:19 +05:30', MOMENT],
    ['2017-08-21T22:22:19.0', MOMENT],
    ['2017-08-21T22:22:19.0000000Z', MOMENT],
    ['2017-08-21T22:22:19.123456789Z', '2017-08-21T22:22:19.123Z'],
    ['2017-08-21T22:22:19.9999999+0000', '2017-08-21T22:22:19.999Z'],
    ['2017-08-21T22:22', '2017-08-21T22:22:00.000Z'],
    ['2017-08-21', '2017-08-21T00:00:00.000Z'],
    ['2010-01-20Z', '2010-01-20T00:00:00.000Z'],
    ['20181205', '2018-12-05T00:00:00.000Z'],
    ['20200229', '2020-02-29T00:00:00.000Z'],
    ['Mon, 21 Aug 2017 22:22:19 +0000', MOMENT],
    ['Mon, 21 Aug 2017 22:22:19 GMT', MOMENT],
    ['Mon, 21 Aug 2017 18:22:19 EDT', MOMENT],
    ['21 Aug 2017 22:22:19 +0000', MOMENT],
    ['1 Aug 2017 22:22 UT', '2017-08-01T22:22:00.000Z'],
    ['tue, 22 aug 2017 00:22:19 +0200', MOMENT],
    ['/Date(1503354139000)/', MOMENT],
    ['/Date(1503354139000+0200)/', MOMENT],
    ['/Date(1503354139000-0730)/', MOMENT],
    ['/Date(-1000)/', '1969-12-31T23:59:59.000Z'],
    ['/Date(0)/', '1970-01-01T00:00:00.000Z'],
    ['  2017-08-21 22:22:19\n', MOMENT],
  ])('reads %s as %s', (a, moment) => {
    expect(read(a)).toBe(moment)
  })

  it.each([
    ...['01/02/24', '01/02/2024', '1.2.2024', '2024/01/02', '21-08-2017', '2017-8-21', '2017-08'],
    ...[
      '2017',
      '201812',
      '2018120',
      '201812051',
      '20181305',
      '20180230',
      '2017-02-30',
      '2017-13-01',
    ],
    ...['2017-08-21T25:00:00', '2017-08-21T22:60:00', '2017-08-21T22:22:19+25:00', '22:22:19'],
    ...[
      'Mon, 21 Foo 2017 22:22:19 +0000',
      'Mon, 31 Feb 2017 22:22:19 +0000',
      'Mon, 21 Aug 17 22:22:19 GMT',
    ],
    ...['Mon, 21 Aug 2017 22:22:19', 'Mon, 21 Aug 2017 22:22:19 XYZ', '21 Aug 2017'],
    ...['/Date(x)/', '/Date(1503354139000)', '/Date(9999999999999999)/', '/Date(999999999999999)/'],
    ...['now', 'today', '1503354139', 'Invalid date', '+010000-01-01T00:00:00Z'],
    ...[1503354139, 1503354139000, true],
  ])('refuses %j', (a) => {
    refused(a)
  })

  it.each([
    ...['0000-00-00', '0000-00-00 00:00:00', '0000-00-00T00:00:00Z', '00000000', ' 0000-00-00 '],
    ...['0001-01-01T00:00:00', '0001-01-01', '0001-01-01T00:00:00Z', '00010101'],
    ...['/Date(-62135596800000)/', '/Date(-62135596800000+0000)/', '/Date(-62135604000000)/'],
    ...['0001-01-01T00:00:00+02:00', '0001-01-01 00:00:00-05:00', '0000-12-31T22:00:00Z'],
    ...['Mon, 01 Jan 0001 00:00:00 +0200', '1 Jan 0001 00:00:00 GMT'],
  ])('takes %j for no value', (a) => {
    expect(read(a)).toBeUndefined()
    const fields = { order_date: { from: ['a', 'b'], as: 'datetime' as const } }
    expect(outcome(fields, { a, b: '2017-08-21' }, { unmapped: 'drop' })).toEqual({
      order_date: '2017-08-21T00:00:00.000Z',
    })
  })
})

describe('as datetime, with a format', () => {
  it.each<[Json, string]>([
    [1503354139, MOMENT],
    ['1503354139', MOMENT],
    [' 1503354139 ', MOMENT],
    [1503354139.5, '2017-08-21T22:22:19.500Z'],
    ['1503354139.123456', '2017-08-21T22:22:19.123Z'],
    [new ExactNumber('1503354139.000'), MOMENT],
    [new ExactNumber('1.503354139e9'), MOMENT],
    [0, '1970-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
    [-1.5, '1969-12-31T23:59:58.500Z'],
    [253402300799, '9999-12-31T23:59:59.000Z'],
  ])('reads %s seconds as %s', (a, moment) => {
    expect(read(a, 'epoch_seconds')).toBe(moment)
  })

  it.each<[Json, string]>([
    [1503354139000, MOMENT],
    ['1503354139000', MOMENT],
    [1503354139000.9, MOMENT],
    [new ExactNumber('1.503354139000e12'), MOMENT],
    [-1, '1969-12-31T23:59:59.999Z'],
  ])('reads %s milliseconds as %s', (a, moment) => {
    expect(read(a, 'epoch_milliseconds')).toBe(moment)
  })

  it.each<[Json, Format]>([
    ['2017-08-21', 'epoch_seconds'],
    ['1e9', 'epoch_seconds'],
    ['0x10', 'epoch_seconds'],
    ['+1', 'epoch_seconds'],
    [1503354139000, 'epoch_seconds'],
    [253402300800, 'epoch_seconds'],
    [1e300, 'epoch_milliseconds'],
    [true, 'epoch_seconds'],
    ['/Date(0)/', 'epoch_milliseconds'],
  ])('refuses %j as %s', (a, format) => {
    refused(a, format)
  })

  it('takes the first moment of year 1 for no value', () => {
    expect(read(-62135596800, 'epoch_seconds')).toBeUndefined()
    expect(read('-62135596800000', 'epoch_milliseconds')).toBeUndefined()
  })
})

describe('an outbound format', () => {
  const record = { order_date: '2017-08-21T22:22:19.900Z', due_date: null }
  const made = (rule: object) =>
    mapRecord({ unmapped: 'drop', fields: { at: { from: 'order_date', ...rule } } }, record).value

  it('writes a datetime of ours as a number', () => {
    expect(made({ as: 'datetime', format: 'epoch_seconds' })).toEqual({ at: 1503354139 })
    expect(made({ as: 'datetime', format: 'epoch_milliseconds' })).toEqual({ at: 1503354139900 })
    expect(made({ as: 'datetime' })).toEqual({ at: '2017-08-21T22:22:19.900Z' })
  })

  it('writes nothing where there is no datetime', () => {
    const fields = {
      at: { from: 'due_date', as: 'datetime' as const, format: 'epoch_seconds' as const },
    }
    expect(mapRecord({ unmapped: 'drop', fields }, record).value).toEqual({})
  })

  it('is a moment before 1970 too', () => {
    const fields = {
      at: { from: 'order_date', as: 'datetime' as const, format: 'epoch_seconds' as const },
    }
    expect(
      mapRecord({ unmapped: 'drop', fields }, { order_date: '1969-12-31T23:59:59.500Z' }).value,
    ).toEqual({ at: -1 })
  })
})
