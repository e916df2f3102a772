import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import { archivesIn, importArchives } from '../archive.ts'
import type { Command, Options, Result } from '../command.ts'
import { isConfirmed, refuseUnconfirmed } from '../confirmation.ts'
import {
  type Environment,
  findTenant,
  flagOf,
  parseSlug,
  placeOf,
  requireTenant,
  type Tenant,
} from '../environment.ts'
import { say, step } from '../progress.ts'
import { load, switchOn, travel } from '../restore/carry-out.ts'
import { type Ask, askDatabase } from '../restore/facts.ts'
import { type Plan, readPlan, savePlan } from '../restore/plan.ts'
import type { Restore } from '../restore/prepare.ts'
import { textOf } from '../restore/report.ts'
import { isSettled } from '../restore/settle.ts'
import { type Backup, parseTime, withBackup } from '../restore/source.ts'
import { readState } from '../state.ts'
import { bookmarkAt } from '../time-travel.ts'
import { importTenant } from './import.ts'

const SHA_LENGTH_SHOWN = 12

/** What a restore puts in the place of the data. */
interface Source {
  /** A time, or the SHA-256 of a backup. */
  source: string
  since: string
  /** For the name of the folder. */
  short: string
  bookmark: () => Promise<string | null>
}

export const restore: Command = {
  parameters: '<slug>',
  summary: 'set a tenant back to a time (--to) or to a backup (--from); its keys stay revoked',
  options: ['to', 'from', 'r2', 'into', 'no-export', 'on', 'confirm', 'wait', 'dry-run'],
  makes: true,
  run: async (environment, [slug = ''], options) => {
    parseSlug(environment, slug)
    refuseUnclear(environment, options)
    if (options.on) return await switchedOn(environment, requireTenant(environment, slug), options)
    if (options.to === undefined) return await restoreBackup(environment, slug, options)
    const [env, time] = [`${environment.name}`, parseTime(options.to)]
    const tenant = requireTenant(environment, slug)
    const source: Source = {
      source: time,
      since: time,
      short: time.replace(/\.000Z$/, 'Z').replaceAll(':', '-'),
      bookmark: () => bookmarkAt(env, tenant, time),
    }
    return await run(environment, tenant, source, options, travel)
  },
}

function refuseUnclear(environment: Environment, { to, from, on, r2 }: Options): void {
  if ([to !== undefined, from !== undefined, on].filter(Boolean).length !== 1) {
    throw new Failure('restore needs one of --to <time>, --from <folder or file>, --on.', 2)
  }
  if (r2 && from === undefined) throw new Failure('restore accepts --r2 with --from only.', 2)
  if (to === undefined || environment.name !== null) return
  throw new Failure(
    "Only Cloudflare's D1 has Time Travel: add --env to --to. On this machine restore a backup: --from <folder or file>.",
    2,
  )
}

async function restoreBackup(
  environment: Environment,
  slug: string,
  options: Options,
): Promise<Result> {
  const tenant = findTenant(environment, slug)
  const inUse = async () =>
    tenant ? (await readState(environment, tenant.database_name)).applied : []
  return await withBackup(environment, slug, options, inUse, async (backup) => {
    const storeArchive = () =>
      importArchives(environment, slug, archivesIn(backup.dump), backup.readArchive)
    if (!tenant) {
      if (!options['dry-run']) await storeArchive()
      return await importTenant.run(environment, [slug, backup.file], options)
    }
    return await run(environment, tenant, sourceOf(backup), options, async (begun) => {
      await storeArchive()
      await load(begun, backup.dump)
      // The retention of the data before may be shorter: a run of the cron may have deleted what was stored.
      await storeArchive()
    })
  })
}

function sourceOf({ sha256, taken_at }: Backup): Source {
  const short = `backup-${sha256.slice(0, SHA_LENGTH_SHOWN)}`
  return { source: sha256, since: taken_at, short, bookmark: async () => null }
}

