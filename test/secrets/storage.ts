import type { KeySearch } from './search.ts'

type Row = Record<string, unknown>
export type Query = (sql: string) => Promise<Row[]>

const PAGE_ROWS = 10_000

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
  for (let at = 0; at < Number(counted?.total); at += PAGE_ROWS) {
    const page = `SELECT * FROM "${table}" LIMIT ${PAGE_ROWS} OFFSET ${at}`
    yield* await query(`SELECT ${cells} FROM (${page})`)
  }
}

/** Looks for keys in names, values and metadata. */
export async function lookInKv(search: KeySearch, kv: KVNamespace): Promise<void> {
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
