import { describe, expect, it } from 'vitest'
import { valuePath, withMember } from '../../src/engine/webhooks/template.ts'

const put = (document: unknown, path: string) => withMember(document, valuePath(path), 'new')

describe('withMember', () => {
  it('puts the value where the path leads, in a copy', () => {
    const document = { a: { b: 1, c: [{ d: 2 }, 3] } }
    expect(put(document, 'a.b')).toEqual({ a: { b: 'new', c: [{ d: 2 }, 3] } })
    expect(put(document, 'a.c[0].d')).toEqual({ a: { b: 1, c: [{ d: 'new' }, 3] } })
    expect(put({}, 'x.y')).toEqual({ x: { y: 'new' } })
    expect(document).toEqual({ a: { b: 1, c: [{ d: 2 }, 3] } })
  })

  it.each([
    [[], '$[0].a'],
    [{ a: [1] }, 'a[1]'],
    [{ a: 'text' }, 'a.b'],
    [5, 'a'],
  ])('leaves %j as it is, which has no such place: %s', (document, path) => {
    expect(put(document, path)).toEqual(document)
  })
})
