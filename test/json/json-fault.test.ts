import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonFault } from '../../src/engine/json/json-fault.ts'

function faultOf(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return jsonFault(text, error)
  }
}

describe('the fault of a text that is not JSON', () => {
  it.each([
    ['{"a": NaN}', 'line 1, column 7, at "NaN"). JSON has no such value'],
    ['[-Infinity]', 'line 1, column 2, at "-Infinity"). JSON has no such value'],
    ['{"a":\n None}', 'line 2, column 2, at "None"). JSON has no such value'],
    ['{"a": True}', 'column 7, at "True"). Write true, false and null in small letters'],
    ['{"a": .5}', 'column 7, at ".5"). A number needs a digit before its point'],
    ['{"a": +1}', 'column 7, at "+1"). A number has no +'],
    ['{"a": 01}', 'column 8, at "1"). A number has no zeros before it'],
    ['{"a": 1.}', 'column 8, at "."). A number needs a digit after its point'],
    ["{'a': 1}", `column 2, at "'a'"). Names and texts stand in double quotes`],
    ['{"a": 1 // one\n}', 'column 9, at "//"). JSON has no comments'],
    ['# one\n{}', 'column 1, at "#"). JSON has no comments'],
    ['{"a": 1,}', 'column 9, at "}"). A value or a name is missing before it'],
    ['[1,\r\n]', 'line 2, column 1, at "]"). A value or a name is missing before it'],
    ['{"a": [1, 2', 'column 12). The body ends too early'],
    ['{"a": "b', 'The body ends too early'],
    ['', 'line 1, column 1). The body ends too early'],
    ['<!DOCTYPE html><html>', 'column 1, at "<!DOCTYPE"). This is a page or XML'],
    ['{"a": undefinedValue}', 'column 7, at "undefinedVal…")'],
    ['{"a" 1}', 'column 6, at "1")'],
    ['{"a": 1} {}', 'column 10, at "{")'],
    ['{"a": "\\x"}', 'column 9, at "x")'],
  ])('of %j', (text, fault) => {
    expect(faultOf(text)).toContain(fault)
  })

  it('is where any well-formed text has been cut, or got one character more', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom('}', '{', ':', '+', 'x'),
        (value, place, more) => {
          const text = JSON.stringify(value)
          const at = place % (text.length + 1)
          for (const wrong of [text.slice(0, at), text.slice(0, at) + more + text.slice(at)]) {
            const fault = faultOf(wrong)
            if (fault !== null) expect(fault).toMatch(/^ \(line \d+, column \d+[,)]/)
          }
        },
      ),
    )
  })

  it('is found in a long text in little time', () => {
    const text = `[${'"\\\\", [1, {}],\n'.repeat(200_000)}NaN]`
    expect(faultOf(text)).toContain('(line 200001, column 1, at "NaN")')
  })
})
