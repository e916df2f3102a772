import { inTime, TimedOut } from '../limits/deadline.ts'
import { Progress } from './turns.ts'

// Of the Worker: each has a namespace of its own. The number goes up when Progress changes its shape.
const NAME = 'turns:1'
const CALL_MS_MAX = 10_000

/** Null if no run has stored any, `unknown` if KV does not answer. */
export async function readProgress(kv: KVNamespace): Promise<Progress | null | 'unknown'> {
  try {
    return progressIn(await inTime(kv.get(NAME), CALL_MS_MAX))
  } catch (error) {
    report('read', error)
    return 'unknown'
  }
}

/** Null also for what is none: it would be in the way for ever. */
function progressIn(stored: string | null): Progress | null {
  try {
    return Progress.parse(JSON.parse(stored ?? 'null'))
  } catch {
    return null
  }
}

/** If KV does not take it, the next run makes up for this one again. */
export async function storeProgress(kv: KVNamespace, progress: Progress): Promise<void> {
  try {
    await inTime(kv.put(NAME, JSON.stringify(progress)), CALL_MS_MAX)
  } catch (error) {
    report('write', error)
  }
}

function report(call: 'read' | 'write', error: unknown): void {
  const name = error instanceof TimedOut ? error.name : 'Error'
  console.error(JSON.stringify({ event: 'turns_not_stored', call, name }))
}
