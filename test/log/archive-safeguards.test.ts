import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addLog,
  archive,
  archivedRows,
  countHot,
  daysBefore,
  emptyLog,
  objectsOf,
  openLog,
  requestsFrom,
} from '../fixtures/archive.ts'
import { intercept } from '../fixtures/bindings.ts'
import { inDeepPass, itInDeep } from '../fixtures/depth.ts'
import { openTenant } from '../fixtures/tenant.ts'

const ROWS = 3
const ROWS_MAX = 10_000
const MEGABYTE = 1_000_000

let db: D1Database

beforeEach(async () => {
  db = await openLog()
  await addLog(db, requestsFrom(daysBefore(60), ROWS))
})

/** The bucket with another put, which has the real one's parameters. */
function bucketWith(put: (...parameters: Parameters<R2Bucket['put']>) => unknown): object {
  const real = env.DOCUMENTS
  return {
    put,
    get: real.get.bind(real),
    list: real.list.bind(real),
    delete: real.delete.bind(real),
  }
}

const addNewest = async () => await addLog(db, requestsFrom(daysBefore(1), 1))

describe('a chunk of the log', () => {
  it('stays in the database where R2 gets other bytes than were sent', async () => {
    await addNewest()
    const DOCUMENTS = bucketWith((key, bytes, options) =>
      env.DOCUMENTS.put(key, (bytes as ArrayBuffer).slice(1), options),
    )
    const [line] = await archive(undefined, { ...env, DOCUMENTS })
    expect(line).toMatchObject({ level: 'error', failed: 1, rows_archived: 0 })
    expect([await countHot(db), await objectsOf()]).toEqual([ROWS + 1, []])
  })

  it('takes the place of an object of its name that has something else', async () => {
    await addNewest()
    const DOCUMENTS = bucketWith(async (key, ...rest) => {
      await env.DOCUMENTS.put(key, 'something else')
      return await env.DOCUMENTS.put(key, ...rest)
    })
    await archive(undefined, { ...env, DOCUMENTS })
    expect([await countHot(db), (await archivedRows(db)).length]).toEqual([1, ROWS])
  })

  it.each(['before', 'after'])(
    'is moved in the same run where the database loses the connection %s it moves',
    async (when) => {
      await addNewest()
      let faults = 0
      let isStored = false
      const DOCUMENTS = bucketWith(async (...parameters) => {
        await env.DOCUMENTS.put(...parameters)
        isStored = true
      })
      const batch = async (call: () => unknown) => {
        if (!isStored || faults === 1) return await call()
        faults += 1
        if (when === 'after') await call()
        throw new Error('D1_ERROR: Network connection lost.')
      }
      const bindings = { DB_DEMO: intercept(env.DB_DEMO, { batch }), KEYS: env.KEYS, DOCUMENTS }
      const [line] = await archive(undefined, bindings)
      expect([line?.failed, faults]).toEqual([0, 1])
      expect([await countHot(db), (await archivedRows(db)).length]).toEqual([1, ROWS])
    },
  )

  itInDeep('has 8 MiB of text at most', async () => {
    const wide = requestsFrom(daysBefore(59), 12, { message: 'x'.repeat(MEGABYTE) })
    for (const row of wide) await addLog(db, [row])
    await addNewest()
    await archive()
    const { results } = await db.prepare('select rows from audit_archives order by last_seq').all()
    expect(results.map(({ rows }) => rows)).toEqual([ROWS + 8, 4])
  })

  it('is read a megabyte at a time, so that wide rows do not fill the memory', async () => {
    await addLog(db, requestsFrom(daysBefore(59), 60, { message: 'x'.repeat(MEGABYTE / 10) }))
    await addNewest()
    let widest = 0
    const batch = async (call: () => unknown) => {
      const results = (await call()) as D1Result[]
      for (const { results: rows } of results)
        widest = Math.max(widest, JSON.stringify(rows).length)
      return results
    }
    const DB_DEMO = intercept(env.DB_DEMO, { batch })
    await archive(undefined, { ...env, DB_DEMO })
    expect(await archivedRows(db)).toHaveLength(ROWS + 60)
    expect(widest).toBeLessThan(1.2 * MEGABYTE)
  })

  it('fails where the deletion takes some of its rows meanwhile, and a later run moves the others', async () => {
    await addNewest()
    let puts = 0
    const DOCUMENTS = bucketWith(async (...parameters) => {
      puts += 1
      if (puts === 1)
        await db.exec('delete from audit_log where seq = (select min(seq) from audit_log)')
      return await env.DOCUMENTS.put(...parameters)
    })
    const [line] = await archive(undefined, { ...env, DOCUMENTS })
    expect(line).toMatchObject({ level: 'error', failed: 1, rows_archived: 0 })
    expect(line?.failures).toEqual([expect.objectContaining({ name: 'LogChanged' })])
    await archive(undefined, { ...env, DOCUMENTS })
    expect([await countHot(db), (await archivedRows(db)).length]).toEqual([1, ROWS - 1])
  })

  it('is in memory alone, whichever tenants have one', async () => {
    await addNewest()
    const other = await openTenant('other')
    await emptyLog(other, 'other')
    await addLog(other, [...requestsFrom(daysBefore(60), ROWS), ...requestsFrom(daysBefore(1), 1)])
    let now = 0
    let most = 0
    const DOCUMENTS = bucketWith(async (...parameters) => {
      most = Math.max(most, ++now)
      await scheduler.wait(50)
      now -= 1
      return await env.DOCUMENTS.put(...parameters)
    })
    await archive(undefined, { ...env, DOCUMENTS })
    expect([await countHot(db), await countHot(other), most]).toEqual([1, 1, 1])
  })
})

inDeepPass(() => {
  describe('the archive, where much is to do', () => {
    it('does not try a full chunk again and again that cannot be moved', async () => {
      await addLog(db, requestsFrom(daysBefore(59), ROWS_MAX))
      await addNewest()
      let puts = 0
      const DOCUMENTS = bucketWith(async (...parameters) => {
        puts += 1
        await db.exec('delete from audit_log where seq = (select min(seq) from audit_log)')
        return await env.DOCUMENTS.put(...parameters)
      })
      await archive(undefined, { DB_DEMO: env.DB_DEMO, KEYS: env.KEYS, DOCUMENTS })
      expect(puts).toBe(1)
    })

    it('deletes more expired objects than one call does', async () => {
      const name = (n: number) =>
        `demo/audit/20200101T000000.000Z_20200101T000000.000Z_${n}-${n}_0123456789abcdef.ndjson.gz`
      await Promise.all(Array.from({ length: 1001 }, (_, n) => env.DOCUMENTS.put(name(n + 1), 'x')))
      const lines = await archive()
      expect(lines.reduce((sum, line) => sum + line.objects_deleted, 0)).toBe(1001)
      expect((await objectsOf()).filter((key) => key.includes('/2020'))).toEqual([])
    })
  })
})
