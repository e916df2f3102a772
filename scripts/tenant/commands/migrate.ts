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
import { inParallel } from '../parallel.ts'
import { say, step } from '../progress.ts'
import { readState } from '../state.ts'
import { restorePointOf } from '../time-travel.ts'

interface Plan {
  due: { tenant: Tenant; pending: string[] }[]
  /** Slugs of the tenants without pending migrations. */
  current: string[]
}

interface Done {
  tenant: string
  applied: string[]
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
    const { pending } = await readState(groupOf(environment, tenant), tenant.database_name)
    return { tenant, pending }
  })
  return {
    due: found.filter(({ pending }) => pending.length > 0),
    current: found.filter(({ pending }) => pending.length === 0).map(({ tenant }) => tenant.slug),
  }
}

async function applyInTurn(environment: Environment, plan: Plan, again: string): Promise<Result> {
  const migrated: Done[] = []
  for (const { tenant, pending } of plan.due) {
    try {
      const restore_point = await apply(groupOf(environment, tenant), tenant, pending)
      migrated.push({ tenant: tenant.slug, applied: pending, restore_point })
    } catch (error) {
      throw stopped(error, plan, migrated, again)
    }
  }
  const lines = migrated.map(({ tenant, applied }) => `${tenant}: ${applied.join(', ')} applied`)
  const text = [...lines, ...alreadyCurrent(plan)].join('\n')
  return { text, json: { migrated, current: plan.current } }
}

/** Prints the restore point, then applies the migrations. Returns the restore point. */
async function apply(
  environment: Environment,
  tenant: Tenant,
  pending: string[],
): Promise<string | null> {
  say(`${tenant.slug}: ${pending.join(', ')}`)
  const restore_point = await step(
    'Restore point',
    () => restorePointOf(environment, tenant),
    (bookmark) => bookmark ?? 'none on this machine',
  )
  await step('Applying', () => applyMigrations(environment, tenant.database_name, pending))
  return restore_point
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
