import { env } from 'cloudflare:workers'

export interface Calls {
  d1: number
  kv_reads: number
}

type Call = (...parameters: unknown[]) => unknown

/** The real bindings, with every call that leaves the isolate counted. */
export function countedBindings(): { bindings: object; calls: Calls } {
  const calls: Calls = { d1: 0, kv_reads: 0 }
  const countD1 = () => {
    calls.d1 += 1
  }
  const statement = (real: object): object =>
    intercept(real, { run: countD1, all: countD1, first: countD1, raw: countD1 }, ['bind'])
  const database = (real: object) =>
    new Proxy(real, {
      get(target, name) {
        const member = Reflect.get(target, name) as Call
        if (name === 'prepare')
          return (sql: string) => statement(member.call(target, sql) as object)
        if (name === 'batch' || name === 'exec') {
          return (first: unknown) => {
            countD1()
            return member.call(target, Array.isArray(first) ? first.map(unwrap) : first)
          }
        }
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  const countKv = () => {
    calls.kv_reads += 1
  }
  const bindings = {
    ...env,
    KEYS: intercept(env.KEYS, { get: countKv, getWithMetadata: countKv, list: countKv }),
    DB_DEMO: database(env.DB_DEMO),
  }
  return { bindings, calls }
}

const originals = new WeakMap<object, object>()

function unwrap(value: unknown): unknown {
  return originals.get(value as object) ?? value
}

/** Calls `before[name]` ahead of each such method; `again` names methods whose result is alike. */
function intercept(real: object, before: Record<string, () => void>, again: string[] = []): object {
  const proxy = new Proxy(real, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        before[String(name)]?.()
        const result = (member as Call).apply(target, parameters)
        return again.includes(String(name)) ? intercept(result as object, before, again) : result
      }
    },
  })
  originals.set(proxy, real)
  return proxy
}