async function run(
  environment: Environment,
  tenant: Tenant,
  source: Source,
  options: Options,
  carryOut: (restore: Restore) => Promise<void>,
): Promise<Result> {
  const folder = options.into ?? join('restores', `${tenant.slug}-${source.short}`)
  const identity = { tenant: tenant.slug, environment: environment.name, source: source.source }
  const known = await readPlan(folder, identity)
  const ask = askDatabase(environment, tenant.database_name)
  if (known?.finished_at) return await alreadyDone(folder, known, ask)
  if (options['dry-run']) return dryRun(environment, tenant, source, folder)
  refuseUnconfirmed(tenant.slug, options)
  const consequence = `This undoes all that ${tenant.slug} got since ${source.since}.`
  if (!(await isConfirmed(tenant.slug, consequence, options))) {
    throw new Failure('Nothing was restored.')
  }
  say(`Restoring the tenant ${tenant.slug}${placeOf(environment)}`)
  const plan = known ?? (await newPlan(identity, source))
  const restore = { environment, tenant, folder, plan, ask, options }
  await carryOut(restore).catch((error) => {
    throw unfinished(error, restore)
  })
  plan.finished_at = new Date().toISOString()
  await savePlan(folder, plan)
  return { text: textOf(environment, plan), json: jsonOf(plan) }
}

async function newPlan(
  identity: Pick<Plan, 'tenant' | 'environment' | 'source'>,
  { since, bookmark }: Source,
): Promise<Plan> {
  return {
    id: crypto.randomUUID(),
    ...identity,
    since,
    bookmark: await step('Looking the time up', bookmark, (found) => found ?? 'a backup'),
    undo: null,
    was_on: null,
    before: null,
    export: null,
    attempted: false,
    result: null,
    finished_at: null,
  }
}

/** A run that stops midway leaves the integration off: the message says how to go on. */
function unfinished(error: unknown, { environment, tenant, folder, plan }: Restore): unknown {
  if (!(error instanceof Failure) || plan.was_on === null) return error
  const on = `npm run tenant -- restore ${tenant.slug}${flagOf(environment)} --on`
  return new Failure(
    `${error.message}\nThe integration may be off until the restore is complete. Run it again, with the same folder (--into ${folder}). To give it up: ${on}`,
    error.exitCode,
    error.details,
  )
}

/** Throws a Failure if the database has been replaced since, and so is not as the restore left it. */
async function alreadyDone(folder: string, plan: Plan, ask: Ask): Promise<Result> {
  const past = `${plan.tenant} was restored at ${plan.finished_at} (${folder})`
  const advice = 'To restore it once more, name another folder with --into.'
  if (await isSettled(ask, plan)) {
    return { text: `${past}. Nothing was done. ${advice}`, json: jsonOf(plan) }
  }
  throw new Failure(`${past}, and its database was replaced since. ${advice}`, 2)
}

function jsonOf({ result, finished_at }: Plan): object {
  return { ...result, finished_at }
}

async function switchedOn(
  environment: Environment,
  tenant: Tenant,
  options: Options,
): Promise<Result> {
  const json = { tenant: tenant.slug, integration_enabled: true }
  if (options['dry-run']) {
    const text = `Dry run: nothing was changed. This would switch the integration of ${tenant.slug} on.`
    return { text, json: { ...json, dry_run: true } }
  }
  await step('Switching the integration on', () => switchOn({ environment, tenant }))
  return { text: `\nThe integration of ${tenant.slug} is on.`, json }
}

function dryRun(
  environment: Environment,
  { slug, database_name }: Tenant,
  { source, since }: Source,
  folder: string,
): Result {
  const steps = [
    'switch the integration off',
    `export to ${folder}, and keep its keys there`,
    `set ${database_name} back to ${source}: all since ${since} is undone`,
    'revoke the keys again that were revoked since',
    `list the requests since ${since}`,
    'switch the integration on again, if it was on',
  ]
  const lines = steps.map((line) => `  ${line}`).join('\n')
  return {
    text: `Dry run: nothing was changed. Restoring ${slug}${placeOf(environment)} would:\n${lines}`,
    json: { tenant: slug, dry_run: true, steps },
  }
}
