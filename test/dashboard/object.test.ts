import { describe, expect, it } from 'vitest'
import {
  factsInside,
  JSON_LENGTH_MAX,
  type ObjectFact,
} from '../../src/dashboard/records/object.ts'
import type { JsonObject } from '../../src/engine/json/json-object.ts'

/** The facts as lines, those inside with a dot before them. */
function linesOf(facts: ObjectFact[], before = ''): string[] {
  return facts.flatMap((fact) =>
    'text' in fact
      ? [`${before}${fact.name}: ${fact.text}`]
      : [`${before}${fact.name}`, ...linesOf(fact.inside, `${before}.`)],
  )
}

const CASES: [what: string, object: JsonObject, lines: string[]][] = [
  ['nothing', {}, []],
  ['a text', { city: 'Oslo' }, ['City: Oslo']],
  [
    'names of several words, and others as they are',
    { zip_code: '0150', 'gid://x': 'a', countryCode: 'NO', _id: '1', '': 'b' },
    ['Zip code: 0150', 'gid://x: a', 'countryCode: NO', '_id: 1', ': b'],
  ],
  [
    'numbers, choices and what is empty',
    { n: 1.5, zero: 0, gift: true, tax: false, none: null, blank: '', object: {}, list: [] },
    ['N: 1.5', 'Zero: 0', 'Gift: yes', 'Tax: no', 'None: —', 'Blank: —', 'Object: —', 'List: —'],
  ],
  ['a list of texts', { tags: ['a', 'b', null, 3] }, ['Tags: a, b, —, 3']],
  [
    'objects inside',
    { address: { lines: [{ text: 'Main st' }, 'x'], geo: { lat: 1 } } },
    ['Address', '.Lines', '..1', '...Text: Main st', '..2: x', '.Geo', '..Lat: 1'],
  ],
]

describe('the facts of an object', () => {
  it.each(CASES)('show %s', (_, object, lines) => {
    const { facts, isCut } = factsInside(object)
    expect([linesOf(facts), isCut]).toEqual([lines, false])
  })

  it.each<[what: string, object: JsonObject]>([
    ['a long text', { note: 'n'.repeat(JSON_LENGTH_MAX + 1) }],
    ['a long name', { ['n'.repeat(JSON_LENGTH_MAX + 1)]: 1 }],
    ['many members', Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`k${at}`, at]))],
    ['many members inside', { list: Array.from({ length: 9000 }, (_, at) => ({ at })) }],
  ])('are cut for %s', (_, object) => {
    const { facts, isCut } = factsInside(object)
    const lines = linesOf(facts)
    const shown = lines.join('')
    expect(isCut).toBe(true)
    // The markup of each counts, whatever its texts are.
    expect(lines.length).toBeLessThanOrEqual(JSON_LENGTH_MAX / 8)
    expect(shown.length).toBeGreaterThan(JSON_LENGTH_MAX / 4)
    expect(shown.length).toBeLessThan(1.1 * JSON_LENGTH_MAX)
  })
})
