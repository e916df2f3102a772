import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

declare global {
  var built: Promise<unknown> | undefined
}

/** Builds the Worker, its assets and the router, once for all test files that serve them. */
export default async function setup(): Promise<void> {
  globalThis.built ??= Promise.all([
    build('wrangler.toml', 'dist/worker'),
    build('wrangler.router.toml', 'dist/router'),
  ])
  await globalThis.built
}

async function build(config: string, folder: string): Promise<void> {
  const options = ['--dry-run', '--env=', '--config', config, '--outdir', folder]
  await run('node_modules/.bin/wrangler', ['deploy', ...options])
}
