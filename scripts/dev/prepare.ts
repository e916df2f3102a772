import { readdir } from 'node:fs/promises'
import { getPlatformProxy } from 'wrangler'
import { insertWorkspace } from '../tenant/rows.ts'
import { exitOf, startTool } from '../tool.ts'
import { readDemo, saveDemo } from './demo.ts'
import { ensureKey } from './key.ts'

// A program: `node scripts/dev/prepare.ts <port>`. Tables, workspace and two live keys of the
// local tenant demo, in the state that `wrangler dev` serves. What is there is left as it is.

const done = await withDatabase(async (db) => {
  const migrated = await isMigrated(db)
  if (migrated) await ensureTenant(db)
  return migrated
})
if (!done) {
  await migrate()
  await withDatabase(ensureTenant)
}

async function ensureTenant(db: D1Database): Promise<void> {
  const workspace = insertWorkspace('demo', 'Demo Warehouse')
  await db.prepare(`${workspace} ON CONFLICT DO NOTHING`).run()
  const saved = await readDemo()
  await saveDemo({
    base_url: `http://localhost:${process.argv[2]}`,
    tenant: 'demo',
    settings_key: await ensureKey(db, saved.settings_key, 'Demo administrator', ['settings.*']),
    key: await ensureKey(db, saved.key, 'Demo shop', ['integrations.*']),
    // Made through the settings API, once the server runs (partner.ts).
    partner_key: saved.partner_key ?? null,
  })
}

async function withDatabase<T>(use: (db: D1Database) => Promise<T>): Promise<T> {
  const proxy = await getPlatformProxy<{ DB_DEMO: D1Database }>()
  try {
    return await use(proxy.env.DB_DEMO)
  } finally {
    await proxy.dispose()
  }
}

async function isMigrated(db: D1Database): Promise<boolean> {
  const table = "select 1 from sqlite_master where name = 'd1_migrations'"
  if (!(await db.prepare(table).first())) return false
  const { results } = await db.prepare('select name from d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const files = (await readdir('migrations')).filter((file) => file.endsWith('.sql'))
  return files.every((file) => applied.has(file))
}

async function migrate(): Promise<void> {
  const args = ['d1', 'migrations', 'apply', 'DB_DEMO', '--local']
  const options = { env: { CI: '1' }, stdio: 'inherit' } as const
  const code = await exitOf('wrangler', startTool('wrangler', args, options))
  if (code !== 0) process.exit(code)
}
