import * as z from 'zod'
import type { BoundTenant } from '../identity/binding.ts'

// Both say when the cron runs, and so does wrangler.toml.
const INTERVAL_MS = 10 * 60 * 1000
const FIRST_RUN_MS = 3 * 60 * 60 * 1000
const RUNS_A_DAY = 144
/** 144 runs reach 7,200 tenants, more than one Worker binds. */
export const TENANTS_A_RUN = 50
// Prime, so that what a run has to make up for begins with another tenant each time.
const STEP = 449

/**
 * Where the turns stand after a run: its number, how many tenants there were, and by tenant the jobs that are not
 * finished, with how often each has failed since the tenant's turn.
 */
export const Progress = z.object({
  run: z.int(),
  tenants: z.int(),
  left: z.record(z.string(), z.record(z.string(), z.int())),
})

export type Progress = z.infer<typeof Progress>

/** By name, with how often each has failed since the tenant's turn. */
type Jobs = ReadonlyMap<string, number>

/** A tenant that has a turn, with the jobs that are then to do. */
export interface Due extends BoundTenant {
  jobs: Jobs
}

/** The number of the run that was due at that time, in ms. A run that is repeated has the same number. */
export function runAt(scheduledTime: number): number {
  return Math.floor((scheduledTime - FIRST_RUN_MS) / INTERVAL_MS)
}

/**
 * Who has a turn in a run. `own`: whose turn it is by the number of the run alone, whatever happened before.
 * `later`: what earlier runs have left, and the turns of runs that did not come or were cut off; what has failed
 * comes last. Null as `progress`: nothing is known of earlier runs, and all tenants have a turn.
 */
export function dueIn(
  run: number,
  tenants: BoundTenant[],
  jobs: string[],
  progress: Progress | null | 'unknown',
): { own: Due[]; later: Due[] } {
  const all: Jobs = new Map(jobs.map((name) => [name, 0]))
  const own = shareOf(run, tenants).map((tenant) => ({ ...tenant, jobs: all }))
  if (progress === 'unknown') return { own, later: [] }
  const later = new Map(leftOf(tenants, all, progress).map((each) => [each.tenant, each]))
  for (const tenant of missedBy(run, tenants, progress)) {
    later.set(tenant.tenant, { ...tenant, jobs: all })
  }
  const inOrder = rotated([...later.values()], run * STEP).toSorted(
    (one, other) => failuresOf(one) - failuresOf(other),
  )
  const isOwn = new Set(own.map(({ tenant }) => tenant))
  return { own, later: inOrder.filter(({ tenant }) => !isOwn.has(tenant)) }
}

function leftOf(tenants: BoundTenant[], jobs: Jobs, progress: Progress | null): Due[] {
  return tenants.flatMap((tenant) => {
    const left = Object.entries(progress?.left[tenant.tenant] ?? {})
    const known = left.filter(([name]) => jobs.has(name))
    return known.length > 0 ? [{ ...tenant, jobs: new Map(known) }] : []
  })
}

/** The runs of a day share the tenants out; with more than they reach, so do as many runs as it takes. */
function roundOf(tenants: BoundTenant[]): number {
  return Math.max(RUNS_A_DAY, Math.ceil(tenants.length / TENANTS_A_RUN))
}

function shareOf(run: number, tenants: BoundTenant[]): BoundTenant[] {
  const start = (run % roundOf(tenants)) * TENANTS_A_RUN
  return tenants.slice(start, start + TENANTS_A_RUN)
}

/** Where a tenant was removed, others have moved into shares that have had their run: all have a turn. */
function missedBy(run: number, tenants: BoundTenant[], progress: Progress | null): BoundTenant[] {
  const first = run - roundOf(tenants) + 1
  const isKnown = progress !== null && progress.tenants <= tenants.length
  const from = isKnown ? Math.max(first, progress.run + 1) : first
  const missed: BoundTenant[] = []
  for (let earlier = from; earlier < run; earlier++) missed.push(...shareOf(earlier, tenants))
  return missed
}

function failuresOf({ jobs }: Due): number {
  return Math.max(...jobs.values())
}

function rotated<T>(list: T[], by: number): T[] {
  const start = by % Math.max(1, list.length)
  return [...list.slice(start), ...list.slice(0, start)]
}
