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

/** A process and all its descendants, parents first. */
export async function treeOf(root: number): Promise<Process[]> {
  const all = await running()
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** Sends SIGKILL to the process groups of these processes. The test itself created each group. */
export function killGroups(processes: Process[]): void {
  for (const group of new Set(processes.map(({ group }) => group))) signalGroup(group, 'SIGKILL')
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // The group has ended already.
  }
}

/** Waits up to `ms` for the processes to end. Returns those that still run. */
export async function leftAfter(processes: Process[], ms: number): Promise<Process[]> {
  const end = Date.now() + ms
  for (;;) {
    const now = await running()
    const left = processes.filter((one) => now.some((other) => isSame(one, other)))
    if (left.length === 0 || Date.now() >= end) return left
    await sleep(POLL_MS)
  }
}

/** Compares more than the pid, which another program may have got meanwhile. */
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
    // A zombie has ended; only its exit code was not read yet.
    if (!command || state?.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }]
  })
}
