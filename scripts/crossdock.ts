import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { withoutDiskErrors } from './disk.ts'
import { Failure } from './failure.ts'
import { COMPILED } from './tool.ts'

/** Takes the arguments after its name. Returns the exit code or throws a Failure. */
type Subcommand = (args: string[]) => Promise<number>

const SUBCOMMANDS: Record<string, { summary: string; load: () => Promise<Subcommand> }> = {
  dev: {
    summary: 'serve the local tenant demo with sample data (npm start); PORT sets the port',
    load: async () => (await import('./dev.ts')).dev,
  },
  tenant: {
    summary:
      'add, list, move, back up, restore and remove tenants, locally or at Cloudflare (npm run tenant)',
    load: async () => (await import('./tenant.ts')).tenant,
  },
  deploy: {
    summary: 'deploy the Worker to an environment if that is safe for its tenants (npm run deploy)',
    load: async () => (await import('./deploy.ts')).deploy,
  },
  alerts: {
    summary: "ask the alert rules about an environment's metrics (npm run alerts)",
    load: async () => (await import('./alerts.ts')).alerts,
  },
  advisories: {
    summary: 'ask the registry for advisories about what is deployed (npm run advisories)',
    load: async () => (await import('./advisories.ts')).advisories,
  },
  check: {
    summary:
      'check types, lint and layout, and run the tests (npm test); --deep runs what goes beyond them (npm run test:deep)',
    load: async () => (await import('./check.ts')).check,
  },
  assets: {
    summary:
      'build dist/assets: dashboard scripts and styles, OpenAPI documents, API reference, mapping starters, webhook presets',
    load: async () => (await import('./assets.ts')).assets,
  },
  bench: {
    summary: 'measure speed and size, compared with a bare Worker (npm run bench)',
    load: async () => (await import('../bench/bench.ts')).bench,
  },
  crash: {
    summary: 'kill npm start under load and verify that nothing is lost (npm run test:crash)',
    load: async () => (await import('../test/crash/crash.ts')).crash,
  },
  contract: {
    summary:
      'write down what every endpoint and page answers, to compare two versions (npm run contract)',
    load: async () => (await import('../test/contract/contract.ts')).contract,
  },
  faults: {
    summary: 'test random requests with injected faults against a model (npm run test:faults)',
    load: async () => (await import('./faults.ts')).faults,
  },
  smoke: {
    summary: 'try a deployed tenant by its API (npm run smoke)',
    load: async () => (await import('./smoke.ts')).smoke,
  },
  tidy: {
    summary: 'check the layers of src/, names, migrations, and links in documents',
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
    ([name, { summary }]) => `  ${name.padEnd(12)}${summary}`,
  )
  return ['Usage: node scripts/crossdock.ts <subcommand>', '', ...rows].join('\n')
}

enableCompileCache(COMPILED)
// Wrangler would use it as --env.
delete process.env.CLOUDFLARE_ENV
process.chdir(resolve(import.meta.dirname, '..'))
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (thrown) {
  const error = withoutDiskErrors(thrown)
  if (!(error instanceof Failure)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
