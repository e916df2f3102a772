import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import { unique } from '../fixtures/tenant.ts'

// Of each field in the quick pass. What a kind of field takes and refuses is tested in full in test/document.
const TAKEN = 2
const REFUSED = 2

/** A JSON text for a field, and what the field is read as afterwards. */
export interface Sample {
  what: string
  json: string
  reads?: unknown
}

export interface Samples {
  accepted: Sample[]
  refused: Sample[]
}

/** Declares one test for each sample of a field. `send` gives the answer to that JSON. */
export function testField(
  field: string,
  { accepted, refused }: Samples,
  send: (json: string) => Promise<Answer>,
  read: (data: Json) => unknown = (data) => data[field],
) {
  describe.concurrent(`field ${field}`, () => {
    it.each(sample(titled(accepted), TAKEN))(`takes ${field}: %s`, async (_, { json, reads }) => {
      const { status, body } = await send(json)
      expect({ status, error: body.error }).toEqual({ status, error: undefined })
      expect(status).toBeLessThan(300)
      // As text: it tells own `__proto__` members, which toEqual passes over.
      expect(JSON.stringify(read(body.data))).toBe(JSON.stringify(reads))
    })

    it.each(sample(titled(refused), REFUSED))(
      `answers 400 VALIDATION_ERROR for ${field}: %s`,
      async (_, { json }) => {
        expectInvalid(await send(json), field)
      },
    )
  })
}

/** Of these samples, null clears the field. */
export function orNull({ accepted, refused }: Samples): Samples {
  return { accepted: [...accepted, { what: 'null', json: 'null', reads: null }], refused }
}

/** Of these samples, null is refused. */
export function notNull({ accepted, refused }: Samples): Samples {
  return { accepted, refused: [...refused, { what: 'null', json: 'null' }] }
}

export function texts(lengthMax: number): Samples {
  return {
    accepted: [
      ...values('', ' padded ', '007', 'null', 'é ü 日本 \u202e', '👩‍🚀😀', 'two\r\n\tlines'),
      value('NUL inside', 'a\u0000b'),
      value(`${lengthMax} characters`, 'x'.repeat(lengthMax)),
      value(`${lengthMax} emoji`, '😀'.repeat(lengthMax)),
    ],
    refused: [
      ...raws('5', '0', 'true', 'false', '[]', '["x"]', '{}'),
      value(`${lengthMax + 1} characters`, 'x'.repeat(lengthMax + 1)),
      value(`${lengthMax + 1} emoji`, '😀'.repeat(lengthMax + 1)),
      value('a lone high surrogate', 'a\ud83db'),
      value('a lone low surrogate', '\ude00'),
    ],
  }
}

export function identifiers(): Samples {
  return {
    accepted: [
      value('1 character', 'Z'),
      value('255 characters', unique('I').padEnd(255, 'x')),
      value('255 characters, most of them emoji', fill(unique('I'), 255)),
      ...['in side', 'a/b', '100%', 'a?b#c+d', 'é日本', '👩‍🚀😀', '\u200b', '007', 'null'].map(
        (odd) => value(odd, unique('I') + odd),
      ),
    ],
    refused: [
      ...raws('5', '0', 'true', '[]', '["x"]', '{}', '""', '"."', '".."', '" "', '" x"', '"x "'),
      value('256 characters', 'x'.repeat(256)),
      value('256 characters, most of them emoji', fill(unique('I'), 256)),
      ...values('\tx', 'x\n', '\u00a0x', 'x\u2003', '\ufeffx'),
      ...values('a\u0000b', 'a\u001fb', 'a\nb', 'a\u007fb', 'a\u0085b'),
      value('a lone high surrogate', 'a\ud83db'),
      value('a lone low surrogate', '\ude00'),
    ],
  }
}

export function integers(min: number, max = 2_000_000_000): Samples {
  return {
    accepted: [
      ...values(min, max, 2),
      raw('2.0', 2),
      raw('2e0', 2),
      raw('20e-1', 2),
      ...(min <= 0 ? [raw('-0', 0), raw('0', 0)] : []),
    ],
    refused: [
      ...raws('"2"', '""', 'true', 'false', '[]', '[2]', '{}', '2.5', '0.1'),
      ...raws(String(min - 1), String(max + 1), '9007199254740991', '9007199254740993'),
      ...raws('-9007199254740993', '1e21', '1e400', '-1e400'),
    ],
  }
}

export function booleans(): Samples {
  return {
    accepted: values(true, false),
    refused: raws('"true"', '""', '1', '0', '[]', '{}'),
  }
}

