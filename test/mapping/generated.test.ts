import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/engine/json/json-object.ts'
import { EACH, type Path, PathError, parsePath, readPath } from '../../src/engine/json/path.ts'
import { findFaults } from '../../src/engine/mapping/compile.ts'
import { RESOURCES } from '../../src/engine/mapping/identifier.ts'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { readRules } from '../../src/engine/mapping/rules.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { byDepth } from '../fixtures/depth.ts'
import { sent } from '../fixtures/mapped.ts'
import {
  documents,
  FIXED,
  fitting,
  foreign,
  type Situation,
  scraps,
} from '../fixtures/mapping-generators.ts'
import type { Json } from '../fixtures/tenant.ts'
import { mapNaively } from './reference.ts'

const UNSAFE = ['__proto__', 'prototype', 'constructor']
const NOTHING = Symbol('nothing')
const RUNS = { numRuns: byDepth(120, 900) }

type Places = (string | number)[]

/** The value at a path; reads own members only. */
function at(value: Json, place: Places): Json {
  return place.reduce<Json>((found, step) => {
    if (typeof step === 'number')
      return Array.isArray(found) && step in found ? found[step] : NOTHING
    return isObject(found) && Object.hasOwn(found, step) ? found[step] : NOTHING
  }, value)
}

/** Parses a printed path, independently of the code under test. */
function placeOf(text: string): Places {
  const step = /\.?([^.[\]'\s]+)|\[(-?\d+)\]|\['((?:[^'\\]|\\.)*)'\]/gsy
  const place: Places = []
  for (let end = 0; end < text.length; end = step.lastIndex) {
    const [, plain, index, quoted] = step.exec(text) ?? []
    if (index !== undefined) place.push(Number(index))
    else place.push(plain ?? quoted?.replace(/\\(.)/gs, '$1') ?? expect.fail(`no path: ${text}`))
  }
  return place
}

/** The scalar and empty values of a document, with their paths. */
function* leavesOf(value: Json, place: Places = []): Generator<[Places, Json]> {
  const steps = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : []
  if (steps.length === 0) yield [place, value]
  for (const step of steps) yield* leavesOf(at(value, [step]), [...place, step])
}

function freeze(value: Json): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const key of Object.keys(value)) freeze(Object.getOwnPropertyDescriptor(value, key)?.value)
}

/** The path with these indexes for its wildcards, and the real index for [-1] in this value. */
function concrete(path: Path, positions: number[], value: Json): Places {
  const place: Places = []
  const indexes = positions.values()
  for (const step of path) {
    const array = at(value, place)
    if (step === EACH) place.push(indexes.next().value ?? expect.fail('too few positions'))
    else if (typeof step === 'object' || typeof step === 'symbol')
      expect.fail('no filters and no headers here')
    else place.push(step === -1 && Array.isArray(array) ? array.length - 1 : step)
  }
  return place
}

/** Fails as `expect` does, but calls it for unequal values only: it is slow. */
function same(found: Json, wanted: Json, what: string): void {
  if (!Object.is(found, wanted)) expect(found, what).toBe(wanted)
}

/** The part of the path before its wildcard of this level; without one, the whole path. */
function upTo(path: Path, level: number): Path {
  const wildcards = path.flatMap((step, index) => (step === EACH ? [index] : []))
  return path.slice(0, wildcards[level])
}

/** The rules with a source, and whether other rules write around or within their targets. */
function sourcedRules({ fields }: SavedRules) {
  const { rules } = readRules(fields)
  return rules.flatMap(({ source, target, name }) => {
    const others = rules.map((rule) => rule.target).filter((other) => other !== target)
    const isOverridden = others.some((other) => target.every((step, n) => other[n] === step))
    const hasParent = others.some((other) => other.every((step, n) => target[n] === step))
    return source ? [{ source, target, name, isOverridden, hasParent }] : []
  })
}

const situations = fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 1, arbitrary: foreign })

/** Runs the check on documents that can be mapped; fails if there are few. */
function assertMapped(check: (situation: Situation, value: Json, of: Mapped) => void): void {
  let good = 0
  const property = fc.property(situations, (situation) => {
    const document = mapDocument('orders', situation.saved, sent(situation.payload, 'POST'))
    if (document.problems.length > 0) return
    good += 1
    check(situation, document.value, document)
  })
  fc.assert(property, RUNS)
  expect(good).toBeGreaterThan(RUNS.numRuns / 10)
}
type Mapped = ReturnType<typeof mapDocument>

