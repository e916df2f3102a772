import { rm } from 'node:fs/promises'
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
} from 'miniflare'
import { Gate } from './gate.ts'

/** Of one Worker as Miniflare takes it; see scripts.ts. */
export type WorkerOptions = V4WorkerOptions & { name: string }

export interface Statement {
  sql: string
  params?: unknown[]
}

export interface Meta {
  duration: number
  changes: number
  rows_read: number
  rows_written: number
  /** Bytes of the whole database. */
  size_after: number
}

export interface QueryResult {
  success: true
  results: Record<string, unknown>[]
  meta: Meta
}

export interface DumpOptions {
  no_schema: boolean
  no_data: boolean
  /** All of them when none is named. */
  tables: string[]
}

/** All that a database holds. */
export interface Snapshot {
  tables: { name: string; sql: string; rows: Record<string, unknown>[] }[]
  /** Rows of sqlite_sequence; null where there is no such table. */
  sequences: { name: string; seq: number }[] | null
  /** SQL of indexes and triggers. */
  rest: string[]
}

/** A database refuses a statement; the message is SQLite's. Nothing of the batch is done. */
export class SqlError extends Error {}

export interface Runtime {
  /** Where the edge is: HTTPS, with a certificate that nobody has signed. */
  url: URL
  /** What Workers have logged. */
  logs: string[]
  /** Ids of databases that exist for Miniflare, though nobody has created them yet. */
  spareDatabases: string[]
  /** The same of buckets. */
  spareBuckets: string[]
  /** The same of KV namespaces. */
  spareNamespaces: string[]
  query: (database: string, statements: Statement[]) => Promise<QueryResult[]>
  /** All statements in one transaction; gives no rows back. */
  ingest: (database: string, statements: string[]) => Promise<Meta>
  dump: (database: string, options: DumpOptions) => Promise<string>
  bookmark: (database: string) => Promise<string>
  snapshot: (database: string) => Promise<Snapshot>
  /** Puts the snapshot in the place of all that the database holds. */
  restore: (database: string, snapshot: Snapshot) => Promise<null>
  /** A page of a bucket's objects. */
  objects: (
    bucket: string,
    options: R2ListOptions,
  ) => Promise<{ objects: { key: string; size: number }[]; cursor: string | null }>
  /** Gives how many of the keys were not there. */
  deleteObjects: (bucket: string, keys: string[]) => Promise<number>
  putObjects: (bucket: string, objects: Record<string, string>) => Promise<void>
  /** Bytes in base64. */
  putObject: (bucket: string, key: string, base64: string) => Promise<null>
  /** In base64; null if there is no such object. */
  getObject: (bucket: string, key: string) => Promise<string | null>
  /** Writes values into a namespace, by their keys. */
  putValues: (namespace: string, values: Record<string, string>) => Promise<null>
  deleteValue: (namespace: string, key: string) => Promise<null>
  /** All values of a namespace, by their keys. */
  values: (namespace: string) => Promise<Record<string, string>>
  fetch: (url: string, init?: RequestInit) => Promise<Response>
  runCron: (worker: string, time: Date) => Promise<void>
  /** From now on these Workers answer, each at its routes. */
  serve: (workers: WorkerOptions[]) => Promise<void>
  close: () => Promise<void>
}

const SPARE = 48
const SPARE_BUCKETS = 4
const SPARE_NAMESPACES = 6
const COMPATIBILITY_DATE = '2026-11-01'

