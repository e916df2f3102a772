import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  addLog,
  archive,
  archivedRows,
  objectsOf,
  openLog,
  requestsFrom,
} from '../fixtures/archive.ts'
import { intercept } from '../fixtures/bindings.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { recordsOf } from '../fixtures/csv.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { DAY_MS } from '../fixtures/retention.ts'
import { openDashboard } from '../fixtures/session.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { type Answer, type Api, type Json, ORIGIN, openAdmin } from '../fixtures/tenant.ts'

// At 03:00, when the cron's first run is.
const TODAY = Date.now() - (Date.now() % DAY_MS) - DAY_MS + 3 * 60 * 60 * 1000
const ARCHIVED = 6
const HOT = 3
const NAMED = { record_name: 'SO-1' }

let db: D1Database
let admin: Api

beforeEach(async () => {
  db = await openLog()
  admin = await openAdmin()
  await addLog(db, requestsFrom(TODAY - 60 * DAY_MS, ARCHIVED, NAMED))
  await addLog(db, requestsFrom(TODAY - 10 * DAY_MS, HOT, NAMED))
  await addLog(db, requestsFrom(TODAY - DAY_MS, 1))
})

/** The first batch of the next request is then the one of its page. */
const knowCaller = async () => expect((await admin.get('/orders/')).status).toBe(200)

/** Gives the ids of what it archives, oldest first. */
async function archiveOld(): Promise<string[]> {
  await archive(TODAY)
  const rows = await archivedRows(db)
  expect(rows).toHaveLength(ARCHIVED)
  return rows.map(({ request_id }) => request_id)
}

await openLog()
const dashboard = await openDashboard()

describe('GET /audit-log/ without the archive of the log', () => {
  it('is 503 that says that it is not set up', async () => {
    await archiveOld()
    const bindings = { ...env, DOCUMENTS: undefined }
    const answer = await admin.get(`${AUDIT}?record_name=SO-1`, { bindings })
    expectRefusal(answer, 503, 'UNAVAILABLE')
    expect(answer.body.error.reason).toBe('NOT_SET_UP')
  })
})

