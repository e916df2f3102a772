import { DatabaseSync } from 'node:sqlite'
import { COLUMNS } from '../../src/engine/metrics/points.ts'

export type Values = Record<string, string | number>

const SECONDS = { MINUTE: 60, HOUR: 3600, DAY: 86_400 }
const FIELDS = Array.from({ length: 20 }, (_, n) => [`blob${n + 1} TEXT`, `double${n + 1} REAL`])

/** Answers queries of Analytics Engine about points, in SQLite, which has the functions that ours use. */
export function datasetOf(points: Values[], minutesAgo = 1): (sql: string) => Values[] {
  const db = new DatabaseSync(':memory:')
  const columns = ['timestamp INTEGER', '_sample_interval REAL', 'index1 TEXT', ...FIELDS.flat()]
  db.exec(`CREATE TABLE points (${columns.join(', ')})`)
  for (const point of points) insert(db, point, minutesAgo)
  return (sql) => db.prepare(inSqlite(sql)).all() as Values[]
}

function insert(db: DatabaseSync, point: Values, minutesAgo: number): void {
  const blobs = COLUMNS.blob.map((name, at) => [`blob${at + 1}`, point[name] ?? ''] as const)
  const doubles = COLUMNS.double.map((name, at) => [`double${at + 1}`, point[name] ?? 0] as const)
  const given = [...blobs, ...doubles]
  const names = given.map(([name]) => name).join(', ')
  const marks = given.map(() => '?').join(', ')
  db.prepare(
    `INSERT INTO points (timestamp, _sample_interval, index1, ${names})
     VALUES (unixepoch() - ?, ?, ?, ${marks})`,
  ).run(
    (point.minutes_ago === undefined ? minutesAgo : Number(point.minutes_ago)) * 60,
    point.sampled ?? 1,
    point.tenant ?? '-',
    ...given.map(([, value]) => value),
  )
}

function inSqlite(sql: string): string {
  return sql
    .replace(/INTERVAL '(\d+)' (MINUTE|HOUR|DAY)/g, (_, count, unit: keyof typeof SECONDS) =>
      String(Number(count) * SECONDS[unit]),
    )
    .replaceAll('NOW()', 'unixepoch()')
    .replace(/FROM crossdock\w*/g, 'FROM points')
}
