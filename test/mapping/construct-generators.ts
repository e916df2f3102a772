import fc from 'fast-check'
import { findFaults } from '../../src/engine/mapping/compile.ts'
import type { SavedPart, SavedRule, SavedTextStep } from '../../src/engine/mapping/saved-rule.ts'
import type { Fields } from '../fixtures/mapped.ts'
import { documents, FIXED, type Situation } from '../fixtures/mapping-generators.ts'
import type { Json } from '../fixtures/tenant.ts'

/** The results of tables and the defaults: no document has them. */
export const made = (text: string) => `${FIXED}${text}`

const CONDITIONS = [
  '@.k == 1',
  "@.k == 'x'",
  '@.v',
  '!@.k',
  '@.k != @.v',
  'length(@.v) > 0',
  '@.k < 2',
]
const condition = fc.constantFrom(...CONDITIONS)

const named = fc.constantFrom<SavedPart[]>(
  'a[*]~',
  'a[*]',
  { pair: ['a[*]~', 'a[*]'] },
  "a[?@ == 'x']",
)

const single = fc.oneof(
  fc.constantFrom('a', 'b', 'a.b', 'c', 'c[0]', 'c[-1]', 'l[0].v', 'l[-1].k', 'd'),
  condition.map((text) => `l[?${text}].v`),
)
const ofLine = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('l[].k', 'l[].v', 'l[].o[0].v', 'l[].o[-1].k') },
  { weight: 1, arbitrary: condition.map((text) => `l[].o[?${text}].v`) },
)
const ofInner = fc.constantFrom('l[].o[].k', 'l[].o[].v', 'l[].k')
const pairs = fc.constantFrom<SavedPart[]>(
  { pair: ['l[].k', 'l[].v'] },
  { pair: ['a.b', 'b'], with: '=' },
)
const lists = fc.oneof(
  fc.constantFrom('l[].v', 'l[].o[].v', 'c[]'),
  condition.map((text) => `l[?${text}].k`),
)

const steps = fc.oneof(
  fc.constant({}),
  fc.record({ as: fc.constantFrom('string', 'integer', 'decimal', 'boolean', 'datetime') }),
  fc.record({ default: fc.constant(made('default')) }),
  fc.record({
    text: fc.constantFrom<SavedTextStep[][]>(
      ['trim'],
      [{ before: '.' }],
      [{ part: 2, of: '-', strict: true }],
      [{ without: ['x'] }],
    ),
    default: fc.constant(made('text')),
  }),
  fc.record({ values: fc.constant({ x: made('x'), '*': { as: 'is' } }) }),
  fc.record({
    as: fc.constant('datetime' as const),
    format: fc.constantFrom('yyyy-MM-dd', 'yyyy.MM.dd'),
    zone: fc.constant('Europe/Berlin'),
  }),
  fc.record({ none: fc.constantFrom([0, 'x'], [false], ['2020-01-01']) }),
  fc.record({ values: fc.constant({ x: made('x'), '1': made('1'), '*': made('other') }) }),
  fc.record({
    values: fc.constant({ x: made('x'), '*': null }),
    default: fc.constant(made('none')),
  }),
  fc.record({ required: fc.constant(true) }),
)

/** What is left of an integer. `less` also takes paths with one wildcard more than the rule's. */
const amountOf = (path: fc.Arbitrary<string>) =>
  fc.record(
    {
      as: fc.constant('integer' as const),
      less: fc.array(fc.oneof(path, fc.constantFrom('c[]', 'l[].v', 'l[].o[].v')), {
        maxLength: 2,
      }),
      times: fc.oneof(fc.integer({ min: 1, max: 1000 }), path),
      at_zero: fc.constant('leave_out' as const),
    },
    { requiredKeys: ['as'], noNullPrototype: true },
  )

function ruleOf(
  path: fc.Arbitrary<string>,
  parts: fc.Arbitrary<SavedPart>,
): fc.Arbitrary<SavedRule> {
  const part = fc.oneof(parts, fc.constant({ value: made('part') }))
  const origin = fc.oneof(
    path.map((from) => ({ from })),
    fc.array(path, { minLength: 1, maxLength: 3 }).map((from) => ({ from })),
    fc.array(part, { minLength: 1, maxLength: 3 }).map((join) => ({ join })),
  )
  const withSteps = fc
    .tuple(
      origin,
      fc.oneof({ weight: 10, arbitrary: steps }, { weight: 2, arbitrary: amountOf(path) }),
    )
    .map(([from, more]) => ({ ...from, ...more }) as SavedRule)
  return fc.oneof(path, withSteps, fc.constant({ value: made('value') }))
}

