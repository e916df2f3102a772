import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { query } from '../databases.ts'
import type { Dump } from '../loaded-dump.ts'
import { step } from '../progress.ts'
import { migrationFiles } from '../state.ts'
import { travelTo } from '../time-travel.ts'
import { requestsSince } from './archived-requests.ts'
import { type Ask, askDump, type Facts, isDamage, isLive, readFacts } from './facts.ts'
import { changesOf, type KeyChanges } from './keys.ts'
import { forgetMissingArchives } from './missing-archives.ts'
import { type Plan, savePlan, writeWhole } from './plan.ts'
import { CANDIDATES_FILE, prepare, type Restore } from './prepare.ts'
import { replaceBy, verifyReplaced } from './replace.ts'
import type { Write } from './requests.ts'
import { isRestored, isSettled, settling } from './settle.ts'

const REQUESTS_FILE = 'requests.ndjson'

/** Restores by time travel. Goes on where an interrupted run stopped. */
export async function travel(restore: Restore): Promise<void> {
  const { folder, plan, ask } = restore
  if (await isDone(restore)) return
  // A plan with a result was carried out: the database is restored. Its settings_version may be higher than before the
  // restore, because an earlier run may have done a part of the settling.
  const isBack = plan.attempted && (plan.result !== null || isRestored(plan, await readFacts(ask)))
  if (!isBack) {
    await prepare(restore)
    plan.attempted = true
    await savePlan(folder, plan)
    await step(`Restoring ${restore.tenant.database_name}`, () => travelBack(restore))
  }
  const changes = await conclude(restore, await requireTenant(restore), ask)
  await forgetMissingArchives(restore)
  await step('Ending keys and caches', () => settle(restore, settling(plan, changes)))
}

/** Restores by a dump, which takes the place of all data at once. */
export async function load(restore: Restore, dump: Dump): Promise<void> {
  const { environment, tenant, folder, plan, ask } = restore
  if (await isDone(restore)) return
  await prepare(restore)
  plan.attempted = true
  const after = await readFacts(askDump(dump))
  if (!after) throw new Failure('The backup holds no tenant.')
  const changes = await conclude(restore, after, askDump(dump))
  await savePlan(folder, plan)
  for (const sql of settling(plan, changes).flat()) dump.db.exec(sql)
  await step(`Replacing the data of ${tenant.database_name}`, () =>
    unlessSettled(restore, () => replaceBy(environment, tenant.database_name, ask, dump)),
  )
  await step('Comparing it with the backup', () =>
    verifyReplaced(environment, tenant.database_name, dump),
  )
}

/** Whether an earlier run did everything, though it may not have heard so. */
async function isDone({ ask, plan }: Restore): Promise<boolean> {
  if (!plan.attempted) return false
  try {
    return await isSettled(ask, plan)
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** If only the answer was lost, the database is restored. */
async function travelBack({ environment, tenant, plan, ask }: Restore): Promise<void> {
  try {
    await travelTo(`${environment.name}`, tenant, `${plan.bookmark}`)
  } catch (error) {
    if (!isRestored(plan, await readFacts(ask))) throw error
  }
}

/** What the database holds now. If that is not the tenant, undoes the restore. */
async function requireTenant(restore: Restore): Promise<Facts> {
  const { environment, tenant, folder, plan, ask } = restore
  const facts = await readFacts(ask)
  if (facts?.tenant === tenant.slug) return facts
  if (plan.undo !== null) await travelTo(`${environment.name}`, tenant, plan.undo)
  if (plan.was_on) await switchOn(restore)
  plan.attempted = false
  await savePlan(folder, plan)
  throw new Failure(
    `${tenant.database_name} did not hold ${tenant.slug} at ${plan.source}. It is as it was before.`,
  )
}

export async function switchOn({
  environment,
  tenant,
}: Pick<Restore, 'environment' | 'tenant'>): Promise<void> {
  const sql = 'UPDATE workspace SET integration_enabled = 1 WHERE integration_enabled = 0'
  await query(environment, tenant.database_name, [sql])
}

/** Keeps what the restore changes, before anything else changes the database. Null if the keys were not known. */
async function conclude(restore: Restore, after: Facts, ask: Ask): Promise<KeyChanges | null> {
  const { folder, plan } = restore
  // A run that was interrupted later has ended some of the keys already.
  if (plan.result && plan.bookmark !== null) return plan.result.keys as KeyChanges | null
  const { before, was_on } = plan
  const changes = before && changesOf(before.keys, after.keys)
  const requests = before && (await keepLost(restore, ask))
  const applied = await ask(['SELECT name FROM d1_migrations ORDER BY id'])
  const names = new Set(applied[0]?.map(({ name }) => name))
  plan.result = {
    tenant: plan.tenant,
    [plan.bookmark === null ? 'restored_from' : 'restored_to']: plan.source,
    folder,
    export: plan.export,
    undo: plan.undo,
    integration_enabled: before !== null && was_on !== false && after.integration_enabled,
    keys: changes,
    live_keys: changes ? null : after.keys.filter(isLive).map(({ id, name }) => ({ id, name })),
    requests,
    pending_migrations: (await migrationFiles()).filter((name) => !names.has(name)),
  }
  await savePlan(folder, plan)
  return changes
}

/** Writes the requests to a file that the restored data does not know. */
async function keepLost({ environment, folder, plan }: Restore, ask: Ask) {
  const text = await readFile(join(folder, CANDIDATES_FILE), 'utf8')
  const candidates = JSON.parse(text) as Write[]
  const { writes } = await requestsSince(ask, environment, plan.tenant, plan.since)
  const kept = new Set(writes.map(({ request_id }) => request_id))
  const lost = candidates.filter(({ request_id }) => !kept.has(request_id))
  const lines = lost.map((write) => `${JSON.stringify(write)}\n`)
  await writeWhole(folder, REQUESTS_FILE, lines.join(''))
  const documents = lost.filter(({ document }) => document !== null).length
  return { count: lost.length, with_document: documents, file: join(folder, REQUESTS_FILE) }
}

async function settle(restore: Restore, batches: string[][]): Promise<void> {
  const { environment, tenant } = restore
  await unlessSettled(restore, async () => {
    for (const batch of batches) await query(environment, tenant.database_name, batch)
  })
}

/** If only the answer was lost, the work is done. */
async function unlessSettled(
  { ask, plan }: { ask: Ask; plan: Plan },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(await isSettled(ask, plan).catch(() => false))) throw error
  }
}
