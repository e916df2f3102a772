import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EACH, type Path, type PathStep, printPath, readPath } from '../../src/engine/json/path.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { redactPlaces } from '../../src/engine/redaction/answer.ts'
import { findPlaces } from '../../src/engine/redaction/places.ts'
import { prettyJson } from '../../src/engine/redaction/pretty.ts'
import { redactedTargets } from '../../src/engine/redaction/targets.ts'
import { byDepth, inDeepPass } from '../fixtures/depth.ts'

const R = '"[redacted]"'
const redacted = (text: string, ...paths: string[]) =>
  redactPlaces(text, paths.map(readPath))?.text ?? null

describe('redactPlaces', () => {
  it.each([
    [
      'a member',
      '{"a": {"email": "x@y"}, "b": 1.50}',
      ['a.email'],
      `{"a": {"email": ${R}}, "b": 1.50}`,
    ],
    [
      'a name with escapes',
      String.raw`{"\u0065mail":"x","e":1e2}`,
      ['email'],
      String.raw`{"\u0065mail":${R},"e":1e2}`,
    ],
    ['repeated names', '{"a":1,"b":2,"a":"x"}', ['a'], `{"a":${R},"b":2,"a":${R}}`],
    ['an object as a whole', '{"a":{"b":[1,{"c":"]}"}]},"d":0}', ['a'], `{"a":${R},"d":0}`],
    ['an array as a whole', '{"a":[1,[2]],"d":0}', ['a'], `{"a":${R},"d":0}`],
    [
      'each element',
      '{"l":[{"n":"x","q":1},{"q":2},{"n":null}]}',
      ['l[].n'],
      `{"l":[{"n":${R},"q":1},{"q":2},{"n":${R}}]}`,
    ],
    ['one element', '{"l":["a","b","c"]}', ['l[1]'], `{"l":["a",${R},"c"]}`],
    [
      'the last element',
      '{"l":["a,",["b"],{"c":[1,2]}],"m":[]}',
      ['l[-1].c', 'm[-1]'],
      `{"l":["a,",["b"],{"c":${R}}],"m":[]}`,
    ],
    ['the last of the last', '{"l":[[1,2],[3,"]"]]}', ['l[-1][-1]'], `{"l":[[1,2],[3,${R}]]}`],
    [
      'a document that is an array',
      ' [ {"x" : 1 } , {"x":2}] ',
      ['$[].x'],
      ` [ {"x" : ${R} } , {"x":${R}}] `,
    ],
    ['the outer of two places', '{"a":{"b":1}}', ['a.b', 'a'], `{"a":${R}}`],
    ['a quoted name', `{"it's":1,"a.b":2}`, ["['it\\'s']", "['a.b']"], `{"it's":${R},"a.b":${R}}`],
    ['after a byte order mark', '\ufeff{"a":1}', ['a'], `\ufeff{"a":${R}}`],
    [
      'nothing of another kind',
      '{"l":{"n":1},"a":[{"b":1}],"0":2}',
      ['l[].n', 'a.b', 'l[0]'],
      '{"l":{"n":1},"a":[{"b":1}],"0":2}',
    ],
  ])('redacts %s', (_, text, paths, expected) => {
    expect(redacted(text, ...paths)).toBe(expected)
  })

  it.each([
    '',
    ' ',
    '{',
    '{"a":1',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
    '[1,]',
    '[,1]',
    '[1 2]',
    '01',
    '1.',
    '-',
    'tru',
    '"a',
    '"\\x"',
    '"\\u12g4"',
    '"a\nb"',
    '{"a":1}{"b":2}',
    '[1]]',
    '{"a":1]',
    'undefined',
    "{'a':1}",
    '//x',
  ])('finds no JSON in %j', (text) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(findPlaces(text, [readPath('a')])).toBeNull()
  })

  it('takes what JSON.parse takes', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(findPlaces(text, [['a']])).not.toBeNull()
      }),
    )
  })

  it('finds JSON exactly where JSON.parse does, whatever is cut or changed', () => {
    const sliced = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '\\', '}', '[', '0', ' '),
    )
    fc.assert(
      fc.property(sliced, ([json, from, length, put]) => {
        const at = from % (json.length + 1)
        const text = json.slice(0, at) + put + json.slice(at + (length % 3))
        expect(findPlaces(text, []) !== null, text).toBe(parses(text))
      }),
      { numRuns: byDepth(500, 2000) },
    )
  })

  it('refuses a text that is nested deeper than 64 levels', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(findPlaces(nested(64), [])).toEqual([])
    expect(findPlaces(nested(65), [])).toBeNull()
    expect(findPlaces('['.repeat(1_000_000), [])).toBeNull()
    expect(findPlaces('{"a":'.repeat(200_000), [])).toBeNull()
  })

  it('does what a change of the parsed value does, and keeps all other bytes', () => {
    const step = fc.constantFrom<PathStep>('a', 'b', 'c', EACH, 0, 1, -1)
    const path = fc.array(step, { minLength: 1, maxLength: 4 })
    const document = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, depthSize: 'medium' },
        fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean()),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(
        document,
        fc.array(path, { maxLength: 3 }),
        fc.constantFrom(0, 1),
        (value, paths, indent) => {
          const text = JSON.stringify(value, null, indent)
          const result = redactPlaces(text, paths)
          const expected = changed(value, paths)
          expect(JSON.parse(result?.text ?? ''), paths.map(printPath).join()).toEqual(expected)
          expect(result?.text).toBe(JSON.stringify(expected, null, indent))
        },
      ),
      { numRuns: byDepth(150, 1000) },
    )
  })

  it.each([
    ['an object for an array', '{"l":{"n":1,"q":2}}', 'l[].n', `{"l":{"n":${R},"q":2}}`],
    [
      'a member of each member',
      '{"l":{"A":{"n":1},"B":{"n":[2]}}}',
      'l[].n',
      `{"l":{"A":{"n":${R}},"B":{"n":${R}}}}`,
    ],
    ['one value for an array', '{"a":{"t":"x"}}', 'a.t[]', `{"a":{"t":${R}}}`],
    [
      'the elements where there is an array',
      '{"a":{"t":["x",["y"]]}}',
      'a.t[]',
      `{"a":{"t":[${R},${R}]}}`,
    ],
    ['objects for two arrays', '{"l":{"o":{"n":1}}}', 'l[].o[].n', `{"l":{"o":{"n":${R}}}}`],
    ['an object and an array', '{"l":{"o":[{"n":1}]}}', 'l[].o[].n', `{"l":{"o":[{"n":${R}}]}}`],
    ['an array and an object', '{"l":[{"o":{"n":1}}]}', 'l[].o[].n', `{"l":[{"o":{"n":${R}}}]}`],
    ['nothing beside', '{"l":{"m":1},"n":2}', 'l[].n', '{"l":{"m":1},"n":2}'],
  ])('redacts, where a mapping may list anything, %s', (_, text, path, expected) => {
    const read = readPath(path)
    const result = redactPlaces(text, [read], { listsAnything: true })
    expect(result?.text).toBe(expected)
    for (const place of result?.places ?? []) expect(place.path).toBe(read)
  })

  inDeepPass(() => {
    it('reads a megabyte without going over it again and again, whatever it consists of', () => {
      const paths = ['a[-1][-1][-1].b', 'b[].c', '$[-1][-1][].c'].map(readPath)
      for (const part of ['[],', '{"a":[[[', '"\\u0061",', '[[1],[2]],', '1,']) {
        const started = performance.now()
        findPlaces(`[${part.repeat(1_048_576 / part.length)}`, paths)
        // It takes a tenth of a second; in quadratic time it would be hours.
        expect(performance.now() - started, part).toBeLessThan(10_000)
      }
    })
  })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The same, of a parsed value. */
