import { describe, expect, it } from 'vitest'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { sent } from '../fixtures/mapped.ts'

// Paths cannot have `__proto__`, `constructor` or `prototype`.
const NAMES = ['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']

const mapped = (name: string, lines: unknown[]) =>
  mapDocument(
    'orders',
    { unmapped: 'drop', fields: { 'items[].notes': `lines[].${name}` } },
    sent({ lines }, 'POST'),
  ).value

describe.each(NAMES)('a rule that reads %s of each element', (name) => {
  it('reads nothing where an object only inherits it', () => {
    expect(mapped(name, [{ other: 1 }, {}])).toEqual({ items: [{}, {}] })
  })

  it('reads what the document itself says there', () => {
    const line: unknown = JSON.parse(`{"${name}":"said"}`)
    expect(mapped(name, [line])).toEqual({ items: [{ notes: 'said' }] })
  })
})
