import { describe, expect, it } from 'vitest'
import { parseTags, versionsIn } from '../../src/engine/json/entity-tags.ts'

const SPACES = ' '.repeat(30_000)
const LONG = 'x'.repeat(30_000)

describe('parseTags', () => {
  it.each([
    ['"7.ab"', ['7.ab']],
    ['W/"7.ab"', ['7.ab']],
    [' "1.a" ,\tW/"2.b","3.c"', ['1.a', '2.b', '3.c']],
    ['"a,b"', ['a,b']],
    [',, "1.a",,', ['1.a']],
    ['""', ['']],
    ['"7.ab", "7.ab"', ['7.ab', '7.ab']],
    ['"ü\u0080"', ['ü\u0080']],
  ])('reads %s', (header, tags) => {
    expect(parseTags(header)).toEqual(tags)
  })

  it.each(['*', ' * '])('reads %s as any', (header) => {
    expect(parseTags(header)).toBe('*')
  })

  it.each([
    '',
    ',',
    ' , ',
    '7.ab',
    '"7.ab',
    '7.ab"',
    "'7.ab'",
    'w/"7.ab"',
    'W/ "7.ab"',
    '"7.ab" "8.ab"',
    '"7.ab""8.ab"',
    '"7 ab"',
    '"7.ab", *',
    '*, "7.ab"',
    '**',
    '"7.ab";q=1',
  ])('refuses %s', (header) => {
    expect(parseTags(header)).toBeNull()
  })

  it.each([`${SPACES}x`, `"a"${SPACES}x`, `"${LONG}`, `${'"a",'.repeat(7000)}x`])(
    'refuses a long header at once',
    (header) => {
      const started = performance.now()
      expect(parseTags(header)).toBeNull()
      expect(performance.now() - started).toBeLessThan(500)
    },
  )
})

describe('versionsIn', () => {
  it('takes what stands before the second dot, each once', () => {
    const [one, other] = ['0123abcd', 'ffffffff']
    const tags = [`7.${one}.ab`, `7.${one}.cd`, `7.${other}.ab`, `12.${one}.ab-gzip`, `8.${one}.`]
    expect(versionsIn(tags)).toEqual([`7.${one}`, `7.${other}`, `12.${one}`, `8.${one}`])
  })

  it('takes nothing from a tag that no answer has', () => {
    const tags = [
      '7',
      '7.ab',
      '7.0123abcd',
      '7.0123abc.ab',
      '7.0123abcde.ab',
      '7.0123ABCD.ab',
      '0.0123abcd.ab',
      '07.0123abcd.ab',
      '-7.0123abcd.ab',
      '7e1.0123abcd.ab',
      ' 7.0123abcd.ab',
      '',
      'abc',
      `${'9'.repeat(16)}.0123abcd.ab`,
    ]
    expect(versionsIn(tags)).toEqual([])
  })
})
