import { describe, expect, it } from 'vitest'
import { printPath, readPath } from '../../src/engine/json/path.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { redactedTargets } from '../../src/engine/redaction/targets.ts'

/** Our fields that may hold something of this place of a partner's document. */
function filled(place: string, rule: SavedRule, more: Partial<SavedRules> = {}): string[] {
  const rules: SavedRules = { unmapped: 'drop', ...more, fields: { 'items[].notes': rule } }
  return redactedTargets([readPath(place)], rules)
    .slice(1)
    .map(printPath)
}

describe('what a rule fills from a redacted place', () => {
  it.each<[about: string, place: string, rule: SavedRule, more?: Partial<SavedRules>]>([
    ['what it takes off', 'l[].c', { from: 'l[].q', as: 'integer', less: ['l[].c'] }],
    ['what it multiplies by', 'l[].p', { from: 'l[].q', as: 'integer', times: 'l[].p' }],
    ['a label', 'l[].o[].n', { join: [{ pair: ['l[].o[].n', 'l[].o[].v'] }] }],
    ['a member of an object', 'l.A.n', 'l[*].n'],
    ['the name of a member', 'l.A', 'l[*]~'],
    ['a member that a filter takes', 'l.A.n', { join: ['l[?@.x].n'] }],
    ['a single value', 'l.n', 'l[].n', { single_as_list: true }],
    ['what lies in a single value', 'l.o.n', { join: ['l[].o[].n'] }, { single_as_list: true }],
  ])('is redacted, too: %s', (_, place, rule, more) => {
    expect(filled(place, rule, more)).toEqual(['items[].notes'])
  })

  it.each<[about: string, place: string, rule: SavedRule]>([
    ['another field', 'l[].x', 'l[].n'],
    ['a field of another member', 'm.A.n', 'l[*].n'],
    ['an element where a member is', 'l[0].n', 'l.A.n'],
  ])('is nothing of %s', (_, place, rule) => {
    expect(filled(place, rule)).toEqual([])
  })
})
