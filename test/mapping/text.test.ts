import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMembers } from '../../src/engine/mapping/members.ts'
import { partOfText } from '../../src/engine/mapping/rule-reader.ts'
import type { SavedRule, SavedTextStep } from '../../src/engine/mapping/saved-rule.ts'
import { cutText, readTextSteps } from '../../src/engine/mapping/text.ts'
import { byDepth } from '../fixtures/depth.ts'
import { map, mismatch } from '../fixtures/mapped.ts'
import { type Case, dropping } from './cases.ts'
import { type Refused, refuses } from './saved.ts'

const cut = (text: string, ...steps: SavedTextStep[]) => cutText(text, readTextSteps(steps))

type Cut = [about: string, text: string, steps: SavedTextStep[], part: string | undefined]

describe('the part of a text', () => {
  it.each<Cut>([
    ['without white space at the ends', '\u00a0 A 1\t\n', ['trim'], 'A 1'],
    ['after the first mark', 'gid://shopify/1', [{ after: '/' }], '/shopify/1'],
    ['after the last mark', 'gid://shopify/1', [{ after_last: '/' }], '1'],
    ['before the first mark', 'S1-red-L', [{ before: '-' }], 'S1'],
    ['before the last mark', 'S1-red-L', [{ before_last: '-' }], 'S1-red'],
    ['after a mark of several characters', 'a::b::c', [{ after: '::' }], 'b::c'],
    ['after a mark at the end', 'S1/', [{ after: '/' }], ''],
    ['without the mark, as it is', 'S1', [{ after: '/' }], 'S1'],
    ['without the last mark, as it is', 'S1', [{ before_last: '/' }], 'S1'],
    ['without the mark, strictly', 'S1', [{ after: '/', strict: true }], undefined],
    ['with the mark, strictly', 'A/S1', [{ after: '/', strict: true }], 'S1'],
    ['without a beginning', 'K-S1', [{ without: ['K-'] }], 'S1'],
    ['without an end', 'S1-EU', [{ without: ['-EU'] }], 'S1'],
    ['without both', 'K-S1-EU', [{ without: ['K-', '-EU'] }], 'S1'],
    ['without each once', 'xxS1xx', [{ without: ['x'] }], 'xS1x'],
    ['not without what stands within', 'SK-1', [{ without: ['K-'] }], 'SK-1'],
    ['without nothing, strictly', 'S1', [{ without: ['K-'], strict: true }], undefined],
    ['the first', 'a-b-c', [{ part: 1, of: '-' }], 'a'],
    ['the second', 'a-b-c', [{ part: 2, of: '-' }], 'b'],
    ['the third', 'a-b-c', [{ part: 3, of: '-' }], 'c'],
    ['the last', 'a-b-c', [{ part: -1, of: '-' }], 'c'],
    ['the first from the end', 'a-b-c', [{ part: -3, of: '-' }], 'a'],
    ['an empty one', '-b-', [{ part: 1, of: '-' }], ''],
    ['an empty one at the end', '-b-', [{ part: -1, of: '-' }], ''],
    ['none, where there are fewer', 'a-b', [{ part: 3, of: '-' }], undefined],
    ['none, where there are fewer from the end', 'a-b', [{ part: -3, of: '-' }], undefined],
    ['the whole, where there is no mark', 'ab', [{ part: 2, of: '-' }], 'ab'],
    [
      'none, where there is no mark, strictly',
      'ab',
      [{ part: 1, of: '-', strict: true }],
      undefined,
    ],
    ['step by step', ' A/S1 (red) ', [{ after: '/' }, { before: '(' }, 'trim'], 'S1'],
    ['of a text beyond ASCII', '皿→S1→赤', [{ part: 2, of: '→' }], 'S1'],
  ])('is %s', (_, text, steps, part) => {
    expect(cut(text, ...steps)).toBe(part)
  })

  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', '--'), maxLength: 12 })
  const mark = fc.constantFrom('-', '--', 'a', 'ab', ' ')

  it('is what splitting the text gives, whatever the text', () => {
    fc.assert(
      fc.property(text, mark, fc.integer({ min: -6, max: 6 }), (whole, of, part) => {
        fc.pre(part !== 0)
        if (!whole.includes(of)) expect(cut(whole, { part, of })).toBe(whole)
        else if (part > 0) expect(cut(whole, { part, of })).toBe(whole.split(of)[part - 1])
        else expect(cut(whole, { part, of })).toBe(partFromEnd(whole, of, -part))
      }),
      { numRuns: byDepth(300, 5000) },
    )
  })

  it('and what stands beside it make the text again', () => {
    fc.assert(
      fc.property(text, mark, (whole, at) => {
        fc.pre(whole.includes(at))
        expect(`${cut(whole, { before: at })}${at}${cut(whole, { after: at })}`).toBe(whole)
        const last = [cut(whole, { before_last: at }), cut(whole, { after_last: at })]
        expect(last.join(at)).toBe(whole)
      }),
      { numRuns: byDepth(300, 5000) },
    )
  })
})

