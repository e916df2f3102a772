import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const POLL_MS = 50

export interface Process {
  pid: number
  parent: number
  group: number
  command: string
}

/** A process and all that have come of it, parents first. */
export async function treeOf(root: number): Promise<Process[]> {
  const all = await running()
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** SIGKILL for every process group that one of them is in, none outside: each is of our making. */
export function killGroups(processes: Process[]): void {
  for (const group of new Set(processes.map(({ group }) => group))) signalGroup(group, 'SIGKILL')
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // Nobody is left in it.
  }
}

/** Those that are still there when the time is over. */
export async function leftAfter(processes: Process[], ms: number): Promise<Process[]> {
  const end = Date.now() + ms
  for (;;) {
    const now = await running()
    const left = processes.filter((one) => now.some((other) => isSame(one, other)))
    if (left.length === 0 || Date.now() >= end) return left
    await sleep(POLL_MS)
  }
}

/** Another program may have got its number. */
function isSame(one: Process, other: Process): boolean {
  return one.pid === other.pid && one.group === other.group && one.command === other.command
}

async function running(): Promise<Process[]> {
  const columns = 'pid=,ppid=,pgid=,stat=,args='
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', columns], {
    maxBuffer: 2 ** 24,
  })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, command] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    // A zombie has ended: nobody has asked for its exit code yet.
    if (!command || state?.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }]
  })
}
