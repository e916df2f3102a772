import { env } from 'cloudflare:workers'
import fc, { type RunDetails } from 'fast-check'
import { vi } from 'vitest'
import { speedUpTime } from '../../fixtures/clock.ts'
import { anyFaults, type Fault } from '../../fixtures/fault.ts'
import { freshIsolate } from '../../fixtures/isolate.ts'
import { openTenant, type Tenant, type Worker } from '../../fixtures/tenant.ts'
import type { Call, Sequence } from './calls.ts'
import type { Exchange } from './exchange.ts'
import { Follower } from './follower.ts'
import { sequences } from './generators.ts'
import { play } from './play.ts'
import { check } from './witness.ts'
import { newWorld, readContents } from './world.ts'

declare global {
  namespace Cloudflare {
    interface Env {
      /** Of the tests of random sequences; scripts/faults.ts sets them. */
      RANDOM: { runs: number; seed: number; path?: string }
    }
  }
}

// Side by side: while the one waits for what is late, the other goes on.
const TENANTS: readonly Tenant[] = ['demo', 'other']
const PROGRESS_MS = 10_000

/** Of most requests none: one fault is told from another, and most of what is sent gets through. */
const faults: fc.Arbitrary<Fault[]> = fc.oneof(
  { weight: 7, arbitrary: fc.constant<Fault[]>([]) },
  { weight: 3, arbitrary: anyFaults },
)

let isolates: Worker[]
/** The tenant whose smallest failing sequence is looked for: the other one rests. */
let failed: Tenant | null = null
/** What the service's own log says, by request. */
const logged = new Map<string, string>()

/** Throws for the first sequence that does not end as the answers said; gives what has been run. */
export async function runSequences(): Promise<string> {
  const { runs, seed, path } = env.RANDOM
  const tenants = path === undefined ? TENANTS : TENANTS.slice(0, 1)
  const tally = new Tally(runs)
  await Promise.all(
    tenants.map(async (tenant, lane) => {
      const numRuns = Math.ceil((runs - lane) / tenants.length)
      const parameters = { seed: seed + lane, numRuns, ...(path !== undefined && { path }) }
      if (numRuns > 0) await runLane(tenant, parameters, tally)
    }),
  )
  return `${tally}; seed ${seed}`
}

async function runLane(tenant: Tenant, parameters: fc.Parameters<[Sequence]>, tally: Tally) {
  const db = await openTenant(tenant)
  const property = fc.asyncProperty(sequences(faults), async (sequence) => {
    if (failed !== null && failed !== tenant) return
    const world = await newWorld(tenant, db)
    const follower = new Follower(world, isolates[0] as Worker)
    try {
      const exchanges = await play(world, sequence, isolates, follower)
      const contents = await readContents(db, world)
      await follower.finish()
      check(world, exchanges, contents, logged, follower)
      for (const { request_id } of exchanges) logged.delete(request_id)
      tally.add(exchanges)
    } catch (error) {
      failed = tenant
      throw error
    }
  })
  const details = await fc.check(property, parameters)
  if (details.failed) throw failureOf(details)
}

/** Before the first sequence. Gives what ends it. */
export async function open(): Promise<() => void> {
  isolates = [(await freshIsolate()).worker, (await freshIsolate()).worker]
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(note)
  const slowDown = speedUpTime()
  return () => {
    vi.restoreAllMocks()
    slowDown()
  }
}

function note(line: unknown): void {
  const { request_id, event } = JSON.parse(String(line))
  logged.set(request_id, event)
}

/** What has been run so far; long runs print it now and then. */
class Tally {
  readonly #all: number
  readonly #started = Date.now()
  #sequences = 0
  #requests = 0
  #faults = 0
  #shown = Date.now()

  constructor(all: number) {
    this.#all = all
  }

  add(exchanges: Exchange[]): void {
    this.#sequences += 1
    this.#requests += exchanges.length
    for (const { hits } of exchanges) this.#faults += hits.length
    if (Date.now() - this.#shown < PROGRESS_MS) return
    this.#shown = Date.now()
    console.log(`${this} of ${this.#all}, ${Math.round((Date.now() - this.#started) / 1000)} s`)
  }

  toString(): string {
    return `${this.#sequences} sequences, ${this.#requests} requests, ${this.#faults} faults`
  }
}

/** The smallest sequence that was found to fail, a line for each request. */
function failureOf({
  seed,
  counterexamplePath,
  counterexample,
  errorInstance,
}: RunDetails<[Sequence]>) {
  const [sequence = []] = counterexample ?? []
  const steps = sequence.flatMap((calls, step) =>
    calls.map((call) => `${step + 1}. ${shown(call)}`),
  )
  const error = errorInstance instanceof Error ? errorInstance : new Error(String(errorInstance))
  const again = `npm run test:faults -- --seed ${seed} --path ${counterexamplePath}`
  error.message = `${error.message}\n\nThe sequence:\n${steps.join('\n')}\n\nOnce more: ${again}`
  return error
}

function shown({ client, isolate, operation, faults, ...parts }: Call): string {
  const said = Object.values(parts).map((part) => JSON.stringify(part))
  const met = faults.map((fault) => `\n     if ${JSON.stringify(fault)}`)
  return `${client}${isolate ? ' (other isolate)' : ''}: ${operation} ${said.join(' ')}${met.join('')}`
}
