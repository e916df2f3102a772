import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findKeysEscaped } from '../../src/engine/identity/escaped-keys.ts'
import { hintOf, mintKey } from '../../src/engine/identity/key.ts'
import { inDeepPass } from '../fixtures/depth.ts'

const key = (await mintKey('demo-north')).value
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What stands where keys are found. */
const found = (text: string) =>
  findKeysEscaped(text).map(({ start, end, hint }) => [text.slice(start, end), hint])

describe('findKeysEscaped', () => {
  it('finds a key whichever of its characters are escaped, whatever is around it', () => {
    const escapes = fc.array(fc.boolean(), { minLength: key.length, maxLength: key.length })
    const around = fc.constantFrom(
      '',
      '"',
      'a',
      '\\',
      '\\\\',
      '_',
      '-',
      'ü',
      ' ',
      'xd_',
      '\\u0041',
      'xd_a_b',
    )
    fc.assert(
      fc.property(escapes, around, around, (isEscaped, before, after) => {
        const written = [...key].map((one, at) => (isEscaped[at] ? escaped(one) : one)).join('')
        // A name in front may belong to it.
        const text = `${before}${written}${after}`
        expect(found(text)).toEqual([[written, hintOf(key)]])
      }),
    )
  })

  it('finds every key, also one that begins within what looks like another', () => {
    const lookalike = `xd_a_${'A'.repeat(47)}`
    expect(found(`${lookalike}${key} "${key}","${escaped('x')}${key.slice(1)}"`)).toHaveLength(3)
  })

  it('finds nothing with a wrong checksum', () => {
    const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
    expect(found(`${wrong} ${escaped('x')}${wrong.slice(1)}`)).toEqual([])
    expect(found(`xd_demo_${'A'.repeat(49)}`)).toEqual([])
  })

  inDeepPass(() => {
    it('takes no longer for each character of a long text than of a short one', () => {
      for (const part of [
        'a',
        '\\u0061',
        'xd_',
        'xd_a_',
        `xd_a_${'A'.repeat(49)}`,
        'xd_a-',
        '\\u0078d_',
      ]) {
        const textOf = (bytes: number) => `\\u0061${part.repeat(bytes / part.length)}`
        const short = fastestOf(textOf(LONG_BYTES / 128), 128)
        const long = fastestOf(textOf(LONG_BYTES), 1)
        // In step with its length it would be 1, with the square of its length 128.
        expect(long / short, part).toBeLessThan(16)
      }
    })
  })
})

const LONG_BYTES = 262_144

/** In µs that the thread computes, the least of five: what else the machine does meanwhile does not count. */
function fastestOf(text: string, repetitions: number): number {
  const times = Array.from({ length: 5 }, () => {
    const started = process.threadCpuUsage()
    for (let n = 0; n < repetitions; n++) expect(findKeysEscaped(text)).toEqual([])
    const { user, system } = process.threadCpuUsage(started)
    return user + system
  })
  return Math.min(...times)
}
