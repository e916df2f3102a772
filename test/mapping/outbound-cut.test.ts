import { describe, expect, it } from 'vitest'
import { mapRecord } from '../../src/mapping/outbound.ts'

describe('a record that is too large and has many problems besides', () => {
  it('names the field that it leaves out', () => {
    const wrong = Array.from({ length: 25 }, (_, n) => [`w${n}`, `name.w${n}`])
    const deep = Array.from({ length: 170 }, (_, n) => [`lines[].f${n}.a.b.c.d`, 'items[].n'])
    const fields = Object.fromEntries([...wrong, ...deep])
    const items = Array.from({ length: 1000 }, () => ({ n: 1 }))
    const { value, leftOut } = mapRecord({ unmapped: 'drop', fields }, { name: 'x', items })
    expect([value, leftOut]).toEqual([{}, ['lines']])
  })
})
