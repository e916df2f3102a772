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
  /** Ends the program and whatever of its own it has left behind. */
  end: () => Promise<void>
}

/**
 * A program in a process group of its own: Ctrl-C reaches us alone, and we end it in order. Where we are
 * killed before we can, the group ends by itself (leash.ts).
 */
export function startGroup(name: string, args: string[], output: IOType): Group {
  const stdio = ['pipe', output, output] satisfies IOType[]
  const child = startTool(process.execPath, [LEASH, name, ...args], { detached: true, stdio })
  const exit = exitOf(name, child)
  return { child, exit, end: () => end(child, exit) }
}

/** Never fulfilled; rejects with the signal's reason. */
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
    // Nobody is left in the group.
  }
}
