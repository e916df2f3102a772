import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import {
  unstable_getMiniflareWorkerOptions as getWorkerOptions,
  unstable_splitSqlQuery as splitSql,
} from 'wrangler'
import { type MintedKey, mintKey } from '../src/engine/identity/key.ts'
import buildWorker from '../test/fixtures/served-build.ts'

export interface Server {
  /** `http://127.0.0.1:<port>` of the Worker itself, without a proxy. */
  origin: string
  db: D1Database
  /** Headers for every request, with a key that has every scope. */
  headers: Record<string, string>
  close: () => Promise<void>
}

const NOW = '2026-11-01T00:00:00.000Z'
const BARE = 'dist/bench/bare.js'

export const WEBHOOK_SECRET_KEY = 'of benchmarks alone, with more than 32 characters'
export const SESSION_SECRET = 'of benchmarks alone, for sessions of the dashboard'

// One key for all servers, so that they get the same requests.
const key = await mintKey('demo')

/** Starts the built Worker with its bindings and an empty tenant. `log` gets its output. */
export async function startCrossdock({ log = console.error } = {}): Promise<Server> {
  await buildWorker()
  return await start('dist/worker/index.js', { log })
}

export interface Tenant {
  db: D1Database
  /** A key of the tenant that has every scope. */
  key: string
}

/** Starts the built Worker with two tenants, each with its own database. */
export async function startTwoTenants({ log = console.error } = {}) {
  await buildWorker()
  const d1Databases = { DB_DEMO: 'demo', DB_OTHER: 'other' }
  const { miniflare, origin } = await listen('dist/worker/index.js', { log, d1Databases })
  const open = async (name: string): Promise<Tenant> => {
    const db = await miniflare.getD1Database(`DB_${name.toUpperCase()}`)
    const minted = await mintKey(name)
    await createTenant(db, name, minted)
    return { db, key: minted.value }
  }
  const [demo, other] = [await open('demo'), await open('other')]
  return { origin, demo, other, close: () => miniflare.dispose() }
}

/** Starts the Worker of bare.ts with the same bindings. */
export async function startBare(): Promise<Server> {
  await build({
    entryPoints: ['bench/bare.ts'],
    outfile: BARE,
    external: ['node:buffer'],
    bundle: true,
    minify: true,
    format: 'esm',
  })
  return await start(BARE, { log: console.error, durableObjects: {} })
}

/**
 * Starts a Worker in its own workerd, on a socket of its own. The proxy and router of wrangler's harness would add
 * the same time to every request and bring all ratios closer to 1.
 */
async function start(script: string, surroundings: Surroundings): Promise<Server> {
  const { miniflare, origin } = await listen(script, surroundings)
  const db = await miniflare.getD1Database('DB_DEMO')
  await createTenant(db, 'demo', key)
  const headers = { 'X-API-Key': key.value, 'Content-Type': 'application/json' }
  return { origin, db, headers, close: () => miniflare.dispose() }
}

interface Surroundings {
  log: (message: string) => void
  durableObjects?: Record<string, never>
  d1Databases?: Record<string, string>
}

async function listen(script: string, { log, ...otherwise }: Surroundings) {
  const { workerOptions } = getWorkerOptions('wrangler.toml')
  const { assets, ...bindings } = workerOptions
  const worker = {
    ...bindings,
    ...otherwise,
    bindings: { ...(bindings.bindings as object), WEBHOOK_SECRET_KEY },
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
  return { miniflare, origin }
}

export async function createTenant(db: D1Database, tenant: string, key: MintedKey): Promise<void> {
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
      .bind(tenant, 'Bench', NOW, NOW),
    db
      .prepare(
        `insert into api_keys (id, hash, hint, name, scopes, created_at) values (?, ?, ?, ?, ?, ?)`,
      )
      .bind('bench', key.hash, key.hint, 'Bench', '["integrations.*","settings.*"]', NOW),
  ])
}

/** The resident memory in MB of the workerd processes that this process started. */
export async function residentMb(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,rss=,comm='])
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  const own = rows.filter(([parent, , name]) => {
    return Number(parent) === process.pid && name?.endsWith('workerd')
  })
  return own.reduce((total, [, kilobytes]) => total + Number(kilobytes) / 1024, 0)
}
