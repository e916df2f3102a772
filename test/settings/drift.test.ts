import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { driftsIn, stepIn } from '../../src/requests/check-up/drift.ts'
import { Places } from '../../src/requests/check-up/places.ts'

const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value)

describe('stepIn', () => {
  it('finds where something begins, after ten documents without it and for ten with it', () => {
    expect(stepIn([...times(10, false), ...times(10, true)])).toEqual({
      since: 10,
      before: { has: 0, of: 10 },
      after: { has: 10, of: 10 },
    })
    expect(stepIn([...times(9, false), ...times(30, true)])).toBeNull()
    expect(stepIn([...times(30, false), ...times(9, true)])).toBeNull()
  })

  it('finds it although one document in twenty is an exception, and not with two', () => {
    const [before, after] = [times(20, false), times(20, true)]
    expect(stepIn([...before.with(3, true), ...after.with(5, false)])?.since).toBe(20)
    expect(stepIn([...before.with(3, true).with(4, true), ...after])).toBeNull()
    expect(stepIn([...times(10, false).with(3, true), ...after])).toBeNull()
  })

  it('leaves out documents of which nothing is known', () => {
    const series = [null, ...times(10, false), null, ...times(10, true), null]
    expect(stepIn(series)).toMatchObject({ since: 12, after: { has: 10, of: 10 } })
  })

  it('finds none in what comes and goes', () => {
    const ordinary = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 })
    let found = 0
    fc.assert(
      fc.property(ordinary, (series) => {
        if (stepIn(series)) found += 1
      }),
      { numRuns: 2000 },
    )
    // fast-check likes runs of equal values.
    expect(found).toBeLessThan(5)
    expect(stepIn(Array.from({ length: 60 }, (_, n) => n % 20 < 10))).toBeNull()
  })
})

/** What drifts between these documents, in half of the documents each. */
function drifts(before: unknown, after: unknown, rules: Record<string, string> = {}) {
  return driftsOf([...times(10, before), ...times(10, after)], rules)
}

function driftsOf(documents: unknown[], rules: Record<string, string> = {}, redacted = false) {
  const text = JSON.stringify(rules)
  const places = new Places(documents.length, () => text)
  for (const [number, document] of documents.entries()) places.add(number, document, redacted)
  return driftsIn(places, { unmapped: 'drop', fields: rules }).map(
    ({ at, change, kinds, isRead }) => [
      at,
      kinds ? `${kinds.from} to ${kinds.to}` : change,
      ...(isRead ? ['read'] : []),
    ],
  )
}

describe('driftsIn', () => {
  it.each<[string, unknown, unknown, string[][]]>([
    ['a field that appears', { a: 1 }, { a: 1, b: 1 }, [['b', 'appeared']]],
    ['a field that vanishes', { a: 1, b: 1 }, { a: 1 }, [['b', 'vanished']]],
    ['one that becomes null', { a: 1 }, { a: null }, [['a', 'vanished']]],
    ['another kind', { a: 1 }, { a: '1' }, [['a', 'a number to a string']]],
    [
      'an object that becomes an array',
      { a: { b: 1 } },
      { a: [] },
      [['a', 'an object to an array']],
    ],
    [
      'fields of elements',
      { l: [{ n: 1 }, { n: 2, m: 1 }] },
      { l: [{ n: true, m: 1 }] },
      [['l[].n', 'a number to a boolean']],
    ],
    ['elements', { l: ['a'] }, { l: [1, 2] }, [['l[]', 'a string to a number']]],
    ['the document', { a: 1 }, [{ a: 1 }], [['$', 'an object to an array']]],
    ['elements of the document', [{ a: 1 }], [{}], [['$[].a', 'vanished']]],
    ['an object once, without its members', { a: 1 }, { a: 1, b: { c: 1 } }, [['b', 'appeared']]],
  ])('finds %s', (_, before, after, expected) => {
    expect(drifts(before, after)).toEqual(expected)
  })

  it.each<[string, unknown, unknown]>([
    ['nothing', { a: [{ b: 1 }] }, { a: [{ b: 1 }] }],
    ['null instead of nothing', { a: 1, b: null }, { a: 1 }],
    ['other values', { a: 'x', b: 1 }, { a: 'y', b: new ExactNumber('1.50') }],
    ['an array that is empty', { l: [{ a: 1 }] }, { l: [] }],
    ['more elements', { l: [1] }, { l: [1, 2, 3] }],
  ])('does not mind %s', (_, before, after) => {
    expect(drifts(before, after)).toEqual([])
    expect(drifts(after, before)).toEqual([])
  })

  it('says whether a rule reads the place', () => {
    const rules = { 'items[].quantity': 'lines[0].qty' }
    const line = (qty: unknown, note: unknown) => ({ lines: [{ qty, note }] })
    expect(drifts(line(1, 1), line('1', '1'), rules)).toEqual([
      ['lines[].qty', 'a number to a string', 'read'],
      ['lines[].note', 'a number to a string'],
    ])
  })

  it('hides keys that may be values, unless a rule names them', () => {
    const after = { 'a@b.c': 1, 'two words': 1, ['x'.repeat(65)]: 1 }
    expect(drifts({}, after)).toEqual([["['…']", 'appeared']])
    expect(drifts({}, after, { notes: "['two words']" })).toEqual([
      ["['…']", 'appeared'],
      ["['two words']", 'appeared', 'read'],
    ])
  })

  it('looks a bounded number of keys up in the rules', () => {
    let lookedUp = 0
    const rules = () => {
      lookedUp++
      return "['two words']"
    }
    const places = new Places(2, rules)
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`a ${n}`, 1]))
    places.add(0, wide, false)
    places.add(1, { 'two words': 1 }, false)
    expect(lookedUp).toBe(2000)
    expect(places.all.map(({ text }) => text)).toEqual(['', "['…']"])
  })

  it('does not take the keys of a table for fields', () => {
    const stock = (first: number) =>
      Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`SKU-${first + n}`, 1]))
    expect(drifts({ a: 1, stock: stock(0) }, { stock: stock(100) })).toEqual([['a', 'vanished']])
    const nested = (qty: unknown) =>
      Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`SKU-${n}`, { deep: { qty } }]))
    expect(drifts({ stock: nested(1) }, { stock: nested('1') })).toEqual([])
  })

  it('looks at a bounded number of places', () => {
    const wide = { a: 1, ...Object.fromEntries(times(30, 0).map((_, n) => [`o${n}`, many(n)])) }
    expect(drifts(wide, { ...wide, a: 'x', late: 1 })).toEqual([['a', 'a number to a string']])
  })

  it('knows of a redacted place only that it is there', () => {
    const [hidden, plain] = [{ a: '[redacted]' }, { a: { b: 1 } }]
    const of = (documents: unknown[]) => driftsOf(documents, {}, true)
    expect(of([...times(10, plain), ...times(10, hidden)])).toEqual([])
    expect(of([...times(10, hidden), ...times(10, { a: null })])).toEqual([])
    expect(of([...times(10, hidden), ...times(10, {})])).toEqual([['a', 'vanished']])
    expect(of([...times(10, {}), ...times(10, hidden)])).toEqual([['a', 'appeared']])
    // A partner may write this itself.
    expect(driftsOf([...times(10, { a: 1 }), ...times(10, hidden)])).toEqual([
      ['a', 'a number to a string'],
    ])
  })
})

const many = (n: number) => Object.fromEntries(times(40, 0).map((_, at) => [`m${n}-${at}`, 1]))
