import { describe, it } from 'vitest'
import { mismatch } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, dropping } from './cases.ts'

describe('a filter that picks', () => {
  const gift = { 'metadata.gift': "n[?@.name == 'gift'].value" }
  const ambiguous = (rule: string, at: string, found: string) => [
    { reason: 'AMBIGUOUS', rule, at, found },
  ]

  it.each<Case>([
    [
      'the element',
      gift,
      {
        n: [
          { name: 'a', value: 1 },
          { name: 'gift', value: 2 },
        ],
      },
      { metadata: { gift: 2 } },
    ],
    ['null at its end', gift, { n: [{ name: 'gift', value: null }] }, { metadata: { gift: null } }],
    ['none', gift, { n: [{ name: 'a' }] }, {}],
    ['none of an empty array', gift, { n: [] }, {}],
    ['none without the array', gift, { n: null }, {}],
    ['a value itself', { notes: "tags[?@ == 'x']" }, { tags: ['a', 'x'] }, { notes: 'x' }],
    [
      'by two filters',
      { notes: 'a[?@.k == 1].b[?@.k == 2].v' },
      { a: [{ k: 1, b: [{ k: 1 }, { k: 2, v: 'x' }] }] },
      { notes: 'x' },
    ],
    [
      'within a line',
      { 'items[].notes': "l[].p[?@.n == 'e'].v" },
      { l: [{ p: [{ n: 'e', v: 1 }] }, { p: [] }, {}] },
      { items: [{ notes: 1 }, {}, {}] },
    ],
    [
      'before a line',
      { 'items[].notes': "w[?@.k == 'x'].l[].v" },
      { w: [{ k: 'y' }, { k: 'x', l: [{ v: 1 }] }] },
      { items: [{ notes: 1 }] },
    ],
    ['of the document', { notes: "$[?@.k == 'x'].v" }, [{ k: 'x', v: 1 }] as Json, { notes: 1 }],
    [
      'in the older syntax',
      { notes: '$.a[?(@.y == 1)].v' },
      { a: [{ y: 1, v: 'x' }] },
      { notes: 'x' },
    ],
  ])('takes %s', dropping)

  it.each<Case>([
    [
      'two',
      gift,
      { n: [{ name: 'gift' }, {}, { name: 'gift' }, { name: 'gift' }] },
      ambiguous('metadata.gift', 'n[0]', 'n[2]'),
    ],
    [
      'two in a line',
      { 'items[].notes': 'l[].p[?@.n].v' },
      { l: [{}, { p: [{}, { n: 1 }, { n: 2 }] }] },
      ambiguous('items[].notes', 'l[1].p[1]', 'l[1].p[2]'),
    ],
    [
      'two that are the same',
      gift,
      {
        n: [
          { name: 'gift', value: 1 },
          { name: 'gift', value: 1 },
        ],
      },
      ambiguous('metadata.gift', 'n[0]', 'n[1]'),
    ],
    [
      'two of the document',
      { notes: '$[?@.k].v' },
      [{ k: 1 }, { k: 2 }] as Json,
      ambiguous('notes', '$[0]', '$[1]'),
    ],
    ['a text', gift, { n: 'gift' }, [mismatch('metadata.gift', 'n', 'array', 'string')]],
    [
      'two, whatever the default',
      { notes: { from: 'n[?@.k].v', default: 'd' } },
      { n: [{ k: 1 }, { k: 2 }] },
      ambiguous('notes', 'n[0]', 'n[1]'),
    ],
    [
      'two, in a list that could go on',
      { notes: { from: ['n[?@.k].v', 'b'] } },
      { b: 1, n: [{ k: 1 }, { k: 2 }] },
      ambiguous('notes', 'n[0]', 'n[1]'),
    ],
  ])('refuses %s', dropping)
})
