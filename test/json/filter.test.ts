import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import type { Json } from '../fixtures/tenant.ts'
import { holds, taken } from './filters.ts'

// The selectors, and what they mean, are those of RFC 9535 (2.3.5.2.2, 2.3.5.3, 2.4.4) and of the JSONPath
// Compliance Test Suite (github.com/jsonpath-standard/jsonpath-compliance-test-suite, BSD 2-Clause).

describe('the comparisons of RFC 9535, table 11', () => {
  const document = { obj: { x: 'y' }, arr: [2, 3] }

  it.each([
    ['@.absent1 == @.absent2', true],
    ['@.absent1 <= @.absent2', true],
    ["@.absent == 'g'", false],
    ['@.absent1 != @.absent2', false],
    ["@.absent != 'g'", true],
    ['1 <= 2', true],
    ['1 > 2', false],
    ["13 == '13'", false],
    ["'a' <= 'b'", true],
    ["'a' > 'b'", false],
    ['@.obj == @.arr', false],
    ['@.obj != @.arr', true],
    ['@.obj == @.obj', true],
    ['@.obj != @.obj', false],
    ['@.arr == @.arr', true],
    ['@.arr != @.arr', false],
    ['@.obj == 17', false],
    ['@.obj != 17', true],
    ['@.obj <= @.arr', false],
    ['@.obj < @.arr', false],
    ['@.obj <= @.obj', true],
    ['@.arr <= @.arr', true],
    ['1 <= @.arr', false],
    ['1 >= @.arr', false],
    ['1 > @.arr', false],
    ['1 < @.arr', false],
    ['true <= true', true],
    ['true > true', false],
  ])('%s is %s', (condition, result) => {
    expect(holds(condition, document)).toBe(result)
  })
})

describe('the filters of RFC 9535, table 12', () => {
  const [j, k, none, kilo] = [{ b: 'j' }, { b: 'k' }, { b: {} }, { b: 'kilo' }]
  const a = [3, 5, 1, 2, 4, 6, j, k, none, kilo]

  it.each<[condition: string, elements: Json[]]>([
    ["@.b == 'kilo'", [kilo]],
    ["(@.b == 'kilo')", [kilo]],
    ['@>3.5', [5, 4, 6]],
    ['@.b', [j, k, none, kilo]],
    ['@<2 || @.b == "k"', [1, k]],
    ['@>1 && @<4', [3, 2]],
    ['@.b == @.x', [3, 5, 1, 2, 4, 6]],
    ['@ == @', a],
  ])('%s takes %j', (condition, elements) => {
    expect(taken(condition, a)).toEqual(elements)
  })
})

describe('a comparison with a literal', () => {
  const MISSING = 'missing'
  const values = [
    ...[MISSING, null, true, false, -1, 0, 0.01, 1, 1.1, 2, 10, 100, 110],
    ...['', '0', '1', 'b', 'c', 'd', 'True', [], [1], {}, { b: 1 }],
  ]
  const elements = values.map((a) => (a === MISSING ? {} : { a }))
  const takenOf = (condition: string) =>
    taken(condition, elements).map((element) => ('a' in element ? element.a : MISSING))
  const but = (...others: Json[]) => values.filter((value) => !others.includes(value))

  it.each<[condition: string, a: Json[]]>([
    ["@.a=='b'", ['b']],
    ['@.a=="b"', ['b']],
    ["@.a=='1'", ['1']],
    ["@.a==''", ['']],
    ['@.a==1', [1]],
    ['@.a==null', [null]],
    ['@.a==true', [true]],
    ['@.a==false', [false]],
    ['@.a=="True"', ['True']],
    ["'b'==@.a", ['b']],
    ["@.a!='b'", but('b')],
    ['@.a!=1', but(1)],
    ['@.a!=null', but(null)],
    ['@.a!=true', but(true)],
    ["@.a<'c'", ['', '0', '1', 'b', 'True']],
    ["@.a<='c'", ['', '0', '1', 'b', 'c', 'True']],
    ["@.a>'c'", ['d']],
    ["@.a>='c'", ['c', 'd']],
    ['@.a<2', [-1, 0, 0.01, 1, 1.1]],
    ['@.a<=2', [-1, 0, 0.01, 1, 1.1, 2]],
    ['@.a>2', [10, 100, 110]],
    ['@.a>=2', [2, 10, 100, 110]],
    ['2<@.a', [10, 100, 110]],
    ['@.a<null', []],
    ['@.a<=null', [null]],
    ['@.a>=null', [null]],
    ['@.a>true', []],
    ['@.a<=true', [true]],
    ['@.a>=false', [false]],
    ['@.a&&@.a!=null', but(MISSING, null)],
    ['@.a==-0', [0]],
    ['@.a==1.0', [1]],
    ['@.a==1.10', [1.1]],
    ['@.a==1e2', [100]],
    ['@.a==1E2', [100]],
    ['@.a==1e+2', [100]],
    ['@.a==1e-2', [0.01]],
    ['@.a==1e-02', [0.01]],
    ['@.a==1e0', [1]],
    ['@.a==1e-0', [1]],
    ['@.a==1e+00', [1]],
    ['@.a==1.1e2', [110]],
    ['@.a==1.1e+2', [110]],
    ['@.a', but(MISSING)],
    ['!@.a', [MISSING]],
    ['! @.a', [MISSING]],
  ])('%s takes %j', (condition, expected) => {
    expect(takenOf(condition)).toEqual(expected)
  })
})

