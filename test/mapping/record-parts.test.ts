import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findParts, mapRecords } from '../../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'

type Rules = Omit<SavedRules, 'unmapped'>
const saved = (rules: Rules): SavedRules => ({ unmapped: 'drop', ...rules })

const sent = (payload: unknown) => ({ method: 'POST', payload, bytes: 1000 })

const row = fc.record({
  n: fc.constantFrom('a', 'b', 'c'),
  state: fc.constantFrom('paid', 'draft'),
  sku: fc.string(),
})
const rows = fc.array(row, { maxLength: 6 })
const beside = { page: fc.integer(), more: fc.array(fc.integer(), { maxLength: 2 }) }
const inMember = fc.record({ ...beside, list: rows })

const fieldsAt = (path: string, others: object = {}) => ({
  order_number: `${path}.n`,
  notes: `${path}.state`,
  ...others,
})

/** How records stand in a document: the rules, and documents for them. */
const SHAPES: [string, Rules, fc.Arbitrary<unknown>][] = [
  [
    'a member',
    { records: { each: 'list[]' }, fields: fieldsAt('list[]', { source: 'page' }) },
    inMember,
  ],
  ['the document', { records: { each: '$[]' }, fields: fieldsAt('$[]') }, rows],
  [
    'arrays of arrays',
    {
      records: { each: 'shops[].list[]' },
      fields: fieldsAt('shops[].list[]', { source: 'shops[].page' }),
    },
    fc.record({ ...beside, shops: fc.array(inMember, { maxLength: 3 }) }),
  ],
  [
    'elements that a filter chooses',
    { records: { each: "list[?@.state == 'paid']" }, fields: fieldsAt('list[]') },
    inMember,
  ],
  [
    'members of an object that a filter chooses',
    { records: { each: '$[?@.n]' }, fields: fieldsAt('$[]') },
    fc.dictionary(fc.string(), row, { maxKeys: 4 }),
  ],
  [
    'single values as lists',
    { single_as_list: true, records: { each: 'list[]' }, fields: fieldsAt('list[]') },
    fc.record({ ...beside, list: fc.oneof(row, rows, fc.constant('')) }),
  ],
  [
    'rows of groups',
    {
      records: { each: 'list[]', group_by: ['list[].n'] },
      fields: { order_number: 'list[].n', 'items[].sku_code': 'list[].sku' },
    },
    inMember,
  ],
  [
    'rows of groups of which a filter judges the first',
    {
      records: { each: "list[?@.state == 'paid']", group_by: ['list[].n'] },
      fields: { order_number: 'list[].n', 'items[].sku_code': 'list[].sku' },
    },
    inMember,
  ],
]

const recordsOf = (rules: SavedRules, document: unknown) =>
  mapRecords('orders', rules, sent(document)).records.map(({ value, problems }) => ({
    value,
    problems: problems.length,
  }))

describe('the parts of a document with several records', () => {
  it.each(SHAPES)('have the records of the whole, of %s', (_, shape, documents) => {
    const rules = saved(shape)
    fc.assert(
      fc.property(documents, fc.nat(), fc.nat(), (document, one, other) => {
        const whole = recordsOf(rules, document)
        const parts = findParts('orders', rules, sent(document))
        expect(parts.count).toBe(whole.length)
        for (const [index, record] of whole.entries()) {
          expect(recordsOf(rules, parts.only(index, index + 1))).toEqual([record])
        }
        const [from = 0, to = 0] = [one, other].map((n) => n % (whole.length + 1)).toSorted()
        if (from < to) {
          expect(recordsOf(rules, parts.only(from, to))).toEqual(whole.slice(from, to))
        }
      }),
    )
  })

  it('keep what stands beside the records, and change nothing of the document', () => {
    const rules = saved({ records: { each: 'a.list[]' }, fields: fieldsAt('a.list[]') })
    const document = { x: [1], a: { y: 2, list: [{ n: 1 }, { n: 2, z: [] }] } }
    const parts = findParts('orders', rules, sent(document))
    expect(parts.only(1, 2)).toEqual({ x: [1], a: { y: 2, list: [{ n: 2, z: [] }] } })
    expect(document.a.list).toHaveLength(2)
  })

  it('are not known where there is no array, or too many records', () => {
    const rules = saved({ records: { each: 'list[]' }, fields: fieldsAt('list[]') })
    for (const list of [undefined, 5, 'text', Array(501).fill({})]) {
      expect(findParts('orders', rules, sent({ list })).count).toBeNull()
    }
  })
})
