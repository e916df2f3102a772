import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import { exitOf, startTool } from './tool.ts'

const RUNS_DEFAULT = 50_000
const SEEDS = 2 ** 31
/** Sequences per process. Limits its storage, which is searched for keys at the end. */
const BATCH_RUNS = 2500
/** A batch uses one seed per tenant, see test/faults/model/run.ts. */
const BATCH_SEEDS = 2

const OPTIONS = {
  help: { type: 'boolean', short: 'h', default: false },
  runs: { type: 'string', default: String(RUNS_DEFAULT) },
  seed: { type: 'string' },
  path: { type: 'string' },
} as const

interface Batch {
  runs: number
  seed: number
  path: string | undefined
}

/**
 * Runs random sequences of requests with injected faults. Prints progress on stderr and the result on stdout.
 * Exit code 1 if a sequence contradicts the model.
 */
export async function faults(args: string[]): Promise<number> {
  const { help, runs, seed, path } = optionsOf(args)
  if (help) {
    console.log(usage())
    return 0
  }
  const started = Date.now()
  const batches = path === undefined ? batchesOf(runs, seed) : [{ runs: 1, seed, path }]
  const stop = new AbortController()
  console.error(
    `Seed ${seed}, ${runs} sequences, ${batches.length} batches of up to ${BATCH_RUNS}.`,
  )
  const work = async () => {
    for (let batch = batches.shift(); batch && !stop.signal.aborted; batch = batches.shift()) {
      await run(batch, stop)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  if (stop.signal.aborted) throw stop.signal.reason
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`${path === undefined ? runs : 1} sequences passed in ${seconds} s; seed ${seed}`)
  return 0
}

/** The same batches on every machine, so that the seed alone repeats a run. */
function batchesOf(runs: number, seed: number): Batch[] {
  return Array.from({ length: Math.ceil(runs / BATCH_RUNS) }, (_, index) => ({
    runs: Math.min(BATCH_RUNS, runs - index * BATCH_RUNS),
    seed: (seed + index * BATCH_SEEDS) % SEEDS,
    path: undefined,
  }))
}

/** Runs one batch in vitest. If it fails, aborts all batches with its output. */
async function run({ runs, seed, path }: Batch, stop: AbortController): Promise<void> {
  const env = {
    RANDOM_RUNS: String(runs),
    SEED: String(seed),
    ...(path !== undefined && { RANDOM_PATH: path }),
  }
  // A path is that of a sequence of all endpoints. Without one, the sequences of deliveries are played, too.
  const file = path === undefined ? 'test/faults/random' : 'test/faults/random.test'
  const args = ['run', '--project', 'workerd', '--silent=false', '--no-color', file]
  const child = startTool('vitest', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const end = () => child.kill('SIGTERM')
  stop.signal.addEventListener('abort', end)
  const said: string[] = []
  const lines = child.stdout && createInterface({ input: child.stdout })
  lines?.on('line', (line) => {
    said.push(line)
    if (/^ ?(random \w+|\d+ sequences)/.test(line)) console.error(`seed ${seed}: ${line.trim()}`)
  })
  const [code, wrong] = await Promise.all([
    exitOf('vitest', child),
    child.stderr ? text(child.stderr) : '',
  ])
  stop.signal.removeEventListener('abort', end)
  if (code !== 0) stop.abort(new Failure(`${said.join('\n')}\n${wrong}`, 1))
}

function optionsOf(args: string[]) {
  try {
    const { help, runs, seed = String(randomInt(SEEDS)), path } = parse(args)
    return { help, runs: whole('runs', runs, 1), seed: whole('seed', seed, 0), path }
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n\n${usage()}`, 2)
  }
}

const parse = (args: string[]) => parseArgs({ args, options: OPTIONS }).values

function whole(name: string, value: string, least: number): number {
  const number = Number(value)
  if (/^\d{1,10}$/.test(value) && number >= least && number < SEEDS) return number
  throw new Error(`--${name} must be a whole number of at least ${least}, not "${value}".`)
}

function usage(): string {
  return [
    'Usage: npm run test:faults [-- <options>]',
    '',
    'Sends random sequences of requests by several clients. Some of their calls to D1, KV and Durable Objects',
    'fail, arrive late or never. Compares answers, audit log and database with a model (test/faults/model/).',
    '',
    `  --runs <number>  how many sequences to run; default ${RUNS_DEFAULT}`,
    '  --seed <number>  repeat the run with this seed; default: a random seed, which is printed',
    '  --path <path>    run only the failed sequence; a failure prints its path and seed',
    '  --help           show this help',
  ].join('\n')
}
