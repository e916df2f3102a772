import { env } from 'cloudflare:workers'

export interface Calls {
  d1: number
  kv_reads: number
  kv_writes: number
}

/** As D1 counts and bills them, an index's entries included; of a batch that it refused, none. */
export interface Rows {
  read: number
  written: number
}

type Call = (...parameters: unknown[]) => unknown
type Watches = Record<string, (result: unknown) => void>

/** The real bindings, with every call that leaves the isolate counted, and the rows of D1's. */
export function countedBindings(): { bindings: object; calls: Calls; rows: Rows } {
  const calls: Calls = { d1: 0, kv_reads: 0, kv_writes: 0 }
  const rows: Rows = { read: 0, written: 0 }
  const told = (result: unknown) => {
    calls.d1 += 1
    addRows(result as Promise<D1Result | D1Result[]>, rows)
  }
  // These give no meta: the sums become NaN.
  const untold = () => {
    calls.d1 += 1
    rows.read = rows.written = Number.NaN
  }
  const statement = (real: object): object =>
    intercept(real, { run: told, all: told, first: untold, raw: untold }, ['bind'])
  const database = (real: object) =>
    new Proxy(real, {
      get(target, name) {
        const member = Reflect.get(target, name) as Call
        if (name === 'prepare')
          return (sql: string) => statement(member.call(target, sql) as object)
        if (name === 'batch' || name === 'exec') {
          return (first: unknown) => {
            const result = member.call(target, Array.isArray(first) ? first.map(unwrap) : first)
            if (name === 'batch') told(result)
            else untold()
            return result
          }
        }
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  const bindings = {
    ...env,
    KEYS: countedKv(calls),
    DB_DEMO: database(env.DB_DEMO),
  }
  return { bindings, calls, rows }
}

function countedKv(calls: Calls): object {
  const read = () => {
    calls.kv_reads += 1
  }
  const write = () => {
    calls.kv_writes += 1
  }
  const watches = { get: read, getWithMetadata: read, list: read, put: write, delete: write }
  return intercept(env.KEYS, watches)
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

const originals = new WeakMap<object, object>()

function unwrap(value: unknown): unknown {
  return originals.get(value as object) ?? value
}

/** Shows what each such method gives to `watches[name]`; `again` names those whose result is alike. */
function intercept(real: object, watches: Watches, again: string[] = []): object {
  const proxy = new Proxy(real, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        const result = (member as Call).apply(target, parameters)
        watches[String(name)]?.(result)
        return again.includes(String(name)) ? intercept(result as object, watches, again) : result
      }
    },
  })
  originals.set(proxy, real)
  return proxy
}
