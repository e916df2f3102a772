import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Form } from '../../src/dashboard/form/form.ts'
import { BLANK, type Draft, draftOfForm, type Row } from '../../src/dashboard/mappings/draft.ts'
import { mappingOf } from '../../src/dashboard/mappings/mapping.ts'
import { ruleOf } from '../../src/dashboard/mappings/rule.ts'
import { RulesFields } from '../../src/dashboard/mappings/rules.tsx'
import { draftOfMapping } from '../../src/dashboard/mappings/saved-draft.ts'
import type { FormatOptions } from '../../src/engine/formats/options.ts'
import { CODE_KINDS } from '../../src/engine/mapping/item-code.ts'
import { CONVERSION_KINDS, FORMATS, type SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import type { Mapping } from '../../src/engine/mapping/schema.ts'
import { byDepth } from '../fixtures/depth.ts'
import { documents } from '../fixtures/mapping-generators.ts'
import { fieldsOf } from './form-fields.ts'

const PATHS = [
  ...[
    'a',
    'header.number',
    'lines[].qty',
    'refs[-1].id',
    "ship_to['tel.main']",
    '$[].sku',
    '$[0].no',
  ],
  ...[
    "['a + b'].c",
    "['a | b']",
    "['it\\'s \\\\ | +']",
    '$.a',
    'a[*].b',
    "a['b\nc']",
    "a['\\u0000']",
  ],
  ...["a['\u0000\ud800\u0085']", "lines[?@.a == 'x + y | z'].b", 'lines[?(@.a || @.b) && !@.c]'],
  ...['lines[?@["a b"][0] != "]|\\"+"]', 'lines[?length(@.sku) > 0]', "lines[?@.a == '(']['b|c']"],
]
const NASTY = [
  ...[
    '',
    ' ',
    ', ',
    '\n',
    '"',
    '"x"',
    'a = b',
    '=',
    '*',
    ' x ',
    'true',
    'null',
    '1',
    '1.50',
    '1e21',
    '-',
  ],
  ...[
    '\r\n',
    '\u0000',
    '\ud800',
    "it's",
    '\\',
    '+',
    '|',
    '$"a"',
    '📦',
    '\u0085',
    '\u2028',
    '<b>&amp;',
  ],
]

const path = fc.constantFrom(...PATHS)
const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 4 }))
const scalar = fc.oneof(text, fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21), fc.integer())
const nothing = fc.constant({})
const maybe = <T,>(arbitrary: fc.Arbitrary<T>) => fc.oneof(nothing, arbitrary)

const values = fc
  .dictionary(
    fc.oneof(
      text.filter((name) => name !== ''),
      fc.constant('processing'),
    ),
    scalar,
    {
      minKeys: 1,
      maxKeys: 5,
    },
  )
  .chain((table) =>
    fc
      .constantFrom(table, { ...table, '*': { as: 'is' } })
      .map((whole) => ({ values: { ...whole } as unknown })),
  )
const mark = text.filter((one) => one !== '')
const strict = fc.oneof(nothing, fc.constant({ strict: true }))
const textStep = fc.oneof(
  fc.constant('trim' as const),
  fc
    .tuple(fc.constantFrom('after', 'before', 'after_last', 'before_last'), mark, strict)
    .map(([name, at, more]) => ({ [name]: at, ...more })),
  fc
    .tuple(fc.array(mark, { minLength: 1, maxLength: 3 }), strict)
    .map(([without, more]) => ({ without, ...more })),
  fc
    .tuple(fc.integer({ min: -100, max: 100 }), mark, strict)
    .map(([part, of, more]) => ({ part, of, ...more })),
)
const noValues = fc.array(
  fc.oneof(
    text.filter((one) => one !== ''),
    fc.constantFrom(true, false, 0, -1, 1.5),
  ),
  { minLength: 1, maxLength: 4 },
)
const nones = noValues.map((none) => ({ none: none as unknown }))
const cuts = fc
  .array(textStep, { minLength: 1, maxLength: 4 })
  .map((steps) => ({ text: steps as unknown }))
