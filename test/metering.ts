import { env } from 'cloudflare:workers'
import { intercept, type Watch } from './bindings.ts'

export interface Calls {
  d1: number
  kv_reads: number
  kv_writes: number
  /** Of the binding that counts failed look-ups. */
  failure_counts: number
}

/** As D1 counts and bills them, an index's entries included; of a batch that it refused, none. */
export interface Rows {
  read: number
  written: number
}

/**
 * The real bindings, with every call that leaves the isolate counted, and the rows of D1's. A call
 * leaves when the promise of `before` is kept.
 */
export function countedBindings(before?: (call: keyof Calls) => Promise<unknown>) {
  const calls: Calls = { d1: 0, kv_reads: 0, kv_writes: 0, failure_counts: 0 }
  const rows: Rows = { read: 0, written: 0 }
  const counted =
    (kind: keyof Calls): Watch =>
    (call) => {
      calls[kind] += 1
      return before ? before(kind).then(call) : call()
    }
  const bindings: object = {
    ...env,
    KEYS: countedKv(counted('kv_reads'), counted('kv_writes')),
    DB_DEMO: countedD1(counted('d1'), rows),
    FAILED_LOOKUPS: intercept(env.FAILED_LOOKUPS, { limit: counted('failure_counts') }),
  }
  return { bindings, calls, rows }
}

function countedKv(read: Watch, write: Watch): object {
  const watches = { get: read, getWithMetadata: read, list: read, put: write, delete: write }
  return intercept(env.KEYS, watches)
}

function countedD1(counted: Watch, rows: Rows): object {
  const told: Watch = (call) => {
    const result = counted(call)
    addRows(result as Promise<D1Result | D1Result[]>, rows)
    return result
  }
  // These give no meta: the sums become NaN.
  const untold: Watch = (call) => {
    rows.read = rows.written = Number.NaN
    return counted(call)
  }
  const statement: Watch = (call) =>
    intercept(call() as object, {
      run: told,
      all: told,
      first: untold,
      raw: untold,
      bind: statement,
    })
  return intercept(env.DB_DEMO, { prepare: statement, batch: told, exec: untold })
}

function addRows(result: Promise<D1Result | D1Result[]>, rows: Rows): void {
  result.then(
    (results) => {
      for (const { meta } of [results].flat()) {
        rows.read += meta.rows_read
        rows.written += meta.rows_written
      }
    },
    () => {
      // Whoever called has the error as well.
    },
  )
}
