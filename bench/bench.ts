import { parseArgs } from 'node:util'
import { Failure } from '../scripts/failure.ts'
import { againstBare } from './against-bare.ts'
import { deliveries } from './deliveries.ts'
import { edge, roundTrips } from './edge.ts'
import type { Benchmark, Figure } from './figure.ts'
import { formats } from './formats.ts'
import { groupedRows } from './grouped-rows.ts'
import { itemCodes } from './item-codes.ts'
import { mapping } from './mapping.ts'
import { million } from './million.ts'
import { near } from './near.ts'
import { jsonOf, tableOf } from './report.ts'
import { router } from './router.ts'
import { starvation } from './starvation.ts'
import { storage } from './storage.ts'
import { sustained } from './sustained.ts'
import { upload } from './upload.ts'
import { uploadHeap } from './upload-heap.ts'
import { worker } from './worker.ts'

const BENCHMARKS = [
  worker,
  mapping,
  groupedRows,
  formats,
  roundTrips,
  edge,
  near,
  router,
  againstBare,
  deliveries,
  itemCodes,
  million,
  storage,
  upload,
  uploadHeap,
  starvation,
  sustained,
]
const NAMES = BENCHMARKS.flatMap(({ names }) => names)

const OPTIONS = {
  help: { type: 'boolean', short: 'h', default: false },
  json: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] as string[] },
  quick: { type: 'boolean', default: false },
} as const

/**
 * Runs the benchmarks. Prints progress on stderr and figures on stdout. A figure out of bounds is marked but no
 * failure. Exit code 1 if a benchmark fails.
 */
export async function bench(args: string[]): Promise<number> {
  const { help, json, only, quick } = optionsOf(args)
  if (help) {
    console.log(usage())
    return 0
  }
  const figures: Figure[] = []
  let failures = 0
  const wants = (name: string) => only.length === 0 || only.includes(name)
  for (const benchmark of BENCHMARKS.filter(({ names }) => names.some(wants))) {
    const say = progress(benchmark)
    say(benchmark.summary)
    try {
      const found = await benchmark.run({ quick, wants, say })
      figures.push(...found.filter(({ name }) => wants(name)))
    } catch (error) {
      // The other benchmarks still run.
      failures += 1
      say(`FAILED: ${error instanceof Error ? error.stack : error}`)
    }
  }
  console.log(json ? jsonOf(figures, quick) : tableOf(figures, quick))
  return failures > 0 ? 1 : 0
}

function optionsOf(args: string[]) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS })
    const unknown = values.only.find((name) => !NAMES.includes(name))
    if (unknown !== undefined) throw new Error(`There is no figure "${unknown}"`)
    return values
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${usage()}`, 2)
  }
}

const started = Date.now()

function progress({ names }: Benchmark): (text: string) => void {
  return (text) => {
    const seconds = Math.round((Date.now() - started) / 1000)
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    console.error(`${clock.padStart(5)}  ${names[0]}: ${text}`)
  }
}

function usage(): string {
  return [
    'Usage: npm run bench [-- <options>]',
    '',
    '  --quick        rough numbers in 1.5 minutes instead of 25',
    '  --only <name>  measure only this figure; can be repeated',
    '  --json         print one JSON object instead of a table',
    '  --help         show this help',
    '',
    'Figures (bench/README.md says more of some):',
    ...BENCHMARKS.flatMap(({ names, summary }) => [`  ${names.join(', ')}`, `      ${summary}`]),
  ].join('\n')
}
