import { Failure } from '../../failure.ts'
import type { Command, Result } from '../command.ts'
import { applyMigrations, restorePointOf } from '../databases.ts'
import { type Environment, flagOf, placeOf, requireTenant, type Tenant } from '../environment.ts'
import { inParallel } from '../parallel.ts'
import { say, step } from '../progress.ts'
import { readState } from '../state.ts'

interface Migration {
  tenant: Tenant
  pending: string[]
}

interface Done {
  tenant: string
  applied: string[]
  /** D1's bookmark of the moment before; null on this machine. */
  restore_point: string | null
}

export const migrate: Command = {
  parameters: '[slug]',
  summary: 'apply pending migrations, to one tenant or --all; stops at the first failure',
  options: ['all', 'dry-run'],
  run: async (environment, [slug], options) => {
    const tenants = chosen(environment, slug, options.all)
    const migrations = await inParallel(tenants, async (tenant) => {
      const { pending } = await readState(environment, tenant.database_name)
      return { tenant, pending }
    })
    if (options['dry-run']) return dryRun(migrations)
    return await applyInTurn(environment, migrations)
  },
}

function chosen(environment: Environment, slug: string | undefined, all: boolean): Tenant[] {
  if ((slug !== undefined) === all) throw new Failure('migrate wants a slug, or --all.', 2)
  if (slug === undefined) return environment.tenants
  const tenant = requireTenant(environment, slug)
  return [tenant]
}

async function applyInTurn(environment: Environment, migrations: Migration[]): Promise<Result> {
  const due = migrations.filter(({ pending }) => pending.length > 0)
  const current = migrations
    .filter(({ pending }) => pending.length === 0)
    .map(({ tenant }) => tenant.slug)
  const done: Done[] = []
  for (const migration of due) {
    try {
      done.push(await apply(environment, migration))
    } catch (error) {
      throw stopped(error, due.slice(done.length), done, environment)
    }
  }
  const text = [
    ...done.map(({ tenant, applied }) => `${tenant}: ${applied.join(', ')} applied`),
    ...(current.length > 0 ? [`Current before: ${current.join(', ')}`] : []),
  ].join('\n')
  return {
    text: text || `There are no tenants${placeOf(environment)} yet.`,
    json: { migrated: done, current },
  }
}

async function apply(environment: Environment, { tenant, pending }: Migration): Promise<Done> {
  const { slug, database_name } = tenant
  say(`${slug}: ${pending.join(', ')}`)
  const restore_point = await step(
    'Restore point',
    () => restorePointOf(environment, tenant),
    (bookmark) => bookmark ?? 'none on this machine',
  )
  await step('Applying', () => applyMigrations(environment, database_name))
  return { tenant: slug, applied: pending, restore_point }
}

function stopped(
  error: unknown,
  [failed, ...rest]: Migration[],
  done: Done[],
  environment: Environment,
): Failure {
  const names = (slugs: string[]) => slugs.join(', ') || 'none'
  return new Failure(
    [
      `${failed?.tenant.slug}: ${error instanceof Error ? error.message : error}`,
      `Done: ${names(done.map(({ tenant }) => tenant))}. Not done: ${names([failed, ...rest].flatMap((left) => (left ? [left.tenant.slug] : [])))}.`,
      `Run it again once the cause is mended: npm run tenant -- migrate --all${flagOf(environment)}`,
    ].join('\n'),
  )
}

function dryRun(migrations: Migration[]): Result {
  const lines = migrations.map(
    ({ tenant, pending }) => `  ${tenant.slug}: ${pending.join(', ') || 'current'}`,
  )
  return {
    text: ['Nothing is changed. I would apply:', ...lines].join('\n'),
    json: {
      dry_run: true,
      pending: Object.fromEntries(migrations.map(({ tenant, pending }) => [tenant.slug, pending])),
    },
  }
}
