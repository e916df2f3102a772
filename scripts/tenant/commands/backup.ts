import { withoutDiskErrors } from '../../disk.ts'
import { Failure } from '../../failure.ts'
import { type Entry, MANIFEST } from '../backup/manifest.ts'
import { openPlace, type Place } from '../backup/place.ts'
import { findTaken, take } from '../backup/take.ts'
import type { Command, Options, Result } from '../command.ts'
import { query } from '../databases.ts'
import {
  type Environment,
  flagOf,
  groupOf,
  groupPlaceOf,
  requireTenant,
  type Tenant,
} from '../environment.ts'
import { say } from '../progress.ts'
import { literal } from '../rows.ts'

interface Outcome {
  tenants: Entry[]
  /** Slugs of those that an earlier run has backed up. */
  kept: string[]
  failed: { tenant: string; error: string }[]
}

export const backup: Command = {
  parameters: '[slug]',
  summary: 'back up one tenant or --all, verified, into a folder or R2, with a manifest',
  options: ['all', 'into', 'r2', 'dry-run'],
  run: async (environment, [slug], options) => {
    const tenants = chosen(environment, slug, options.all)
    const name = options.into ?? newNameOf(options)
    const place = openPlace(environment, name, options.r2)
    if (options['dry-run']) return dryRun(tenants, place)
    const outcome = await takeAll(environment, tenants, place)
    const again = `npm run tenant -- backup ${slug ?? '--all'}${flagOf(environment)} --into ${name}${options.r2 ? ' --r2' : ''}`
    return resultOf(environment, place, outcome, again)
  },
}

function chosen(environment: Environment, slug: string | undefined, all: boolean): Tenant[] {
  if ((slug !== undefined) === all) throw new Failure('backup needs either a slug or --all.', 2)
  return slug === undefined ? environment.tenants : [requireTenant(environment, slug)]
}

function newNameOf({ r2 }: Options): string {
  const now = `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  return r2 ? now : `backups/${now}`
}

/** One after the other, because an export is held in memory. One that fails does not stop the others. */
async function takeAll(
  environment: Environment,
  tenants: Tenant[],
  place: Place,
): Promise<Outcome> {
  const outcome: Outcome = { tenants: [], kept: [], failed: [] }
  for (const tenant of tenants) {
    try {
      const taken = await findTaken(place, tenant)
      if (taken) {
        say(`  ${tenant.slug} was backed up at ${taken.taken_at}`)
        outcome.kept.push(tenant.slug)
      }
      const group = groupOf(environment, tenant)
      const entry = taken ?? (await take(group, tenant, place))
      outcome.tenants.push(entry)
      await note(group, tenant, entry)
    } catch (thrown) {
      const error = withoutDiskErrors(thrown)
      if (!(error instanceof Failure)) throw error
      say(`  ${tenant.slug}: ${error.message}`)
      outcome.failed.push({ tenant: tenant.slug, error: error.message })
    }
  }
  return outcome
}

/** So that the overview tells of an old backup. One that cannot be noted is a backup all the same. */
async function note(
  group: Environment,
  { slug, database_name }: Tenant,
  { taken_at }: Entry,
): Promise<void> {
  try {
    await query(group, database_name, [
      `UPDATE workspace SET backed_up_at = max(coalesce(backed_up_at, ''), ${literal(taken_at)})`,
    ])
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say(
      `  ${slug}: the database could not note when it was backed up. Its overview knows of an earlier backup, or of none.`,
    )
  }
}

function resultOf(
  environment: Environment,
  { title }: Place,
  outcome: Outcome,
  again: string,
): Result {
  const json = { backup: title, ...outcome }
  const lines = outcome.tenants.map(
    ({ tenant, file, rows }) =>
      `  ${tenant}: ${file}, ${Object.values(rows).reduce((sum, count) => sum + count, 0)} rows`,
  )
  const { failed } = outcome
  if (failed.length > 0) {
    throw new Failure(
      [
        ...failed.map(({ tenant, error }) => `${tenant}: ${error}`),
        `Backed up in ${title}: ${outcome.tenants.map(({ tenant }) => tenant).join(', ') || 'none'}. Not: ${failed.map(({ tenant }) => tenant).join(', ')}.`,
        `Fix the cause and complete it: ${again}`,
      ].join('\n'),
      1,
      json,
    )
  }
  if (lines.length === 0)
    return { text: `There are no tenants${groupPlaceOf(environment)} yet.`, json }
  const text = `\nThe backup is in ${title}:\n${lines.join('\n')}\n${MANIFEST} names the files. They hold customers' data and hashes of API keys: store them safely. They leave out documents that are kept in R2.`
  return { text, json }
}

async function dryRun(tenants: Tenant[], place: Place): Promise<Result> {
  const kept: string[] = []
  for (const tenant of tenants) if (await findTaken(place, tenant)) kept.push(tenant.slug)
  const due = tenants.map(({ slug }) => slug).filter((slug) => !kept.includes(slug))
  return {
    text: `Dry run: nothing was changed. This would back up ${due.join(', ') || 'no tenant'} into ${place.title}.`,
    json: { backup: place.title, dry_run: true, tenants: due, kept },
  }
}
