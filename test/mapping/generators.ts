import fc from 'fast-check'
import { EACH, type Path, type PathStep, parsePath, printPath } from '../../src/engine/json/path.ts'
import { findFaults } from '../../src/engine/mapping/compile.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import type { Json } from '../tenant.ts'
import type { Fields } from './mapped.ts'

/** Marks the texts of fixed values: no payload has them. */
export const FIXED = 'fixed:'

const UNSAFE = ['__proto__', 'constructor', 'prototype']
const NASTY = ['', 'a.b', "it's", 'back\\slash', 'x y', '[0]', '$', 'größe', '倉庫', '📦', '\ud800']

// Few names, so that rules match each other and the payload.
const safeName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c') },
  { weight: 1, arbitrary: fc.constantFrom(...NASTY, 'toString', 'length') },
)
const anyName = fc.oneof(
  { weight: 4, arbitrary: safeName },
  { weight: 1, arbitrary: fc.constantFrom(...UNSAFE) },
)

const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, '', 'x', '\u0000', '📦'),
  fc.string({ maxLength: 4 }),
)

/** Unlike a literal or an assignment, this makes `__proto__` an ordinary member. */
const objectOf = (entries: [string, Json][]): Json => Object.fromEntries(entries)

const { tree, object } = fc.letrec<{ tree: Json; array: Json; object: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 2, arbitrary: scalar },
    { weight: 2, arbitrary: tie('object') },
    { weight: 1, arbitrary: tie('array') },
  ),
  array: fc.oneof(
    { weight: 40, arbitrary: fc.array(tie('tree'), { maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(scalar, fc.integer({ min: 990, max: 1100 }))
        .map(([element, length]) => Array.from({ length }, () => element)),
    },
  ),
  object: fc.array(fc.tuple(anyName, tie('tree')), { maxLength: 5 }).map(objectOf),
}))

/** Any JSON document. */
export const documents = object

const index = fc.integer({ min: 0, max: 2 })
const targetStep: fc.Arbitrary<PathStep> = fc.oneof(
  { weight: 4, arbitrary: safeName },
  { weight: 3, arbitrary: fc.constant(EACH) },
  { weight: 1, arbitrary: index },
)
// More names than targets have: otherwise half of the sources would contradict each other.
const sourceName = fc.oneof(safeName, fc.constantFrom('d', 'e', 'f', 'g'))
const sourceStep: fc.Arbitrary<PathStep> = fc.oneof(
  { weight: 6, arbitrary: sourceName },
  { weight: 1, arbitrary: fc.oneof(index, fc.constant(-1)) },
)

const pathOf = (name: fc.Arbitrary<string>, step: fc.Arbitrary<PathStep>): fc.Arbitrary<Path> =>
  fc.tuple(name, fc.array(step, { maxLength: 3 })).map(([first, rest]) => [first, ...rest])
const targetPath = pathOf(safeName, targetStep)
const sourcePath = pathOf(sourceName, sourceStep)

/** A source with the target's wildcards at these positions, or without wildcards. */
function sourceFor(target: Path): fc.Arbitrary<Path> {
  const count = target.filter((step) => step === EACH).length
  const places = fc.array(fc.nat({ max: 4 }), { minLength: count, maxLength: count })
  return fc.tuple(sourcePath, places, fc.nat({ max: 9 })).map(([path, at, broadcast]) => {
    if (broadcast === 0) return path
    const sorted = [...at].sort((one, other) => other - one)
    return sorted.reduce<Path>((steps, place) => steps.toSpliced(1 + place, 0, EACH), path)
  })
}

const fixedValue = fc.oneof(
  fc.constantFrom(`${FIXED}text`, { a: `${FIXED}a`, b: { c: `${FIXED}c` } }, [`${FIXED}element`]),
)

type Entry = [target: string, saved: SavedRule]

function ruleFor(target: Path, source = sourceFor(target)): fc.Arbitrary<Entry> {
  const saved: fc.Arbitrary<SavedRule> = fc.oneof(
    { weight: 8, arbitrary: source.map(printPath) },
    { weight: 1, arbitrary: source.map((from) => ({ from: printPath(from), required: true })) },
    { weight: 2, arbitrary: fixedValue.map((value) => ({ value })) },
  )
  return saved.map((rule) => [printPath(target), rule])
}

