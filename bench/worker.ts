import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import buildWorker from '../test/fixtures/served-build.ts'
import type { Benchmark } from './figure.ts'
import { summary } from './rounds.ts'

const run = promisify(execFile)
const WRANGLER = 'node_modules/.bin/wrangler'

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string } }[]
  samples: number[]
  /** Microseconds. */
  timeDeltas: number[]
}

export const worker: Benchmark = {
  names: ['bundle_gzip_kb', 'startup_ms'],
  summary: 'the built Worker: its size and its startup time',
  async run({ quick, wants }) {
    await buildWorker()
    const gzipped = gzipSync(await readFile('dist/worker/index.js')).length / 1024
    const startups = wants('startup_ms') ? await measureStartups(quick ? 1 : 9) : []
    return [
      { name: 'bundle_gzip_kb', value: gzipped, unit: 'KB', bound: { below: 340 } },
      ...(startups.length > 0
        ? [{ name: 'startup_ms', ...summary(startups), unit: 'ms' as const }]
        : []),
    ]
  },
}

/** Startup times in ms from the profile of `wrangler check startup`. */
async function measureStartups(rounds: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-bench-'))
  const [bundle, outfile] = [join(folder, 'worker.bundle'), join(folder, 'startup.cpuprofile')]
  const startups: number[] = []
  try {
    await run(WRANGLER, ['deploy', '--dry-run', '--env=', '--outfile', bundle])
    for (let round = 0; round < rounds; round++) {
      await run(WRANGLER, ['check', 'startup', '--worker', bundle, '--outfile', outfile])
      startups.push(busyMs(JSON.parse(await readFile(outfile, 'utf8'))))
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  return startups
}

function busyMs({ nodes, samples, timeDeltas }: CpuProfile): number {
  const idle = nodes.find(({ callFrame }) => callFrame.functionName === '(idle)')?.id
  return samples.reduce((total, node, index) => {
    return node === idle ? total : total + (timeDeltas[index] ?? 0) / 1000
  }, 0)
}
