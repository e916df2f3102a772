import { expect } from 'vitest'

export type Row = Record<string, unknown>
export type Query = (sql: string) => Row[] | Promise<Row[]>

/** Rows as JSON by table, in the order of their first columns; the schema as `sqlite_master`. */
export type Contents = Record<string, string[]>

const SHOWN_MAX = 3
const SCHEMA = `SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT GLOB '_cf_*'
  ORDER BY type, name`

/** Every row of every table, each value with its storage class, and all that the schema has. */
export async function contentsOf(query: Query): Promise<Contents> {
  const schema = await query(SCHEMA)
  const contents: Contents = { sqlite_master: schema.map(jsonOf) }
  for (const { type, name } of schema) {
    if (type === 'table') contents[`${name}`] = await rowsOf(query, `"${name}"`)
  }
  return contents
}

async function rowsOf(query: Query, table: string): Promise<string[]> {
  const [first] = await query(`SELECT * FROM ${table} LIMIT 1`)
  if (!first) return []
  const types = Object.keys(first).map((column) => `typeof("${column}")`)
  const rows = await query(
    `SELECT *, ${types.join(" || ' ' || ")} AS types FROM ${table} ORDER BY 1, 2`,
  )
  return rows.map(jsonOf)
}

function jsonOf(row: Row): string {
  return JSON.stringify(row)
}

/** What the one has and the other has not, a few rows of each table. */
export function differencesBetween(expected: Contents, found: Contents): string[] {
  const tables = new Set([...Object.keys(expected), ...Object.keys(found)])
  return [...tables].flatMap((table) => {
    const [before, after] = [expected[table] ?? [], found[table] ?? []]
    return [
      ...missing(before, after).map((row) => `${table} lacks ${row}`),
      ...missing(after, before).map((row) => `${table} has ${row}`),
    ]
  })
}

function missing(rows: string[], others: string[]): string[] {
  const known = new Map<string, number>()
  for (const row of others) known.set(row, (known.get(row) ?? 0) + 1)
  const left = rows.filter((row) => {
    const count = known.get(row) ?? 0
    known.set(row, count - 1)
    return count <= 0
  })
  return left.slice(0, SHOWN_MAX).map((row) => row.slice(0, 400))
}

/** The contents with the `remembered_since` of others: to remember begins when the migration is applied. */
export function rememberedAnew(contents: Contents, others: Contents): Contents {
  const [own, other] = [contents, others].map(({ workspace }) => JSON.parse(workspace?.[0] ?? ''))
  return {
    ...contents,
    workspace: [JSON.stringify({ ...own, remembered_since: other.remembered_since })],
  }
}

/**
 * An import raises settings_version beyond what was ever cached of the tenant, and says so in
 * settings_changes; all else is equal.
 */
export function expectMoved(before: Contents, after: Contents): void {
  const [
    { settings_version: from, changes_epoch: _, ...old },
    { settings_version: to, changes_epoch: epoch, ...moved },
  ] = [JSON.parse(before.workspace?.[0] ?? ''), JSON.parse(after.workspace?.[0] ?? '')]
  expect(moved).toEqual(old)
  expect(to).toBeGreaterThan(Math.max(from, Date.now() / 1000 - 3600))
  // Cursors of the feed of changes end with it.
  expect(epoch).toBe(to)
  const leap = { subject: 'workspace', settings_version: to }
  const isLeap = (row: string) => JSON.parse(row).subject === leap.subject
  const [changes = [], movedChanges = []] = [before, after].map((of) => of.settings_changes)
  expect(movedChanges.filter(isLeap).map((row) => JSON.parse(row))).toMatchObject([leap])
  const same = (contents: Contents, rows: string[]) => ({
    ...contents,
    workspace: [],
    settings_changes: rows.filter((row) => !isLeap(row)),
  })
  expect(differencesBetween(same(before, changes), same(after, movedChanges))).toEqual([])
}
