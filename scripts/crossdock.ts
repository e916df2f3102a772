import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { withoutDiskErrors } from './disk.ts'
import { Failure } from './failure.ts'
import { SUBCOMMANDS } from './subcommands.ts'
import { COMPILED } from './tool.ts'

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
