import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  EACH,
  type Path,
  PathError,
  parsePath,
  printPath,
  readPath,
} from '../../src/engine/json/path.ts'
import { byDepth } from '../fixtures/depth.ts'

const UNSAFE = ['__proto__', 'prototype', 'constructor']
const steps = (count: number) => Array.from({ length: count }, () => 'a').join('.')

const HINT = / \([^()]*(?:\(\)|\([^()]*\))?[^()]*\)$/

/** The message with which a text is refused; fails if it is not refused. */
function refusal(text: string): string {
  try {
    parsePath(text)
  } catch (error) {
    expect(error).toBeInstanceOf(PathError)
    return (error as PathError).message
  }
  throw new Error(`"${text}" is taken`)
}

describe('parsePath', () => {
  it.each<[text: string, path: Path]>([
    ['a', ['a']],
    ['a.b.c', ['a', 'b', 'c']],
    ['$.a', ['a']],
    ['$.a.b', ['a', 'b']],
    ['a[0]', ['a', 0]],
    ['a[12].b', ['a', 12, 'b']],
    ['a[-1]', ['a', -1]],
    ['a[-1].b', ['a', -1, 'b']],
    ['a[0][1]', ['a', 0, 1]],
    ['a[]', ['a', EACH]],
    ['a[*]', ['a', EACH]],
    ['a[].b[*].c', ['a', EACH, 'b', EACH, 'c']],
    ['a[][]', ['a', EACH, EACH]],
    ["['x y']", ['x y']],
    ["$['x y']", ['x y']],
    ["$['x y'].b", ['x y', 'b']],
    ["a['x y'][0]", ['a', 'x y', 0]],
    ["a['b']['c']", ['a', 'b', 'c']],
    ["a['']", ['a', '']],
    ["['']", ['']],
    ["a['b.c']", ['a', 'b.c']],
    ["a['[0]']", ['a', '[0]']],
    ["a['[]']", ['a', '[]']],
    ["a['*']", ['a', '*']],
    ["a['0']", ['a', '0']],
    ["a['$.b']", ['a', '$.b']],
    [`a['"']`, ['a', '"']],
    ["a['it\\'s']", ['a', "it's"]],
    ["a['\\'\\'']", ['a', "''"]],
    ["a['b\\\\c']", ['a', 'b\\c']],
    ["a['\\\\']", ['a', '\\']],
    ["a['\\\\\\'']", ['a', "\\'"]],
    ["a['\n\t']", ['a', '\n\t']],
    ['straße.größe', ['straße', 'größe']],
    ['倉庫.数量[0]', ['倉庫', '数量', 0]],
    ['📦.📦', ['📦', '📦']],
    ["['📦 x']", ['📦 x']],
    ['ship-to.post-code', ['ship-to', 'post-code']],
    ['@type.@id', ['@type', '@id']],
    ['ns:name.x:y', ['ns:name', 'x:y']],
    ['#1.a#', ['#1', 'a#']],
    ['0.1', ['0', '1']],
    ['a-1.-1', ['a-1', '-1']],
    ['a/b.c%20d', ['a/b', 'c%20d']],
    ['a~b.^c.`d`', ['a~b', '^c', '`d`']],
    ['$a', ['$a']],
    ['a.$b', ['a', '$b']],
    ['$.$', ['$']],
    ['toString.valueOf', ['toString', 'valueOf']],
  ])('reads %s', (text, path) => {
    expect(parsePath(text)).toStrictEqual(path)
  })

  it.each([
    ['', 'is not a path: a name is missing'],
    ['a.', 'is not a path: a name is missing'],
    ['$.', 'is not a path: a name is missing'],
    ['a[0].', 'is not a path: a name is missing'],
    ['a..b', 'is not a path from "..b" on'],
    ['a b', 'is not a path from " b" on'],
    ['a.b c', 'is not a path from " c" on'],
    ['a ', 'is not a path from " " on'],
    ['a\n', 'is not a path from "\n" on'],
    ['a\u0000', 'is not a path from "\u0000" on'],
    ['a\u00a0', 'is not a path from "\u00a0" on'],
    ['a.*', 'is not a path from ".*" on'],
    ['a*', 'is not a path from "*" on'],
    ['a[', 'is not a path from "[" on'],
    ['a]', 'is not a path from "]" on'],
    ['a[0', 'is not a path from "[0" on'],
    ['a[01]', 'is not a path from "[01]" on'],
    ['a[00]', 'is not a path from "[00]" on'],
    ['a[+1]', 'is not a path from "[+1]" on'],
    ['a[-0]', 'is not a path from "[-0]" on'],
    ['a[-2]', 'is not a path from "[-2]" on'],
    ['a[1.5]', 'is not a path from "[1.5]" on'],
    ['a[1e2]', 'is not a path from "[1e2]" on'],
    ['a[ 0 ]', 'is not a path from "[ 0 ]" on'],
    ['a[0:1]', 'is not a path from "[0:1]" on'],
    ['a[0,1]', 'is not a path from "[0,1]" on'],
    ['a[?(@.b)]', 'has a filter: only a source may have one'],
    ['a[b]', 'is not a path from "[b]" on'],
    ['a["b"]', 'is not a path from "["b"]" on'],
    ["a['b]", 'is not a path from "[\'b]" on'],
    ["a[b']", 'is not a path from "[b\']" on'],
    ["a['b'c']", "is not a path from \"['b'c']\" on"],
    ["a['b\\']", 'is not a path from "[\'b\\\']" on'],
    ["a['b\\n']", 'is not a path from "[\'b\\n\']" on'],
    ["a['b']c", 'is not a path from "c" on'],
    ['a[0]b', 'is not a path from "b" on'],
    ["a'b", 'is not a path from "\'b" on'],
    ['a"b', 'is not a path from ""b" on'],
    ['a[٣]', 'is not a path from "[٣]" on'],
    ['.a', 'is not a path from ".a" on'],
    ['a\\b', 'is not a path from "\\b" on'],
    ['["a"]', 'is not a path from "["a"]" on'],
    ['[a].b', 'is not a path from "[a].b" on'],
    ['$[a]', 'is not a path from "[a]" on'],
    ["['a'", 'is not a path from "[\'a\'" on'],
    ['$', 'must begin with a name'],
    ['[0]', 'must begin with a name'],
    ['[]', 'must begin with a name'],
    ['[*].a', 'must begin with a name'],
    ['$[0].a', 'must begin with a name'],
    ['$[]', 'must begin with a name'],
  ])('refuses %j: it %s', (text, message) => {
    expect(refusal(text).replace(HINT, '')).toBe(message)
  })

  it.each(['$..a', '..', '.', '$.[0]', '$.*', '$$.a.'])('refuses %s', (text) => {
    expect(refusal(text)).toMatch(/^is not a path/)
  })

  it('says how a path is written instead', () => {
    expect(refusal('a b')).toMatch(HINT)
  })

  const EXPRESSIONS = [
    'a|b',
    'a & b',
    'a=b',
    'a+b',
    'a,b',
    'a;b',
    'a?b',
    'a!',
    'a<b',
    'a>b',
    'f(a)',
  ]
  it.each([...EXPRESSIONS, '{{a}}', 'a{0}', 'a.(b)', '!a', '=a'])(
    'takes no expression: %s',
    (text) => {
      expect(refusal(text)).toMatch(/^is not a path/)
      expect(parsePath(`['${text}']`)).toEqual([text])
    },
  )

  it.each([
    ['characters', 'x'.repeat(256), 'x'.repeat(257), 'is longer than 256 characters'],
    [
      'quoted ones',
      `['${'x'.repeat(252)}']`,
      `['${'x'.repeat(253)}']`,
      'is longer than 256 characters',
    ],
    [
      'characters that are pairs',
      '📦'.repeat(256),
      '📦'.repeat(257),
      'is longer than 256 characters',
    ],
    ['steps', steps(16), steps(17), 'has more than 16 steps'],
    ['steps of any kind', `a${'[0]'.repeat(15)}`, `a${'[0]'.repeat(16)}`, 'has more than 16 steps'],
    ['indexes', 'a[999]', 'a[1000]', 'has an index above 999'],
    ['long indexes', 'a[999].b', 'a[99999999999999999999].b', 'has an index above 999'],
    ['wildcards', 'a[].b[*].c', 'a[].b[*].c[]', 'has more than 2 wildcards'],
  ])('has a limit of %s', (_, good, bad, message) => {
    expect(parsePath(good)).not.toEqual([])
    expect(refusal(bad)).toBe(message)
  })

  it('takes 32 steps in a source, and not one more', () => {
    expect(parsePath(steps(32), { isSource: true })).toHaveLength(32)
    expect(() => parsePath(steps(33), { isSource: true })).toThrow('has more than 32 steps')
  })

  const PLACES = ['N', '$.N', "['N']", "$['N']", 'N.a', 'a.N', 'a.N.b', 'a[0].N', 'a[-1].N']
  const MORE = ['a[].N', 'a[*].N.b', "a['N']", "a['N'].b", "a[].b[]['N']", 'N[0]', 'N[]']
  const unsafe = UNSAFE.flatMap((name) =>
    [...PLACES, ...MORE].map((place) => [name, place.replace('N', name)]),
  )
  it.each(unsafe)('refuses the name %s in %s', (name, text) => {
    expect(refusal(text)).toBe(`must not name "${name}"`)
  })

  it.each([
    '__proto',
    'Prototype',
    'constructors',
    '__PROTO__',
    "['__proto__ ']",
    'hasOwnProperty',
  ])('takes %s, which only looks unsafe', (text) => {
    expect(parsePath(text)).toHaveLength(1)
  })
})

