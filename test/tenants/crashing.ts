import type { Journal } from '../crash/journal.ts'
import { runCrashes } from '../crash/run.ts'

export const RUN_MS_MAX = 600_000

// Kills everything after a second, and the worker alone after one and a half.
export const SEED = 'quick'

export async function run(
  kills: number,
  seed: string,
  spoil?: (folder: string, journal: Journal) => void,
) {
  const life = AbortSignal.timeout(RUN_MS_MAX)
  return await runCrashes({ kills, seed, life, say: console.log, ...(spoil && { spoil }) })
}