describe('a comparison of two values of the element', () => {
  it.each<[condition: string, element: Json, result: boolean]>([
    ['@.a==@.b', { a: [[1, [2]]], b: [[1, [2]]] }, true],
    ['@.a==@.b', { a: [[1, [2]]], b: [[[2], 1]] }, false],
    ['@.a==@.b', { a: [[1, [2]]], b: [[1, 2]] }, false],
    ['@.a==@.b', { a: { x: 1, y: { z: 1 } }, b: { y: { z: 1 }, x: 1 } }, true],
    ['@.a==@.b', { a: { x: 1, y: { z: 1 } }, b: { x: 1 } }, false],
    ['@.a==@.b', { a: { x: 1 }, b: { x: 1, y: 2 } }, false],
    ['@.a==@.b', { a: { x: 1 }, b: { y: 1 } }, false],
    ['@.a==@.b', { a: [], b: {} }, false],
    ['@.a==@.b', { a: null }, false],
    ['@.a==@.b', { c: 1 }, true],
    ['@.a==length(@.b)', { b: 2 }, true],
    ['@.a==length(@.b)', { a: 1 }, false],
    ['@.absent==@.list[9]', { list: [1] }, true],
    ['@.list[0]==@.list[-1]', { list: [1, 2, 1] }, true],
    ['@.list[-4]==@.absent', { list: [1, 2, 1] }, true],
    ["@['0'] == 5", [5, 6], false],
    ['@[0] == 5', { 0: 5 }, false],
    ['@[1] == 6', [5, 6], true],
    ['@.length == 2', [5, 6], false],
    ['@.toString == @.absent', {}, true],
    ['@.a.b == 1', { a: 'text' }, false],
  ])('%s of %j is %s', (condition, element, result) => {
    expect(holds(condition, element)).toBe(result)
  })

  it('orders texts by code points, not by UTF-16 units', () => {
    expect(holds("@ < '\u{1F600}'", '\uFF5E')).toBe(true)
    expect(holds("@ > '\uFF5E'", '\u{1F600}')).toBe(true)
    expect(holds("@ < 'ab'", 'a')).toBe(true)
    expect(holds("@ < 'a'", 'ab')).toBe(false)
  })

  it('compares numbers by their digits where a double cannot hold them', () => {
    const [one, next] = [
      new ExactNumber('820982911946154508'),
      new ExactNumber('820982911946154509'),
    ]
    expect(holds('@.a == 820982911946154508', { a: one })).toBe(true)
    expect(holds('@.a == 820982911946154508', { a: next })).toBe(false)
    expect(holds('@.a == @.b', { a: one, b: next })).toBe(false)
    expect(holds('@.a == 1.5', { a: new ExactNumber('1.50') })).toBe(true)
    expect(holds('@.a < 2', { a: new ExactNumber('1.50') })).toBe(true)
    expect(holds("@.a == '1.50'", { a: new ExactNumber('1.50') })).toBe(false)
    expect(holds('@.a', { a: one })).toBe(true)
    expect(holds('@.a.digits', { a: one })).toBe(false)
    expect(holds('length(@.a) > 0', { a: one })).toBe(false)
  })
})

