import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../scripts/failure.ts'
import { exitOf } from '../../scripts/tool.ts'

const HERE = import.meta.dirname

/**
 * Installs what this folder's own package.json names, where that is missing or older than its lock file.
 * `npm ci` at the root leaves it out. Progress goes to stderr.
 */
export async function installPeers(): Promise<void> {
  const installed = modifiedAt('node_modules/.package-lock.json')
  if (installed >= modifiedAt('package-lock.json')) return
  console.error('Installing what only benchmarks need: npm ci --prefix bench/peers')
  const child = spawn('npm', ['ci', '--prefix', HERE], { stdio: ['ignore', 2, 2] })
  if ((await exitOf('npm', child)) === 0) return
  throw new Failure(
    'It could not be installed. Run npm ci --prefix bench/peers, and then this again.',
  )
}

/** 0 where there is no such file. */
function modifiedAt(path: string): number {
  return statSync(join(HERE, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
