import { Failure } from '../failure.ts'
import { applyMigrations } from '../tenant/apply-migrations.ts'
import { CONFIG } from '../tenant/config-file.ts'
import { query } from '../tenant/databases.ts'
import { databasesHere, findTenant } from '../tenant/environment.ts'
import { step } from '../tenant/progress.ts'
import { insertWorkspace, OUTDATE_CALLERS } from '../tenant/rows.ts'
import { readState } from '../tenant/state.ts'
import { type Demo, readDemo } from './demo.ts'
import { ensureKey } from './key.ts'

const ADVICE = `The local tenant demo could not be prepared. If its stored state is broken, delete the folder .wrangler
and start again.`

/** Creates the tables, the workspace and two valid keys of the tenant demo where they are missing, and returns the keys. */
export async function prepareTenant(port: number): Promise<Demo> {
  try {
    return await prepared(port)
  } catch (error) {
    throw error instanceof Failure ? new Failure(`${error.message}\n\n${ADVICE}`) : error
  }
}

async function prepared(port: number): Promise<Demo> {
  const here = await databasesHere()
  const { database_name: database } = findTenant(here, 'demo') ?? {}
  if (database === undefined) throw new Failure(`${CONFIG} has no block for the database DB_DEMO.`)
  const { pending } = await readState(here, database)
  if (pending.length > 0) {
    await step('Creating the tables', () => applyMigrations(here, database, pending))
  }
  await query(here, database, [
    `${insertWorkspace('demo', 'Demo Warehouse', true)} ON CONFLICT DO NOTHING`,
    `${OUTDATE_CALLERS} WHERE NOT EXISTS (SELECT 1 FROM api_keys)`,
  ])
  const saved = await readDemo()
  const run = async (sql: string) => (await query(here, database, [sql])).results[0] ?? []
  return {
    base_url: `http://localhost:${port}`,
    tenant: 'demo',
    // A key can grant only the scopes that it holds, so it holds those of the integrations API too.
    settings_key: await ensureKey(run, saved.settings_key, 'Demo administrator', [
      'settings.*',
      'integrations.*',
    ]),
    key: await ensureKey(run, saved.key, 'Demo shop', ['integrations.*']),
    // Created through the settings API once the server runs (partner.ts).
    partner_key: saved.partner_key ?? null,
  }
}
