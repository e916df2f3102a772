import { env } from 'cloudflare:workers'
import type { RateLimiter } from '../../src/engine/limits/rate-limiter.ts'
import { intercept, type Watch } from '../bindings.ts'
import { pass } from './clock.ts'
import type { CallKind, Fault } from './fault.ts'

type Act = () => unknown
type Late = Extract<Fault, { how: 'late' }>

export interface Faulty {
  /** To ask the Worker with, for one request. */
  bindings: object
  /** What the request has called so far, in order. */
  calls: CallKind[]
  /** The faults that met a call. */
  hits: Fault[]
  /** How long the slowest call of D1 has really taken, in ms, faults aside. */
  slowest: () => number
  /** When nothing that the request has called is still to happen. */
  drained: () => Promise<void>
}

/**
 * The real bindings, with faults: a fault meets the calls of its kind from the `nth` on (0 is the
 * first), `times` in a row. Where several meet one call, the first in the list does.
 */
export function faultyBindings(faults: Fault[]): Faulty {
  const calls: CallKind[] = []
  const hits: Fault[] = []
  let slowest = 0
  const underway = new Set<Promise<unknown>>()
  const follow = (act: Act) => {
    const acting = Promise.resolve(act())
    underway.add(acting)
    const done = () => underway.delete(acting)
    acting.then(done, done)
    return acting
  }
  const timed = (call: Act): Act => {
    return async () => {
      const started = Date.now()
      try {
        return await call()
      } finally {
        slowest = Math.max(slowest, Date.now() - started)
      }
    }
  }
  const watch =
    (kind: CallKind): Watch =>
    (call) => {
      const index = calls.filter((earlier) => earlier === kind).length
      calls.push(kind)
      const fault = faults.find(
        ({ on, nth, times }) => on === kind && index >= nth && index < nth + times,
      )
      const act = () => follow(kind === 'd1' ? timed(call) : call)
      if (!fault) return act()
      hits.push(fault)
      return meet(fault, act, follow)
    }
  return {
    bindings: watchedBindings(watch),
    calls,
    hits,
    slowest: () => slowest,
    drained: async () => {
      while (underway.size > 0) await Promise.allSettled(underway)
    },
  }
}

async function meet(fault: Fault, act: Act, follow: (act: Act) => Promise<unknown>) {
  if (fault.how === 'wrong') return fault.value
  if (fault.how === 'late') return await late(fault, act, follow)
  if (fault.how === 'after' || (fault.how === 'never' && fault.acts)) await act()
  if (fault.how === 'lost') follow(() => pass(fault.ms).then(act)).catch(unheard)
  if (fault.how === 'never') return await new Promise(() => {})
  throw new Error(fault.message)
}

/** Of a call whose caller has been told already that it failed. */
function unheard(): void {}

async function late(fault: Late, act: Act, follow: (act: Act) => Promise<unknown>) {
  if (fault.acts === 'in_the_end') return await follow(() => pass(fault.ms).then(act))
  const result = await act()
  await pass(fault.ms)
  return result
}

function watchedBindings(watch: (kind: CallKind) => Watch): object {
  const statement: Watch = (call) => {
    const asked = watch('d1')
    const watches = { run: asked, all: asked, first: asked, raw: asked, bind: statement }
    return intercept(call() as object, watches)
  }
  const limiter = env.RATE_LIMITER
  return {
    ...env,
    DB_DEMO: intercept(env.DB_DEMO, { prepare: statement, batch: watch('d1') }),
    DB_OTHER: intercept(env.DB_OTHER, { prepare: statement, batch: watch('d1') }),
    KEYS: intercept(env.KEYS, { get: watch('kv_read'), put: watch('kv_write') }),
    DOCUMENTS: intercept(env.DOCUMENTS, {
      put: watch('r2_put'),
      get: watch('r2'),
      list: watch('r2'),
      delete: watch('r2'),
    }),
    FAILED_LOOKUPS: intercept(env.FAILED_LOOKUPS, { limit: watch('rate_limit') }),
    RATE_LIMITER: {
      getByName: (name: string): Pick<RateLimiter, 'take'> => ({
        take: (limit) =>
          watch('durable_object')(() => limiter.getByName(name).take(limit)) as ReturnType<
            RateLimiter['take']
          >,
      }),
    },
  }
}
