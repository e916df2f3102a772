import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import {
  unstable_getMiniflareWorkerOptions as getWorkerOptions,
  unstable_splitSqlQuery as splitSql,
} from 'wrangler'
import { mintKey } from '../src/identity/key.ts'
import buildWorker from '../test/served/build.ts'

export interface Server {
  /** `http://127.0.0.1:<port>`, of the Worker itself: nothing stands before it. */
  origin: string
  db: D1Database
  /** As requests want them; the key may do everything. */
  headers: Record<string, string>
  close: () => Promise<void>
}

const NOW = '2026-11-01T00:00:00.000Z'
const BARE = 'dist/bench/bare.js'

// One for all servers, so that they can be asked the same.
const key = await mintKey('demo')

/** The built Worker, with its bindings and an empty tenant of its own; `log` is told what it says. */
export async function startCrossdock({ log = console.error } = {}): Promise<Server> {
  await buildWorker()
  return await start('dist/worker/index.js', { log })
}

/** The Worker of bare.ts in the same surroundings. */
export async function startBare(): Promise<Server> {
  await build({
    entryPoints: ['bench/bare.ts'],
    outfile: BARE,
    bundle: true,
    minify: true,
    format: 'esm',
  })
  return await start(BARE, { log: console.error, durableObjects: {} })
}

/**
 * In a workerd of its own, and on a socket of the Worker's: what wrangler's harness has in front, a
 * proxy and a router, would take from every request the same, and so bring all ratios nearer to 1.
 */
async function start(
  script: string,
  { log, ...otherwise }: { log: (message: string) => void; durableObjects?: Record<string, never> },
): Promise<Server> {
  const { workerOptions } = getWorkerOptions('wrangler.toml')
  const { assets, ...bindings } = workerOptions
  const worker = {
    ...bindings,
    ...otherwise,
    name: 'crossdock',
    modules: [{ type: 'ESModule' as const, path: script }],
    modulesRoot: '.',
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      handleStructuredLogs: ({ message }) => log(message),
      workers: [worker],
    }),
  )
  await miniflare.ready
  const { origin } = await miniflare.unsafeGetDirectURL()
  const db = await miniflare.getD1Database('DB_DEMO')
  await createTenant(db)
  const headers = { 'X-API-Key': key.value, 'Content-Type': 'application/json' }
  return { origin, db, headers, close: () => miniflare.dispose() }
}

async function createTenant(db: D1Database): Promise<void> {
  const files = (await readdir('migrations')).toSorted()
  for (const file of files) {
    const statements = splitSql(await readFile(`migrations/${file}`, 'utf8'))
    await db.batch(statements.map((sql) => db.prepare(sql)))
  }
  await db.batch([
    db
      .prepare(
        'insert into workspace (id, tenant, name, created_at, updated_at) values (1, ?, ?, ?, ?)',
      )
      .bind('demo', 'Bench', NOW, NOW),
    db
      .prepare(
        `insert into api_keys (id, hash, hint, name, scopes, created_at) values (?, ?, ?, ?, ?, ?)`,
      )
      .bind('bench', key.hash, key.hint, 'Bench', '["integrations.*","settings.*"]', NOW),
  ])
}

/** Of the workerd processes that this one has started, in MB. */
export async function residentMb(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,rss=,comm='])
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  const own = rows.filter(([parent, , name]) => {
    return Number(parent) === process.pid && name?.endsWith('workerd')
  })
  return own.reduce((total, [, kilobytes]) => total + Number(kilobytes) / 1024, 0)
}
