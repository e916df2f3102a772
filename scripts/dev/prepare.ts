import { getPlatformProxy } from 'wrangler'
import { applyHere } from '../tenant/apply-migrations.ts'
import { CONFIG } from '../tenant/config-file.ts'
import { insertWorkspace, OUTDATE_CALLERS } from '../tenant/rows.ts'
import { migrationFiles } from '../tenant/state.ts'
import { type Demo, readDemo } from './demo.ts'
import { ensureKey } from './key.ts'

// A program: `node scripts/dev/prepare.ts <port>`. Creates the tables, the workspace and two valid keys of the
// local tenant demo where they are missing, in the state that `wrangler dev` serves. The last line of stdout
// is a Demo as JSON.

const found = await withDatabase(async (db) => {
  const pending = await pendingOf(db)
  return { pending, demo: pending.length === 0 ? await ensureTenant(db) : null }
})
let { demo } = found
if (demo === null) {
  await applyHere('DB_DEMO', found.pending)
  demo = await withDatabase(ensureTenant)
}
console.log(`\n${JSON.stringify(demo)}`)

async function ensureTenant(db: D1Database): Promise<Demo> {
  const workspace = insertWorkspace('demo', 'Demo Warehouse')
  await db.batch([
    db.prepare(`${workspace} ON CONFLICT DO NOTHING`),
    db.prepare(`${OUTDATE_CALLERS} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`),
  ])
  const saved = await readDemo()
  return {
    base_url: `http://localhost:${process.argv[2]}`,
    tenant: 'demo',
    // A key can grant only the scopes that it holds, so it holds those of the integrations API too.
    settings_key: await ensureKey(db, saved.settings_key, 'Demo administrator', [
      'settings.*',
      'integrations.*',
    ]),
    key: await ensureKey(db, saved.key, 'Demo shop', ['integrations.*']),
    // Created through the settings API once the server runs (partner.ts).
    partner_key: saved.partner_key ?? null,
  }
}

async function withDatabase<T>(use: (db: D1Database) => Promise<T>): Promise<T> {
  const proxy = await getPlatformProxy<{ DB_DEMO: D1Database }>({ configPath: CONFIG })
  try {
    return await use(proxy.env.DB_DEMO)
  } finally {
    await proxy.dispose()
  }
}

async function pendingOf(db: D1Database): Promise<string[]> {
  const files = await migrationFiles()
  const table = "select 1 from sqlite_master where name = 'd1_migrations'"
  if (!(await db.prepare(table).first())) return files
  const { results } = await db.prepare('select name from d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  return files.filter((file) => !applied.has(file))
}
