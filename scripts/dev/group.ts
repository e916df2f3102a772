import type { ChildProcess, StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitOf, startTool } from '../tool.ts'

const END_MS_MAX = 5000

export interface Group {
  child: ChildProcess
  exit: Promise<number>
  /** Ends the program and whatever of its own it has left behind. */
  end: () => Promise<void>
}

/** A program in a process group of its own: Ctrl-C reaches us alone, and we end it in order. */
export function startGroup(name: string, args: string[], stdio: StdioOptions): Group {
  const child = startTool(name, args, { detached: true, stdio })
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