// Behind no route: only query() and its like get here. A request names a database, or a bucket, and work.
const DATABASES = `
const WORK = {
  query: (db, { statements }) =>
    db.batch(statements.map(({ sql, params = [] }) => db.prepare(sql).bind(...params))),
  dump: async (db, { options: { no_schema, no_data, tables } }) => {
    const dump = db.prepare('PRAGMA miniflare_d1_export(?,?,?);')
    const [lines] = await dump.bind(+no_schema, +no_data, ...tables).raw()
    return lines.join('\\n')
  },
  bookmark: async (db) => {
    const session = db.withSession('first-primary')
    await session.prepare('select 1').run()
    return session.getBookmark()
  },
  snapshot: async (db) => {
    const all = async (sql) => (await db.prepare(sql).all()).results
    const ours = "name not glob '_cf_*' and name not glob 'sqlite_*'"
    const tables = await all("select name, sql from sqlite_master where type = 'table' and " + ours + " order by rowid")
    for (const table of tables) {
      const columns = await all("select name from pragma_table_info('" + table.name + "')")
      const names = columns.map(({ name }) => '"' + name + '"')
      table.rows = await all('select ' + names + ' from "' + table.name + '"')
    }
    const counted = await all("select 1 from sqlite_master where name = 'sqlite_sequence'")
    const sequences = counted.length > 0 ? await all('select name, seq from sqlite_sequence') : null
    const rest = await all("select sql from sqlite_master where type <> 'table' and sql is not null order by type, rowid")
    return { tables, sequences, rest: rest.map(({ sql }) => sql) }
  },
  restore: async (db, { snapshot }) => {
    const now = await WORK.snapshot(db)
    const triggers = await db.prepare("select name from sqlite_master where type = 'trigger'").all()
    const counts = now.sequences !== null || snapshot.sequences !== null
    const statements = [
      'pragma defer_foreign_keys = true',
      ...triggers.results.map(({ name }) => 'drop trigger "' + name + '"'),
      ...now.tables.map(({ name }) => 'delete from "' + name + '"'),
      ...now.tables.map(({ name }) => 'drop table "' + name + '"'),
      ...snapshot.tables.map(({ sql }) => sql),
    ].map((sql) => db.prepare(sql))
    // Numbers are bound as REAL, and sqlite_sequence would keep them so: its columns have no type.
    const insert = (name, row, place = '?') => {
      const columns = Object.keys(row)
      const places = columns.map((column) => (column === 'seq' ? place : '?'))
      const sql = 'insert into "' + name + '" (' + columns.map((column) => '"' + column + '"') + ') values (' + places + ')'
      return db.prepare(sql).bind(...Object.values(row))
    }
    for (const { name, rows } of snapshot.tables) for (const row of rows) statements.push(insert(name, row))
    if (counts) statements.push(db.prepare('delete from sqlite_sequence'))
    for (const row of snapshot.sequences ?? []) statements.push(insert('sqlite_sequence', row, 'cast(? as integer)'))
    for (const sql of snapshot.rest) statements.push(db.prepare(sql))
    await db.batch(statements)
    return null
  },
  putObject: async (bucket, { key, base64 }) => {
    await bucket.put(key, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)))
    return null
  },
  getObject: async (bucket, { key }) => {
    const object = await bucket.get(key)
    if (object === null) return null
    const bytes = new Uint8Array(await object.arrayBuffer())
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    return btoa(text)
  },
  objects: async (bucket, { options }) => {
    const { objects, cursor = null } = await bucket.list(options)
    return { objects: objects.map(({ key, size }) => ({ key, size })), cursor }
  },
  deleteObjects: async (bucket, { keys }) => {
    const found = await Promise.all(keys.map((key) => bucket.head(key)))
    await bucket.delete(keys)
    return found.filter((object) => object === null).length
  },
  putValues: async (namespace, { values }) => {
    for (const [key, value] of Object.entries(values)) await namespace.put(key, value)
    return null
  },
  deleteValue: async (namespace, { key }) => {
    await namespace.delete(key)
    return null
  },
  values: async (namespace) => {
    const { keys } = await namespace.list()
    const entries = await Promise.all(keys.map(async ({ name }) => [name, await namespace.get(name)]))
    return Object.fromEntries(entries)
  },
  putObjects: async (bucket, { objects }) => {
    for (const [key, text] of Object.entries(objects)) await bucket.put(key, text)
    return null
  },
}
export default {
  async fetch(request, env) {
    const { work, database, ...rest } = await request.json()
    try {
      return Response.json({ done: await WORK[work](env[database], rest) })
    } catch (error) {
      return Response.json({ message: String(error.message) })
    }
  },
}`

// What is asked for at a host that no route matches.
const NOBODY = `
export default { fetch: () => new Response('error code: 1016', { status: 530 }) }`

