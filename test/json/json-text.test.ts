import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { parseJson } from '../../src/engine/json/json.ts'
import { jsonFault } from '../../src/engine/json/json-fault.ts'
import { inDeepPass } from '../fixtures/depth.ts'

const parse = (text: string, keepsDigits = true) =>
  parseJson(new TextEncoder().encode(text), { keepsDigits })

const refusal = (text: string): string => {
  try {
    parse(text)
  } catch (error) {
    return String(error)
  }
  throw new Error('was not refused')
}

const LONG = '1234567890123456789'

describe('parseJson with numbers that a double does not keep', () => {
  it.each([
    ['in an array', `[1,${LONG},-${LONG}]`],
    ['as a member', `{"a":{"b":${LONG}},"__proto__":${LONG},"c":"ä${LONG}"}`],
    ['alone', LONG],
    ['beside texts with quotes', `["\\"${LONG}\\\\",${LONG},"${LONG}"]`],
    ['with exponents', '[1e400,1.5E-400,12345678901234567890e-5]'],
    ['with zeros at their end', '{"a":1.50,"b":[2.0,1e2,-0]}'],
    ['with white space', `{ "a" :\n${LONG} , "b" : [ ${LONG} ] }`],
  ])('prints them by their digits: %s', (_, text) => {
    const { value, hasExactNumbers } = parse(text)
    expect(hasExactNumbers).toBe(true)
    expect(JSON.stringify(value)).toBe(text.replace(/\s/g, ''))
  })

  it('keeps only those that would be rounded, unless digits are wanted', () => {
    expect(parse(`[1.50,1e2,${LONG}]`, false).value).toEqual([1.5, 100, new ExactNumber(LONG)])
    expect(parse('[1.50,1e2]', false)).toEqual({ value: [1.5, 100], hasExactNumbers: false })
    expect(parse('[1.5,0,-7,0.1,1152921504606847000]').hasExactNumbers).toBe(false)
  })

  it.each([
    `{${LONG}:1}`,
    `{${LONG} : 1}`,
    `[0${LONG}]`,
    `[1.${LONG}.1]`,
    `[.${LONG}]`,
    `[+${LONG}]`,
    `[--${LONG}]`,
    `[${LONG}e]`,
    `[${LONG}-1]`,
    `[${LONG} ${LONG}]`,
    `["a"${LONG}]`,
    `[true${LONG}]`,
    `[${LONG}`,
  ])('refuses what is no JSON: %s', (text) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(refusal(text)).toMatch(/not valid JSON|nested/)
  })

  it('tells the place of an error in the text as it was sent', () => {
    expect(refusal(`{"a":${LONG},\n"b" 1}`)).toMatch(/line 2, column 5/)
  })

  it('names a member that is given twice', () => {
    expect(() => parse(`{"a":${LONG},"a":1}`)).toThrow('a: Is given twice')
  })

  inDeepPass(() => {
    it('takes 100,000 of them, and the longest', () => {
      const many = (count: number) => `[${Array.from({ length: count }, () => LONG).join()}]`
      expect(parse(many(100_000)).value).toHaveLength(100_000)
      expect(refusal(many(100_001))).toMatch(/more than 100000 numbers .*send them as strings/)
      for (const digits of ['1'.repeat(1000), `1${'0'.repeat(9_000_000)}1`]) {
        const { value } = parse(`[${digits}]`)
        expect(value).toMatchObject([{ digits, isRounded: true }])
      }
    })
  })
})

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
