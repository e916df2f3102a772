import { createTestHarness, type TestHarnessOptions } from 'wrangler'
import { mintKey } from '../../src/engine/identity/key.ts'
import { outgoing } from '../secrets/outgoing.ts'
import { lookInStorage } from '../secrets/storage.ts'

export interface Served {
  /** `http://127.0.0.1:<port>`: the Worker, with storage of its own. */
  origin: string
  createKey: (scopes: string[], name?: string) => Promise<string>
  close: () => Promise<void>
}

// Wrangler reads it: nothing is fetched from anywhere.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'

type WorkerInput = NonNullable<TestHarnessOptions['workers']>[number]

/** As it would be deployed, with its static assets. */
const BUILT: WorkerInput = {
  configPath: 'wrangler.toml',
  prebuiltWorkerDir: 'dist/worker',
  secrets: { SESSION_SECRET: 'for tests only, for tests only, for tests only' },
}

/** The tenant demo, empty but for its workspace row. */
export async function startServer(served: WorkerInput = BUILT): Promise<Served> {
  const harness = createTestHarness({ workers: [served] })
  const { url } = await harness.listen()
  const worker = harness.getWorker<{
    DB_DEMO: D1Database
    KEYS: KVNamespace
    DOCUMENTS: R2Bucket
  }>()
  await worker.applyD1Migrations('DB_DEMO')
  const { DB_DEMO: db, KEYS, DOCUMENTS } = await worker.getEnv()
  await insert(db, 'workspace', { id: 1, tenant: 'demo', name: 'Test', ...times() })
  return {
    origin: url.origin,
    createKey: (scopes, name = 'test key') => createKey(db, scopes, name),
    close: async () => {
      try {
        await lookInStorage(outgoing, { DB_DEMO: db }, KEYS, DOCUMENTS)
        for (const { message } of harness.getLogs()) outgoing.look('the log of the Worker', message)
      } finally {
        await harness.close()
      }
    },
  }
}

async function createKey(db: D1Database, scopes: string[], name: string): Promise<string> {
  const { value, hash, hint } = await mintKey('demo')
  const { created_at } = times()
  const id = crypto.randomUUID()
  const row = { id, hash, hint, name, scopes: JSON.stringify(scopes), created_at }
  await insert(db, 'api_keys', row)
  return value
}

async function insert(db: D1Database, table: string, row: Record<string, unknown>): Promise<void> {
  const [names, places] = [Object.keys(row).join(', '), Object.keys(row).fill('?').join(', ')]
  await db
    .prepare(`insert into ${table} (${names}) values (${places})`)
    .bind(...Object.values(row))
    .run()
}

function times() {
  const now = new Date().toISOString()
  return { created_at: now, updated_at: now }
}
