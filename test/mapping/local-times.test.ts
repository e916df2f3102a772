import { describe, expect, it } from 'vitest'
import { UNLIMITED } from '../../src/engine/json/filter/evaluate.ts'
import { REFUSED } from '../../src/engine/mapping/convert.ts'
import { readTime } from '../../src/engine/mapping/local-time.ts'
import type { SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import { readTimePattern } from '../../src/engine/mapping/time-pattern.ts'
import { readTimeZone } from '../../src/engine/mapping/time-zone.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { map, refusals } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Refused, refuses } from './saved.ts'

const read = (text: string, pattern: string | null, zone: string | null = null) =>
  readTime(
    text,
    {
      pattern: pattern === null ? null : readTimePattern(pattern),
      zone: zone === null ? null : readTimeZone(zone),
    },
    UNLIMITED,
  )

describe('a pattern of times', () => {
  it.each<[pattern: string, text: string, utc: string]>([
    ['dd.MM.yyyy HH:mm', '21.08.2017 22:22', '2017-08-21T22:22:00.000Z'],
    ['dd.MM.yyyy', '21.08.2017', '2017-08-21T00:00:00.000Z'],
    ['d.M.yy', '1.2.24', '2024-02-01T00:00:00.000Z'],
    ['d.M.yy', '01.12.99', '2099-12-01T00:00:00.000Z'],
    ['M/d/yyyy h:mm a', '8/21/2017 9:05 PM', '2017-08-21T21:05:00.000Z'],
    ['M/d/yyyy h:mm a', '8/21/2017 12:05\u202fam', '2017-08-21T00:05:00.000Z'],
    ['M/d/yyyy hh:mm:ss a', '8/21/2017 12:05:09 PM', '2017-08-21T12:05:09.000Z'],
    ["yyyyMMdd'T'HHmmss", '20170821T222219', '2017-08-21T22:22:19.000Z'],
    ['yyyyMMddHHmmssSSS', '20170821222219123', '2017-08-21T22:22:19.123Z'],
    ['EEE, d MMM yyyy HH:mm:ss XX', 'Mon, 21 Aug 2017 22:22:19 +0200', '2017-08-21T20:22:19.000Z'],
    ['EEEE d MMMM y', 'monday 21 august 2017', '2017-08-21T00:00:00.000Z'],
    ['yyyy-MM-dd HH:mm XXX', '2017-08-21 22:22 -05:30', '2017-08-22T03:52:00.000Z'],
    ['yyyy-MM-dd HH:mmZ', '2017-08-21 22:22z', '2017-08-21T22:22:00.000Z'],
    [
      "dd-MMM-yyyy 'o''clock' H",
      "1-SEP-2017 o'clock 7".replace('1-', '01-'),
      '2017-09-01T07:00:00.000Z',
    ],
    ['yyyy.MM.dd (HH[mm])', '2017.08.21 (22[05])', '2017-08-21T22:05:00.000Z'],
  ])('%s reads %s', (pattern, text, utc) => {
    expect(read(text, pattern)).toEqual({ utc, doubt: null })
  })

  it.each<[pattern: string, text: string]>([
    ['dd.MM.yyyy', '2017-08-21'],
    ['dd.MM.yyyy', '1.2.2017'],
    ['dd.MM.yyyy', '30.02.2017'],
    ['dd.MM.yyyy', '01.13.2017'],
    ['dd.MM.yyyy', '01x12x2017'],
    ['dd.MM.yyyy', '01.12.2017 10:00'],
    ['dd.MM.yyyy HH:mm', '01.12.2017 24:00'],
    ['M/d/yyyy h:mm a', '1/1/2017 13:00 PM'],
    ['M/d/yyyy h:mm a', '1/1/2017 0:00 AM'],
    ['d MMM yyyy', '1 Okt 2017'],
    ['dd.MM.yyyy', 'x'.repeat(200)],
  ])('%s does not read %s', (pattern, text) => {
    expect(read(text, pattern)).toBe(REFUSED)
  })

  const of = (format: unknown, zone?: unknown) =>
    ({
      order_date: { from: 'a', as: 'datetime', format, ...(zone !== undefined && { zone }) },
    }) as Refused[1]
  const zoneless = '"zone" must be a zone of the IANA list, such as "Europe/Berlin".'
  it.each<Refused>([
    [
      'the name of a zone',
      of('dd.MM.yyyy HH:mm z'),
      'The format "dd.MM.yyyy HH:mm z" has "z": names of zones such as PDT do not say one offset. Write "zone" beside the format, or XX for +0100.',
    ],
    [
      'another letter',
      of('dd.MM.yyyy T'),
      `The format "dd.MM.yyyy T" has "T", which is not known: put text in quotes, as in yyyyMMdd'T'HHmmss.`,
    ],
    [
      'a week',
      of('YYYY-ww'),
      `The format "YYYY-ww" has "YYYY", which is not known: put text in quotes, as in yyyyMMdd'T'HHmmss.`,
    ],
    [
      'no year',
      of('dd.MM. HH:mm'),
      'The format "dd.MM. HH:mm" lacks the year: write yyyy, MM and dd.',
    ],
    ['two months', of('dd.MM.yyyy MMM'), 'The format "dd.MM.yyyy MMM" has the month twice.'],
    [
      'h without a',
      of('dd.MM.yyyy h:mm'),
      'The format "dd.MM.yyyy h:mm" has "h" without "a": write H for 24 hours.',
    ],
    [
      'a without h',
      of('dd.MM.yyyy HH:mm a'),
      'The format "dd.MM.yyyy HH:mm a" has "a" without "h".',
    ],
    [
      'digits that run together',
      of('yyyyMd'),
      'The format "yyyyMd" has "Md": where digits follow, write two letters.',
    ],
    ['minutes alone', of('dd.MM.yyyy mm'), 'The format "dd.MM.yyyy mm" has minutes without hours.'],
    ['an open quote', of("yyyyMMdd'T"), `The format "yyyyMMdd'T" has a ' without its end.`],
    [
      '60 characters',
      of(`yyyyMMdd${'.'.repeat(60)}`),
      `The format "yyyyMMdd${'.'.repeat(60)}" is longer than 60 characters.`,
    ],
    [
      'a number',
      of(7),
      '"format" must be epoch_seconds, epoch_milliseconds or a pattern such as "dd.MM.yyyy".',
    ],
    [
      'another kind',
      { notes: { from: 'a', format: 'dd.MM.yyyy' } },
      '"format" needs "as": "datetime".',
    ],
    [
      'a zone of another kind',
      { notes: { from: 'a', zone: 'UTC' } },
      '"zone" needs "as": "datetime".',
    ],
    ['an epoch with a zone', of('epoch_seconds', 'UTC'), 'An epoch has no zone: leave "zone" out.'],
    ['an unknown zone', of('dd.MM.yyyy', 'Europe/Atlantis'), zoneless],
    ['an offset', of('dd.MM.yyyy', '+01:00'), zoneless],
    ['an abbreviation', of('dd.MM.yyyy', 'EST'), zoneless],
  ])('cannot be saved with %s', refuses)

  it('is not written out', () => {
    const a = { from: 'order_date', as: 'datetime', format: 'dd.MM.yyyy' }
    expect(refusals('orders', { outbound: { fields: { a } } })).toEqual([
      [
        ['outbound', 'fields', 'a'],
        'Outbound, "format" is epoch_seconds or epoch_milliseconds, without "zone".',
      ],
    ])
  })
})

describe('a zone', () => {
  it.each<[zone: string, local: string, utc: string, doubt: string | null]>([
    ['Europe/Berlin', '2017-08-21 22:22', '2017-08-21T20:22:00.000Z', null],
    ['Europe/Berlin', '2017-01-21T22:22:05.5', '2017-01-21T21:22:05.500Z', null],
    ['Europe/Berlin', '2026-03-29 01:59:59', '2026-03-29T00:59:59.000Z', null],
    ['Europe/Berlin', '2026-03-29 02:30', '2026-03-29T01:30:00.000Z', 'never'],
    ['Europe/Berlin', '2026-03-29 03:00', '2026-03-29T01:00:00.000Z', null],
    ['Europe/Berlin', '2026-10-25 02:30', '2026-10-25T00:30:00.000Z', 'twice'],
    ['Europe/Berlin', '2026-10-25 03:00', '2026-10-25T02:00:00.000Z', null],
    ['America/New_York', '2026-11-01 01:30', '2026-11-01T05:30:00.000Z', 'twice'],
    ['America/New_York', '2026-03-08 02:30', '2026-03-08T07:30:00.000Z', 'never'],
    ['Australia/Lord_Howe', '2026-04-05 01:45', '2026-04-04T14:45:00.000Z', 'twice'],
    ['Asia/Kolkata', '2026-01-01 00:00', '2025-12-31T18:30:00.000Z', null],
    ['UTC', '2026-01-01 00:00', '2026-01-01T00:00:00.000Z', null],
  ])('%s takes %s', (zone, local, utc, doubt) => {
    expect(read(local, null, zone)).toEqual({ utc, doubt })
  })

  const mapped = (rule: Partial<Exclude<SavedRule, string>>, a: Json) =>
    map(
      { order_date: { from: 'a', as: 'datetime', ...rule } as SavedRule },
      { a },
      { unmapped: 'drop' },
    )

  it.each<[Json, string]>([
    ['2017-08-21T22:22:00+01:00', '2017-08-21T21:22:00.000Z'],
    ['2017-08-21T22:22:00Z', '2017-08-21T22:22:00.000Z'],
    ['2017-08-21', '2017-08-21T00:00:00.000Z'],
    ['Mon, 21 Aug 2017 22:22:19 +0000', '2017-08-21T22:22:19.000Z'],
    [' 2017-08-21 22:22 ', '2017-08-21T20:22:00.000Z'],
  ])('leaves %j what it says', (a, utc) => {
    expect(mapped({ zone: 'Europe/Berlin' }, a).value).toEqual({ order_date: utc })
  })

  it('takes no local time of more than 400 characters, and never as UTC', () => {
    const local = `2017-08-21T22:22:00.${'0'.repeat(380)}`
    expect(mapped({ zone: 'Europe/Berlin' }, local).value).toEqual({
      order_date: '2017-08-21T20:22:00.000Z',
    })
    expect(mapped({ zone: 'Europe/Berlin' }, `${local}0`).problems).toMatchObject([
      { reason: 'CONVERSION', expected: 'datetime' },
    ])
  })

  it('takes no local time beyond the years 0001 to 9999, and never as UTC', () => {
    expect(mapped({ zone: 'America/New_York' }, '9999-12-31 23:59').problems).toMatchObject([
      { reason: 'CONVERSION', expected: 'datetime' },
    ])
  })

  it('leaves a date of a pattern its day', () => {
    const rule = { format: 'dd.MM.yyyy', zone: 'Asia/Tokyo' } as Partial<Exclude<SavedRule, string>>
    expect(mapped(rule, '21.08.2017').value).toEqual({ order_date: '2017-08-21T00:00:00.000Z' })
  })

  it.each([
    ['2026-10-25 02:30', 'Europe/Berlin has this time twice'],
    ['2026-03-29 02:30', 'Europe/Berlin does not have this time'],
  ])('warns of %s', (a, message) => {
    const { unread } = mapped({ zone: 'Europe/Berlin' }, a)
    expect(unread().passedOver).toMatchObject([
      { field: 'a', message: expect.stringContaining(message) },
    ])
  })

  it('refuses what its pattern does not read', () => {
    const rule = { format: 'dd.MM.yyyy' } as Partial<Exclude<SavedRule, string>>
    for (const a of ['2017-08-21', 20170821]) {
      expect(mapped(rule, a).problems).toMatchObject([
        { reason: 'CONVERSION', at: 'a', expected: 'datetime' },
      ])
    }
    expect(mapped(rule, '').value).toEqual({})
  })

  inDeepPass(() => {
    it('counts its work, so that many times end', () => {
      const fields: Record<string, SavedRule> = {
        'metadata.a[]': { from: 'a[]', as: 'datetime', zone: 'Europe/Berlin' },
      }
      const a = Array.from({ length: 160_000 }, () => '2026-10-25 12:30')
      expect(map(fields, { a }, { unmapped: 'drop' }).problems).toMatchObject([
        { reason: 'TOO_LARGE', unit: 'steps' },
      ])
    })
  })
})
