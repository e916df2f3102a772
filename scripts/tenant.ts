import { parseArgs } from 'node:util'
import { Failure } from './failure.ts'
import type { Command, Options } from './tenant/command.ts'
import { COMMANDS } from './tenant/commands.ts'
import { openEnvironment } from './tenant/environment.ts'
import { CHOICES, usage, usageOf } from './tenant/usage.ts'

const OPTIONS = {
  all: { type: 'boolean', default: false },
  confirm: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  env: { type: 'string' },
  export: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  json: { type: 'boolean', default: false },
  jurisdiction: { type: 'string' },
  location: { type: 'string' },
  name: { type: 'string' },
  wait: { type: 'string' },
} as const

/** `npm run tenant -- <command>`. What was asked for is on stdout, all else on stderr. */
export async function tenant([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    console.log(usage())
    return name === undefined ? 2 : 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new Failure(`There is no command "${name}".\n\n${usage()}`, 2)
  const { values, positionals } = parse(name, command, args)
  if (values.help) {
    console.log(usageOf(name, command))
    return 0
  }
  try {
    refuseMisuse(name, command, values, positionals)
    const environment = await openEnvironment(values.env || null)
    const { text, json } = await command.run(environment, positionals, values)
    console.log(values.json ? JSON.stringify(json) : text)
    return 0
  } catch (error) {
    if (values.json && error instanceof Failure)
      console.log(JSON.stringify({ error: error.message }))
    throw error
  }
}

function parse(name: string, command: Command, args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${usageOf(name, command)}`, 2)
  }
}

function refuseMisuse(
  name: string,
  { parameters, options }: Command,
  values: Partial<Options> & { env?: string },
  positionals: string[],
): void {
  const given = Object.entries(values).filter(([, value]) => value !== false && value !== undefined)
  const every = ['env', 'json', 'help']
  const stray = given.find(([option]) => ![...every, ...options].includes(option))
  if (stray) throw new Failure(`${name} takes no --${stray[0]}.`, 2)
  refusePlacement(values)
  refuseWait(values)
  const names = parameters.split(' ').filter((parameter) => parameter !== '')
  const missing = names[positionals.length]
  if (missing?.startsWith('<')) throw new Failure(`${name} wants ${missing}.`, 2)
  const extra = positionals[names.length]
  if (extra !== undefined) throw new Failure(`${name} takes no "${extra}".`, 2)
}

function refuseWait({ wait }: Partial<Options>): void {
  if (wait === undefined || /^\d{1,4}$/.test(wait)) return
  throw new Failure(`--wait is a number of seconds, 0 to 9999, not "${wait}".`, 2)
}

function refusePlacement(values: Partial<Options> & { env?: string }): void {
  for (const option of ['location', 'jurisdiction'] as const) {
    const value = values[option]
    if (value === undefined) continue
    if (!values.env) throw new Failure(`--${option} says nothing on this machine: add --env.`, 2)
    if (CHOICES[option].includes(value)) continue
    throw new Failure(`--${option} is one of ${CHOICES[option].join(', ')}, not "${value}".`, 2)
  }
  if (values.location && values.jurisdiction) {
    throw new Failure('--location or --jurisdiction: within a jurisdiction D1 chooses.', 2)
  }
}
