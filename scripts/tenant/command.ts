import type { Environment } from './environment.ts'

/** The result of a command: as text, and as one JSON object for --json. */
export interface Result {
  text: string
  json: object
  /** It found something that must change: the exit code is 1. */
  isWrong?: boolean
}

export interface Options {
  all: boolean
  confirm?: string
  'dry-run': boolean
  export?: string
  from?: string
  into?: string
  jurisdiction?: string
  location?: string
  name?: string
  'no-export': boolean
  on: boolean
  r2: boolean
  to?: string
  wait?: string
}

export interface Command {
  /** What follows the command's name, such as `<slug> <file>`; optional ones in brackets. */
  parameters: string
  summary: string
  /** The options that it accepts besides --env, --json and --help. */
  options: (keyof Options)[]
  /** It may make the tenant that its first parameter names. */
  makes?: boolean
  /** `environment` is the group of the tenant, if there is a slug. */
  run: (environment: Environment, parameters: string[], options: Options) => Promise<Result>
}