/** The naive way: takes parts off the end. */
function partFromEnd(text: string, of: string, part: number): string | undefined {
  const at = text.lastIndexOf(of)
  const last = at === -1 ? text : text.slice(at + of.length)
  if (part === 1) return last
  return at === -1 ? undefined : partFromEnd(text.slice(0, at), of, part - 1)
}

describe('a rule with text', () => {
  const sku: Record<string, SavedRule> = {
    'items[].sku_code': { from: 'lines[].name', text: [{ after_last: '/' }, 'trim'] },
  }
  const DROP = { unmapped: 'drop' } as const

  it.each<Case>([
    [
      'takes the part of each element',
      sku,
      { lines: [{ name: 'Cup / S1 ' }, { name: 'S2' }] },
      { items: [{ sku_code: 'S1' }, { sku_code: 'S2' }] },
    ],
    [
      'passes over a path whose part is empty',
      { notes: { from: ['a', 'b'], text: [{ after: ':' }] } },
      { a: 'x:', b: 'y:z' },
      { notes: 'z' },
    ],
    [
      'passes over a path without the mark, strictly',
      { notes: { from: ['a', 'b'], text: [{ after: ':', strict: true }] } },
      { a: 'x', b: 'y:z' },
      { notes: 'z' },
    ],
    [
      'takes the part of a joined text',
      { notes: { join: ['a', 'b'], text: [{ before: '-' }] } },
      { a: '1', b: '2-3' },
      { notes: '1 2' },
    ],
    [
      'takes the digits of a number',
      { 'metadata.x': { from: 'a', text: [{ before: '.' }] } },
      { a: 12.5 },
      { metadata: { x: '12' } },
    ],
    [
      'comes before values, as and default',
      {
        'metadata.x': { from: 'a', text: ['trim'], values: { one: '1' }, as: 'integer' },
        'metadata.y': { from: 'b', text: [{ after: '-', strict: true }], default: 'none' },
      },
      { a: ' one ', b: 'x' },
      { metadata: { x: 1, y: 'none' } },
    ],
    [
      'gives no value where none is left',
      { notes: { from: 'a', text: ['trim'] } },
      { a: '  ' },
      {},
    ],
  ])('%s', dropping)

  it('cannot read an object', () => {
    const { problems } = map({ notes: { from: 'a', text: ['trim'] } }, { a: { b: 1 } }, DROP)
    expect(problems).toEqual([mismatch('notes', 'a', 'single value', 'object')])
  })

  it('requires a part that is there', () => {
    const rule: SavedRule = { from: 'a', text: [{ after: '-', strict: true }], required: true }
    const { problems } = map({ notes: rule }, { a: 'x' }, DROP)
    expect(problems).toMatchObject([{ reason: 'SOURCE_MISSING', rule: 'notes', at: 'a' }])
  })

  it('names the path that has the part', () => {
    const rule: SavedRule = { from: ['a', 'b'], text: [{ after: ':', strict: true }] }
    expect(map({ notes: rule }, { a: 'x', b: 'y:z' }, DROP).sourceOf('notes')).toBe('b')
  })

  it('looks at no more of a long text than a document may take', () => {
    const mark = `${'a'.repeat(99)}b`
    const text = Array.from({ length: 8 }, () => ({ after_last: mark }))
    const long = 'a'.repeat(4_000_000)
    const { problems } = map({ notes: { from: 'a', text } }, { a: long }, DROP)
    expect(problems).toMatchObject([{ reason: 'TOO_LARGE', rule: 'notes', unit: 'steps' }])
    const once = map({ notes: { from: 'a', text: [{ before: '!' }] } }, { a: long }, DROP)
    expect(once.problems).toEqual([])
  })

  it('counts a long text before it looks at it', () => {
    const { steps } = readMembers({ from: 'a', text: [{ after_last: '/' }] })
    const partWithin = (workMax: number) =>
      steps && partOfText(`${'x'.repeat(1600)}/b`, steps, { work: 0, workMax })
    expect([partWithin(1000), partWithin(100)]).toEqual(['b', undefined])
  })

  it('keeps the digits of a large number', () => {
    const fields: Record<string, SavedRule> = { notes: { from: 'a', text: ['trim'] } }
    expect(map(fields, JSON.parse('{"a": 7}'), DROP).value).toEqual({ notes: '7' })
  })
})

