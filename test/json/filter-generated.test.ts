import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/engine/json/json-object.ts'
import { PathError, parsePath } from '../../src/engine/json/path.ts'
import { byDepth } from '../fixtures/depth.ts'
import type { Json } from '../fixtures/tenant.ts'
import { filterOf } from './filters.ts'

// A naive interpreter of RFC 9535, 2.3.5, which shares nothing with the one under test.

type Operator = '==' | '!=' | '<' | '<=' | '>' | '>='
type Side = { text: string; value: (element: Json) => Json }
interface Condition {
  text: string
  holds: (element: Json) => boolean
}

const NOTHING = undefined

const names = fc.constantFrom('a', 'b', 'c d', "it's", 'toString')
const steps = fc.array(fc.oneof(names, fc.integer({ min: -2, max: 2 })), { maxLength: 2 })

const query: fc.Arbitrary<Side> = fc.tuple(steps, fc.boolean()).map(([path, quoted]) => ({
  text: `@${path.map((step) => stepText(step, quoted)).join('')}`,
  value: (element) =>
    path.reduce<Json>((value, step) => {
      if (typeof step === 'number' && Array.isArray(value))
        return value[step < 0 ? value.length + step : step]
      return typeof step === 'string' && isObject(value) && Object.hasOwn(value, step)
        ? value[step]
        : NOTHING
    }, element),
}))

function stepText(step: string | number, quoted: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  return /^\w+$/.test(step) && !quoted ? `.${step}` : `[${JSON.stringify(step)}]`
}

const literal: fc.Arbitrary<Side> = fc
  .oneof(
    fc.constantFrom<Json[]>(null, true, false, 0, 1, -1.5, 100, '', 'a', 'b', '📦', '\uffff'),
    fc.string({ unit: 'grapheme', maxLength: 2 }),
  )
  .map((value) => ({ text: JSON.stringify(value), value: () => value }))

const length: fc.Arbitrary<Side> = fc.oneof(query, literal).map(({ text, value }) => ({
  text: `length(${text})`,
  value: (element) => {
    const of = value(element)
    if (typeof of === 'string') return [...of].length
    return typeof of === 'object' && of !== null ? Object.keys(of).length : NOTHING
  },
}))

const side = fc.oneof(
  { weight: 3, arbitrary: query },
  { weight: 3, arbitrary: literal },
  { weight: 1, arbitrary: length },
)

function equal(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [mine, yours] = [Object.keys(one).sort(), Object.keys(other).sort()]
  return mine.join('\0') === yours.join('\0') && mine.every((name) => equal(one[name], other[name]))
}

function less(one: Json, other: Json): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one < other
  if (typeof one !== 'string' || typeof other !== 'string') return false
  const [mine, yours] = [[...one], [...other]].map((chars) =>
    chars.map((char) => char.codePointAt(0) ?? 0),
  )
  const at = mine!.findIndex((point, index) => point !== yours![index])
  return at === -1 ? mine!.length < yours!.length : mine![at]! < (yours![at] ?? -1)
}

const HOLDS: Record<Operator, (one: Json, other: Json) => boolean> = {
  '==': equal,
  '!=': (one, other) => !equal(one, other),
  '<': less,
  '>': (one, other) => less(other, one),
  '<=': (one, other) => less(one, other) || equal(one, other),
  '>=': (one, other) => less(other, one) || equal(one, other),
}

const comparison = fc
  .tuple(
    side,
    fc.constantFrom(...(Object.keys(HOLDS) as Operator[])),
    side,
    fc.constantFrom('', ' ', '\n'),
  )
  .map(
    ([left, operator, right, space]): Condition => ({
      text: `${left.text}${space}${operator}${space}${right.text}`,
      holds: (element) => HOLDS[operator](left.value(element), right.value(element)),
    }),
  )

const existence = query.map(
  ({ text, value }): Condition => ({ text, holds: (element) => value(element) !== NOTHING }),
)

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison,
    existence,
    tie('condition').map(({ text, holds }) => ({
      text: `!(${text})`,
      holds: (element: Json) => !holds(element),
    })),
    fc.tuple(tie('condition'), tie('condition')).map(([one, other]) => ({
      text: `(${one.text}) && (${other.text})`,
      holds: (element: Json) => one.holds(element) && other.holds(element),
    })),
    fc.tuple(tie('condition'), tie('condition'), comparison).map(([one, other, last]) => ({
      text: `(${one.text}) || (${other.text}) && ${last.text}`,
      holds: (element: Json) => one.holds(element) || (other.holds(element) && last.holds(element)),
    })),
  ),
}))

const scalar = fc.constantFrom<Json[]>(
  null,
  true,
  false,
  0,
  1,
  -1.5,
  100,
  '',
  'a',
  'ab',
  'b',
  '📦',
  '\uffff',
)
const element = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(
    names,
    fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 2 }),
      fc.dictionary(names, scalar, { maxKeys: 2, noNullPrototype: true }),
    ),
    { maxKeys: 4, noNullPrototype: true },
  ),
)

describe('a filter', () => {
  it('takes the elements that RFC 9535 says, by a naive interpreter', () => {
    let [taken, left] = [0, 0]
    const property = fc.property(
      condition,
      fc.array(element, { maxLength: 6 }),
      ({ text, holds }, elements) => {
        if (text.length > 240) return
        const filter = filterOf(text)
        for (const one of elements) {
          const result = filter.test(one, { work: 0, workMax: Number.POSITIVE_INFINITY })
          if (result !== holds(one)) expect.fail(`${text} of ${JSON.stringify(one)}`)
          if (result) taken += 1
          else left += 1
        }
      },
    )
    const numRuns = byDepth(500, 6000)
    fc.assert(property, { numRuns })
    expect(Math.min(taken, left)).toBeGreaterThan(numRuns / 2)
  })

  it('is read as written: its text parses to a filter that takes the same', () => {
    fc.assert(
      fc.property(condition, element, ({ text, holds }, one) => {
        if (text.length > 240) return
        const again = filterOf(filterOf(text).text.slice(2, -1))
        expect(again.test(one, { work: 0, workMax: 1e9 })).toBe(holds(one))
      }),
      { numRuns: byDepth(100, 1000) },
    )
  })

  it('is a path or a PathError, whatever its text', () => {
    const pieces = fc.constantFrom(
      ...[
        '@',
        '.a',
        "['b']",
        '[0]',
        '==',
        '<',
        '&&',
        '||',
        '!',
        '(',
        ')',
        ' ',
        '1',
        "'x'",
        '"',
        ']',
        '[',
        '?',
        '$',
        '*',
        ',',
        ':',
        'length',
        'true',
        'null',
        '\\',
        '\n',
        '📦',
        '-',
        '.',
        '=~',
        'e',
      ],
    )
    const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
    const damaged = fc
      .tuple(condition, fc.nat(), fc.nat({ max: 3 }), fc.oneof(fc.constant(''), pieces))
      .map(([{ text }, n, cut, piece]) => {
        const at = n % (text.length + 1)
        return text.slice(0, at) + piece + text.slice(at + cut)
      })
    let read = 0
    const numRuns = byDepth(1000, 15_000)
    fc.assert(
      fc.property(fc.oneof(texts, damaged, fc.string({ unit: 'binary' })), (text) => {
        try {
          parsePath(`a[?${text}].b`, { isSource: true })
          read += 1
        } catch (error) {
          if (!(error instanceof PathError)) throw error
          expect(error.message).not.toBe('')
        }
      }),
      { numRuns },
    )
    expect(read).toBeGreaterThan(numRuns / 100)
  })
})
