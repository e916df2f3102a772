import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { DateTime, QueryDateTime } from '../../src/engine/json/date-time.ts'
import { takes, texts } from './takes.ts'

describe('DateTime', () => {
  it.each([
    ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30:00.5Z', '2026-03-01T09:30:00.500Z'],
    ['2026-03-01T09:30:00.123456Z', '2026-03-01T09:30:00.123Z'],
    ['2026-03-01T09:30:00+02:00', '2026-03-01T07:30:00.000Z'],
    ['2026-03-01T23:30:00-05:30', '2026-03-02T05:00:00.000Z'],
    ['2026-03-01T09:30:00', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30:00.25', '2026-03-01T09:30:00.250Z'],
    ['2026-03-01T09:30', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30Z', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T09:30+02:00', '2026-03-01T07:30:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02 03:04:05.678901', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05,678', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05+02', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02 03:04:05.5+02:00', '2026-01-02T01:04:05.500Z'],
    ['2026-01-02 03:04:05 +0200', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02 03:04:05 Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05+0200', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05-0330', '2026-01-02T06:34:05.000Z'],
    ['2026-01-02T03:04:05+02', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04-05', '2026-01-02T08:04:00.000Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2010-01-20Z', '2010-01-20T00:00:00.000Z'],
    ['2010-01-20z', '2010-01-20T00:00:00.000Z'],
    ['2010-01-20+02:00', '2010-01-19T22:00:00.000Z'],
    ['2010-01-20-0500', '2010-01-20T05:00:00.000Z'],
  ])('makes of %s the UTC moment %s', (value, moment) => {
    expect(DateTime.safeParse(value)).toMatchObject({ success: true, data: moment })
  })

  it.each([
    '',
    'tomorrow',
    '2026',
    '2026-03',
    '2026-02-29',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-03-01T24:00:01Z',
    '2026-03-01T09:60:00Z',
    '2026-03-01T09:30:61Z',
    '2026-03-01T09:30:00+25:00',
    '2026-03-01  09:30:00',
    '2026-03-01_09:30:00',
    '2026-03-01 09',
    '2026-03-01T0930',
    '2026-03-01T09:30:00+2',
    '2026-03-01T09:30:00+200',
    '2026-03-01T09:30:00+02:60',
    '2026-03-01T09:30:00 02:00',
    '2026-03-01T09:30:00 CET',
    '2026-03-01T09:30:00Z+02:00',
    '2026-03-01T09:30:00.',
    '2026-03-01T09:30.5',
    '2026-03-01T24:00:00Z',
    '2026-03-01T09:30:60Z',
    '2010-01-20-05',
    '2010-01-20+02',
    '2010-01-20 Z',
    '2010-02-30Z',
    '2026-02-30 10:00:00',
    '20260102',
    '20260102T030405Z',
    '2026-W01-5',
    '2026-002',
    ' 2026-03-01',
    '2026-03-01 ',
    '2026-03-01T',
    '01/03/2026',
    '1767225600',
    '+002026-03-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '0000-12-31',
    '0001-01-01T00:00:00+02:00',
    '0001-01-01+00:01',
    1767225600000,
    null,
    true,
    {},
    [],
  ])('refuses %j', (value) => {
    expect(takes(DateTime, value)).toBe(false)
  })

  it('says what is wrong, and what to do', () => {
    const faultOf = (schema: z.ZodType, value: string) =>
      schema.safeParse(value).error?.issues.map(({ message }) => message)
    const examples = '2026-03-01T09:30:00Z, 2026-03-01 09:30:00+02:00 or 2026-03-01'
    expect(faultOf(DateTime, 'soon')).toEqual([
      `Must be an ISO 8601 date or datetime, such as ${examples}.`,
    ])
    expect(faultOf(DateTime, '2026-02-30')).toEqual([
      'Is not a day of the calendar, as 30 February.',
    ])
    expect(faultOf(QueryDateTime, '2026-03-01T09:30:00 02:00')).toEqual([
      `Must be an ISO 8601 date or datetime, such as ${examples}; write + as %2B.`,
    ])
  })

  const moments = fc.date({
    min: new Date('0001-01-03T00:00:00Z'),
    max: new Date('9999-12-29T00:00:00Z'),
    noInvalidDate: true,
  })
  const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 })
  const two = (number: number) => String(Math.abs(number)).padStart(2, '0')

  it('leaves what it gives as it is', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        expect(DateTime.parse(moment.toISOString())).toBe(moment.toISOString())
      }),
    )
  })

  it('knows the same moment by every offset, however it is written', () => {
    const separators = fc.constantFrom('T', 't', ' ')
    const colons = fc.constantFrom(':', '')
    const spaces = fc.constantFrom('', ' ')
    fc.assert(
      fc.property(moments, offsets, separators, colons, spaces, (moment, minutes, ...how) => {
        const [separator, colon, space] = how
        const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1)
        const sign = minutes < 0 ? '-' : '+'
        const offset = `${sign}${two(Math.trunc(minutes / 60))}${colon}${two(minutes % 60)}`
        const written = `${local.replace('T', separator)}${space}${offset}`
        expect(DateTime.parse(written)).toBe(moment.toISOString())
        expect(QueryDateTime.parse(written)).toBe(moment.toISOString())
      }),
    )
  })

  it('gives texts that sort as the moments do', () => {
    fc.assert(
      fc.property(moments, moments, (one, other) => {
        const [first, second] = [one, other].map((moment) => DateTime.parse(moment.toISOString()))
        expect((first ?? '') < (second ?? '')).toBe(one.getTime() < other.getTime())
      }),
    )
  })

  it('never throws, and gives nothing but UTC with milliseconds', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.jsonValue()), (value) => {
        const { success, data } = DateTime.safeParse(value)
        if (success) expect(data).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }),
    )
  })
})
