import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/engine/json/json-object.ts'
import { EACH, printPath, readPath } from '../../src/engine/json/path.ts'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { byDepth } from '../fixtures/depth.ts'
import { sent } from '../fixtures/mapped.ts'
import { FIXED, type Situation } from '../fixtures/mapping-generators.ts'
import type { Json } from '../fixtures/tenant.ts'
import { made, modern } from './construct-generators.ts'

const RUNS = { numRuns: byDepth(300, 5000) }
const SEPARATORS = [' ', '=', ': ']
const METHODS = fc.constantFrom('POST', 'PUT')

const cutsTexts = (saved: Situation['saved']) => /"(text|split)":/.test(JSON.stringify(saved))

/** Whether the rule of a place takes something off its value, or multiplies it. */
function hasAmount({ fields }: Situation['saved'], place: Places): boolean {
  const name = printPath(place.map((step) => (typeof step === 'number' ? EACH : step)))
  const rule: Json = fields[name] ?? fields[printPath(place)]
  return isObject(rule) && (rule.less !== undefined || rule.times !== undefined)
}

type Places = (string | number)[]

/** The scalar and empty values of a document, with their paths. */
function* leavesOf(value: Json, place: Places = []): Generator<[Places, Json]> {
  const steps = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : []
  if (steps.length === 0) yield [place, value]
  for (const step of steps) yield* leavesOf(value[step], [...place, step])
}

/** What a document has at a printed path; undefined if nothing, or if a filter or a wildcard is left in it. */
function at(document: Json, source: string): Json {
  return readPath(source).reduce<Json>((value, step) => {
    if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
    return typeof step === 'string' && isObject(value) && Object.hasOwn(value, step)
      ? value[step]
      : undefined
  }, document)
}

/** As a text, and a large integer without an exponent, too: `as: "decimal"` writes 1e+21 so. */
function spellingsOf(leaf: unknown): string[] {
  const digits = Number.isInteger(leaf) ? [BigInt(leaf as number).toString()] : []
  return [String(leaf).trim(), ...digits]
}

function assertMapped(
  check: (situation: Situation, mapped: ReturnType<typeof mapDocument>) => void,
) {
  let good = 0
  fc.assert(
    fc.property(modern, METHODS, (situation, method) => {
      const mapped = mapDocument('orders', situation.saved, sent(situation.payload, method))
      if (mapped.problems.length > 0) return
      good += 1
      check(situation, mapped)
    }),
    RUNS,
  )
  expect(good).toBeGreaterThan(RUNS.numRuns / 20)
}