describe('and, or, not and parentheses', () => {
  const sets = ['', 'a', 'b', 'c', 'ab', 'ac', 'bc', 'abc']
  const elements = sets.map((set) => Object.fromEntries([...set].map((name) => [name, false])))
  const takenOf = (condition: string) =>
    taken(condition, elements).map((one) => Object.keys(one).join(''))

  it.each([
    ['@.a&&@.b', ['ab', 'abc']],
    ['@.a||@.b', ['a', 'b', 'ab', 'ac', 'bc', 'abc']],
    ['@.a && @.b && @.c', ['abc']],
    ['@.a || @.b || @.c', sets.slice(1)],
    ['@.a && @.b || @.c', ['c', 'ab', 'ac', 'bc', 'abc']],
    ['@.a || @.b && @.c', ['a', 'ab', 'ac', 'bc', 'abc']],
    ['(@.a || @.b) && @.c', ['ac', 'bc', 'abc']],
    ['@.a && (@.b || @.c)', ['ab', 'ac', 'abc']],
    ['!(@.a && @.b)', ['', 'a', 'b', 'c', 'ac', 'bc']],
    ['!@.a && !@.b', ['', 'c']],
    ['!(@.a || @.b)', ['', 'c']],
    ['!(@.a == false)', ['', 'b', 'c', 'bc']],
    ['!(!@.a)', ['a', 'ab', 'ac', 'abc']],
    ['((@.a))', ['a', 'ab', 'ac', 'abc']],
    ['@[\'a\'] && @["b"]', ['ab', 'abc']],
  ])('%s takes those with %j', (condition, expected) => {
    expect(takenOf(condition)).toEqual(expected)
  })
})

describe('length()', () => {
  it.each<[condition: string, elements: Json[], expected: Json[]]>([
    ['length(@.a)>=2', [{ a: 'ab' }, { a: 'd' }], [{ a: 'ab' }]],
    ['length(@.a)>=2', [{ a: [1, 2, 3] }, { a: [1] }], [{ a: [1, 2, 3] }]],
    ['length(@.a)>=2', [{ a: { x: 1, y: 2 } }, { a: {} }], [{ a: { x: 1, y: 2 } }]],
    ['length(@.a)>=0', [{ a: 1 }, { a: null }, { a: true }, {}], []],
    [
      'length(@)==2',
      ['☺', '☺☺', 'ж', 'жж', '阿美', '形声字', '\u{1F600}\u{1F600}'],
      ['☺☺', 'жж', '阿美', '\u{1F600}\u{1F600}'],
    ],
    ['length(@)==3', ['\u{1F600}\ud83d\ud83d', '\u{1F600}\ud83d'], ['\u{1F600}\ud83d\ud83d']],
    ['length(1)>=2', [{}], []],
    ['length(true)>=2', [{}], []],
    ['length(null)>=2', [{}], []],
    ["length('ab')>=2", [{}], [{}]],
    ['length(length(@))==1', [[1]], []],
    ['length(@.a)==length(@.b)', [{ a: 'x', b: [0] }, { a: 'x' }, {}], [{ a: 'x', b: [0] }, {}]],
    [
      'length(@.authors) >= 5',
      [{ authors: [1, 2, 3, 4, 5] }, { authors: 'abcd' }],
      [{ authors: [1, 2, 3, 4, 5] }],
    ],
    ['length(@.sku) > 0', [{ sku: 'S' }, { sku: '' }, { sku: null }, {}], [{ sku: 'S' }]],
  ])('%s of %j takes %j', (condition, elements, expected) => {
    expect(taken(condition, elements)).toEqual(expected)
  })
})
