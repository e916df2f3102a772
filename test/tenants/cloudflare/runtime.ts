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
  query: (database: string, statements: Statement[]) => Promise<QueryResult[]>
  /** All statements in one transaction; gives no rows back. */
  ingest: (database: string, statements: string[]) => Promise<Meta>
  dump: (database: string, options: DumpOptions) => Promise<string>
  bookmark: (database: string) => Promise<string>
  /** A page of a bucket's objects. */
  objects: (
    bucket: string,
    options: R2ListOptions,
  ) => Promise<{ objects: { key: string; size: number }[]; cursor: string | null }>
  /** Gives how many of the keys were not there. */
  deleteObjects: (bucket: string, keys: string[]) => Promise<number>
  putObjects: (bucket: string, objects: Record<string, string>) => Promise<void>
  fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** From now on these Workers answer, each at its routes. */
  serve: (workers: WorkerOptions[]) => Promise<void>
  close: () => Promise<void>
}

const SPARE = 48
const SPARE_BUCKETS = 4
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
  objects: async (bucket, { options }) => {
    const { objects, cursor = null } = await bucket.list(options)
    return { objects: objects.map(({ key, size }) => ({ key, size })), cursor }
  },
  deleteObjects: async (bucket, { keys }) => {
    const found = await Promise.all(keys.map((key) => bucket.head(key)))
    await bucket.delete(keys)
    return found.filter((object) => object === null).length
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
  const logs: string[] = []
  const databases = workerOf('databases', DATABASES, {
    d1Databases: Object.fromEntries(spareDatabases.map((id) => [id, id])),
    r2Buckets: Object.fromEntries(spareBuckets.map((id) => [id, id])),
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
    query,
    ingest: async (database, statements) => {
      const parts = joined(statements).map((sql) => ({ sql }))
      const total = totalOf(await query(database, parts))
      return { ...total, rows_written: total.changes }
    },
    dump: (database, options) => ask('dump', database, { options }),
    bookmark: (database) => ask('bookmark', database),
    objects: (bucket, options) => ask('objects', bucket, { options }),
    deleteObjects: (bucket, keys) => ask('deleteObjects', bucket, { keys }),
    putObjects: (bucket, objects) => ask('putObjects', bucket, { objects }),
    fetch: (url, init) => gate.pass(() => visit(miniflare, url, init)),
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