describe('any mapping with lists, joins, each, filters, conversions, values and defaults', () => {
  it('gives a document or problems, and answers every question about it', () => {
    const resources = fc.constantFrom('orders' as const, 'inventory' as const)
    fc.assert(
      fc.property(modern, METHODS, resources, ({ saved, payload }, method, resource) => {
        const before = JSON.stringify(payload)
        const mapped = mapDocument(resource, saved, sent(payload, method))
        expect(mapped.problems.length).toBeLessThanOrEqual(20)
        for (const { rule, at: place, source } of mapped.problems) {
          expect(Object.keys(saved.fields)).toContain(rule)
          expect(() => [
            readPath(place === '$' ? 'a' : place),
            readPath(source ?? 'a'),
          ]).not.toThrow()
        }
        mapped.unread()
        for (const [place] of leavesOf(mapped.value)) mapped.sourceOfPath(place)
        expect(JSON.stringify(payload)).toBe(before)
      }),
      RUNS,
    )
  })

  it('can say of every value where the document has it, or its text', () => {
    let [leaves, converted] = [0, 0]
    assertMapped(({ saved, payload }, { value, sourceOfPath }) => {
      const cuts = cutsTexts(saved)
      for (const [place, leaf] of leavesOf(value)) {
        if (place.length === 0) continue
        const source = sourceOfPath(place)
        const what = `${place} <- ${source}`
        const isFiller =
          leaf === null || (typeof leaf === 'object' && Object.keys(leaf).length === 0)
        if (source === null) {
          if (!isFiller && !String(leaf).startsWith(FIXED)) expect.fail(what)
          continue
        }
        if (isFiller) continue
        leaves += 1
        const found = source.split(', ').map((path) => at(payload, path))
        if (found.includes(leaf)) continue
        converted += 1
        const isTable = [made('x'), made('1'), made('other')].includes(leaf)
        const texts = found.flatMap(spellingsOf)
        const isList = /[[?]/.test(source.replace(/\[-?\d+\]/g, ''))
        const isSame = texts.some((text) => Number(text) === Number(leaf))
        const isPart = texts.some((text) => String(leaf).includes(text))
        // A joined text may be cut within any of its parts; `as: "boolean"` makes true of a part that is 1.
        const words = typeof leaf === 'boolean' ? [`${Number(leaf)}`] : String(leaf).split(' ')
        const isCut = cuts && texts.some((text) => words.some((word) => text.includes(word)))
        const isCounted = typeof leaf === 'number' && hasAmount(saved, place)
        if (isCounted || isList || isTable || isSame || isPart || isCut) continue
        expect.fail(`${what}: ${JSON.stringify([found, leaf])}`)
      }
    })
    expect(leaves).toBeGreaterThan(RUNS.numRuns / 10)
    expect(converted).toBeGreaterThan(RUNS.numRuns / 100)
  })

  it('invents no text: each is of the document, or of the rules', () => {
    assertMapped(({ saved, payload }, { value }) => {
      const cuts = cutsTexts(saved)
      const known = new Set(
        [...leavesOf(payload)].flatMap(([place, leaf]) => [
          ...spellingsOf(leaf),
          ...place.map(String),
        ]),
      )
      const isJoined = (text: string): boolean =>
        text === '' ||
        [...known, ...SEPARATORS].some(
          (part) => part !== '' && text.startsWith(part) && isJoined(text.slice(part.length)),
        )
      const isWithin = (part: string) => [...known].some((text) => text.includes(part))
      for (const [, leaf] of leavesOf(value)) {
        if (typeof leaf !== 'string' || leaf.startsWith(FIXED)) continue
        const parts = [
          leaf.trim(),
          ...leaf.split(/[ =]/),
          leaf.slice(0, 10),
          leaf.replace(/\.0+$/, ''),
        ]
        const isKnown =
          known.has(leaf.trim()) ||
          isJoined(leaf) ||
          (cuts && parts.some((part) => part !== '' && isWithin(part))) ||
          parts.some((part) => known.has(part) || part.startsWith(FIXED))
        if (!isKnown) expect.fail(leaf)
      }
    })
  })

  it('converts the value of its own rule only', () => {
    const kinds = fc.constantFrom('string', 'integer', 'decimal', 'boolean', 'datetime')
    let compared = 0
    fc.assert(
      fc.property(modern, kinds, ({ saved, payload }, as) => {
        const plain = Object.entries(saved.fields).find(
          ([name, rule]) => typeof rule === 'string' && name !== 'metadata',
        )
        if (!plain) return
        const [name, from] = plain
        const fields = { ...saved.fields, [name]: { from, as } } as Situation['saved']['fields']
        const of = (rules: Situation['saved']) =>
          mapDocument('orders', rules, sent(payload, 'POST'))
        const [one, other] = [of(saved), of({ ...saved, fields })]
        if (one.problems.length > 0 || other.problems.length > 0) return
        compared += 1
        const shape = name.replace(/\[\d*\]/g, '[]')
        const isOwn = (place: string) => place.replace(/\[\d+\]/g, '[]').startsWith(shape)
        const others = (value: Json) =>
          [...leavesOf(value)]
            .map(([place, leaf]) => [
              place
                .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
                .join('')
                .slice(1),
              leaf,
            ])
            .filter(
              ([place, leaf]) =>
                !isOwn(place) && !(typeof leaf === 'object' && leaf !== null) && leaf !== null,
            )
        expect(others(other.value)).toEqual(others(one.value))
      }),
      RUNS,
    )
    expect(compared).toBeGreaterThan(RUNS.numRuns / 100)
  })

  it('takes off what each path of less has, and then multiplies', () => {
    const PATHS = fc.constantFrom('d', 'l[].v', 'l[].o[].v')
    const TIMES = fc.integer({ min: 2, max: 9 })
    // What is taken off is small, so that most quantities stay above zero: a mapping refuses the others.
    const odd = fc.constantFrom('5', '1.5', 'x', '', null, true)
    const numbers = (max: number) =>
      fc.oneof(
        { weight: 19, arbitrary: fc.integer({ min: 0, max }) },
        { weight: 1, arbitrary: odd },
      )
    const parts = fc.array(fc.record({ v: numbers(9) }), { maxLength: 3 })
    const lines = fc.record({ k: numbers(999), v: numbers(9), o: parts }, { requiredKeys: ['k'] })
    const documents = fc.record({
      d: numbers(9),
      l: fc.array(lines, { minLength: 1, maxLength: 3 }),
    })
    let compared = 0
    fc.assert(
      fc.property(documents, PATHS, PATHS, TIMES, (payload, one, other, times) => {
        const quantities = (less: string[], amount: object = {}) => {
          const rule = { from: ['l[].k', 'l[].v'], as: 'integer' as const, less, ...amount }
          const rules = { unmapped: 'drop' as const, fields: { 'items[].quantity': rule } }
          const { value, problems } = mapDocument('orders', rules, sent(payload, 'PUT'))
          if (problems.length > 0) return null
          return (value.items as Json[]).map((item: Json) => item?.quantity ?? null)
        }
        const [whole, first, second] = [quantities([]), quantities([one]), quantities([other])]
        const both = quantities([one, other])
        if (!whole || !first || !second || !both) return
        compared += both.filter(Number.isInteger).length
        const left = whole.map(
          (all: number | null, at: number) => all && first[at] + second[at] - all,
        )
        expect(both).toEqual(left)
        const multiplied = quantities([one, other], { times })
        expect(multiplied).toEqual(
          both.map((quantity: number | null) => quantity && quantity * times),
        )
      }),
      RUNS,
    )
    expect(compared).toBeGreaterThan(RUNS.numRuns / 5)
  })
})