describe('any valid mapping of any document', () => {
  it('never throws, nor do its answers', () => {
    const methods = fc.constantFrom('POST', 'PUT')
    const resources = fc.constantFrom('orders' as const, 'inventory' as const)
    fc.assert(
      fc.property(situations, methods, resources, ({ saved, payload }, method, resource) => {
        const document = mapDocument(resource, saved, sent(payload, method))
        expect(document.problems.length).toBeLessThanOrEqual(20)
        document.unread()
        for (const [place] of leavesOf(document.value)) document.sourceOfPath(place)
      }),
      RUNS,
    )
  })

  it('keeps the length and the positions of arrays', () => {
    let elements = 0
    assertMapped(({ saved, payload }, value) => {
      for (const { source, target, name, isOverridden } of sourcedRules(saved)) {
        const wildcards = source.filter((step) => step === EACH).length
        const walk = (positions: number[]): void => {
          const level = positions.length
          const from = at(payload, concrete(upTo(source, level), positions, payload))
          const into = at(value, concrete(upTo(target, level), positions, value))
          if (level < wildcards) {
            if (!Array.isArray(from)) return
            same(Array.isArray(into) && into.length, from.length, name)
            for (const index of from.keys()) walk([...positions, index])
          } else if (from !== NOTHING && !isOverridden) {
            elements += 1
            same(into, from, name)
          }
        }
        if (wildcards > 0) walk([])
      }
    })
    expect(elements).toBeGreaterThan(RUNS.numRuns / 100)
  })

  it('writes what a rule without wildcards finds, into every element where there are some', () => {
    let found = 0
    assertMapped(({ saved, payload }, value) => {
      for (const { source, target, name, isOverridden, hasParent } of sourcedRules(saved)) {
        if (source.includes(EACH) || isOverridden) continue
        // If no array drives this one, it may come from the parent rule.
        if (target.includes(EACH) && hasParent) continue
        const from = at(payload, concrete(source, [], payload))
        if (from === NOTHING) continue
        const walk = (positions: number[]): void => {
          const into = at(value, concrete(upTo(target, positions.length), positions, value))
          if (positions.length === target.filter((step) => step === EACH).length) {
            found += 1
            same(into, from, name)
          } else if (Array.isArray(into)) {
            for (const index of into.keys()) walk([...positions, index])
          }
        }
        walk([])
      }
    })
    expect(found).toBeGreaterThan(RUNS.numRuns / 30)
  })

  it('can say of every value where the document has the very same', () => {
    let leaves = 0
    assertMapped(({ payload }, value, { sourceOfPath }) => {
      for (const [place, leaf] of leavesOf(value)) {
        if (place.length === 0 || (typeof leaf === 'string' && leaf.startsWith(FIXED))) continue
        const source = sourceOfPath(place)
        const isFiller = leaf === null || (isObject(leaf) && Object.keys(leaf).length === 0)
        if (source === null && isFiller) continue
        const found = at(payload, placeOf(source ?? expect.fail(`no source: ${place}`)))
        readPath(source ?? '')
        if (Array.isArray(leaf)) expect(found).toEqual([])
        else if (isFiller) same(found === NOTHING || typeof found === 'object', true, `${place}`)
        else {
          leaves += 1
          same(found, leaf, `${place} <- ${source}`)
        }
      }
    })
    expect(leaves).toBeGreaterThan(RUNS.numRuns / 8)
  })

  it('invents nothing: every text and number is one of the document, or fixed', () => {
    assertMapped(({ payload }, value) => {
      const known = new Set([...leavesOf(payload)].map(([, leaf]) => leaf))
      for (const [, leaf] of leavesOf(value)) {
        if (typeof leaf === 'object' || String(leaf).startsWith(FIXED)) continue
        same(known.has(leaf), true, String(leaf))
      }
    })
  })

  it('makes plain objects and reaches no prototype', () => {
    const members = () => [Object.prototype, Array.prototype].map(Reflect.ownKeys)
    const before = members()
    const checkPlain = (value: Json): void => {
      if (typeof value !== 'object' || value === null) return
      const prototype = Array.isArray(value) ? Array.prototype : Object.prototype
      expect(Object.getPrototypeOf(value) === prototype).toBe(true)
      for (const key of Object.keys(value))
        checkPlain(Object.getOwnPropertyDescriptor(value, key)?.value)
    }
    fc.assert(
      fc.property(situations, ({ saved, payload }) => {
        checkPlain(mapDocument('orders', saved, sent(payload, 'POST')).value)
        expect(members()).toEqual(before)
      }),
      RUNS,
    )
  })

  it('changes neither the document nor the rules', () => {
    fc.assert(
      fc.property(situations, fc.constantFrom('POST', 'PUT'), ({ saved, payload }, method) => {
        const before = JSON.stringify([saved, payload])
        freeze(payload)
        freeze(saved.fields)
        mapDocument('orders', saved, sent(payload, method))
        expect(JSON.stringify([saved, payload])).toBe(before)
      }),
      RUNS,
    )
  })

  it('gives on PUT what it gives on POST, without the fields that are fixed values alone', () => {
    let puts = 0
    assertMapped(({ saved, payload }, value) => {
      const put = mapDocument('orders', saved, sent(payload, 'PUT'))
      expect(put.problems).toEqual([])
      for (const name of Object.keys(put.value)) expect(put.value[name]).toEqual(value[name])
      const left = Object.keys(value).filter((name) => !Object.hasOwn(put.value, name))
      const leaves = left.flatMap((name) => [...leavesOf(value[name])].map(([, leaf]) => leaf))
      const isFixed = (leaf: Json) => typeof leaf === 'object' || `${leaf}`.startsWith(FIXED)
      expect(leaves.filter((leaf) => !isFixed(leaf))).toEqual([])
      puts += leaves.length
    })
    expect(puts).toBeGreaterThan(RUNS.numRuns / 75)
  })

  it('gives the same again', () => {
    fc.assert(
      fc.property(situations, ({ saved, payload }) => {
        const first = mapDocument('orders', saved, sent(payload, 'PUT'))
        const second = mapDocument('orders', saved, sent(payload, 'PUT'))
        expect([second.value, second.problems]).toEqual([first.value, first.problems])
      }),
      { numRuns: byDepth(30, 300) },
    )
  })
})