function changed(value: unknown, paths: Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return '[redacted]'
  const below = (isStep: (step: PathStep | undefined) => boolean) =>
    paths.filter(([first]) => isStep(first)).map(([, ...rest]) => rest)
  if (Array.isArray(value)) {
    return value.map((element, index) =>
      changed(
        element,
        below(
          (step) => step === EACH || step === index || (step === -1 && index === value.length - 1),
        ),
      ),
    )
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      changed(
        member,
        below((step) => step === name),
      ),
    ]),
  )
}

describe('a JSON text with a value a line', () => {
  it('keeps the characters of each token', () => {
    const text = '{"a":1.50,"a" : 1e400,"\\u0062":[ "x:,y\\"{" ,{} , [],[null]],"c":{"d":-0}}'
    expect(prettyJson(text)).toBe(
      [
        '{',
        '  "a": 1.50,',
        '  "a": 1e400,',
        '  "\\u0062": [',
        '    "x:,y\\"{",',
        '    {},',
        '    [],',
        '    [',
        '      null',
        '    ]',
        '  ],',
        '  "c": {',
        '    "d": -0',
        '  }',
        '}',
      ].join('\n'),
    )
  })

  it('is what JSON.stringify makes of any value, however it was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const pretty = JSON.stringify(value, null, 2)
        fc.pre(pretty.length <= 4 * text.length)
        expect(prettyJson(text)).toBe(pretty)
      }),
    )
  })

  it('stays as it is where lines would make it more than four times as long', () => {
    const text = `${'['.repeat(60)}${'1,'.repeat(10_000)}1${']'.repeat(60)}`
    expect(prettyJson(text)).toBe(text)
  })

  it('takes a million characters in no time', () => {
    const long = JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ n, a: 'x' })))
    expect(JSON.parse(prettyJson(long))).toHaveLength(60_000)
  })
})

/** Our fields that may hold something of this place of a partner's document. */
function filled(place: string, rule: SavedRule, more: Partial<SavedRules> = {}): string[] {
  const rules: SavedRules = { unmapped: 'drop', ...more, fields: { 'items[].notes': rule } }
  return redactedTargets([readPath(place)], rules)
    .slice(1)
    .map(printPath)
}

describe('what a rule fills from a redacted place', () => {
  it.each<[about: string, place: string, rule: SavedRule, more?: Partial<SavedRules>]>([
    ['what it takes off', 'l[].c', { from: 'l[].q', as: 'integer', less: ['l[].c'] }],
    ['what it multiplies by', 'l[].p', { from: 'l[].q', as: 'integer', times: 'l[].p' }],
    ['a label', 'l[].o[].n', { join: [{ pair: ['l[].o[].n', 'l[].o[].v'] }] }],
    ['a member of an object', 'l.A.n', 'l[*].n'],
    ['the name of a member', 'l.A', 'l[*]~'],
    ['a member that a filter takes', 'l.A.n', { join: ['l[?@.x].n'] }],
    ['a single value', 'l.n', 'l[].n', { single_as_list: true }],
    ['what lies in a single value', 'l.o.n', { join: ['l[].o[].n'] }, { single_as_list: true }],
  ])('is redacted, too: %s', (_, place, rule, more) => {
    expect(filled(place, rule, more)).toEqual(['items[].notes'])
  })

  it.each<[about: string, place: string, rule: SavedRule]>([
    ['another field', 'l[].x', 'l[].n'],
    ['a field of another member', 'm.A.n', 'l[*].n'],
    ['an element where a member is', 'l[0].n', 'l.A.n'],
  ])('is nothing of %s', (_, place, rule) => {
    expect(filled(place, rule)).toEqual([])
  })
})
