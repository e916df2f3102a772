import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  covers,
  GRANTABLE,
  grantableBy,
  isGrantable,
  SCOPES,
} from '../../src/engine/identity/scopes.ts'
import { byDepth } from '../fixtures/depth.ts'

const WILDCARDS = [
  'integrations.*',
  'integrations.orders.*',
  'integrations.products.*',
  'integrations.locations.*',
  'integrations.inventory.*',
  'settings.*',
  'settings.keys.*',
  'settings.people.*',
  'settings.partners.*',
  'settings.workspace.*',
  'settings.documents.*',
]

/** That action of all settings but documents and people. */
const WHOLE = ['settings.read', 'settings.write']

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
      'keys',
      'people',
      'partners',
      'workspace',
      'audit',
      'documents',
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
  it('are those of the spec and those of settings', () => {
    const of = (resource: string, ...actions: string[]) =>
      actions.map((action) => `${resource}.${action}`)
    expect([...SCOPES].toSorted()).toEqual(
      [
        ...of('integrations.orders', 'read', 'write', 'delete'),
        ...of('integrations.products', 'read', 'write', 'delete'),
        ...of('integrations.locations', 'read', 'write', 'delete'),
        ...of('integrations.inventory', 'read', 'write'),
        ...of('settings.keys', 'read', 'write'),
        ...of('settings.people', 'read', 'write'),
        ...of('settings.partners', 'read', 'write'),
        ...of('settings.workspace', 'read', 'write'),
        ...of('settings.audit', 'read'),
        ...of('settings.documents', 'read', 'write'),
        ...of('settings.deliveries', 'write'),
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

  it.each(WHOLE)('lets %s cover that action of every setting but documents and people', (whole) => {
    const action = whole.replace('settings', '')
    const same = SCOPES.filter(
      (needed) => /^settings\.(?!documents\.|people\.)/.test(needed) && needed.endsWith(action),
    )
    expect(same.length).toBeGreaterThan(2)
    expect(SCOPES.filter((needed) => covers([whole], needed))).toEqual(same)
  })

  it.each([
    ['a wildcard by itself', ['integrations.orders.*'], 'integrations.orders.*', true],
    ['a wildcard by a wider one', ['integrations.*'], 'integrations.orders.*', true],
    ['no wildcard by a narrower one', ['integrations.orders.*'], 'integrations.*', false],
    [
      'no wildcard by all that is below it today',
      SCOPES.filter((scope) => scope.startsWith('integrations.orders.')),
      'integrations.orders.*',
      false,
    ],
    ['all reads of settings by settings.*', ['settings.*'], 'settings.read', true],
    [
      'all reads of settings by no list of reads',
      SCOPES.filter((scope) => /^settings\..*read$/.test(scope)),
      'settings.read',
      false,
    ],
    ['no wildcard of settings by all reads and writes', WHOLE, 'settings.keys.*', false],
    ['documents by settings.*', ['settings.*'], 'settings.documents.read', true],
    ['all of documents by settings.*', ['settings.*'], 'settings.documents.*', true],
    ['no documents by all reads and writes', WHOLE, 'settings.documents.read', false],
    ['no deleting of documents by them', WHOLE, 'settings.documents.write', false],
  ])('covers %s', (_, granted, needed, isCovered) => {
    expect(covers(granted, needed)).toBe(isCovered)
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
    const all = fc.array(fc.oneof(fc.constantFrom(...GRANTABLE), lookalikes))
    fc.assert(
      fc.property(all, fc.constantFrom(...GRANTABLE), (granted, needed) => {
        expect(covers(granted, needed)).toBe(granted.some((scope) => covers([scope], needed)))
      }),
    )
  })
})

describe('isGrantable', () => {
  it.each([...SCOPES, ...WHOLE, ...WILDCARDS, 'settings.audit.*'])('takes %s', (scope) => {
    expect(isGrantable(scope)).toBe(true)
  })

  it('takes nothing else', () => {
    const known = new Set<string>([...SCOPES, ...WHOLE, ...WILDCARDS, 'settings.audit.*'])
    const texts = fc.oneof(lookalikes, fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(texts, (text) => {
        expect(isGrantable(text)).toBe(known.has(text))
      }),
      { numRuns: byDepth(100, 800) },
    )
  })
})

describe('grantableBy', () => {
  it('is nothing that the scopes together do not open', () => {
    const some = fc.array(fc.constantFrom(...GRANTABLE), { minLength: 1 })
    const opened = (scopes: readonly string[]) => SCOPES.filter((scope) => covers(scopes, scope))
    fc.assert(
      fc.property(some, (granted) => {
        const offered = grantableBy(granted)
        expect(offered).toEqual(expect.arrayContaining(granted))
        expect(opened(offered)).toEqual(opened(granted))
      }),
    )
  })

  it('is nothing for scopes that mean nothing', () => {
    expect(grantableBy(['*', 'integrations', 'settings.delete', ''])).toEqual([])
  })
})