/** One Miniflare: D1 databases that keep what is in them, and whichever Workers are deployed. */
export async function startRuntime(folder: string): Promise<Runtime> {
  const spareDatabases = Array.from({ length: SPARE }, () => crypto.randomUUID())
  const spareBuckets = Array.from({ length: SPARE_BUCKETS }, () => `bucket-${crypto.randomUUID()}`)
  const spareNamespaces = Array.from({ length: SPARE_NAMESPACES }, () =>
    crypto.randomUUID().replaceAll('-', ''),
  )
  const logs: string[] = []
  const databases = workerOf('databases', DATABASES, {
    d1Databases: Object.fromEntries(spareDatabases.map((id) => [id, id])),
    r2Buckets: Object.fromEntries(spareBuckets.map((id) => [id, id])),
    kvNamespaces: Object.fromEntries(spareNamespaces.map((id) => [id, id])),
  })
  const options = (workers: WorkerOptions[]) =>
    convertV4MiniflareOptions({
      https: true,
      host: '127.0.0.1',
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ message }) => logs.push(message),
      resourcePersistencePath: folder,
      workers: [workerOf('nobody', NOBODY), databases, ...workers],
    })
  const miniflare = new Miniflare(options([]))
  const gate = new Gate()

  const ask = <T>(work: string, database: string, rest: object = {}): Promise<T> =>
    gate.pass(() => answerOf<T>(work, database, rest))

  async function answerOf<T>(work: string, database: string, rest: object): Promise<T> {
    const worker = await miniflare.getWorker('databases')
    const body = JSON.stringify({ work, database, ...rest })
    const response = await worker.fetch('http://databases/', { method: 'POST', body })
    const answer = (await response.json()) as { done: T } | { message: string }
    if ('message' in answer) throw new SqlError(answer.message.replace(/^D1_ERROR: /, ''))
    return answer.done
  }

  const query: Runtime['query'] = (database, statements) => ask('query', database, { statements })
  return {
    url: await miniflare.ready,
    logs,
    spareDatabases,
    spareBuckets,
    spareNamespaces,
    query,
    ingest: async (database, statements) => {
      const parts = joined(statements).map((sql) => ({ sql }))
      const total = totalOf(await query(database, parts))
      return { ...total, rows_written: total.changes }
    },
    dump: (database, options) => ask('dump', database, { options }),
    bookmark: (database) => ask('bookmark', database),
    snapshot: (database) => ask('snapshot', database),
    restore: (database, snapshot) => ask('restore', database, { snapshot }),
    putObject: (bucket, key, base64) => ask('putObject', bucket, { key, base64 }),
    getObject: (bucket, key) => ask('getObject', bucket, { key }),
    objects: (bucket, options) => ask('objects', bucket, { options }),
    deleteObjects: (bucket, keys) => ask('deleteObjects', bucket, { keys }),
    putObjects: (bucket, objects) => ask('putObjects', bucket, { objects }),
    putValues: (namespace, values) => ask('putValues', namespace, { values }),
    deleteValue: (namespace, key) => ask('deleteValue', namespace, { key }),
    values: (namespace) => ask('values', namespace),
    fetch: (url, init) => gate.pass(() => visit(miniflare, url, init)),
    runCron: (worker, time) =>
      gate.pass(async () => {
        const { outcome } = await (await miniflare.getWorker(worker)).scheduled({
          scheduledTime: time,
        })
        if (outcome !== 'ok') throw new Error(`The cron of ${worker} ended with ${outcome}.`)
      }),
    serve: (workers) => gate.alone(() => miniflare.setOptions(options(workers))),
    close: async () => {
      await miniflare.dispose()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Miniflare's Response is of its own making: given on as Node's. */
async function visit(miniflare: Miniflare, url: string, init: RequestInit = {}): Promise<Response> {
  const { method = 'GET', headers, body } = init
  const sent = new Request(url, { method, ...(headers && { headers }), ...(body && { body }) })
  const response = await miniflare.dispatchFetch(url, {
    method,
    headers: [...sent.headers],
    redirect: 'manual',
    ...(body && { body: await sent.arrayBuffer() }),
  })
  const answer = response.body === null ? null : await response.arrayBuffer()
  return new Response(answer, { status: response.status, headers: [...response.headers] })
}

function workerOf(name: string, script: string, bindings: object = {}): WorkerOptions {
  return { name, modules: true, script, compatibilityDate: COMPATIBILITY_DATE, ...bindings }
}

// A statement of more than 100,000 bytes is refused, and so is a text of several: kept below.
const MOST_BYTES = 64 * 1024

/** One text for many short statements: thousands of results would take longer than the work. */
function joined(statements: string[]): string[] {
  const texts: string[] = []
  let text = ''
  for (const statement of statements) {
    if (text && Buffer.byteLength(text) + Buffer.byteLength(statement) > MOST_BYTES) {
      texts.push(text)
      text = ''
    }
    // One that stands alone keeps its semicolon, and an empty statement is refused. The schema keeps
    // white space before it.
    text += `${statement.replace(/;\s*$/, '')}${/--[^\n]*$/.test(statement) ? '\n' : ''};\n`
  }
  return text ? [...texts, text] : texts
}

function totalOf(results: QueryResult[]): Meta {
  const total = { duration: 0, changes: 0, rows_read: 0, rows_written: 0, size_after: 0 }
  for (const { meta } of results) {
    total.duration += meta.duration
    total.changes += meta.changes
    total.rows_read += meta.rows_read
    total.rows_written += meta.rows_written
    total.size_after = meta.size_after
  }
  return total
}
