import { describe, expect, it } from 'vitest'
import { comparedWith, type Schema } from '../../scripts/tenant/half-applied.ts'

const schema = (...tables: string[]): Schema => new Map(tables.map((name) => [name, `of ${name}`]))

const FILES = ['0002_b.sql', '0003_c.sql']
/** 0002 adds b and its index; 0003 adds c, and takes a away. */
const ALONG = [schema('a'), schema('a', 'b', 'b_index'), schema('b', 'b_index', 'c')]

describe('what is there of pending migrations', () => {
  it.each([
    { now: schema('a'), unrecorded: [], half: null },
    { now: schema('a', 'b', 'b_index'), unrecorded: ['0002_b.sql'], half: null },
    { now: schema('b', 'b_index', 'c'), unrecorded: FILES, half: null },
    // An operator's own index is nobody's business.
    { now: schema('a', 'own'), unrecorded: [], half: null },
    {
      now: schema('a', 'b'),
      unrecorded: [],
      half: { file: '0002_b.sql', has: ['b'], lacks: ['b_index'] },
    },
    {
      now: schema('a', 'b', 'b_index', 'c'),
      unrecorded: [],
      half: { file: '0003_c.sql', has: ['c'], lacks: ['a'] },
    },
    {
      now: new Map([...schema('a'), ['b', 'otherwise']]),
      unrecorded: [],
      half: { file: '0002_b.sql', has: [], lacks: ['b', 'b_index'] },
    },
  ])('is $unrecorded and half $half where there is $now', ({ now, unrecorded, half }) => {
    expect(comparedWith(now, ALONG, FILES)).toEqual({ unrecorded, half })
  })
})
