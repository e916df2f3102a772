import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { filesBelow } from '../../scripts/tidy/files.ts'
import { COLUMNS } from '../../src/engine/metrics/points.ts'
import { sectionOf, tablesOf } from '../fixtures/markdown.ts'
import { datasetOf, type Values } from './rows.ts'

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

const section = sectionOf(await readFile('docs/operations.md', 'utf8'), 'Metrics')
const queries = Array.from(section.matchAll(/```sql\n([\s\S]*?)```/g), ([, sql = '']) => sql)

const request: Values = { kind: 'request', tenant: 'acme', version: '1', status: 200 }
const POINTS: Values[] = [
  { ...request, status: 500, duration_ms: 30, d1_rows_written: 7, d1_rows_read: 9 },
  { ...request, duration_ms: 10, sampled: 3 },
  { kind: 'tenant_retention', tenant: 'beta', state: 'unfinished', overdue_ms: 86_400_000 },
]
const ANSWERS = [
  [{ tenant: 'acme', written: 7, rows_read: 9 }],
  [{ version: '1', requests: 4, failed: 1, mean_ms: 15 }],
]

describe('docs/operations.md', () => {
  it('names the columns of data points as they are written', () => {
    const [table] = tablesOf(section)
    const rows = [...(table?.values() ?? [])].map(({ Column, Name }) => [Column, Name])
    const written = (['blob', 'double'] as const).flatMap((kind) =>
      COLUMNS[kind].map((name, at) => [`\`${kind}${at + 1}\``, `\`${name}\``]),
    )
    expect(rows).toEqual(written)
  })

  it('has a query for each answer here', () => {
    expect(queries).toHaveLength(ANSWERS.length)
  })

  it.each(queries.map((sql, at) => ({ sql, answer: ANSWERS[at] })))(
    'has a query that answers what it says: $sql',
    ({ sql, answer }) => {
      expect(datasetOf(POINTS)(sql)).toEqual(answer)
    },
  )
})
