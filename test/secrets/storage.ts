import { gunzipSync } from 'node:zlib'
import type { KeySearch } from './search.ts'

type Row = Record<string, unknown>
type Query = (sql: string) => Promise<Row[]>

const PAGE_ROWS = 10_000

/** Looks for keys in all that the Worker stores but rate limits, which are numbers. */
export async function lookInStorage(
  search: KeySearch,
  databases: Record<string, D1Database>,
  kv: KVNamespace,
  bucket: R2Bucket,
): Promise<void> {
  for (const [name, db] of Object.entries(databases)) {
    await lookInDatabase(search, name, async (sql) => (await db.prepare(sql).all()).results)
  }
  await lookInKv(search, kv)
  await lookInBucket(search, bucket)
}

/** Looks for keys in every cell of every table, the schema included. */
export async function lookInDatabase(search: KeySearch, name: string, query: Query): Promise<void> {
  const tables = await query(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*'",
  )
  for (const table of ['sqlite_schema', ...tables.map((row) => `${row.name}`)]) {
    for await (const columns of pagesOf(table, query)) {
      for (const [column, cells] of Object.entries(columns)) {
        search.look(`${name}, ${table}.${column}`, String(cells))
      }
    }
  }
}

/** By column, all cells of so many rows as one text, which takes a tenth of the time that rows take. */
async function* pagesOf(table: string, query: Query): AsyncGenerator<Row> {
  const [first] = await query(`SELECT * FROM "${table}" LIMIT 1`)
  const [counted] = await query(`SELECT count(*) AS total FROM "${table}"`)
  const cells = Object.keys(first ?? {}).map((column) => `group_concat("${column}") AS "${column}"`)
  const joined = (at: number, total: number) =>
    query(`SELECT ${cells} FROM (SELECT * FROM "${table}" LIMIT ${total} OFFSET ${at})`)
  for (let at = 0; at < Number(counted?.total); at += PAGE_ROWS) {
    yield* halved(joined, at, PAGE_ROWS)
  }
}

type Joined = (at: number, total: number) => Promise<Row[]>

/** Half as many rows where a text becomes too long for SQLite. */
async function* halved(joined: Joined, at: number, total: number): AsyncGenerator<Row> {
  try {
    yield* await joined(at, total)
  } catch (error) {
    if (total === 1) throw error
    const half = Math.ceil(total / 2)
    yield* halved(joined, at, half)
    yield* halved(joined, at + half, total - half)
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
