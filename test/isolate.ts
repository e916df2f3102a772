import { vi } from 'vitest'
import type { Json, Worker } from './tenant.ts'

/** The same Worker in another isolate: it shares no memory with the first. */
export async function freshIsolate(): Promise<{ worker: Worker }> {
  vi.resetModules()
  return { worker: ((await import('../src/index.ts')) as Json).default }
}