export function objects(): Samples {
  const members = {
    text: 'x',
    number: 1.5,
    flag: false,
    none: null,
    list: [1, [2]],
    deep: { a: 1 },
  }
  return {
    accepted: [
      value('empty', {}),
      value('members of every type', members),
      value('odd keys', { '': 1, 'a.b': 2, 'a b': 3, '😀': 4, id: 5, length: 6, toString: 7 }),
      raw('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
      value('NUL and a lone surrogate inside', { a: 'x\u0000y', b: '\ud83d' }),
      value('16 levels of objects', nested(16)),
      value('16 levels with arrays', { a: nestedArrays(15) }),
      value('65,536 bytes', { a: 'x'.repeat(65_536 - 8) }),
      value('65,536 bytes in 21,000 characters', { a: `${'語'.repeat(21_842)}xx` }),
    ],
    refused: [
      ...raws('[]', '[{}]', '"text"', '"{}"', '5', 'true'),
      value('17 levels of objects', nested(17)),
      value('17 levels with arrays', { a: nestedArrays(16) }),
      value('65,537 bytes', { a: 'x'.repeat(65_537 - 8) }),
      value('65,537 bytes in 21,000 characters', { a: `${'語'.repeat(21_842)}xxx` }),
    ],
  }
}

export function decimals(): Samples {
  return {
    accepted: [
      ...values('0', '12.50', '0.5', '0.000001', '999999999999', '999999999999.999999'),
      raw('0', '0'),
      raw('-0', '0'),
      raw('12.5', '12.5'),
      raw('12.50', '12.5'),
      raw('0.1', '0.1'),
      raw('0.000001', '0.000001'),
      raw('999999999999', '999999999999'),
      raw('1e3', '1000'),
      raw('1.5e-3', '0.0015'),
      // Digits that a double would not keep.
      raw('999999999999.999999', '999999999999.999999'),
      raw('123456789012345678e-6', '123456789012.345678'),
      // What binary arithmetic makes of decimals, and what %.17g prints of them.
      raw('0.30000000000000004', '0.3'),
      raw('4.1000000000000005', '4.1'),
      raw('19.989999999999998', '19.99'),
      raw('0.34999999999999998', '0.35'),
      raw('123456.78899999999', '123456.789'),
      raw('5.551115123125783e-17', '0'),
    ],
    refused: [
      ...raws('-1', '-0.01', '1000000000000', '1e21', '1e400', '0.0000001', '1e-7', '0.1234567'),
      ...raws(
        '0.3000000000001',
        '-2.7755575615628914e-17',
        '123456789012.1234567',
        '0.33333333333333331',
      ),
      ...values('-1', '-0.01', '1000000000000', '0.0000001', '1.1234567'),
      ...values('', ' ', ' 1', '1 ', '1\n', '1,5', '1.2.3', 'abc', 'NaN', 'Infinity', '0x10', '١٢'),
      ...raws('true', '[]', '[1]', '{}'),
    ],
  }
}

export function datetimes(): Samples {
  return {
    accepted: [
      time('2026-03-01T09:30:00Z', '2026-03-01T09:30:00.000Z'),
      time('2026-03-01T09:30:00.250Z', '2026-03-01T09:30:00.250Z'),
      time('2026-03-01T09:30:00+02:00', '2026-03-01T07:30:00.000Z'),
      time('2026-03-01T00:30:00+02:00', '2026-02-28T22:30:00.000Z'),
      time('2026-12-31T23:59:59.999-12:00', '2027-01-01T11:59:59.999Z'),
      time('2026-03-01T09:30:00', '2026-03-01T09:30:00.000Z'),
      time('2026-03-01T09:30:00.5', '2026-03-01T09:30:00.500Z'),
      time('2026-03-01T09:30', '2026-03-01T09:30:00.000Z'),
      time('2026-03-01T09:30Z', '2026-03-01T09:30:00.000Z'),
      time('2026-03-01T09:30-02:30', '2026-03-01T12:00:00.000Z'),
      time('2026-03-01T09:30:00.123456Z', '2026-03-01T09:30:00.123Z'),
      time('2026-03-01T09:30:00.123456', '2026-03-01T09:30:00.123Z'),
      time('2026-03-01', '2026-03-01T00:00:00.000Z'),
      time('2024-02-29', '2024-02-29T00:00:00.000Z'),
      time('2026-03-01 09:30:00', '2026-03-01T09:30:00.000Z'),
      time('2026-03-01 09:30', '2026-03-01T09:30:00.000Z'),
      time('2026-03-01 09:30:00,25 +0200', '2026-03-01T07:30:00.250Z'),
      time('2026-03-01 09:30:00.25+02', '2026-03-01T07:30:00.250Z'),
      time('2026-03-01t09:30:00z', '2026-03-01T09:30:00.000Z'),
      time('2026-03-01Z', '2026-03-01T00:00:00.000Z'),
      time('2026-03-01+02:00', '2026-02-28T22:00:00.000Z'),
    ],
    refused: [
      ...values('', 'nonsense', 'today', '01/03/2026', 'March 1, 2026', '2026-03-01 or so'),
      ...values('2026-02-30', '2026-02-30T10:00:00Z', '2025-02-29', '2026-13-01', '2026-00-10'),
      ...values('2026-03-01T25:00:00Z', '2026-03-01T09:61:00Z', '2026-03-01T09:30:61Z'),
      ...values('2026-03-01T09:30:00+25:00', '2026-03-01T', '2026-03-01\n', '2026-3-1'),
      ...values('2026-02-30 10:00:00', '2026-02-30Z', '2026-03-01-05', '20260301', '2026-W09-7'),
      ...values('9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'),
      ...raws('1772357400', 'true', '[]', '{}'),
    ],
  }
}

function titled(samples: Sample[]): [string, Sample][] {
  return samples.map((sample) => [sample.what.replaceAll('%', '%%'), sample])
}

/** So many characters, counted as code points: each emoji is one, of two UTF-16 units. */
function fill(start: string, length: number): string {
  return start + '😀'.repeat(length - start.length)
}

function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) }
}

function nestedArrays(levels: number): object {
  return levels === 1 ? [] : [nestedArrays(levels - 1)]
}

function value(what: string, it: unknown): Sample {
  return { what, json: JSON.stringify(it), reads: it }
}

function values(...all: unknown[]): Sample[] {
  return all.map((it) => value(JSON.stringify(it), it))
}

function raw(json: string, reads: unknown = JSON.parse(json)): Sample {
  return { what: `the JSON ${json}`, json, reads }
}

function raws(...all: string[]): Sample[] {
  return all.map((json) => raw(json))
}

function time(sent: string, reads: string): Sample {
  return { what: sent, json: JSON.stringify(sent), reads }
}
