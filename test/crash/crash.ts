import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Failure } from '../../scripts/failure.ts'
import buildWorker from '../fixtures/served-build.ts'
import { runCrashes } from './run.ts'
import { summaryOf } from './summary.ts'

const KILLS_DEFAULT = 20
const KILLS_MAX = 200
// A start and its verification take about 8 s on an idle machine.
const KILL_MS_MAX = 30_000
const RUN_MS_LEAST = 120_000

const OPTIONS = {
  help: { type: 'boolean', short: 'h', default: false },
  kills: { type: 'string', default: String(KILLS_DEFAULT) },
  seed: { type: 'string' },
} as const

/**
 * Runs the crash test. Prints progress on stderr and the summary on stdout. Exit code 1 if any write was lost,
 * duplicated or applied in part.
 */
export async function crash(args: string[]): Promise<number> {
  const { help, kills, seed } = optionsOf(args)
  if (help) {
    console.log(usage())
    return 0
  }
  const started = Date.now()
  const say = (text: string) => {
    const seconds = Math.round((Date.now() - started) / 1000)
    console.error(`${String(seconds).padStart(4)} s  ${text}`)
  }
  const stop = stopOf(kills, seed)
  say(`Seed ${seed}. Building ...`)
  await buildWorker()
  const run = runCrashes({ kills, seed, life: stop, say })
  const outcome = await run.catch((error: unknown) => {
    if (stop.aborted) throw stop.reason
    if (!(error instanceof Failure)) throw error
    throw new Failure(`${error.message}\n\n${repeat(kills, seed)}`)
  })
  console.log(summaryOf(outcome, seed, Date.now() - started))
  if (outcome.problems.length === 0) return 0
  for (const problem of outcome.problems) console.error(`WRONG  ${problem}`)
  throw new Failure(`${repeat(kills, seed)}\nThe database is kept in ${outcome.folder}`)
}

/** Aborted with a Failure on Ctrl-C or when the time limit ends. */
function stopOf(kills: number, seed: string): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort(new Failure('Stopped.', 130)))
  }
  const limit = Math.max(RUN_MS_LEAST, kills * KILL_MS_MAX)
  const late = `It took longer than ${limit / 1000} s. ${repeat(kills, seed)}`
  setTimeout(() => stop.abort(new Failure(late)), limit).unref()
  return stop.signal
}

function repeat(kills: number, seed: string): string {
  return `To repeat this run: npm run test:crash -- --kills ${kills} --seed ${seed}`
}

function optionsOf(args: string[]) {
  try {
    const {
      help,
      kills,
      seed = randomBytes(4).toString('hex'),
    } = parseArgs({
      args,
      options: OPTIONS,
    }).values
    const count = /^\d{1,3}$/.test(kills) ? Number(kills) : 0
    if (count < 1 || count > KILLS_MAX) {
      throw new Error(`--kills must be a number from 1 to ${KILLS_MAX}, not "${kills}"`)
    }
    if (!/^[\w-]{1,40}$/.test(seed)) throw new Error('--seed must be up to 40 letters and digits')
    return { help, kills: count, seed }
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${usage()}`, 2)
  }
}

function usage(): string {
  return `Usage: npm run test:crash [-- <options>]

  --kills <n>   how often to kill npm start; default ${KILLS_DEFAULT}
  --seed <s>    repeat the moments and requests of an earlier run, as far as a race can be repeated
  --help        show this help

Runs npm start in a copy of the project, kills it (SIGKILL) at random moments under mixed load, starts it
again and verifies: every acknowledged write is there, every unacknowledged one is there completely or not at
all, nothing is there twice, and each write has one audit row. ${KILLS_DEFAULT} kills take about four minutes.
The run fails after ${KILL_MS_MAX / 1000} s per kill, but not before two minutes.`
}
