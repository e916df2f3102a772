import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readForm } from '../../src/engine/formats/form.ts'
import { byDepth } from '../fixtures/depth.ts'

const read = (text: string, charset = 'utf-8') =>
  readForm(new TextEncoder().encode(text), charset).value

describe('a form', () => {
  it.each<[what: string, text: string, members: object]>([
    ['texts', 'no=A-1&name=Ada+L%C3%B6we', { no: 'A-1', name: 'Ada Löwe' }],
    ['a name several times', 'sku=A&qty=1&sku=B', { sku: ['A', 'B'], qty: '1' }],
    ['brackets, which stay in the name', 'a%5Bb%5D=1&a[c]=2', { 'a[b]': '1', 'a[c]': '2' }],
    ['no value', 'a&b=&=c', { a: '', b: '', '': 'c' }],
    ['an equals sign in a value', 'a=b=c', { a: 'b=c' }],
    ['empty parts', '&&a=1&', { a: '1' }],
    ['a member that objects have', '__proto__=x', JSON.parse('{"__proto__":"x"}')],
    ['nothing', '', {}],
  ])('may have %s', (_, text, members) => {
    expect(read(text)).toEqual(members)
  })

  it('is read in its charset', () => {
    expect(read('name=L%F6we', 'windows-1252')).toEqual({ name: 'Löwe' })
    expect(() => read('name=L%F6we')).toThrow('The body is not in utf-8.')
  })

  it.each([
    [
      'a=1&b=50%',
      'The member "b" has a % without two hexadecimal digits: write %25 for a percent sign.',
    ],
    ['a=%zz', 'The member "a" has a %'],
    ['%4=1', 'The name of a member has a %'],
  ])('is refused as %s', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it('is refused with too many members', () => {
    expect(() => read('a&'.repeat(100_001))).toThrow('more than 100000 members')
  })

  it('is read as URLSearchParams reads it', () => {
    const pairs = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
    )
    fc.assert(
      fc.property(pairs, (sent) => {
        const written = new URLSearchParams(sent)
        const members = Object.fromEntries(
          [...new Set(written.keys())].map((name) => {
            const values = written.getAll(name)
            return [name, values.length === 1 ? values[0] : values]
          }),
        )
        expect(read(written.toString())).toEqual(members)
      }),
      { numRuns: byDepth(200, 3000) },
    )
  })
})
