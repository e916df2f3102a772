import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import type { Options } from '../command.ts'
import { query } from '../databases.ts'
import { exportVerified } from '../dump/verified-export.ts'
import type { Environment, Tenant } from '../environment.ts'
import { say, step } from '../progress.ts'
import { restorePointOf } from '../time-travel.ts'
import { requestsSince } from './archived-requests.ts'
import { type Ask, type Facts, readFacts } from './facts.ts'
import { type Plan, savePlan, writeWhole } from './plan.ts'

const EXPORT_FILE = 'before.sql'
/** Requests that the restore may undo, as JSON. */
export const CANDIDATES_FILE = 'candidates.json'

export interface Restore {
  environment: Environment
  tenant: Tenant
  /** Where all files of the restore are. */
  folder: string
  plan: Plan
  ask: Ask
  options: Options
}

/**
 * Switches the integration off, so that nothing is accepted that would be lost unseen; exports; and keeps what must
 * outlive the restore. Until the restore is attempted, a repeated run does all of it again.
 */
export async function prepare(restore: Restore): Promise<void> {
  const { environment, tenant, folder, plan, ask, options } = restore
  const first = await step('Reading its keys', () => readFacts(ask), outcomeOf)
  if (first) refuseForeign(first, restore)
  // Of an interrupted run: by now it is off because of that run.
  plan.was_on ??= first?.integration_enabled ?? null
  await savePlan(folder, plan)
  if (first) await step('Switching the integration off', () => switchOff(restore))
  if (first && !options['no-export']) {
    const file = join(folder, EXPORT_FILE)
    await exportVerified(environment, tenant.database_name, tenant.slug, file)
    plan.export = file
  }
  if (!first) say('  The database is damaged: it is not exported, and its keys are not known.')
  if (first) await keepCandidates(restore)
  plan.undo = await step('Restore point', () => restorePointOf(environment, tenant), bookmarkOf)
  // Right before the restore: a key that is revoked after this comes alive again.
  plan.before = first && (await step('Reading its keys again', () => readFacts(ask), outcomeOf))
  await savePlan(folder, plan)
}

async function keepCandidates(restore: Restore): Promise<void> {
  const { environment, tenant, folder, plan, ask } = restore
  const { slug } = tenant
  const { writes, lost } = await step(
    `Listing requests since ${plan.since}`,
    () => requestsSince(ask, environment, slug, plan.since),
    (found) => `${found.writes.length} at most`,
  )
  for (const key of lost) {
    say(`  ${key} is not in the bucket as it was stored: its requests are not listed.`)
  }
  await writeWhole(folder, CANDIDATES_FILE, JSON.stringify(writes))
}

async function switchOff({ environment, tenant }: Restore): Promise<void> {
  const sql = 'UPDATE workspace SET integration_enabled = 0 WHERE integration_enabled = 1'
  await query(environment, tenant.database_name, [sql])
}

function refuseForeign({ tenant: holds, created_at }: Facts, { tenant, plan }: Restore): void {
  if (holds !== tenant.slug) {
    throw new Failure(`${tenant.database_name} belongs to another tenant, ${holds}.`)
  }
  if (plan.bookmark !== null && plan.since < created_at) {
    throw new Failure(`The tenant ${tenant.slug} was made later, at ${created_at}.`)
  }
}

function outcomeOf(facts: Facts | null): string {
  if (!facts) return 'not readable'
  const { length } = facts.keys
  return `${length} ${length === 1 ? 'key' : 'keys'}`
}

function bookmarkOf(bookmark: string | null): string {
  return bookmark ?? 'none on this machine'
}
