import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addLog,
  archive,
  archivedRows,
  everyId,
  objectsOf,
  openLog,
  requestsFrom,
} from '../fixtures/archive.ts'
import { intercept } from '../fixtures/bindings.ts'
import { DAY_MS } from '../fixtures/retention.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { type Api, type Json, openAdmin } from '../fixtures/tenant.ts'

// At 03:00, when the cron's first run is.
const TODAY = Date.now() - (Date.now() % DAY_MS) - DAY_MS + 3 * 60 * 60 * 1000
const OLD = TODAY - 60 * DAY_MS
const SHOP = { api_key_id: 'shop' }

let db: D1Database
let admin: Api

beforeEach(async () => {
  db = await openLog()
  admin = await openAdmin()
})

/** The ids on all pages, and how many pages there are. */
async function walk(filters: string, bindings: object = env) {
  const ids: string[] = []
  let [cursor, pages]: [string | null, number] = ['', 0]
  while (cursor !== null) {
    const path = `${AUDIT}?limit=100&${filters}${cursor && `&cursor=${cursor}`}`
    const { body } = await admin.get(path, { bindings })
    ids.push(...body.data.map(({ request_id }: Json) => request_id))
    cursor = body.pagination.next_cursor
    pages += 1
  }
  return { ids, pages }
}

describe('a list of the audit log whose archive has more objects than a page reads', () => {
  const OBJECTS = 23

  it('has each row once, by the status, by a key, and by both', async () => {
    for (let n = 0; n <= OBJECTS; n += 1) {
      // The newest row of all stays, so each object begins with the last row of the round before.
      await addLog(db, requestsFrom(OLD + n * 60_000, 2, { ...SHOP, status: 404 }))
      await archive(TODAY)
    }
    expect((await objectsOf()).length).toBeGreaterThan(OBJECTS)
    const all = (await everyId(db)).toReversed()
    for (const filters of ['status=404', 'api_key_id=shop', 'api_key_id=shop&status=404']) {
      const { ids, pages } = await walk(filters)
      expect(pages, filters).toBeGreaterThan(1)
      expect(ids, filters).toEqual(all)
    }
  })
})

describe('a look-up along an index, in a long log', () => {
  it('finds the rows that move to the archive between its two reads', async () => {
    await addLog(db, requestsFrom(OLD, 5, { ...SHOP, status: 404 }))
    await addLog(db, requestsFrom(OLD + 10_000, 104_995, SHOP))
    await addLog(db, requestsFrom(TODAY - DAY_MS, 1))
    expect((await admin.get('/orders/')).status).toBe(200)
    let batches = 0
    const batch = async (call: () => unknown) => {
      batches += 1
      if (batches === 2) await archive(TODAY)
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const { ids } = await walk('api_key_id=shop&status=404', bindings)
    expect((await archivedRows(db)).length).toBeGreaterThan(0)
    expect(ids).toHaveLength(5)
  })
})
