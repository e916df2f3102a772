import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import {
  AnyObject,
  boundedText,
  byteLength,
  Decimal,
  Identifier,
  Label,
  Name,
  Notes,
  Quantity,
  SignedQuantity,
} from '../../src/engine/json/fields.ts'
import { isObject } from '../../src/engine/json/json-object.ts'
import { takes, texts } from './takes.ts'

const isControl = (unit: string) => {
  const code = unit.charCodeAt(0)
  return code < 0x20 || (code >= 0x7f && code <= 0x9f)
}

const pad = (millionths: number) => String(millionths).padStart(6, '0')

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
    [0.1 + 0.2, '0.3'],
    [1.1 * 1.1, '1.21'],
    [0.1 + 0.2 - 0.3, '0'],
    [114.99999999999999, '115'],
    [new ExactNumber('123456789012.123456'), '123456789012.123456'],
    [new ExactNumber('0.34999999999999998'), '0.35'],
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
    0.1 + 0.2 + 1e-12,
    0.3 - 0.2 - 0.1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    true,
    {},
    [1],
  ])('refuses %j', (value) => {
    expect(takes(Decimal, value)).toBe(false)
  })

  it('gives what the number was before binary arithmetic changed its last bit', () => {
    const decimal = fc.tuple(fc.nat(99_999_999), fc.nat(999_999))
    fc.assert(
      fc.property(decimal, fc.constantFrom(-1, 0, 1), ([units, millionths], side) => {
        const value = Number(`${units}.${pad(millionths)}`)
        const sent = value * (1 + side * 2 ** -53)
        expect(Number(Decimal.parse(sent))).toBe(value)
      }),
    )
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

describe('Label', () => {
  it('takes a text just when every rule does, without the white space at its ends', () => {
    const spaced = fc.array(fc.oneof(texts, fc.constantFrom(' ', '\u00a0', '\u2028', '\ufeff')))
    fc.assert(
      fc.property(
        spaced.map((parts) => parts.join('')),
        (value) => {
          const good =
            value.trim() !== '' &&
            [...value].length <= 255 &&
            value.isWellFormed() &&
            !value.split('').some(isControl)
          const { success, data } = Label.safeParse(value)
          expect(success).toBe(good)
          if (success) expect(data).toBe(value.trim())
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('takes 255 characters and not one more, white space at the ends included', () => {
    expect(takes(Label, '😀'.repeat(255))).toBe(true)
    expect(takes(Label, '😀'.repeat(256))).toBe(false)
    expect(takes(Label, ` ${'x'.repeat(255)}`)).toBe(false)
  })
})

describe('Name, Notes and text', () => {
  it('take their length and not one more', () => {
    for (const [schema, length] of [
      [Name, 255],
      [Notes, 10_000],
      [boundedText(3), 3],
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
