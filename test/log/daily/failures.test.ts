import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { speedUpTime } from '../../fixtures/clock.ts'
import { inDeepPass, itInDeep } from '../../fixtures/depth.ts'
import { keysWith } from '../../fixtures/kept-documents.ts'
import { demo, interrupted, linesOf, NOW, other } from '../../fixtures/retention.ts'
import type { Json } from '../../fixtures/tenant.ts'
import { allDone, crowd, dueAt, names, runs, timesOf } from './crowd.ts'

const TENANTS = 200
const RUNS_A_DAY = 144
const LAST = RUNS_A_DAY - 1
// Of six connections four work, and one is left for what the run stores.
const UNANSWERED_MAX = 5

describe('a tenant whose database never answers', () => {
  const keepsNobody = async (count: number, until: number) => {
    const { databases, asked } = await crowd(TENANTS)
    await allDone(TENANTS)
    const silent = names(TENANTS).slice(5, 5 + count)
    let unanswered = 0
    for (const name of silent) {
      const { prepare } = databases[name] as D1Database
      const batch = () => {
        asked.push(name)
        unanswered += 1
        return new Promise(() => {})
      }
      databases[name] = { prepare, batch }
    }
    onTestFinished(speedUpTime())
    const lines: Json[] = []
    for (let n = 0; n <= until; n++) {
      unanswered = 0
      lines.push(...(await linesOf(dueAt(n), databases)))
      expect(unanswered).toBeLessThanOrEqual(UNANSWERED_MAX)
    }
    const times = timesOf(asked)
    const others = names(TENANTS).filter((name) => !silent.includes(name))
    expect(others.map((name) => times.get(name))).toEqual(others.map(() => 1))
    // At its turn, and in three later runs.
    expect(silent.map((name) => times.get(name))).toEqual(silent.map(() => 4))
    const failed = lines.find((line) => line.failed > 0)
    expect(failed?.failures[0]).toEqual({ tenant: expect.any(String), name: 'TimedOut' })
  }

  it('keeps none of the others from their turn', () => keepsNobody(1, 8))

  itInDeep('keeps none of them from it if there are eight such', () => keepsNobody(8, 15))

  itInDeep('keeps none of them from it if there are sixty such', () => keepsNobody(60, LAST))
})

describe('a tenant that fails', () => {
  const fail = () => {
    throw new Error('Network connection lost')
  }

  it('is tried in the next three runs, after all others, and then at its turn of the next day', async () => {
    const { databases, asked } = await crowd(TENANTS)
    await allDone(TENANTS)
    const [name = ''] = names(TENANTS)
    const tried: number[] = []
    let n = 0
    const failing = () => {
      tried.push(n)
      if (n > 0 && n < 4) expect(asked).toHaveLength((n + 1) * 50 - 1)
      fail()
    }
    const bindings = { ...databases, [name]: interrupted(databases[name] as D1Database, failing) }
    for (n of [0, 1, 2, 3, 4, 5, LAST, RUNS_A_DAY]) {
      const [line] = await linesOf(dueAt(n), bindings)
      if (n === 3) expect(line).toMatchObject({ level: 'error', tenants: 51, failed: 1 })
      if (n === 4) expect(line).toBeUndefined()
    }
    expect(tried).toEqual([0, 1, 2, 3, RUNS_A_DAY])
  })

  itInDeep('is done in the next run, if it does not fail again', async () => {
    const { databases, asked } = await crowd(TENANTS)
    await allDone(TENANTS)
    const [name = ''] = names(TENANTS)
    let tries = 0
    const failOnce = () => {
      tries += 1
      if (tries === 1) fail()
    }
    const failing = interrupted(databases[name] as D1Database, failOnce)
    await runs({ ...databases, [name]: failing }, 0, 6)
    expect([tries, timesOf(asked).size]).toEqual([2, TENANTS])
  })
})

describe('a run whose time is over', () => {
  it('leaves the rest to the next one', async () => {
    const { databases, asked } = await crowd(12)
    await allDone(12)
    const clock = vi.spyOn(Date, 'now')
    const start = Date.now()
    const takeMinutes = () => {
      clock.mockReturnValue(start + (asked.length + 1) * 3 * 60 * 1000)
    }
    const slow = Object.entries(databases).map(([name, db]) => [
      name,
      interrupted(db as D1Database, takeMinutes),
    ])
    const [line] = await runs(Object.fromEntries(slow), 0, 0)
    clock.mockRestore()
    expect(asked.length).toBeLessThan(12)
    expect(line).toMatchObject({ batches: asked.length, not_reached: 12 - asked.length })
    await runs(databases, 1, 1)
    expect(asked.toSorted()).toEqual(names(12))
  })
})

inDeepPass(() => {
  describe('documents', () => {
    const put = (tenant: string, owner: string, day = '2026-11-10') =>
      env.DOCUMENTS.put(`${tenant}/documents/${day}/${owner}/1`, 'x')

    it('of a tenant for which R2 never answers keep no other job and tenant from theirs', async () => {
      await put('demo', 'gone')
      await put('other', 'gone')
      let calls = 0
      const bucket = env.DOCUMENTS
      const list = (options: R2ListOptions) => {
        if (options.prefix?.includes('/documents/')) calls += 1
        return calls === 1 && options.prefix?.includes('/documents/')
          ? new Promise(() => {})
          : bucket.list(options)
      }
      const DOCUMENTS = { list, delete: bucket.delete.bind(bucket) }
      onTestFinished(speedUpTime())
      const bindings = { DB_DEMO: demo, DB_OTHER: other }
      const lines = await linesOf(NOW, { ...bindings, DOCUMENTS })
      expect(lines).toMatchObject([
        { event: 'audit_retention', tenants: 2, failed: 0, unfinished: 0 },
        { event: 'audit_archive', tenants: 2, failed: 0, unfinished: 0 },
        { event: 'document_retention', tenants: 2, failed: 1, documents_deleted: 1 },
      ])
      // The next run has only what is left.
      const later = await linesOf(dueAt(1), { ...bindings, DOCUMENTS: env.DOCUMENTS })
      expect(later).toMatchObject([
        { event: 'document_retention', tenants: 1, documents_deleted: 1 },
      ])
      expect(await keysWith('/gone/')).toEqual([])
    })

    it('that take more calls than a chunk has are deleted in chunks', async () => {
      const owners = Array.from({ length: 210 }, (_, n) => `gone-${n}`)
      await Promise.all(owners.map((owner) => put('demo', owner)))
      const lines = await linesOf(NOW, { DB_DEMO: demo, DOCUMENTS: env.DOCUMENTS })
      expect(lines[2]).toMatchObject({ documents_deleted: 210, unfinished: 0, failed: 0 })
      // Two for each owner, and for each of two chunks one that lists the days and one that lists the owners.
      expect(lines[2]?.calls).toBe(424)
      expect(await keysWith('/gone-')).toEqual([])
    })
  })
})