/** Rules that write beside the target, into the elements of its innermost array. */
function besides(target: Path): fc.Arbitrary<Entry[]> {
  const element = target.slice(0, target.lastIndexOf(EACH) + 1)
  if (element.length === 0) return fc.constant([])
  const beside = safeName.chain((name) =>
    fc.oneof(ruleFor([...element, name]), ruleFor([...element, name], sourcePath)),
  )
  return fc.array(beside, { maxLength: 2 })
}

const rules = targetPath.chain((target) =>
  fc.tuple(ruleFor(target), besides(target)).map(([rule, others]) => [rule, ...others]),
)

/** Rules that may be saved: random rules without the faulty ones. */
export const validFields: fc.Arbitrary<Fields> = fc
  .array(rules, { minLength: 1, maxLength: 6 })
  .map((groups) => {
    let fields: Fields = Object.fromEntries(groups.flat())
    for (;;) {
      const faulty = new Set(findFaults(fields, () => null).map((fault) => fault.rule))
      if (faulty.size === 0) return fields
      fields = Object.fromEntries(Object.entries(fields).filter(([name]) => !faulty.has(name)))
    }
  })

const modes = fc.constantFrom<SavedRules['unmapped'][]>('keep', 'keep', 'drop', 'reject')

export interface Situation {
  saved: SavedRules
  payload: Json
}

/** Rules, and a document that has most of the fields that they read. */
export const fitting: fc.Arbitrary<Situation> = fc
  .tuple(validFields, modes, fc.constantFrom(0, 1, 2, 2, 3))
  .chain(([fields, unmapped, length]) => {
    const sources = Object.values(fields).flatMap((saved) => {
      if (typeof saved === 'string') return [parsePath(saved)]
      return 'from' in saved ? [parsePath(String(saved.from))] : []
    })
    const more = unmapped === 'reject' ? fc.constant({}) : fc.oneof(fc.constant({}), documents)
    return fc.record({
      saved: fc.constant({ unmapped, fields }),
      payload: fc
        .tuple(more, shapeOf(sources, length))
        .map(([rest, own]) => objectOf([...Object.entries(rest), ...Object.entries(own)])),
    })
  })

/** Rules, and an unrelated document. */
export const foreign: fc.Arbitrary<Situation> = fc.record({
  saved: fc.record({ unmapped: modes, fields: validFields }),
  payload: documents,
})

/** A document with a value at each of the paths; arrays have the same length everywhere. */
function shapeOf(paths: Path[], length: number): fc.Arbitrary<Json> {
  const names = Map.groupBy(
    paths.filter(([step]) => typeof step === 'string'),
    ([step]) => String(step),
  )
  const members = Array.from(names, ([name, below]) =>
    fc
      .tuple(valueAt(below, length), fc.nat({ max: 9 }))
      .map(([value, luck]): [string, Json][] => (luck === 0 ? [] : [[name, value]])),
  )
  return fc.tuple(...members).map((entries) => objectOf(entries.flat()))
}

function valueAt(paths: Path[], length: number): fc.Arbitrary<Json> {
  const rests = paths.map((path) => path.slice(1))
  const deeper = rests.filter((rest) => rest.length > 0)
  if (deeper.length === 0) return tree
  const elements = deeper.filter(([step]) => typeof step !== 'string')
  const shape: fc.Arbitrary<Json> =
    elements.length > 0
      ? fc.array(valueAt(elements, length), { minLength: length, maxLength: length })
      : shapeOf(deeper, length)
  return fc.oneof(
    { weight: 30, arbitrary: shape },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: tree },
  )
}

/** Texts from parts of paths; few of them are valid paths. */
export const scraps = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'b',
        '.',
        '[',
        ']',
        '[]',
        '[*]',
        '[0]',
        '[-1]',
        '[1000]',
        "['",
        "']",
        "'",
        '"',
        '\\',
      ],
      ...['$', '$.', '*', ' ', '-', '1', '📦', '\ud800', '\u0000', ...UNSAFE],
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))