const conversion = fc.oneof(
  fc.constantFrom(...CONVERSION_KINDS).map((as) => ({ as })),
  fc.constantFrom('decimal', 'integer').map((as) => ({ as, decimal: ',' })),
  fc
    .record(
      {
        less: fc.array(path, { minLength: 1, maxLength: 3 }),
        times: fc.oneof(path, fc.integer({ min: 1, max: 1_000_000 }), fc.constant('12')),
        at_zero: fc.constant('leave_out' as const),
      },
      { requiredKeys: [] },
    )
    .map((amount) => ({ as: 'integer' as const, ...amount })),
  fc.constantFrom(...FORMATS).map((format) => ({ as: 'datetime' as const, format })),
  fc
    .record(
      {
        format: fc.oneof(
          fc.constantFrom('dd.MM.yyyy', "yyyyMMdd'T'HHmmss"),
          text.filter((one) => one !== ''),
        ),
        zone: fc.constantFrom('Europe/Berlin', 'UTC'),
      },
      { requiredKeys: [] },
    )
    .map((time) => ({ as: 'datetime' as const, ...time })),
)
const ending = fc.oneof(
  fc.constant({ required: true }),
  documents.map((fallback) => ({ default: fallback as unknown })),
  text.filter((fallback) => fallback !== '').map((fallback) => ({ default: fallback as unknown })),
)
const codes = fc
  .oneof(
    fc.constantFrom(...CODE_KINDS),
    fc.constantFrom(...CODE_KINDS).map((of) => ({ of, or_own: true })),
  )
  .map((code) => ({ code: code as unknown }))
const steps = fc
  .tuple(maybe(nones), maybe(cuts), maybe(values), maybe(conversion), maybe(codes), maybe(ending))
  .map((members) => Object.assign({}, ...members) as object)

const part = fc.oneof(
  path,
  text.map((value) => ({ value })),
  fc
    .tuple(path, path, fc.oneof(nothing, fc.record({ with: text })))
    .map(([label, value, between]) => ({
      pair: [label, value],
      ...between,
    })),
)
const separator = text.map((between) => (between === ' ' ? {} : { with: between }))

const rule = fc.oneof(
  path,
  fc.tuple(path, steps).map(([from, more]) => {
    return Object.keys(more).length === 0 ? from : { from, ...more }
  }),
  fc.tuple(fc.array(path, { minLength: 1, maxLength: 8 }), steps).map(([from, more]) => {
    return { from, ...more }
  }),
  fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 8 }), separator, steps)
    .map(([join, between, more]) => ({ join, ...between, ...more })),
  fc
    .tuple(path, fc.oneof(nothing, fc.record({ split: mark })))
    .map(([each, more]) => ({ each, ...more })),
  fc.oneof(documents, scalar).map((value) => ({ value: value as unknown })),
) as fc.Arbitrary<SavedRule>

const fields = fc
  .array(fc.tuple(path, rule), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries))

/** What a browser sends of the draft's form. */
function sent({ inbound, outbound }: Draft): Draft {
  const html = (
    <form class="editor">
      <RulesFields direction="inbound" rules={inbound} error={null} />
      <RulesFields direction="outbound" rules={outbound} error={null} />
    </form>
  ).toString()
  const data = new URLSearchParams()
  for (const [name, texts] of Object.entries(fieldsOf(html, 'editor'))) {
    for (const cell of texts) data.append(name, cell)
  }
  return draftOfForm(new Form(data))
}

