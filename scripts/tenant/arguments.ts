import { parseArgs } from 'node:util'
import { Failure } from '../failure.ts'
import type { Command, Options } from './command.ts'
import { CHOICES, usageOf } from './usage.ts'

const OPTIONS = {
  all: { type: 'boolean', default: false },
  confirm: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  env: { type: 'string' },
  export: { type: 'string' },
  from: { type: 'string' },
  into: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  json: { type: 'boolean', default: false },
  jurisdiction: { type: 'string' },
  location: { type: 'string' },
  name: { type: 'string' },
  'no-export': { type: 'boolean', default: false },
  on: { type: 'boolean', default: false },
  r2: { type: 'boolean', default: false },
  to: { type: 'string' },
  wait: { type: 'string' },
} as const

export function parseArguments(name: string, command: Command, args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split('. ') : []
    throw new Failure(`${reason}.\n\n${usageOf(name, command)}`, 2)
  }
}

/** Throws a Failure with exit code 2 if an argument is missing, unknown or out of range. */
export function refuseMisuse(
  name: string,
  { parameters, options }: Command,
  values: Partial<Options> & { env?: string },
  positionals: string[],
): void {
  const given = Object.entries(values).filter(([, value]) => value !== false && value !== undefined)
  const every = ['env', 'json', 'help']
  const stray = given.find(([option]) => ![...every, ...options].includes(option))
  if (stray) throw new Failure(`${name} does not accept --${stray[0]}.`, 2)
  if (values.env === '')
    throw new Failure('--env needs a name. Leave --env out for this machine.', 2)
  refusePlacement(values)
  refuseWait(values)
  const names = parameters.split(' ').filter((parameter) => parameter !== '')
  const missing = names[positionals.length]
  if (missing?.startsWith('<')) throw new Failure(`${name} needs ${missing}.`, 2)
  const extra = positionals[names.length]
  if (extra !== undefined) throw new Failure(`${name} does not accept "${extra}".`, 2)
}

export function refuseWait({ wait }: { wait?: string }): void {
  if (wait === undefined || /^\d{1,4}$/.test(wait)) return
  throw new Failure(`--wait must be a number of seconds from 0 to 9999, not "${wait}".`, 2)
}

function refusePlacement(values: Partial<Options> & { env?: string }): void {
  for (const option of ['location', 'jurisdiction'] as const) {
    const value = values[option]
    if (value === undefined) continue
    if (!values.env) throw new Failure(`--${option} works at Cloudflare only: add --env.`, 2)
    if (CHOICES[option].includes(value)) continue
    throw new Failure(
      `--${option} must be one of ${CHOICES[option].join(', ')}, not "${value}".`,
      2,
    )
  }
  if (values.location && values.jurisdiction) {
    throw new Failure(
      'Use --location or --jurisdiction, not both: within a jurisdiction D1 chooses the location.',
      2,
    )
  }
}
