import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { filesBelow } from '../../scripts/tidy/files.ts'
import { sectionOf, tablesOf } from '../fixtures/markdown.ts'

const EVENT = /\bevent: '(\w+)'/g
// The line of a daily job has the event that the job names.
const NAMED = /\bevent: (?:'\w+'|job\.event)/
const LOGGED = /console\.\w+\(([^\n]*)/g
// A line of JSON that begins with its event, written at once or built before under one of these names.
const STRUCTURED = /^(?:JSON\.stringify\(\{ event: '\w+'|JSON\.stringify\(refusal\)|line\))/

const paths = filesBelow('src').filter(
  (path) => /\.tsx?$/.test(path) && !path.startsWith('src/dashboard/browser/'),
)
const sources = await Promise.all(
  paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })),
)
const [table] = tablesOf(sectionOf(await readFile('docs/operations.md', 'utf8'), 'Events'))

describe('the table of events in docs/operations.md', () => {
  const logged = new Set(
    sources.flatMap(({ text }) => Array.from(text.matchAll(EVENT), ([, name]) => name)),
  )

  it('has each event that the Worker logs, and no other', () => {
    const rows = [...(table?.keys() ?? [])].map((cell) => cell.replaceAll('`', ''))
    expect(rows.toSorted()).toEqual([...logged].toSorted())
  })

  it('says of each what it means and what to do', () => {
    for (const row of table?.values() ?? []) {
      expect(row['What it means']?.length, row.Event).toBeGreaterThan(20)
      expect(row['What to do'], row.Event).toMatch(/\.$/)
    }
  })
})

describe('the Worker', () => {
  it.each(sources.filter(({ text }) => text.includes('console.')))(
    'logs nothing but events: $path',
    ({ text }) => {
      for (const [, argument = ''] of text.matchAll(LOGGED)) expect(argument).toMatch(STRUCTURED)
      expect(text).toMatch(NAMED)
    },
  )
})
