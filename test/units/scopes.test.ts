import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { covers, isGrantable, SCOPES } from '../../src/scopes.ts'

const WILDCARDS = [
  'integrations.*',
  'integrations.orders.*',
  'integrations.products.*',
  'integrations.locations.*',
  'integrations.inventory.*',
  'settings.*',
]

/** Texts that look like scopes, some of which are. */
const lookalikes = fc
  .array(
    fc.constantFrom(
      'integrations',
      'settings',
      'orders',
      'products',
      'locations',
      'inventory',
      'read',
      'write',
      'delete',
      '*',
      '',
      'x',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((segments) => segments.join('.'))

describe('the scopes', () => {
  it('are those of the spec and the two of settings', () => {
    const of = (resource: string, ...actions: string[]) =>
      actions.map((action) => `integrations.${resource}.${action}`)
    expect([...SCOPES].toSorted()).toEqual(
      [
        ...of('orders', 'read', 'write', 'delete'),
        ...of('products', 'read', 'write', 'delete'),
        ...of('locations', 'read', 'write', 'delete'),
        ...of('inventory', 'read', 'write'),
        'settings.read',
        'settings.write',
      ].toSorted(),
    )
  })
})

describe('covers', () => {
  it.each(SCOPES)('lets %s cover itself and nothing else', (scope) => {
    expect(SCOPES.filter((needed) => covers([scope], needed))).toEqual([scope])
  })

  it.each(WILDCARDS)('lets %s cover all below it and nothing else', (wildcard) => {
    const above = wildcard.replace('*', '')
    const below = SCOPES.filter((needed) => needed.startsWith(above))
    expect(below.length).toBeGreaterThan(1)
    expect(SCOPES.filter((needed) => covers([wildcard], needed))).toEqual(below)
  })

  it.each([
    '*',
    '.*',
    '*.*',
    '',
    '.',
    'integrations',
    'integrations.',
    'integrations.orders',
    'integrations.orders.',
    'integrations.*.read',
    'integrations.*.*',
    'integrations.orders.read.*',
    'integrations.order.*',
    'integrations.inventories.*',
    'int.*',
    'INTEGRATIONS.*',
    ' integrations.*',
    'integrations.* ',
    'integrations*',
    'set.*',
    'settings',
  ])('lets "%s" cover nothing', (scope) => {
    expect(SCOPES.filter((needed) => covers([scope], needed))).toEqual([])
    expect(isGrantable(scope)).toBe(false)
  })

  it('lets nothing cover anything', () => {
    expect(SCOPES.filter((needed) => covers([], needed))).toEqual([])
  })

  it('lets several scopes cover what any of them covers', () => {
    const all = fc.array(fc.oneof(fc.constantFrom(...SCOPES, ...WILDCARDS), lookalikes))
    fc.assert(
      fc.property(all, fc.constantFrom(...SCOPES), (granted, needed) => {
        expect(covers(granted, needed)).toBe(granted.some((scope) => covers([scope], needed)))
      }),
    )
  })
})

describe('isGrantable', () => {
  it.each([...SCOPES, ...WILDCARDS])('takes %s', (scope) => {
    expect(isGrantable(scope)).toBe(true)
  })

  it('takes nothing else', () => {
    const known = new Set<string>([...SCOPES, ...WILDCARDS])
    const texts = fc.oneof(lookalikes, fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(texts, (text) => {
        expect(isGrantable(text)).toBe(known.has(text))
      }),
      { numRuns: 2000 },
    )
  })
})
