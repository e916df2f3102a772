import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import {
  AnyObject,
  byteLength,
  DateTime,
  Decimal,
  Identifier,
  isObject,
  Name,
  Notes,
  Quantity,
  SignedQuantity,
  text,
} from '../../src/fields.ts'

const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

/** Any text, whole characters and lone UTF-16 units alike. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
)

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
    '2026-03-01 09:30:00',
    ' 2026-03-01',
    '2026-03-01 ',
    '2026-03-01T',
    '01/03/2026',
    '1767225600',
    '+002026-03-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    1767225600000,
    null,
    true,
    {},
    [],
  ])('refuses %j', (value) => {
    expect(takes(DateTime, value)).toBe(false)
  })

  const moments = fc.date({
    min: new Date('0000-01-03T00:00:00Z'),
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

  it('knows the same moment by every offset', () => {
    fc.assert(
      fc.property(moments, offsets, (moment, minutes) => {
        const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1)
        const sign = minutes < 0 ? '-' : '+'
        const offset = `${sign}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`
        expect(DateTime.parse(local + offset)).toBe(moment.toISOString())
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

describe('Decimal', () => {
  it.each([
    ['0', '0'],
    ['0.5', '0.5'],
    ['12.50', '12.50'],
    ['999999999999.999999', '999999999999.999999'],
    [0, '0'],
    [-0, '0'],
    [7, '7'],
    [12.5, '12.5'],
    [0.1, '0.1'],
    [999999999999, '999999999999'],
    [0.000001, '0.000001'],
  ])('makes of %j the text %s', (value, decimal) => {
    expect(Decimal.parse(value)).toBe(decimal)
  })

  it.each([
    '',
    ' ',
    '-1',
    '-0.5',
    '+1',
    '1e3',
    '0x10',
    '1,5',
    '1_000',
    ' 1',
    '1 ',
    '1\n',
    '.5',
    '1.',
    '1.2.3',
    'NaN',
    'Infinity',
    '1000000000000',
    '0.1234567',
    '٣',
    -1,
    -0.5,
    1e12,
    1e21,
    1e-7,
    0.1 + 0.2,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    true,
    {},
    [1],
  ])('refuses %j', (value) => {
    expect(takes(Decimal, value)).toBe(false)
  })

  const whole = fc.bigInt({ min: 0n, max: 999_999_999_999n }).map(String)
  const fraction = fc.stringMatching(/^\d{1,6}$/)

  it('keeps every decimal of 12 and 6 digits to the digit', () => {
    fc.assert(
      fc.property(whole, fc.option(fraction), (digits, rest) => {
        const decimal = rest === null ? digits : `${digits}.${rest}`
        expect(Decimal.parse(decimal)).toBe(decimal)
      }),
    )
  })

  it('refuses every longer one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{12,30}$/), fraction, (digits, rest) => {
        expect(takes(Decimal, digits)).toBe(false)
        expect(takes(Decimal, `${digits}.${rest}`)).toBe(false)
        expect(takes(Decimal, `1.${rest}${digits}`)).toBe(false)
      }),
    )
  })

  it('never gives anything but digits and one point', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.jsonValue(), fc.double()), (value) => {
        const { success, data } = Decimal.safeParse(value)
        if (success) expect(data).toMatch(/^\d{1,12}(\.\d{1,6})?$/)
      }),
    )
  })
})

describe('Identifier', () => {
  it.each([
    'a',
    '0',
    'SKU-1',
    'a b',
    'a/b',
    '...',
    '.a',
    '%2F',
    '?#&',
    "o'clock",
    'é',
    '📦',
    '倉庫',
  ])('takes "%s" as it is', (value) => {
    expect(Identifier.parse(value)).toBe(value)
  })

  it('does not compose, fold or trim what it takes', () => {
    for (const value of ['e\u0301', 'é', 'SKU', 'sku', 'ﬁ', 'a\u200bb']) {
      expect(Identifier.parse(value)).toBe(value)
    }
  })

  it.each([
    '',
    ' ',
    ' a',
    'a ',
    '\ta',
    'a\n',
    '\u00a0a',
    'a\u3000',
    '\ufeffa',
    'a\u0000b',
    'a\nb',
    'a\u007fb',
    'a\u0085b',
    '.',
    '..',
    '\ud800',
    'a\udc00b',
    null,
    7,
    {},
    ['a'],
  ])('refuses %j', (value) => {
    expect(takes(Identifier, value)).toBe(false)
  })

  it('takes 255 characters and not one more', () => {
    expect(takes(Identifier, 'x'.repeat(255))).toBe(true)
    expect(takes(Identifier, 'x'.repeat(256))).toBe(false)
  })

  it('takes a text just when every rule does', () => {
    const isControl = (unit: string) => {
      const code = unit.charCodeAt(0)
      return code < 0x20 || (code >= 0x7f && code <= 0x9f)
    }
    fc.assert(
      fc.property(texts, (value) => {
        const good =
          value.length >= 1 &&
          value.length <= 255 &&
          value === value.trim() &&
          value !== '.' &&
          value !== '..' &&
          value.isWellFormed() &&
          !value.split('').some(isControl)
        const { success, data } = Identifier.safeParse(value)
        expect(success).toBe(good)
        if (success) expect(data).toBe(value)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes nothing that a URL could not address', () => {
    fc.assert(
      fc.property(texts, (value) => {
        if (!takes(Identifier, value)) return
        const { pathname } = new URL(`https://demo.example/orders/${encodeURIComponent(value)}/`)
        expect(decodeURIComponent(pathname.slice('/orders/'.length, -1))).toBe(value)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('Name, Notes and text', () => {
  it('take their length and not one more', () => {
    for (const [schema, length] of [
      [Name, 255],
      [Notes, 10_000],
      [text(3), 3],
    ] as const) {
      expect(takes(schema, 'x'.repeat(length))).toBe(true)
      expect(takes(schema, 'x'.repeat(length + 1))).toBe(false)
    }
  })

  it('take any well-formed text, the empty one too', () => {
    fc.assert(
      fc.property(texts, (value) => {
        expect(takes(Notes, value)).toBe(value.isWellFormed())
      }),
    )
    expect(takes(Name, '')).toBe(true)
  })

  it.each([null, 7, true, {}, []])('refuse %j', (value) => {
    expect(takes(Name, value)).toBe(false)
  })
})

describe('Quantity', () => {
  it.each([0, 1, JSON.parse('2.0'), -0, 2_000_000_000])('takes %j', (value) => {
    expect(takes(Quantity, value)).toBe(true)
    expect(takes(SignedQuantity, value)).toBe(true)
  })

  it.each([2_000_000_001, 2.5, '2', true, null, 2 ** 53, 1e300, [2], {}])('refuses %j', (value) => {
    expect(takes(Quantity, value)).toBe(false)
    expect(takes(SignedQuantity, value)).toBe(false)
  })

  it('may be negative to the same depth where it is signed', () => {
    expect(takes(SignedQuantity, -2_000_000_000)).toBe(true)
    expect(takes(SignedQuantity, -2_000_000_001)).toBe(false)
  })
})

describe('AnyObject', () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

  it('lets any JSON object through as it is', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }))
    fc.assert(
      fc.property(objects, (value) => {
        expect(AnyObject.parse(value)).toBe(value)
      }),
    )
  })

  it.each([null, 7, 'x', true, [], [{}]])('refuses %j', (value) => {
    expect(takes(AnyObject, value)).toBe(false)
    expect(isObject(value)).toBe(false)
  })

  it('takes 16 levels and not one more, arrays counted', () => {
    expect([takes(AnyObject, nested(16)), takes(AnyObject, nested(17))]).toEqual([true, false])
    expect(takes(AnyObject, { a: [nested(14)] })).toBe(true)
    expect(takes(AnyObject, { a: [nested(15)] })).toBe(false)
  })

  it('takes 64 KB as JSON and not one byte more', () => {
    const frame = byteLength('{"a":""}')
    expect(takes(AnyObject, { a: 'x'.repeat(65_536 - frame) })).toBe(true)
    expect(takes(AnyObject, { a: 'x'.repeat(65_537 - frame) })).toBe(false)
    expect(takes(AnyObject, { a: '倉'.repeat(22_000) })).toBe(false)
  })
})

describe('byteLength', () => {
  it('counts bytes as UTF-8', () => {
    expect(['', 'a', 'é', '倉', '📦'].map(byteLength)).toEqual([0, 1, 2, 3, 4])
  })
})
