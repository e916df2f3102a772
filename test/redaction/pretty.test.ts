import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prettyJson } from '../../src/engine/redaction/pretty.ts'

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
