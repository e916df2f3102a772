import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { COLUMNS } from '../../src/engine/metrics/points.ts'
import { sectionOf, tablesOf } from '../fixtures/markdown.ts'
import { datasetOf, type Values } from './rows.ts'

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