const formatOptions = fc.record(
  {
    csv: fc.record(
      { separator: fc.constantFrom(',', ';', '\t' as const), header: fc.boolean() },
      { noNullPrototype: true, requiredKeys: ['header'] },
    ),
    form: fc.record(
      { json: fc.constantFrom('payload', 'a b', 'x=y', 'ä'), charset: fc.constant('cp1252') },
      { noNullPrototype: true, requiredKeys: ['json'] },
    ),
    xml: fc.record(
      {
        prefixes: fc.constantFrom(
          { cbc: 'urn:a=b' },
          { '': 'urn:x y', 'b-c': 'http://e.example/#' },
        ),
      },
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<FormatOptions>

const savedAgain = (mapping: Mapping) => mappingOf(sent(draftOfMapping(mapping)))

const ruleFrom = (row: Partial<Row>) => ruleOf({ ...BLANK, target: 'notes', ...row })

describe('the rows of a mapping', () => {
  it('become the same rules again, whatever these are', () => {
    fc.assert(
      fc.property(fields, formatOptions, (rules, formats) => {
        const mapping: Mapping = {
          identifier_field: null,
          inbound: {
            unmapped: 'drop',
            none: ['N/A', false, '1', 1],
            single_as_list: true,
            ...formats,
            fields: rules,
          },
          outbound: null,
        }
        expect(savedAgain(mapping)).toEqual(mapping)
        expect(Object.keys(savedAgain(mapping).inbound?.fields ?? {})).toEqual(Object.keys(rules))
      }),
      { numRuns: byDepth(150, 2000) },
    )
  })

  it('become the same rules of what is returned', () => {
    const isOutbound = (saved: unknown) =>
      !['required', 'code'].some((name) => Object.hasOwn(Object(saved), name))
    const notRequired = fields.map((rules) =>
      Object.fromEntries(Object.entries(rules).filter(([, saved]) => isOutbound(saved))),
    )
    fc.assert(
      fc.property(notRequired, (rules) => {
        const outbound = { unmapped: 'keep' as const, fields: rules }
        const mapping = { identifier_field: null, inbound: null, outbound }
        expect(savedAgain(mapping)).toEqual(mapping)
      }),
      { numRuns: byDepth(50, 500) },
    )
  })

  it.each<[string, SavedRule, SavedRule]>([
    ['a path alone', { from: 'a', required: false }, 'a'],
    ['a join with one space', { join: ['a'], with: ' ' }, { join: ['a'] }],
  ])('shorten %s, which means the same', (_, saved, shorter) => {
    const mapping = draftOfMapping({
      identifier_field: null,
      inbound: { unmapped: 'drop', fields: { notes: saved } },
      outbound: null,
    })
    expect(mappingOf(sent(mapping)).inbound?.fields).toEqual({ notes: shorter })
  })

  it.each<[string, Partial<Row>, SavedRule]>([
    ['a list', { source: 'a|b || c' }, { from: ['a', 'b', 'c'] }],
    ['joined texts', { kind: 'join', source: '"No. "+a' }, { join: [{ value: 'No. ' }, 'a'] }],
    [
      'pairs',
      { kind: 'join', source: '(a[].n,a[].v) + ( b , c , "=")' },
      { join: [{ pair: ['a[].n', 'a[].v'] }, { pair: ['b', 'c'], with: '=' }] },
    ],
    [
      'a separator without quotes',
      { kind: 'join', source: 'a + b', with: ', ' },
      { join: ['a', 'b'], with: ', ' },
    ],
    [
      'values with spaces and empty lines',
      { source: 'a', values: ' on hold =draft\n\n"1"= "2"\n3 = 4\n* = null' },
      { from: 'a', values: { 'on hold': 'draft', '1': '2', '3': 4, '*': null } },
    ],
    [
      'a seconds epoch',
      { source: 'a', as: 'epoch_seconds' },
      { from: 'a', as: 'datetime', format: 'epoch_seconds' },
    ],
    [
      'each, without what is hidden',
      { kind: 'each', source: 'a[]', as: 'string', values: 'x' },
      { each: 'a[]' },
    ],
    [
      'amounts',
      { source: 'a', as: 'integer', amount: ' less b\nless c[].d \n\ntimes 12\nleave out at zero' },
      { from: 'a', as: 'integer', less: ['b', 'c[].d'], times: 12, at_zero: 'leave_out' },
    ],
    ['a value, without what is hidden', { kind: 'value', source: '1', default: 'x' }, { value: 1 }],
    ['a path, without what is hidden', { source: 'a', with: ', ' }, 'a'],
  ])('are read as typed: %s', (_, row, saved) => {
    expect(ruleFrom(row)).toEqual({ saved })
  })

  it.each<[string, Partial<Row>, string]>([
    ['texts put together in a path', { source: 'a + b' }, 'choose the kind "joined texts"'],
    ['an open quote', { kind: 'join', source: '"a + b' }, 'The text "a + b must stand in quotes'],
    ['values without a sign', { source: 'a', values: 'x = y\nz' }, 'Line 2 of the values must be'],
    ['values without ours', { source: 'a', values: 'x =' }, 'Line 1 of the values must be'],
    ['values without theirs', { source: 'a', values: '= x' }, 'Line 1 of the values must be'],
    ['values twice', { source: 'a', values: 'x = y\n"x" = z' }, 'The values have "x" twice.'],
    [
      'half a pair',
      { kind: 'join', source: '(a)' },
      'The pair (a) must be (label path, value path)',
    ],
    ['an open pair', { kind: 'join', source: '(a, b' }, 'The pair (a, b must be'],
    [
      'a pair with a bare separator',
      { kind: 'join', source: '(a, b, c)' },
      'The pair (a, b, c) must be',
    ],
    ['an odd amount', { source: 'a', amount: 'times 12\nplus 1' }, 'Line 2 of the amount must be'],
    ['a default that is not JSON', { source: 'a', default: 'x' }, 'The default is not valid JSON'],
  ])('are refused with %s', (_, row, fault) => {
    expect(ruleFrom(row)).toEqual({ fault: expect.stringContaining(fault) })
  })
})
