import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Set once they are built: the processes that this one starts, vitest's among them, must not build them anew under others. */
const IS_BUILT = 'CROSSDOCK_IS_BUILT'

/** Builds the Worker, its assets and the router, once for all test files that serve them. */
export default async function setup(): Promise<void> {
  if (process.env[IS_BUILT]) return
  await Promise.all([
    build('wrangler.toml', 'dist/worker'),
    build('wrangler.router.toml', 'dist/router'),
  ])
  process.env[IS_BUILT] = '1'
}

async function build(config: string, folder: string): Promise<void> {
  const options = ['--dry-run', '--env=', '--config', config, '--outdir', folder]
  await run('node_modules/.bin/wrangler', ['deploy', ...options])
}
