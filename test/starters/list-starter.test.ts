import { describe, expect, it } from 'vitest'
import { listStarter } from '../../scripts/assets/list-starter.ts'
import type { SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import type { Starter } from '../../src/settings/mapping-starters/starters.ts'

const ONE: Starter = {
  name: 'acme-order',
  title: 'Acme: order',
  system: 'Acme',
  resource: 'orders',
  notes: ['Of its document.', 'Of both.'],
  mapping: {
    identifier_field: 'external_order_id',
    inbound: { unmapped: 'drop', none: ['-'], fields: {} },
    outbound: null,
  },
  document: { order: { id: 1, memo: 'fragile' } },
}

const withRules = (fields: Record<string, SavedRule>): Starter => {
  const { mapping } = ONE
  return { ...ONE, mapping: { ...mapping, inbound: { unmapped: 'drop', none: ['-'], fields } } }
}

const LIST = {
  name: 'acme-orders',
  title: 'Acme: orders',
  list_of: { starter: 'acme-order', record: 'order', each: 'page.orders[]' },
  notes: ['Of the list.'],
  document: { page: { total: 1, orders: [{ id: 2 }] } },
}

/** A rule of one record, and the same in a list of them. */
const RULES: [SavedRule, SavedRule][] = [
  ['order.id', 'page.orders[].id'],
  [
    { from: 'order.id', as: 'string' },
    { from: 'page.orders[].id', as: 'string' },
  ],
  [{ from: ['order.a', 'order.b'] }, { from: ['page.orders[].a', 'page.orders[].b'] }],
  [
    { join: [{ value: 'A-' }, 'order.id'], with: '' },
    { join: [{ value: 'A-' }, 'page.orders[].id'], with: '' },
  ],
  [
    { join: [{ pair: ['order.o[].k', 'order.o[].v'], with: '=' }] },
    { join: [{ pair: ['page.orders[].o[].k', 'page.orders[].o[].v'], with: '=' }] },
  ],
  [{ each: 'order.lines[?@.qty > 0]' }, { each: 'page.orders[].lines[?@.qty > 0]' }],
  [
    { from: 'order.qty', as: 'integer', less: ['order.gone'], times: 'order.pack' },
    {
      from: 'page.orders[].qty',
      as: 'integer',
      less: ['page.orders[].gone'],
      times: 'page.orders[].pack',
    },
  ],
  [
    { from: 'order.qty', as: 'integer', times: 12 },
    { from: 'page.orders[].qty', as: 'integer', times: 12 },
  ],
  [{ value: 'order.id' }, { value: 'order.id' }],
]

describe('the starter for a list', () => {
  it('has the record in its document, the rules of records, and both notes', () => {
    const list = listStarter(LIST, withRules({ notes: 'order.memo' }))
    expect(list).toEqual({
      ...ONE,
      name: 'acme-orders',
      title: 'Acme: orders',
      notes: ['Of the list.', 'Of both.'],
      mapping: {
        identifier_field: 'external_order_id',
        inbound: {
          unmapped: 'drop',
          none: ['-'],
          records: { each: 'page.orders[]' },
          fields: { notes: 'page.orders[].memo' },
        },
        outbound: null,
      },
      document: { page: { total: 1, orders: [{ id: 2, memo: 'fragile' }] } },
    })
    expect(LIST.document.page.orders).toEqual([{ id: 2 }])
  })

  it.each(RULES)('reads %j in each record', (rule, expected) => {
    const { mapping } = listStarter(LIST, withRules({ notes: rule }))
    expect(mapping.inbound?.fields.notes).toEqual(expected)
  })

  it('takes a document that is the record itself', () => {
    const list_of = { ...LIST.list_of, record: '' }
    const { mapping, document } = listStarter({ ...LIST, list_of }, withRules({ notes: 'memo' }))
    expect(mapping.inbound?.fields.notes).toBe('page.orders[].memo')
    expect(document).toEqual({
      page: { total: 1, orders: [{ ...(ONE.document as object), id: 2 }] },
    })
  })

  it.each([
    ['shop.name lies beside the record', LIST, withRules({ notes: 'shop.name' })],
    [
      'acme-orders has no list at items[]',
      { ...LIST, list_of: { ...LIST.list_of, each: 'items[]' } },
      ONE,
    ],
    ['acme-orders takes no single record', LIST, listStarter(LIST, ONE)],
  ])('is not made: %s', (message, list, one) => {
    expect(() => listStarter(list, one)).toThrow(message)
  })
})
