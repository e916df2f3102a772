import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

declare global {
  var built: Promise<unknown> | undefined
}

/** Builds the Worker and its assets, once for all test files that serve them. */
export default async function setup(): Promise<void> {
  globalThis.built ??= run('node_modules/.bin/wrangler', [
    'deploy',
    '--dry-run',
    '--env=',
    '--outdir',
    'dist/worker',
  ])
  await globalThis.built
}