const entry = (target: string, rule: fc.Arbitrary<SavedRule>) =>
  fc
    .option(rule, { freq: 3, nil: undefined })
    .map((saved): [string, SavedRule][] => (saved ? [[target, saved]] : []))

const header = fc.tuple(
  ...['notes', 'customer_name', 'metadata', 'metadata.x', 'metadata.y.z', 'metadata.z[0]'].map(
    (target) => entry(target, ruleOf(single, fc.oneof(single, lists, pairs, named))),
  ),
)

const eachLine = condition.chain((text) => fc.constantFrom('l[]', `l[?${text}]`))
const eachInner = condition.chain((text) =>
  fc.constantFrom('l[].o[]', `l[?${text}].o[]`, `l[].o[?${text}]`),
)
const split = fc.record({
  each: fc.constantFrom('b', 'd', 'l[].k', 'l[].v', 'l[].o[].k'),
  split: fc.constantFrom('-', ' ', '.', '-0'),
})
const NAMES = ['sku_code', 'quantity', 'notes']

/** Rules for lines: below an each or not, of the lines or of what is within them. */
const body = fc.oneof(
  fc.tuple(
    ...NAMES.map((name) =>
      entry(
        `items[].${name}`,
        ruleOf(ofLine, fc.oneof(ofLine, single, pairs, fc.constant('l[].o[].v'))),
      ),
    ),
  ),
  fc.tuple(
    eachLine.map((each): [string, SavedRule][] => [['items[]', { each }]]),
    ...NAMES.map((name) =>
      entry(
        `items[].${name}`,
        ruleOf(fc.oneof(ofLine, single), fc.oneof(ofLine, fc.constant('l[].o[].v'))),
      ),
    ),
  ),
  fc.tuple(
    eachInner.map((each): [string, SavedRule][] => [['items[]', { each }]]),
    ...NAMES.map((name) => entry(`items[].${name}`, ruleOf(fc.oneof(ofInner, single), ofInner))),
  ),
  split.chain(({ each, split }) => {
    const part = fc.constantFrom(`${each}[]`, `${each}[]`, 'l[].v', 'a')
    return fc.tuple(
      fc.constant<[string, SavedRule][]>([['items[]', { each, split }]]),
      ...NAMES.map((name) => entry(`items[].${name}`, ruleOf(part, part))),
    )
  }),
  split.map((rule): [string, SavedRule][][] => [[['metadata2.tags[]', rule]]]),
  fc
    .oneof(eachLine, eachInner)
    .map((each): [string, SavedRule][][] => [[['metadata2.tags[]', { each: `${each}.v` }]]]),
)

/** Rules of all kinds that may be saved: random rules without the faulty ones. */
export const constructs: fc.Arbitrary<Fields> = fc.tuple(header, body).map(([one, other]) => {
  let fields: Fields = Object.fromEntries([...one.flat(), ...other.flat()])
  for (;;) {
    const faulty = new Set(findFaults(fields, () => null).map(({ rule }) => rule))
    if (faulty.size === 0) return fields
    fields = Object.fromEntries(Object.entries(fields).filter(([name]) => !faulty.has(name)))
  }
})

const scalar = fc.constantFrom<Json[]>(
  null,
  '',
  ' ',
  'x',
  'y',
  1,
  0,
  2.5,
  -1,
  '1',
  '2.0',
  true,
  false,
  'true',
  '2020-01-01',
  'x y',
  '1-2- -y',
  '0000-00-00',
)
const value = fc.oneof({ weight: 12, arbitrary: scalar }, { weight: 1, arbitrary: documents })
const few = { requiredKeys: [] as never[], noNullPrototype: true }
const inner = fc.record({ k: value, v: value }, few)
const wrong = fc.constantFrom<Json[]>(null, 'text', 7, {}, [])
const line = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({ k: scalar, v: value, o: fc.array(inner, { maxLength: 3 }) }, few),
  },
  { weight: 1, arbitrary: wrong },
)

/** A document that most of these rules can read. */
const document = fc.record(
  {
    a: fc.oneof(value, fc.record({ b: value }, few)),
    b: value,
    c: fc.array(value, { maxLength: 3 }),
    d: value,
    l: fc.oneof(
      { weight: 20, arbitrary: fc.array(line, { maxLength: 4 }) },
      { weight: 1, arbitrary: wrong },
    ),
  },
  few,
)

export const modern: fc.Arbitrary<Situation> = fc.record({
  saved: fc.record(
    {
      unmapped: fc.constantFrom('keep', 'drop'),
      none: fc.constantFrom([1], ['y', true]),
      single_as_list: fc.boolean(),
      fields: constructs,
    },
    { requiredKeys: ['unmapped', 'fields'], noNullPrototype: true },
  ),
  payload: fc.oneof({ weight: 9, arbitrary: document }, { weight: 1, arbitrary: documents }),
})
