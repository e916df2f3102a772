import { Failure } from '../../failure.ts'
import { applyMigrations } from '../apply-migrations.ts'
import type { Command, Result } from '../command.ts'
import {
  type Environment,
  flagOf,
  groupOf,
  groupPlaceOf,
  requireTenant,
  type Tenant,
} from '../environment.ts'
import { progressOf, record } from '../half-applied.ts'
import { inParallel } from '../parallel.ts'
import { say, step } from '../progress.ts'
import { readState, type State } from '../state.ts'
import { restorePointOf } from '../time-travel.ts'

interface Due {
  tenant: Tenant
  applied: string[]
  pending: string[]
}

interface Plan {
  due: Due[]
  /** Slugs of the tenants without pending migrations. */
  current: string[]
}

interface Done {
  tenant: string
  applied: string[]
  /** What was there already and is recorded now. */
  recorded: string[]
  /** D1's bookmark from before the migration; null on this machine. */
  restore_point: string | null
}

export const migrate: Command = {
  parameters: '[slug]',
  summary: 'apply pending migrations to one tenant or --all; stops at the first failure',
  options: ['all', 'dry-run'],
  run: async (environment, [slug], options) => {
    const tenants = chosen(environment, slug, options.all)
    if (tenants.length === 0) {
      const text = `There are no tenants${groupPlaceOf(environment)} yet.`
      return { text, json: { migrated: [], current: [] } }
    }
    const plan = await planOf(environment, tenants)
    if (options['dry-run']) return dryRun(plan)
    const again = `npm run tenant -- migrate ${slug ?? '--all'}${flagOf(environment)}`
    return await applyInTurn(environment, plan, again)
  },
}

function chosen(environment: Environment, slug: string | undefined, all: boolean): Tenant[] {
  if ((slug !== undefined) === all) throw new Failure('migrate needs either a slug or --all.', 2)
  if (slug === undefined) return environment.tenants
  const tenant = requireTenant(environment, slug)
  return [tenant]
}

async function planOf(environment: Environment, tenants: Tenant[]): Promise<Plan> {
  const found = await inParallel(tenants, async (tenant) => {
    const { applied, pending } = await readState(groupOf(environment, tenant), tenant.database_name)
    return { tenant, applied, pending }
  })
  return {
    due: found.filter(({ pending }) => pending.length > 0),
    current: found.filter(({ pending }) => pending.length === 0).map(({ tenant }) => tenant.slug),
  }
}

async function applyInTurn(environment: Environment, plan: Plan, again: string): Promise<Result> {
  const migrated: Done[] = []
  for (const due of plan.due) {
    try {
      migrated.push(await apply(groupOf(environment, due.tenant), due))
    } catch (error) {
      throw stopped(error, plan, migrated, again)
    }
  }
  const text = [...migrated.flatMap(linesOf), ...alreadyCurrent(plan)].join('\n')
  return { text, json: { migrated, current: plan.current } }
}

function linesOf({ tenant, applied, recorded }: Done): string[] {
  return [
    ...(recorded.length > 0 ? [`${tenant}: ${recorded.join(', ')} was there, recorded now`] : []),
    ...(applied.length > 0 ? [`${tenant}: ${applied.join(', ')} applied`] : []),
  ]
}

/** Looks how far the tenant is, prints the restore point, then applies what is missing. */
async function apply(environment: Environment, due: Due): Promise<Done> {
  const { slug, database_name } = due.tenant
  say(`${slug}: ${due.pending.join(', ')}`)
  const { unrecorded, half } = await progressOf(environment, database_name, due)
  if (half) throw halfApplied(environment, slug, half)
  const restore_point = await step(
    'Restore point',
    () => restorePointOf(environment, due.tenant),
    (bookmark) => bookmark ?? 'none on this machine',
  )
  const missing = due.pending.slice(unrecorded.length)
  if (unrecorded.length > 0) {
    await step('Recording what is there', () => record(environment, database_name, unrecorded))
  }
  if (missing.length > 0) {
    await step('Applying', () => applyOrLook(environment, database_name, missing))
  }
  return { tenant: slug, applied: missing, recorded: unrecorded, restore_point }
}

/** If D1's answer is lost, looks whether the migrations are there. */
async function applyOrLook(environment: Environment, database: string, files: string[]) {
  try {
    await applyMigrations(environment, database, files)
  } catch (error) {
    const state = await readState(environment, database).catch(() => null)
    if (state?.pending.length === 0) return
    if (!(error instanceof Failure)) throw error
    throw new Failure([error.message, ...whatNow(error.message, state, files)].join('\n'))
  }
}

/** What a failed migration has left, and what to do about the cause. */
function whatNow(message: string, state: State | null, files: string[]): string[] {
  const done = files.filter((file) => state?.applied.includes(file))
  const left = state
    ? `It has ${done.join(', ') || 'none of them'}. A migration that failed has changed nothing.`
    : 'Nobody can say now what it has: the next run looks first.'
  return [left, ...CAUSES.filter(({ says }) => says.test(message)).map(({ advice }) => advice)]
}

const CAUSES = [
  {
    says: /maximum DB size|maximum account storage|database or disk is full|SQLITE_FULL/i,
    advice: 'The database is full: make room first (docs/operations.md, "A full database").',
  },
  {
    says: /overloaded|unknown error|internal error|network connection lost|timed? ?out|reset because/i,
    advice: "D1 fails: look at Cloudflare's status page, and run it again when it is calm.",
  },
]

function halfApplied(
  environment: Environment,
  slug: string,
  { file, has, lacks }: { file: string; has: string[]; lacks: string[] },
): Failure {
  return new Failure(
    [
      `${file} is there in part. Nothing was changed now.`,
      `  as after it:  ${has.join(', ') || 'nothing'}`,
      `  not so:       ${lacks.join(', ')}`,
      `To go back to before: npm run tenant -- restore ${slug} --to <time>${flagOf(environment)}, with the time before it began.`,
      'To go on: run its other statements by hand, so that all is as after it. The next run records it.',
    ].join('\n'),
  )
}

function stopped(error: unknown, plan: Plan, migrated: Done[], again: string): Failure {
  const done = migrated.length
  const slugs = plan.due.map(({ tenant }) => tenant.slug)
  const names = (some: string[]) => some.join(', ') || 'none'
  return new Failure(
    [
      `${slugs[done]}: ${error instanceof Error ? error.message : error}`,
      `Done: ${names(slugs.slice(0, done))}. Not done: ${names(slugs.slice(done))}.`,
      ...alreadyCurrent(plan),
      `Fix the cause and run it again: ${again}`,
    ].join('\n'),
    1,
    { migrated, not_migrated: slugs.slice(done), current: plan.current },
  )
}

function dryRun(plan: Plan): Result {
  const { due, current } = plan
  const heading = `Dry run: nothing was changed. ${due.length > 0 ? 'Pending:' : 'Nothing is pending.'}`
  const lines = due.map(({ tenant, pending }) => `  ${tenant.slug}: ${pending.join(', ')}`)
  const pending = Object.fromEntries(due.map(({ tenant, pending }) => [tenant.slug, pending]))
  return {
    text: [heading, ...lines, ...alreadyCurrent(plan)].join('\n'),
    json: { dry_run: true, pending, current },
  }
}

function alreadyCurrent({ current }: Plan): string[] {
  return current.length > 0 ? [`Already current: ${current.join(', ')}`] : []
}
