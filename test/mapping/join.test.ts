import { describe, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { mismatch } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, dropping } from './cases.ts'

const name = { customer_name: { join: ['a.first', 'a.last'] } }

describe('join', () => {
  it.each<Case>([
    [
      'two texts, with a space',
      name,
      { a: { first: 'Kim', last: 'Li' } },
      { customer_name: 'Kim Li' },
    ],
    ['one that is missing', name, { a: { last: 'Li' } }, { customer_name: 'Li' }],
    [
      'one that is null, one that is empty',
      { notes: { join: ['a', 'b', 'c'] } },
      { a: null, b: '', c: 'x' },
      { notes: 'x' },
    ],
    ['none', name, { a: {} }, {}],
    ['none on the way', name, { a: null }, {}],
    [
      'a fixed part',
      { order_number: { join: [{ value: 'SHOP2-' }, 'n'], with: '' } },
      { n: '7' },
      { order_number: 'SHOP2-7' },
    ],
    [
      'fixed parts alone, which make no text',
      { order_number: { join: [{ value: 'SHOP2-' }, 'n'], with: '' } },
      { n: '' },
      {},
    ],
    [
      'a fixed part that is empty',
      { notes: { join: ['a', { value: '' }, 'b'], with: '-' } },
      { a: 'x', b: 'y' },
      { notes: 'x-y' },
    ],
    [
      'numbers, true and false',
      { notes: { join: ['a', 'b', 'c'], with: ',' } },
      { a: 0, b: true, c: false },
      { notes: '0,true,false' },
    ],
    [
      'numbers by their digits',
      { notes: { join: ['a', 'b'], with: ',' } },
      { a: new ExactNumber('820982911946154508'), b: new ExactNumber('1.50') },
      { notes: '820982911946154508,1.50' },
    ],
    [
      'white space, as it is',
      { notes: { join: ['a', 'b'], with: '' } },
      { a: ' ', b: 'x ' },
      { notes: ' x ' },
    ],
    [
      'an index and the last one',
      { notes: { join: ['a[0]', 'a[-1]'] } },
      { a: [1, 2, 3] },
      { notes: '1 3' },
    ],
    [
      'a separator of several characters',
      { notes: { join: ['a', 'b'], with: ' / ' } },
      { a: 'x', b: 'y' },
      { notes: 'x / y' },
    ],
    ['one part', { notes: { join: ['a'] } }, { a: 1 }, { notes: '1' }],
    [
      'and converts the whole',
      { order_date: { join: ['d', 't'], as: 'datetime' } },
      { d: '2020-01-02', t: '03:04' },
      { order_date: '2020-01-02T03:04:00.000Z' },
    ],
    [
      'and looks the whole up',
      { notes: { join: ['a', 'b'], values: { 'x y': 'z' } } },
      { a: 'x', b: 'y' },
      { notes: 'z' },
    ],
    [
      'into a document that is an array',
      { notes: { join: ['$[0].a', '$[1].a'] } },
      [{ a: 1 }, { a: 2 }] as Json,
      { notes: '1 2' },
    ],
  ])('joins %s', dropping)

  it.each<Case>([
    [
      'an object',
      name,
      { a: { first: {}, last: 'x' } },
      [mismatch('customer_name', 'a.first', 'single value', 'object')],
    ],
    [
      'an array',
      name,
      { a: { first: ['x'] } },
      [mismatch('customer_name', 'a.first', 'single value', 'array')],
    ],
    [
      'an object in a list',
      { notes: { join: ['l[].o[]'] } },
      { l: [{ o: ['x', {}] }] },
      [mismatch('notes', 'l[0].o[1]', 'single value', 'object')],
    ],
    [
      'a wrong kind on the way',
      name,
      { a: 'x' },
      [
        mismatch('customer_name', 'a', 'object', 'string'),
        mismatch('customer_name', 'a', 'object', 'string'),
      ],
    ],
    [
      'a wrong kind within a list',
      { notes: { join: ['l[].o.v'] } },
      { l: [{ o: 1 }] },
      [mismatch('notes', 'l[0].o', 'object', 'number')],
    ],
    [
      'an object where an array is listed',
      { notes: { join: ['l[].v'] } },
      { l: { v: 1 } },
      [mismatch('notes', 'l', 'array', 'object')],
    ],
  ])('refuses %s', dropping)
})

