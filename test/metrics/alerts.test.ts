import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { datasetOf, type Values } from './rows.ts'

const FOLDER = 'examples/alerts'
const HEADER = /^-- .+\n-- run: every .+\n-- fires: (on each row|when there is no row)\n-- do: .+\n/

const calm: Values = {
  kind: 'request',
  tenant: 'acme',
  version: '1',
  status: 200,
  duration_ms: 40,
  d1_ms: 20,
  d1_round_trips: 1,
}
const yesterday = { ...calm, minutes_ago: 30 * 60 }
const times = (count: number, point: Values) => Array.from({ length: count }, () => point)
const run: Values = { kind: 'retention', tenant: '-', retention: 'audit' }
const ofTenant: Values = { kind: 'tenant_retention', retention: 'audit' }
const paused = { ...calm, status: 503, error_code: 'UNAVAILABLE', reason: 'PAUSED' }
const waiting: Values = {
  kind: 'deliveries',
  tenant: 'acme',
  waiting_records: 7,
  waiting_share: 0.1,
}
const CALM = [
  ...times(1000, calm),
  ...times(5, { ...calm, status: 500 }),
  ...times(20, paused),
  run,
  { ...calm, area: 'webhooks', outcome: 'waiting' },
  { ...waiting, tenant: 'omega', waiting_ms: 3_600_000 },
]

/** What makes each alert fire, and what it says then. */
const TROUBLES: Record<string, { points: Values[]; rows: object[] }> = {
  'server-errors': {
    points: times(11, { ...calm, status: 503 }),
    rows: [{ tenant: 'acme', failed: 16 }],
  },
  'internal-errors': {
    points: [{ ...calm, status: 500, error_code: 'INTERNAL_ERROR', sampled: 3 }],
    rows: [{ tenant: 'acme', version: '1', failed: 3 }],
  },
  'storage-full': {
    points: [{ ...calm, status: 503, error_code: 'UNAVAILABLE', reason: 'STORAGE_FULL' }],
    rows: [{ tenant: 'acme', refused: 1 }],
  },
  'slow-requests': {
    points: times(60, { ...calm, duration_ms: 2500, waited_ms: 2400 }),
    rows: [{ tenant: 'acme', slow: 60 }],
  },
  'waiting-requests': {
    points: times(10, { ...calm, waited_ms: 6000 }),
    rows: [{ tenant: 'acme', waiting: 10, longest_ms: 6000 }],
  },
  'slow-database': {
    points: times(30, { ...calm, tenant: 'beta', d1_ms: 600 }),
    rows: [{ tenant: 'beta', calls: 30, ms_each: 600 }],
  },
  'refused-keys': {
    points: [{ ...calm, tenant: '-', status: 401, error_code: 'KEY_INVALID', sampled: 501 }],
    rows: [{ error_code: 'KEY_INVALID', refused: 501 }],
  },
  'deliveries-waiting': {
    points: [
      { ...waiting, waiting_ms: 3 * 86_400_000 },
      { ...waiting, waiting_ms: 3 * 86_400_000, minutes_ago: 60 },
      // Mended meanwhile.
      { ...waiting, tenant: 'beta', waiting_ms: 3 * 86_400_000, minutes_ago: 30 },
      { ...waiting, tenant: 'beta', waiting_records: 0, waiting_ms: 0 },
      { ...waiting, tenant: 'gamma', waiting_ms: 3_600_000 },
    ],
    rows: [{ tenant: 'acme', days: 3, records: 7 }],
  },
  'deliveries-full': {
    points: [
      { ...waiting, waiting_share: 0.9 },
      { ...waiting, tenant: 'beta', waiting_share: 0.7 },
      { ...calm, tenant: 'gamma', status: 503, reason: 'DELIVERIES_FULL', sampled: 2 },
    ],
    rows: [
      { tenant: 'acme', share: 0.9 },
      { tenant: 'gamma', refused: 2 },
    ],
  },
  'retention-behind': {
    points: [
      { ...ofTenant, tenant: 'acme', state: 'unfinished', overdue_ms: 3 * 86_400_000 },
      ...times(4, { ...ofTenant, tenant: 'beta', state: 'failed' }),
      { ...ofTenant, tenant: 'chi', state: 'not_reached' },
      { ...ofTenant, tenant: 'gamma', state: 'unfinished', overdue_ms: 1000 },
      { ...ofTenant, tenant: 'delta', state: 'done' },
      // A later run has made up for it.
      { ...ofTenant, tenant: 'epsilon', state: 'unfinished', overdue_ms: 3 * 86_400_000 },
      { ...ofTenant, tenant: 'epsilon', state: 'failed' },
      { ...ofTenant, tenant: 'epsilon', state: 'done' },
    ],
    rows: [
      { tenant: 'acme', days: 3 },
      { tenant: 'beta', failed: 4 },
      { tenant: 'chi', not_reached: 1 },
    ],
  },
  'retention-missing': { points: [], rows: [] },
  'retention-absent': {
    points: [
      { ...yesterday, tenant: 'acme' },
      { ...calm, tenant: 'acme' },
      { ...ofTenant, tenant: 'acme', state: 'done', minutes_ago: 30 * 60 },
      // It has had its turn.
      { ...yesterday, tenant: 'beta' },
      { ...calm, tenant: 'beta' },
      { ...ofTenant, tenant: 'beta', state: 'done', minutes_ago: 25 * 60 },
      // It is new, or gone.
      { ...calm, tenant: 'gamma' },
      { ...yesterday, tenant: 'delta' },
      // Of one with so many requests the platform may not have kept the point.
      { ...yesterday, tenant: 'epsilon' },
      { ...calm, tenant: 'epsilon', sampled: 10 },
      // Requests without a known key.
      { ...yesterday, tenant: '-' },
      { ...calm, tenant: '-' },
    ],
    rows: [{ tenant: 'acme' }],
  },
}

const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql'))

describe('the alert rules', () => {
  it('are those that are tried here', () => {
    expect(files.map((name) => name.replace('.sql', ''))).toEqual(Object.keys(TROUBLES).toSorted())
  })

  it.each(files)('say when to run them, when they fire and what to do: %s', async (name) => {
    const [header = ''] = HEADER.exec(await readFile(`${FOLDER}/${name}`, 'utf8')) ?? []
    expect(header).not.toBe('')
  })
})

describe.each(Object.entries(TROUBLES))('%s', (name, { points, rows }) => {
  const read = () => readFile(`${FOLDER}/${name}.sql`, 'utf8')
  const onNone = name === 'retention-missing'

  it('does not fire while all is well', async () => {
    expect(datasetOf(CALM)(await read())).toHaveLength(onNone ? 1 : 0)
  })

  it('fires, and names whom it concerns', async () => {
    const before = onNone ? times(1000, calm) : CALM
    const found = datasetOf([...before, ...points])(await read())
    expect(found).toEqual(rows.map((row) => expect.objectContaining(row)))
  })

  it('does not fire for what is over', async () => {
    const old = [...CALM, ...points].map((point) => ({ ...point, minutes_ago: 27 * 60 }))
    expect(datasetOf(old)(await read())).toEqual([])
  })
})