describe('the mapping that changes nothing', () => {
  const unchanged = (saved: SavedRules, payload: Json) => {
    const { value, problems } = mapDocument('orders', saved, sent(payload, 'POST'))
    expect(problems).toEqual([])
    expect(value).toStrictEqual(payload)
    expect(JSON.stringify(value)).toBe(JSON.stringify(payload))
  }

  it('has no rules', () => {
    fc.assert(
      fc.property(documents, (payload) => unchanged({ unmapped: 'keep', fields: {} }, payload)),
      { numRuns: byDepth(50, 500) },
    )
  })

  it('has a rule for each field, from itself to itself', () => {
    fc.assert(
      fc.property(documents, (payload) => {
        const names = Object.keys(payload).filter((name) => !UNSAFE.includes(name))
        const quoted = names.map((name) => `['${name.replace(/['\\]/g, '\\$&')}']`)
        const fields = Object.fromEntries(quoted.map((name) => [name, name]))
        const document = Object.fromEntries(names.map((name) => [name, payload[name]]))
        unchanged({ unmapped: 'reject', fields }, document)
      }),
      { numRuns: byDepth(50, 500) },
    )
  })
})

describe('any text and any JSON', () => {
  const texts = fc.oneof(scraps, fc.string({ unit: 'binary' }), fc.string())
  const isSafe = (path: Path | null) =>
    path === null || path.every((step) => typeof step !== 'string' || !UNSAFE.includes(step))

  it('is a path within the bounds, or a PathError', () => {
    const numRuns = byDepth(150, 1800)
    let paths = 0
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const path = parsePath(text)
          paths += 1
          expect(isSafe(path) && path.length <= 16 && typeof path[0] === 'string').toBe(true)
        } catch (error) {
          if (!(error instanceof PathError)) throw error
        }
      }),
      { numRuns },
    )
    expect(paths).toBeGreaterThan(numRuns / 30)
  })

  const saved = fc.oneof(
    texts,
    texts.map((from) => ({ from })),
    fc.record({ from: texts, required: fc.oneof(fc.boolean(), fc.jsonValue()) }),
    fc.record({ value: fc.jsonValue() }),
    fc.jsonValue(),
  )
  const fields = fc
    .array(fc.tuple(texts, saved), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries))

  it('is read as rules or as faults, and no rule names what is unsafe', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const { rules, faults } = readRules(given)
        const named = [...rules.map(({ name }) => name), ...faults.map(({ rule }) => rule)]
        expect(new Set(named)).toEqual(new Set(Object.keys(given)))
        for (const { target, source } of rules) expect(isSafe(target) && isSafe(source)).toBe(true)
        for (const { rule } of findFaults(given, () => null))
          expect(Object.keys(given)).toContain(rule)
      }),
      RUNS,
    )
  })

  it('is saved or refused, and never thrown at', () => {
    const directions = fc.oneof(
      fields.map((given) => ({ fields: given })),
      fc.jsonValue(),
    )
    const mappings = fc.oneof(
      fc.record(
        { inbound: directions, outbound: directions, identifier_field: texts },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    )
    for (const resource of RESOURCES) {
      const schema = SaveMapping(resource)
      fc.assert(
        fc.property(mappings, (mapping) => {
          const { success, error } = schema.safeParse(mapping)
          expect(success).toBe(error === undefined)
        }),
        { numRuns: byDepth(25, 250) },
      )
    }
  })
})

describe('a mapping without any of the newer members', () => {
  it('means to the byte what it has always meant', () => {
    let [mapped, refused] = [0, 0]
    const numRuns = byDepth(250, 3500)
    const situations = fc.oneof(
      { weight: 3, arbitrary: fitting },
      { weight: 1, arbitrary: foreign },
    )
    fc.assert(
      fc.property(situations, ({ saved, payload }) => {
        const { value, problems } = mapDocument('orders', saved, sent(payload, 'POST'))
        const expected = mapNaively(saved, payload)
        expect(problems.length === 0 ? JSON.stringify(value) : 'null').toBe(
          JSON.stringify(expected),
        )
        if (expected === null) refused += 1
        else mapped += 1
      }),
      { numRuns },
    )
    expect(mapped).toBeGreaterThan(numRuns / 10)
    expect(refused).toBeGreaterThan(numRuns / 30)
  })
})