describe('join over the elements of arrays', () => {
  const items = {
    'items[].sku_code': 'l[].s',
    'items[].notes': { join: ['l[].o[].v'], with: ', ' },
  }

  it.each<Case>([
    [
      'all values, in order',
      { notes: { join: ['l[].v'] } },
      { l: [{ v: 'a' }, {}, { v: null }, { v: '' }, { v: 2 }] },
      { notes: 'a 2' },
    ],
    ['an empty array', { notes: { join: ['l[].v'] } }, { l: [] }, {}],
    [
      'those that a filter takes',
      { notes: { join: ["l[?@.k == 'x'].v"] } },
      {
        l: [
          { k: 'x', v: 1 },
          { k: 'y', v: 2 },
          { k: 'x', v: 3 },
        ],
      },
      { notes: '1 3' },
    ],
    [
      'of nested arrays',
      { notes: { join: ['l[].o[].v'] } },
      { l: [{ o: [{ v: 1 }, { v: 2 }] }, {}, { o: [{ v: 3 }] }] },
      { notes: '1 2 3' },
    ],
    [
      'three levels with filters',
      { notes: { join: ['a[?@.on].b[].c[?@ > 1]'], with: '' } },
      { a: [{ on: 1, b: [{ c: [1, 2, 3] }] }, { b: [{ c: [9] }] }] },
      { notes: '23' },
    ],
    [
      'of each line',
      items,
      { l: [{ s: 'a', o: [{ v: 'red' }, { v: 'XL' }] }, { s: 'b' }, { s: 'c', o: [] }] },
      { items: [{ sku_code: 'a', notes: 'red, XL' }, { sku_code: 'b' }, { sku_code: 'c' }] },
    ],
    [
      'of each line, with a field of the line',
      { 'items[].notes': { join: ['l[].t', "l[].o[?@.n != 'x'].v"] } },
      { l: [{ t: 't', o: [{ v: 1 }, { n: 'x', v: 2 }] }] },
      { items: [{ notes: 't 1' }] },
    ],
    [
      'of each line, with what is said once',
      { 'items[].notes': { join: ['memo', 'l[].t'] } },
      { memo: 'm', l: [{ t: 'a' }, {}] },
      { items: [{ notes: 'm a' }, { notes: 'm' }] },
    ],
    [
      'once for all lines',
      { 'items[].sku_code': 'l[].s', 'items[].notes': { join: ['a', 'b'] } },
      { a: 1, b: 2, l: [{ s: 'x' }, { s: 'y' }] },
      {
        items: [
          { sku_code: 'x', notes: '1 2' },
          { sku_code: 'y', notes: '1 2' },
        ],
      },
    ],
    [
      'below an each',
      {
        'items[]': { each: 'l[?@.on]' },
        'items[].notes': { join: ['l[].t', 'l[].o[].v', 'memo'] },
      },
      { memo: 'm', l: [{ t: 'no' }, { on: 1, t: 'yes', o: [{ v: 'v' }] }] },
      { items: [{ notes: 'yes v m' }] },
    ],
    [
      'below an each, of an ancestor',
      { 'items[]': { each: 'w[].s[]' }, 'items[].notes': { join: ['w[].n', 'w[].s[].n'] } },
      { w: [{ n: 1, s: [{ n: 2 }, { n: 3 }] }] },
      { items: [{ notes: '1 2' }, { notes: '1 3' }] },
    ],
  ])('lists %s', dropping)
})
