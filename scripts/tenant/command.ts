import type { Environment } from './environment.ts'

/** What a command has to say at its end: to people, and as one JSON object with --json. */
export interface Result {
  text: string
  json: object
}

export interface Options {
  all: boolean
  confirm?: string
  'dry-run': boolean
  export?: string
  jurisdiction?: string
  location?: string
  name?: string
  'no-export': boolean
  wait?: string
}

export interface Command {
  /** After the command's name: `<slug> <file>`, optional ones in brackets. */
  parameters: string
  summary: string
  /** Of Options; every command takes --env, --json and --help. */
  options: (keyof Options)[]
  run: (environment: Environment, parameters: string[], options: Options) => Promise<Result>
}