describe('GET /audit-log/?format=csv', () => {
  it.each([
    ['in one page', 100],
    ['in pages, of which one has rows of both places', 2],
  ])('has the same rows of the archive as before, %s', async (_, limit) => {
    const walk = async () => {
      const found: Json[] = []
      let path: string | undefined = `${AUDIT}?format=csv&record_name=SO-1&limit=${limit}`
      while (path !== undefined) {
        const { status, text, headers } = await admin.get(path)
        expect(status).toBe(200)
        found.push(...recordsOf(text))
        path = /^<(.*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1]?.slice(ORIGIN.length)
      }
      return found
    }
    const before = await walk()
    expect(before).toHaveLength(ARCHIVED + HOT)
    await archiveOld()
    expect(await walk()).toEqual(before)
  })

  it('has a row that moves to the archive after the page has found it', async () => {
    await knowCaller()
    let batches = 0
    // The second batch reads the rows that the first one has found.
    const batch = async (call: () => unknown) => {
      batches += 1
      if (batches === 2) await archive(TODAY)
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const { text } = await admin.get(`${AUDIT}?format=csv&record_name=SO-1`, { bindings })
    expect(recordsOf(text)).toHaveLength(ARCHIVED + HOT)
    expect(await archivedRows(db)).toHaveLength(ARCHIVED)
  })
})

describe('what reads the database only', () => {
  it('says of an archived request so: POST send-again/, GET document/', async () => {
    const [id] = await archiveOld()
    const refusals: [Answer, string][] = [
      [await admin.post(`${AUDIT}${id}/send-again/`, {}), 'one in its archive can not'],
      [await admin.get(`${AUDIT}${id}/document/`), 'its request is in the archive'],
    ]
    for (const [answer, why] of refusals) {
      expectRefusal(answer, 404, 'NOT_FOUND')
      expect(answer.body.error.message).toContain(why)
    }
    expect((await admin.get(`${AUDIT}${id}/`)).status).toBe(200)
  })

  it('is the search, which leads to the audit log', async () => {
    const [id] = await archiveOld()
    const { text } = await dashboard.get(`/dashboard/search/?q=${id}`)
    const link = `/dashboard/audit-log/?request_id=${id}`
    expect(text).toContain(`<a href="${link}">the audit log finds it in its archive</a>`)
    expect((await dashboard.get(link)).text).toContain('SO-1')
    const other = (await dashboard.get('/dashboard/search/?q=no-such-thing')).text
    const reader = await openDashboard(['integrations.*'])
    const unread = (await reader.get(`/dashboard/search/?q=${id}`)).text
    for (const page of [other, unread]) expect(page).not.toContain('in its archive')
  })

  it("is the history on a record's page", async () => {
    const product = (await admin.post('/products/', { sku: 'ARCHIVED' })).body.data
    const page = async () => (await dashboard.get(`/dashboard/products/${product.id}/`)).text
    expect(await page()).not.toContain('in the archive')
    await archiveOld()
    expect(await page()).toContain('Changes that are in the archive of the audit log are not in')
  })

  it('is the overview, whose numbers begin later then', async () => {
    const from = new Date(TODAY - 70 * DAY_MS).toISOString().slice(0, 16)
    const to = new Date(TODAY).toISOString().slice(0, 16)
    const page = async (range: string) => (await dashboard.get(`/dashboard/?${range}`)).text
    const note = 'Older requests of this range are in the archive of the audit log and not counted.'
    const range = `from=${from}&to=${to}`
    expect(await page(range)).not.toContain(note)
    await archiveOld()
    expect(await page(range)).toContain(note)
    expect(await page('range=7d')).not.toContain(note)
  })
})

describe('a page that reaches the archive', () => {
  const bodyless = (read: () => Promise<void>) => async (call: () => unknown) => {
    const object = (await call()) as R2ObjectBody
    const { readable, writable } = new TransformStream()
    const arriving = read().then(() => object.body.pipeTo(writable))
    arriving.catch(() => {})
    return { body: readable }
  }
  const asked = `${AUDIT}?record_name=SO-1`

  it.each([
    ['of a list in the order of rows', '', 'Rows have moved to the archive'],
    ['of a list by a prefix of the name', '&record_name_prefix=SO', 'Not a cursor of this list'],
  ])('takes no cursor %s', async (_, filter, message) => {
    await archiveOld()
    const { next_cursor } = (await admin.get(`${AUDIT}?limit=1${filter}`)).body.pagination
    const { status, body } = await admin.get(`${asked}&cursor=${next_cursor}`)
    expect([status, body.error.fields.cursor[0]]).toEqual([400, expect.stringContaining(message)])
  })

  /** Eleven seconds pass with each object that is read. */
  const slowBucket = () => {
    const clock = Date.now
    let late = 0
    Date.now = () => clock() + late
    onTestFinished(() => {
      Date.now = clock
    })
    const get = async (call: () => unknown) => {
      late += 11_000
      return await call()
    }
    return intercept(env.DOCUMENTS, { get })
  }

  it('is 503 where an object begins and never ends', async () => {
    await archiveOld()
    onTestFinished(speedUpTime())
    const get = bodyless(() => new Promise(() => {}))
    const bindings = { ...env, DOCUMENTS: intercept(env.DOCUMENTS, { get }) }
    expectRefusal(await admin.get(asked, { bindings }), 503, 'UNAVAILABLE')
  })

  it('ends early where R2 is slow, and goes on with the next one', async () => {
    await openLog()
    for (const days of [60, 45, 10, 1])
      await addLog(db, requestsFrom(TODAY - days * DAY_MS, 3, NAMED))
    for (const days of [20, 0]) await archive(TODAY - days * DAY_MS)
    expect(await objectsOf()).toHaveLength(2)
    const bindings = { ...env, DOCUMENTS: slowBucket() }
    const first = (await admin.get(`${asked}&limit=100`, { bindings })).body
    expect(first.data).toHaveLength(9)
    expect(first.pagination.searched_to).toEqual(expect.any(String))
    const { next_cursor } = first.pagination
    const rest = (await admin.get(`${asked}&limit=100&cursor=${next_cursor}`, { bindings })).body
    expect(rest.data).toHaveLength(3)
    expect(rest.pagination.next_cursor).toBeNull()
  })

  it('ends before a row of the database that comes after what it has not read', async () => {
    await openLog()
    const time = TODAY - 60 * DAY_MS
    const at = (minutes: number, count = 1) => requestsFrom(time + minutes * 60_000, count, NAMED)
    // Each time the newest row of all stays, at last one that was stored late.
    await addLog(db, [...at(0, 3), ...at(1)])
    await archive(TODAY)
    await addLog(db, at(-5))
    await archive(TODAY)
    expect(await objectsOf()).toHaveLength(2)
    const bindings = { ...env, DOCUMENTS: slowBucket() }
    const first = (await admin.get(asked, { bindings })).body
    expect(first.data).toHaveLength(1)
    const cursor = first.pagination.next_cursor
    expect((await admin.get(`${asked}&cursor=${cursor}`, { bindings })).body.data).toHaveLength(4)
  })

  it.each([
    ['since its last page', 1],
    ['since its last page, the last row of that page too', HOT + 1],
  ])('says of a list by a prefix that rows have moved %s', async (_, limit) => {
    const byPrefix = `${AUDIT}?record_name_prefix=SO&limit=${limit}`
    const { next_cursor } = (await admin.get(byPrefix)).body.pagination
    await archiveOld()
    const { status, body } = await admin.get(`${byPrefix}&cursor=${next_cursor}`)
    expect([status, body.error.fields.cursor[0]]).toEqual([
      400,
      expect.stringMatching(/have moved/),
    ])
  })

  it('shows no row twice that moves while the page is read', async () => {
    await openLog()
    for (const days of [60, 45, 10]) await addLog(db, requestsFrom(TODAY - days * DAY_MS, 3, NAMED))
    await archive(TODAY - 20 * DAY_MS)
    await knowCaller()
    let batches = 0
    // The second batch looks for the objects of the archive.
    const batch = async (call: () => unknown) => {
      batches += 1
      if (batches === 2) await archive(TODAY)
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const { data } = (await admin.get(asked, { bindings })).body
    expect(await objectsOf()).toHaveLength(2)
    expect(new Set(data.map(({ request_id }: Json) => request_id)).size).toBe(data.length)
    expect(data).toHaveLength(9)
  })
})
