import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { parseJson } from '../../src/engine/json/json.ts'
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
