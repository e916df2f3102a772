import { env } from 'cloudflare:workers'
import { addRows, linesOf, NOW, other, TURNS } from '../../fixtures/retention.ts'
import type { Json } from '../../fixtures/tenant.ts'

const RUN_MS = 10 * 60 * 1000

/** When the day's run number `n` is due: the first one at 03:07. */
export const dueAt = (n: number) => NOW + 7 * 60 * 1000 + n * RUN_MS

/** The number under which it is stored. */
export const runOf = (n: number) => Math.floor((dueAt(n) - 3 * 60 * 60 * 1000) / RUN_MS)

export interface Crowd {
  /** By name, each in a real database's words. A test may replace one. */
  databases: Record<string, object>
  /** The names in the order in which they were asked. */
  asked: string[]
  /** D1 queries so far. */
  queries: () => number
}

/**
 * So many tenants `t-0001` and on. They share one answer of a real database: asking it thousands of times would
 * tell nothing more. Those of `busy` delete `rows` each time they are asked.
 */
export async function crowd(size: number, busy: string[] = [], rows = 0): Promise<Crowd> {
  const calm = await answerOf(0)
  const full = rows === 0 ? calm : await answerOf(rows)
  const asked: string[] = []
  let queries = 0
  const databases = names(size).map((name) => {
    const answer = busy.includes(name) ? full : calm
    const batch = async (statements: unknown[]) => {
      asked.push(name)
      queries += statements.length
      return answer.slice(0, statements.length)
    }
    return [name, { prepare: other.prepare.bind(other), batch }]
  })
  return { databases: Object.fromEntries(databases), asked, queries: () => queries }
}

export const names = (size: number) =>
  Array.from({ length: size }, (_, index) => `DB_T_${String(index + 1).padStart(4, '0')}`)

async function answerOf(rows: number): Promise<D1Result[]> {
  if (rows > 0) await addRows(other, NOW, rows)
  return await other.batch([
    other.prepare('delete from audit_log'),
    other.prepare('delete from replaced_values returning changed_in, 0 as bytes'),
    other.prepare('delete from settings_history'),
  ])
}

/** How often each was asked. */
export function timesOf(asked: string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const name of asked) times.set(name, (times.get(name) ?? 0) + 1)
  return times
}

/** The runs `from` to `to` of the day, without those that are left out. Gives their lines. */
export async function runs(
  bindings: object,
  from: number,
  to: number,
  leftOut: number[] = [],
): Promise<Json[]> {
  const lines: Json[] = []
  for (let n = from; n <= to; n++) {
    if (!leftOut.includes(n)) lines.push(...(await linesOf(dueAt(n), bindings)))
  }
  return lines
}

/** The run before the day's first one has ended, and nothing is left of it. */
export async function allDone(tenants: number): Promise<void> {
  await env.KEYS.put(TURNS, JSON.stringify({ run: runOf(-1), tenants, left: {} }))
}
