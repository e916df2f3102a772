import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, resolve } from 'node:path'
import { Failure } from './failure.ts'

const MODULES = resolve(import.meta.dirname, '../node_modules')
const BIN = resolve(MODULES, '.bin')
/** Node keeps compiled modules here. Wrangler, which takes a second to start, takes three quarters of it. */
export const COMPILED = resolve(MODULES, '.cache/compiled')

/** Starts a program of node_modules/.bin with the Node that is installed there. */
export function startTool(name: string, args: string[], options: SpawnOptions): ChildProcess {
  const env = { ...process.env, ...options.env }
  const PATH = `${BIN}${delimiter}${env.PATH ?? ''}`
  const NODE_COMPILE_CACHE = env.NODE_COMPILE_CACHE ?? COMPILED
  return spawn(resolve(BIN, name), args, { ...options, env: { ...env, PATH, NODE_COMPILE_CACHE } })
}

/** The exit code. As in a shell, it is 128 plus the signal's number if a signal ended the program. */
export function exitOf(name: string, child: ChildProcess): Promise<number> {
  return new Promise((fulfil, reject) => {
    child.once('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT'
      reject(missing ? new Failure(`${name} is not installed: run npm ci first.`) : error)
    })
    child.once('exit', (code, signal) =>
      fulfil(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    )
  })
}
