import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { Failure } from '../scripts/failure.ts'
import { exitOf, startTool } from '../scripts/tool.ts'

const RUNS_DEFAULT = 50_000
const SEEDS = 2 ** 31
/** Of one process: its storage does not grow beyond what is searched for keys at its end. */
const BATCH_RUNS = 5000
/** Seeds that a batch takes: one for each tenant, see test/faults/model/run.ts. */
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

/** Progress on stderr, the outcome on stdout. Exit code 1 when a sequence ended otherwise than its answers said. */
export async function random(args: string[]): Promise<number> {
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

function batchesOf(runs: number, seed: number): Batch[] {
  return Array.from({ length: Math.ceil(runs / BATCH_RUNS) }, (_, index) => ({
    runs: Math.min(BATCH_RUNS, runs - index * BATCH_RUNS),
    seed: (seed + index * BATCH_SEEDS) % SEEDS,
    path: undefined,
  }))
}

/** Ends all of them when it fails, with what it has said. */
async function run({ runs, seed, path }: Batch, stop: AbortController): Promise<void> {
  const env = {
    RANDOM_RUNS: String(runs),
    RANDOM_SEED: String(seed),
    ...(path !== undefined && { RANDOM_PATH: path }),
  }
  const args = ['run', '--project', 'workerd', '--silent=false', '--no-color', 'test/faults/random']
  const child = startTool('vitest', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const end = () => child.kill('SIGTERM')
  stop.signal.addEventListener('abort', end)
  const said: string[] = []
  const lines = child.stdout && createInterface({ input: child.stdout })
  lines?.on('line', (line) => {
    said.push(line)
    if (/^ ?(random|\d+) sequences/.test(line)) console.error(`seed ${seed}: ${line.trim()}`)
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
  throw new Error(`--${name} takes a whole number from ${least} on, not "${value}".`)
}

function usage(): string {
  return [
    'Usage: npm run test:faults [-- <options>]',
    '',
    'Sends random sequences of requests by several clients, some of whose calls fail, come late or not at',
    'all, and holds answers, audit log and database against a plain model (test/faults/model/).',
    '',
    `  --runs <number>  of sequences; default ${RUNS_DEFAULT}`,
    '  --seed <number>  of a run that is to be repeated; default is a random one, which is printed',
    '  --path <path>    the one sequence that failed, as a failure names it beside its seed',
  ].join('\n')
}
