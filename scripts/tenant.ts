import { withoutDiskErrors } from './disk.ts'
import { Failure } from './failure.ts'
import { parseArguments, refuseMisuse } from './tenant/arguments.ts'
import type { Command, Result } from './tenant/command.ts'
import { COMMANDS } from './tenant/commands.ts'
import { type Environment, openEnvironment } from './tenant/environment.ts'
import { groupFor, placeFor } from './tenant/groups.ts'
import { cleanUpOnSignals } from './tenant/stop.ts'
import { usage, usageOf } from './tenant/usage.ts'

/** `npm run tenant -- <command>`. Prints the result on stdout and everything else on stderr. */
export async function tenant([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    console.log(usage())
    return name === undefined ? 2 : 0
  }
  cleanUpOnSignals()
  try {
    const { text, isWrong = false } = await run(name, args)
    console.log(text)
    return isWrong ? 1 : 0
  } catch (thrown) {
    const error = withoutDiskErrors(thrown)
    if (args.includes('--json') && error instanceof Failure) {
      console.log(JSON.stringify({ error: error.message, ...error.details }))
    }
    throw error
  }
}

async function run(name: string, args: string[]): Promise<Pick<Result, 'text' | 'isWrong'>> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new Failure(`There is no command "${name}".\n\n${usage()}`, 2)
  const { values, positionals } = parseArguments(name, command, args)
  if (values.help) return { text: usageOf(name, command) }
  refuseMisuse(name, command, values, positionals)
  const environment = await openEnvironment(values.env ?? null)
  const place = await placeOf(command, environment, positionals[0])
  const { text, json, isWrong = false } = await command.run(place, positionals, values)
  return { text: values.json ? JSON.stringify(json) : text, isWrong }
}

/** What the command works on: all groups of an environment, or that of one tenant. */
async function placeOf(
  { makes = false }: Command,
  environment: Environment,
  slug: string | undefined,
): Promise<Environment> {
  if (slug === undefined) return environment
  return makes ? await placeFor(environment, slug) : await groupFor(environment, slug)
}
