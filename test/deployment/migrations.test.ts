import { describe, expect, it } from 'vitest'
import { contractions, needFault, needIn } from '../../scripts/tenant/expand-contract.ts'
import { comparedWith, type Schema } from '../../scripts/tenant/half-applied.ts'
import { splitViolations } from '../../scripts/tidy/migrations.ts'

const NEEDS = '-- Needs code of 0019: code from before writes it.\n'

describe('a migration that only adds', () => {
  it.each([
    'ALTER TABLE orders ADD COLUMN note TEXT;',
    'CREATE TABLE notes (id TEXT);\nCREATE UNIQUE INDEX notes_id ON notes (id);',
    'CREATE INDEX orders_note ON orders (note);\nDROP INDEX orders_old;',
    'DROP TRIGGER IF EXISTS counted;\nCREATE TRIGGER counted AFTER INSERT ON orders BEGIN SELECT 1; END;',
    'CREATE TABLE two (a);\nALTER TABLE two RENAME TO three;',
    "-- Nothing like DROP TABLE orders.\nINSERT INTO notes VALUES ('DROP COLUMN note');",
  ])('needs no line: %s', (sql) => {
    expect(contractions(sql)).toEqual([])
    expect(needFault('0025_test.sql', sql)).toBeNull()
  })
})

describe.each([
  'ALTER TABLE orders DROP COLUMN note;',
  'alter table orders\n  rename column note to text;',
  'ALTER TABLE notes RENAME TO texts;',
  'DROP TABLE notes;',
  'DROP VIEW notes;',
  'DROP TRIGGER counted;',
  'CREATE UNIQUE INDEX orders_note ON orders (note);',
])('a migration that takes away: %s', (sql) => {
  it('says since when nobody uses it', () => {
    expect(needFault('0025_test.sql', `\n${sql}`)).toMatchObject({
      wrong: expect.stringMatching(/: older code may use it\. Say since which migration none does/),
      index: expect.any(Number),
    })
    expect(needFault('0025_test.sql', NEEDS + sql)).toBeNull()
  })

  it('comes after a deployment of code that does without', () => {
    const wrong = expect.stringMatching(/while code of before 0019 serves: first deploy code that/)
    expect(needFault('0019_test.sql', NEEDS + sql)).toMatchObject({ wrong })
  })
})

describe('the line', () => {
  it('may also be in a migration that adds, of what older code does not know', () => {
    const sql = `${NEEDS}ALTER TABLE api_keys ADD COLUMN hidden INTEGER;`
    expect(needFault('0019_test.sql', sql)).toBeNull()
    expect(needIn(sql)).toEqual({ of: '0019', why: 'code from before writes it.' })
  })

  it('names no migration that comes later', () => {
    expect(needFault('0018_test.sql', NEEDS)).toMatchObject({
      wrong: expect.stringContaining('later'),
    })
  })
})

describe('a migration that the remote splitter may cut wrongly', () => {
  it.each([
    ["-- It doesn't.\nSELECT 1;", 'a quote or a semicolon in a comment'],
    ['SELECT 1; -- One; two.', 'a quote or a semicolon in a comment'],
    ['CREATE TABLE a (\n  b TEXT -- The "b".\n);', 'a quote or a semicolon in a comment'],
    [
      'CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT 1; END;',
      '`END;` of a trigger must stand alone on its line',
    ],
    [`-- ${'x'.repeat(100_000)}\nSELECT 1;`, 'more than 100000 bytes: divide it'],
  ])('is refused: %.40s', (sql, wrong) => {
    expect(splitViolations('a.sql', sql)).toMatchObject([{ wrong }])
  })

  it.each([
    "INSERT INTO a VALUES ('b; c');",
    "-- Plain words.\nCREATE TRIGGER a AFTER INSERT ON b\nBEGIN\n  SELECT 'x';\nEND;",
  ])('is none of: %.40s', (sql) => {
    expect(splitViolations('a.sql', sql)).toEqual([])
  })
})

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
