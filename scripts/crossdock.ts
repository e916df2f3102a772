import { resolve } from 'node:path'
import { Failure } from './failure.ts'

/** Takes the arguments behind its name; gives the exit code, or throws a Failure. */
type Subcommand = (args: string[]) => Promise<number>

const SUBCOMMANDS: Record<string, { summary: string; load: () => Promise<Subcommand> }> = {
  dev: {
    summary: 'serve the local tenant demo, with sample data (npm start); PORT chooses the port',
    load: async () => (await import('./dev.ts')).dev,
  },
  tenant: {
    summary: 'add, show, move and remove tenants, here or at Cloudflare (npm run tenant)',
    load: async () => (await import('./tenant.ts')).tenant,
  },
  deploy: {
    summary: 'the Worker to an environment, if that is safe for its tenants (npm run deploy)',
    load: async () => (await import('./deploy.ts')).deploy,
  },
  check: {
    summary: 'types, lint, tidy and tests (npm test); arguments go to vitest',
    load: async () => (await import('./check.ts')).check,
  },
  assets: {
    summary: 'dist/assets: scripts and styles of the dashboard, OpenAPI documents, their reader',
    load: async () => (await import('./assets.ts')).assets,
  },
  bench: {
    summary: 'how fast it is, beside a bare Worker (npm run bench)',
    load: async () => (await import('../bench/bench.ts')).bench,
  },
  crash: {
    summary: 'kills npm start under load, and verifies that nothing is lost (npm run test:crash)',
    load: async () => (await import('../faults/crash/crash.ts')).crash,
  },
  faults: {
    summary: 'random sequences with faults, against a plain model (npm run test:faults)',
    load: async () => (await import('../faults/random.ts')).random,
  },
  tidy: {
    summary: 'the layering law of src/, names, and what migrations must not do',
    load: async () => (await import('./tidy.ts')).tidy,
  },
}

async function main([name, ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h') {
    console.log(usage())
    return 0
  }
  const known = name !== undefined && Object.hasOwn(SUBCOMMANDS, name)
  const subcommand = known ? SUBCOMMANDS[name] : undefined
  if (!subcommand) {
    const what = name === undefined ? 'Name a subcommand.' : `There is no subcommand "${name}".`
    throw new Failure(`${what}\n\n${usage()}`, 2)
  }
  const run = await subcommand.load()
  return await run(args)
}

function usage(): string {
  const rows = Object.entries(SUBCOMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(8)}${summary}`,
  )
  return ['Usage: node scripts/crossdock.ts <subcommand>', '', ...rows].join('\n')
}

// Wrangler would take it for --env.
delete process.env.CLOUDFLARE_ENV
process.chdir(resolve(import.meta.dirname, '..'))
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Failure)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