describe('other values of a table', () => {
  const values = { old: 'new', '*': { as: 'is' } } as const
  const rules: Record<string, SavedRule> = { 'metadata.x': { from: 'a', values } }

  it.each<Case>([
    ['stay as they are', rules, { a: 'x' }, { metadata: { x: 'x' } }],
    ['stay numbers', rules, { a: 1.5 }, { metadata: { x: 1.5 } }],
    ['do not hide an entry', rules, { a: 'old' }, { metadata: { x: 'new' } }],
    [
      'are converted',
      { 'metadata.x': { from: 'a', values, as: 'integer' } },
      { a: '7' },
      { metadata: { x: 7 } },
    ],
  ])('%s', dropping)
})

describe('a rule that is saved', () => {
  const of = (text: unknown) => ({ notes: { from: 'a', text } }) as Refused[1]
  const step =
    'A step of "text" is "trim" or an object with one of after, before, after_last, before_last, without, part.'

  it.each<Refused>([
    ['no list', of('trim'), '"text" must be a list of steps, such as ["trim", {"after": "/"}].'],
    ['no step', of([]), '"text" must be a list of steps, such as ["trim", {"after": "/"}].'],
    ['too many', of(Array(9).fill('trim')), '"text" must have at most 8 steps.'],
    ['another word', of(['upper']), step],
    ['two in one', of([{ after: 'a', before: 'b' }]), step],
    ['null', of([null]), step],
    ['another member', of([{ after: 'a', of: 'b' }]), 'The step "after" cannot have "of".'],
    [
      'an odd strict',
      of([{ after: 'a', strict: 1 }]),
      '"strict" of the step "after" must be true or false.',
    ],
    ['an empty mark', of([{ after: '' }]), '"after" must be a text of 1 to 100 characters.'],
    [
      'a long mark',
      of([{ after: 'x'.repeat(101) }]),
      '"after" must be a text of 1 to 100 characters.',
    ],
    ['no mark', of([{ part: 1 }]), '"of" must be a text of 1 to 100 characters.'],
    ['without nothing', of([{ without: [] }]), '"without" must be a list of 1 to 20 texts.'],
    [
      'without a number',
      of([{ without: [1] }]),
      '"without" must be a text of 1 to 100 characters.',
    ],
    [
      'part 0',
      of([{ part: 0, of: '-' }]),
      '"part" must be an integer from 1 to 100, or from -1 to -100 to count from the end.',
    ],
    [
      'a text for a number',
      { 'items[].quantity': { from: 'l[].q', text: ['trim'] } },
      'The rule gives a text, which "items[].quantity" does not take.',
    ],
    [
      'beside a fixed value',
      { notes: { value: 'x', text: ['trim'] } },
      'A fixed value cannot have "text".',
    ],
    [
      'an object for one value of a table',
      { notes: { from: 'a', values: { x: { as: 'is' } } } },
      '"values": "x" must be a text, a number, true, false or null.',
    ],
    [
      'an odd object for the others of a table',
      { notes: { from: 'a', values: { '*': { as: 'was' } } } },
      '"values": "*" must be a text, a number, true, false or null.',
    ],
  ])('cannot have %s', refuses)
})