describe('readPath', () => {
  it.each<[text: string, path: Path]>([
    ['a[1000].b', ['a', 1000, 'b']],
    ['a[].b[].c[]', ['a', EACH, 'b', EACH, 'c', EACH]],
    ['__proto__.a', ['__proto__', 'a']],
    ['[0].a', [0, 'a']],
    ['x'.repeat(300), ['x'.repeat(300)]],
  ])('reads %s, beyond the bounds of a mapping', (text, path) => {
    expect(readPath(text)).toStrictEqual(path)
  })

  it('reads as many steps as there are', () => {
    expect(readPath(steps(64))).toHaveLength(64)
  })

  it('refuses what is no path', () => {
    expect(() => readPath('a b')).toThrow(PathError)
  })
})

describe('printPath', () => {
  it.each<[path: Path, text: string]>([
    [[], ''],
    [['a', 'b', 0, 'c'], 'a.b[0].c'],
    [['a', EACH, 'b', -1], 'a[].b[-1]'],
    [['x y'], "['x y']"],
    [['a', 'x y', 'b'], "a['x y'].b"],
    [['', 'a'], "[''].a"],
    [['a', "it's"], "a['it\\'s']"],
    [['a', '\\'], "a['\\\\']"],
    [['a', 'b,c'], "a['b,c']"],
    [['a', '*'], "a['*']"],
    [['a', '$b'], "a['$b']"],
    [['$', 'a'], "['$'].a"],
    [['a', 'b$'], 'a.b$'],
    [['倉庫', '📦'], '倉庫.📦'],
    [['__proto__'], '__proto__'],
  ])('writes the path of %j as %s', (path, text) => {
    expect(printPath(path)).toBe(text)
  })

  const names = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom('a', '.', '[', ']', "'", '\\', '$', '*', '"', ' ', '0') }),
    fc.constantFrom('', '$', '__proto__', "it's", 'a.b', '\ud800', '\n', '0', '-1', '[]'),
  )
  const anyStep = fc.oneof(names, fc.integer({ min: -1, max: 5000 }), fc.constant(EACH))
  const paths: fc.Arbitrary<Path> = fc
    .tuple(names, fc.array(anyStep, { maxLength: 15 }))
    .map(([name, rest]) => [name, ...rest])

  it('gives text that reads back as the same path, whatever its names', () => {
    fc.assert(
      fc.property(paths, (path) => {
        expect(readPath(printPath(path))).toStrictEqual(path)
      }),
      { numRuns: byDepth(200, 1000) },
    )
  })

  it('gives text that a mapping may hold where the path keeps to its bounds', () => {
    fc.assert(
      fc.property(paths, (path) => {
        const text = printPath(path)
        const good =
          [...text].length <= 256 &&
          path.filter((step) => step === EACH).length <= 2 &&
          path.every((step) => typeof step !== 'number' || step <= 999) &&
          path.every((step) => typeof step !== 'string' || !UNSAFE.includes(step))
        if (good) expect(parsePath(text)).toStrictEqual(path)
        else refusal(text)
      }),
      { numRuns: byDepth(200, 1000) },
    )
  })

  it('gives every path a text of its own', () => {
    fc.assert(
      fc.property(paths, paths, (one, other) => {
        const same = one.length === other.length && one.every((step, at) => step === other[at])
        expect(printPath(one) === printPath(other)).toBe(same)
      }),
    )
  })
})
