import { gunzipSync } from 'node:zlib'
import type { KeySearch } from './search.ts'

type Row = Record<string, unknown>
/** Runs the statements together, and gives the rows of each. */
type Query = (...statements: string[]) => Promise<Row[][]>

const PAGE_ROWS = 10_000

/** Looks for keys in all that the Worker stores but rate limits, which are numbers. */
export async function lookInStorage(
  search: KeySearch,
  databases: Record<string, D1Database>,
  kv: KVNamespace,
  bucket: R2Bucket,
): Promise<void> {
  for (const [name, db] of Object.entries(databases)) {
    await lookInDatabase(search, name, async (...statements) => {
      const answers = await db.batch<Row>(statements.map((statement) => db.prepare(statement)))
      return answers.map(({ results }) => results)
    })
  }
  await lookInKv(search, kv)
  await lookInBucket(search, bucket)
}

interface Table {
  name: string
  columns: string[]
  rows: number
}

/** Looks for keys in every cell of every table, the schema included. */
export async function lookInDatabase(search: KeySearch, name: string, query: Query): Promise<void> {
  const tables = await tablesOf(query)
  const short = tables.filter(({ rows }) => rows <= PAGE_ROWS)
  // Together, unless a text becomes too long for SQLite.
  const pages = await query(...short.map((table) => pageOf(table, 0, PAGE_ROWS))).catch(() => [])
  for (const table of tables) {
    const read = pages[short.indexOf(table)]
    for await (const page of read ? [read] : pagesOf(table, query)) {
      for (const [column, cells] of page.flatMap((row) => Object.entries(row))) {
        search.look(`${name}, ${table.name}.${column}`, String(cells))
      }
    }
  }
}

/** The tables that have rows. */
async function tablesOf(query: Query): Promise<Table[]> {
  const [all = []] = await query(
    `SELECT t.name, json_group_array(c.name) AS columns FROM sqlite_schema t, pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT GLOB '_cf_*' GROUP BY t.name`,
  )
  const named = all.map((row) => ({ name: `${row.name}`, columns: JSON.parse(`${row.columns}`) }))
  const tables = [{ name: 'sqlite_schema', columns: ['name', 'sql'] }, ...named]
  const counts = await query(...tables.map(({ name }) => `SELECT count(*) AS rows FROM "${name}"`))
  return tables
    .map((table, index) => ({ ...table, rows: Number(counts[index]?.[0]?.rows) }))
    .filter(({ rows }) => rows > 0)
}

/** By column, all cells of so many rows as one text, which takes a tenth of the time that rows take. */
function pageOf({ name, columns }: Table, at: number, rows: number): string {
  const cells = columns.map((column) => `group_concat("${column}") AS "${column}"`)
  return `SELECT ${cells} FROM (SELECT * FROM "${name}" LIMIT ${rows} OFFSET ${at})`
}

async function* pagesOf(table: Table, query: Query): AsyncGenerator<Row[]> {
  for (let at = 0; at < table.rows; at += PAGE_ROWS) yield* halved(table, query, at, PAGE_ROWS)
}

/** Half as many rows where a text becomes too long for SQLite. */
async function* halved(
  table: Table,
  query: Query,
  at: number,
  rows: number,
): AsyncGenerator<Row[]> {
  try {
    yield* await query(pageOf(table, at, rows))
  } catch (error) {
    if (rows === 1) throw error
    const half = Math.ceil(rows / 2)
    yield* halved(table, query, at, half)
    yield* halved(table, query, at + half, rows - half)
  }
}

/** Looks for keys in names, values and metadata. */
async function lookInKv(search: KeySearch, kv: KVNamespace): Promise<void> {
  let cursor: string | null = null
  do {
    const page: KVNamespaceListResult<unknown> = await kv.list({ cursor, limit: 100 })
    cursor = page.list_complete ? null : page.cursor
    const names = page.keys.map((entry) => entry.name)
    const values = names.length > 0 ? await kv.get(names) : new Map<string, string | null>()
    for (const { name, metadata } of page.keys) {
      search.look(`KV, ${name}`, `${name}\n${values.get(name)}\n${JSON.stringify(metadata)}`)
    }
  } while (cursor !== null)
}

/** Looks for keys in the names, metadata and unpacked texts of objects, also in those with JSON escapes. */
async function lookInBucket(search: KeySearch, bucket: R2Bucket): Promise<void> {
  let cursor: string | undefined
  do {
    const include: ('customMetadata' | 'httpMetadata')[] = ['customMetadata', 'httpMetadata']
    const page: R2Objects = await bucket.list({ include, ...(cursor && { cursor }) })
    cursor = page.truncated ? page.cursor : undefined
    for (const { key, customMetadata, httpMetadata } of page.objects) {
      const text = unpacked(new Uint8Array((await (await bucket.get(key))?.arrayBuffer()) ?? []))
      const plain = text.replace(/\\+u00([0-9a-f]{2})/gi, (_, code) => {
        return String.fromCharCode(Number.parseInt(code, 16))
      })
      const around = `${key}\n${JSON.stringify([customMetadata, httpMetadata])}`
      search.look(`R2, ${key}`, `${around}\n${text}\n${plain}`)
    }
  } while (cursor !== undefined)
}

function unpacked(bytes: Uint8Array): string {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  return new TextDecoder().decode(isPacked ? gunzipSync(bytes) : bytes)
}
