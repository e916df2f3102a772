import type { ChildProcess, IOType } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitOf, startTool } from '../tool.ts'

const END_MS_MAX = 5000
const LEASH = resolve(import.meta.dirname, 'leash.ts')

export interface Group {
  child: ChildProcess
  exit: Promise<number>
  /** Ends the program and every process that it started. */
  end: () => Promise<void>
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C reaches only this process, which then ends the
 * program in order. If this process is killed first, the group ends itself (leash.ts).
 */
export function startGroup(
  name: string,
  args: string[],
  output: IOType,
  env: Record<string, string> = {},
): Group {
  const stdio = ['pipe', output, output] satisfies IOType[]
  const child = startTool(process.execPath, [LEASH, name, ...args], { detached: true, stdio, env })
  const exit = exitOf(name, child)
  return { child, exit, end: () => end(child, exit) }
}

/** Rejects with the signal's reason when the signal is aborted. Never resolves. */
export async function abortionOf(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

async function end(child: ChildProcess, exit: Promise<number>): Promise<void> {
  child.kill('SIGTERM')
  const timeout = sleep(END_MS_MAX, undefined, { ref: false })
  await Promise.race([exit.catch(() => undefined), timeout])
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has ended already.
  }
}
