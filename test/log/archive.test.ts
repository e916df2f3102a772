import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addLog,
  archive,
  archivedRows,
  countHot,
  daysBefore,
  emptyLog,
  everyId,
  HOT_DAYS,
  objectsOf,
  openLog,
  requestsFrom,
} from '../fixtures/archive.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import { DAY_MS, NOW } from '../fixtures/retention.ts'
import { AUDIT, WORKSPACE } from '../fixtures/settings.ts'
import { type Api, type Json, openAdmin, unique } from '../fixtures/tenant.ts'

const ROWS_MAX = 10_000
const HOUR_MS = 60 * 60 * 1000
/** An id that tells no time. */
const UNTIMED = '0d6f8a52-5b5e-4c0b-9d8e-3f6a1c2b4d5e'
const KEPT_FOR_90_DAYS = '{"of":"all","days":90,"redact":[]}'

let db: D1Database
let admin: Api

beforeEach(async () => {
  db = await openLog()
  admin = await openAdmin()
})

const ids = async () => await everyId(db)
const cutoff = daysBefore(HOT_DAYS)

describe('the daily cron', () => {
  it('moves rows older than audit_hot_days to R2, whole', async () => {
    await addLog(db, requestsFrom(daysBefore(60), 30, { message: 'ü\n📦', error_fields: '\na\n' }))
    await addLog(db, requestsFrom(daysBefore(10), 5))
    const { results: before } = await db.prepare('select * from audit_log order by seq').all()
    const [line] = await archive()
    expect(line).toMatchObject({ level: 'log', rows_archived: 30, failed: 0, unfinished: 0 })
    expect(await countHot(db)).toBe(5)
    const rows = await archivedRows(db)
    const told = before.slice(0, 30).map((row) => ({ ...row, dry_run: false }))
    expect(rows.map((row) => ({ ...told[0], ...row }))).toEqual(told)
    const [key] = await objectsOf()
    expect(key).toMatch(
      /^demo\/audit\/\d{8}T\d{6}\.\d{3}Z_\d{8}T\d{6}\.\d{3}Z_\d+-\d+_[0-9a-f]{16}\.ndjson\.gz$/,
    )
  })

  it('moves no row that is younger, and leaves fewer than 10,000 until the oldest waits for a week', async () => {
    await addLog(db, requestsFrom(cutoff - 6 * DAY_MS, 20))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    const before = await ids()
    await archive()
    expect(await objectsOf()).toEqual([])
    await archive(NOW + 2 * DAY_MS)
    expect(await archivedRows(db)).toHaveLength(20)
    expect(await ids()).toEqual(before)
  })

  itInDeep(
    'makes objects of 10,000 rows, the oldest first, and leaves the newest row of all',
    async () => {
      await addLog(db, requestsFrom(daysBefore(100), 2 * ROWS_MAX + 500))
      const before = await ids()
      const lines = await archive()
      expect(lines.reduce((sum, line) => sum + line.rows_archived, 0)).toBe(2 * ROWS_MAX + 499)
      expect(await countHot(db)).toBe(1)
      expect(await ids()).toEqual(before)
      const { results } = await db
        .prepare('select rows from audit_archives order by last_seq')
        .all()
      expect(results.map(({ rows }) => rows)).toEqual([ROWS_MAX, ROWS_MAX, 499])
    },
  )

  it.each(
    sample(
      [
        ['audit_hot_days are as many as the retention', 'audit_retention_days = 30'],
        ['so long requests can be undone', 'undo_days = 90'],
        ['so long documents are kept', `keep_documents = '${KEPT_FOR_90_DAYS}'`],
      ],
      1,
    ),
  )('leaves rows in the database where %s', async (_, setting) => {
    // More than the retention deletes before the archive has its turn.
    await addLog(db, requestsFrom(daysBefore(50), 5001))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    await db.exec(`update workspace set ${setting}`)
    await archive()
    expect(await objectsOf()).toEqual([])
    await db.exec('update workspace set undo_days = 7, keep_documents = null')
  })

  it('leaves rows in the database where so long documents of a partner are kept', async () => {
    await addLog(db, requestsFrom(daysBefore(50), 3))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    const { id } = (await admin.post('/api/settings/v1/partners/', { name: unique('P') })).body.data
    const keep = db.prepare('update partners set keep_documents = ? where id = ?')
    await keep.bind(KEPT_FOR_90_DAYS, id).run()
    await archive()
    expect(await objectsOf()).toEqual([])
    await keep.bind(null, id).run()
  })

  it('archives nothing without a bucket, and deletes as ever', async () => {
    await addLog(db, requestsFrom(daysBefore(400), 3))
    await addLog(db, requestsFrom(daysBefore(50), 3))
    const { DOCUMENTS, ...without } = env
    expect(await archive(NOW, without)).toEqual([])
    expect([await countHot(db), await objectsOf()]).toEqual([3, []])
  })

  it('gives no seq twice', async () => {
    await addLog(db, requestsFrom(daysBefore(60), 3))
    await archive()
    await addLog(db, requestsFrom(daysBefore(50), 1))
    const { seq } = (await db.prepare('select max(seq) as seq from audit_log').first()) as {
      seq: number
    }
    const rows = await archivedRows(db)
    expect(rows.every((row) => row.seq < seq)).toBe(true)
  })

  it('deletes an object when all of its rows are past the retention, also one that no database names', async () => {
    await addLog(db, requestsFrom(daysBefore(300), 3))
    await addLog(db, requestsFrom(daysBefore(200), 1))
    await archive(daysBefore(200))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    await archive(daysBefore(10))
    const [first = '', second] = await objectsOf()
    const orphan = first.replace(/_[0-9a-f]{16}/, '_0123456789abcdef')
    await env.DOCUMENTS.put(orphan, 'x')
    const [line] = await archive(NOW + 66 * DAY_MS)
    expect(line).toMatchObject({ rows_deleted: 3, objects_deleted: 2 })
    expect(await objectsOf()).toEqual([second])
  })

  it.each(
    sample(
      [
        ['changes', "update audit_log set document_reason = 'deleted'", 4, 3],
        ['is deleted', 'delete from audit_log', 3, 2],
      ],
      1,
    ),
  )('archives no row when one %s while its object is stored', async (_, change, hot, later) => {
    await addLog(db, requestsFrom(daysBefore(60), 3))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    const put: Watch = async (call) => {
      await db.exec(`${change} where seq = (select min(seq) from audit_log)`)
      return await call()
    }
    const changing = intercept(env.DOCUMENTS, { put })
    await archive(NOW, { ...env, DOCUMENTS: changing })
    expect([await countHot(db), await archivedRows(db)]).toEqual([hot, []])
    expect(await db.prepare('select * from archived_key_uses').first()).toBeNull()
    const before = (await db.prepare('select document_reason from audit_log limit 3').all()).results
    await archive()
    const told = (await archivedRows(db)).map(({ document_reason = null }) => ({ document_reason }))
    expect(told).toEqual(before.slice(0, later))
    expect(await countHot(db)).toBe(1)
  })

  it.each([
    ['below', 0],
    ['equal to', -1],
  ])('archives no row whose seq is %s that of the last archived one', async (_, nth) => {
    await addLog(db, requestsFrom(daysBefore(60), 3))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    await archive()
    const rows = await archivedRows(db)
    await addLog(db, requestsFrom(daysBefore(60), 1))
    await db.exec(`update audit_log set seq = ${rows.at(nth)?.seq} where created_at < '2026-10-01'`)
    await archive()
    expect([await countHot(db), await archivedRows(db)]).toEqual([2, rows])
  })

  itInDeep('does no harm when two run at once', async () => {
    await addLog(db, requestsFrom(daysBefore(100), ROWS_MAX + 50))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    const before = await ids()
    await Promise.all([archive(), archive(), archive(NOW + HOUR_MS)])
    expect(await ids()).toEqual(before)
    expect(await countHot(db)).toBe(1)
  })
})

describe('a row of the archive', () => {
  const found = async (id: string) => await admin.get(`${AUDIT}${id}/`)

  it('is found by its id, with all that it says, whatever the id tells of its time', async () => {
    const time = daysBefore(60)
    const timed = `${time
      .toString(16)
      .padStart(12, '0')
      .replace(/(.{8})/, '$1-')}-7abc-8abc-0123456789ab`
    const said = { message: 'because', error_fields: '\na\n', status: 404, record_name: 'SO-1' }
    await addLog(db, [
      ...requestsFrom(time, 1, { request_id: timed, ...said }),
      ...requestsFrom(time + 1000, 1, { request_id: UNTIMED, ...said }),
      ...requestsFrom(daysBefore(1), 1),
    ])
    const before = [await found(timed), await found(UNTIMED)]
    await archive()
    expect(await objectsOf()).toHaveLength(1)
    const after = [await found(timed), await found(UNTIMED)]
    expect(after.map(({ body }) => body)).toEqual(before.map(({ body }) => body))
    expect((await found(timed.replace('7abc', '7abd'))).status).toBe(404)
  })

  it('cannot be undone, for the reason that it had before', async () => {
    await addLog(db, requestsFrom(daysBefore(60), 1, { request_id: UNTIMED, method: 'PUT' }))
    await addLog(db, requestsFrom(daysBefore(1), 1))
    const told = async () => [
      await admin.get(`${AUDIT}${UNTIMED}/changes/`),
      await admin.post(`${AUDIT}${UNTIMED}/undo/`, {}),
    ]
    const reasons = async () =>
      (await told()).map(({ status, body }) => {
        const message: string = body.warnings?.[0].message ?? body.error.message
        return [status, message.replaceAll(/since \S+/g, 'since then')]
      })
    const before = await reasons()
    expect(before.map(([status]) => status)).toEqual([200, 400])
    await archive()
    expect(await objectsOf()).toHaveLength(1)
    expect(await reasons()).toEqual(before)
  })

  it('tells when its key was last used, also when an earlier request moves later', async () => {
    const { id } = (await admin.post('/api/settings/v1/api-keys/', { name: 'unused' })).body.data
    const version = (await admin.get(WORKSPACE)).body.data.settings_version
    await db.exec('delete from audit_log')
    const time = daysBefore(60)
    const used = (at: number) => requestsFrom(at, 1, { api_key_id: id })
    // The newest row of all stays.
    await addLog(db, [...used(time - DAY_MS), ...used(time), ...used(time - 60_000)])
    await archive()
    await addLog(db, requestsFrom(daysBefore(1), 1))
    await archive()
    expect(await archivedRows(db)).toHaveLength(3)
    const key = (await admin.get(`/api/settings/v1/api-keys/${id}/`)).body.data
    expect(key.last_used_at).toBe(new Date(time).toISOString())
    expect((await admin.get(WORKSPACE)).body.data.settings_version).toBe(version)
  })

  it('is not shown any longer when it is past the retention', async () => {
    await addLog(db, requestsFrom(Date.now() - 100 * DAY_MS, 2, { record_name: 'OLD' }))
    await addLog(db, requestsFrom(Date.now() - 50 * DAY_MS, 2, { record_name: 'OLD' }))
    await addLog(db, requestsFrom(Date.now() - DAY_MS, 1))
    await archive(Date.now() - (Date.now() % DAY_MS) + 3 * HOUR_MS)
    expect(await archivedRows(db)).toHaveLength(4)
    const list = async () => (await admin.get(`${AUDIT}?record_name=OLD`)).body.data
    expect(await list()).toHaveLength(4)
    await admin.put(WORKSPACE, { audit_retention_days: 70 })
    expect(await list()).toHaveLength(2)
    expect(
      (await admin.get(`${AUDIT}?limit=200`)).body.data.filter(
        ({ record_name }: { record_name: string }) => record_name === 'OLD',
      ),
    ).toHaveLength(2)
    await emptyLog(db)
  })

  it('is told to be out of reach, where the bucket does not answer or has lost it', async () => {
    await addLog(db, requestsFrom(daysBefore(60), 2, { record_name: 'SO-9' }))
    await addLog(db, requestsFrom(daysBefore(1), 1, { record_name: 'SO-9' }))
    await archive()
    const asked = `${AUDIT}?record_name=SO-9`
    const { DOCUMENTS, ...without } = env
    expect((await admin.get(asked, { bindings: without })).body.error.code).toBe('UNAVAILABLE')
    expect((await admin.get(`${asked}&limit=1`, { bindings: without })).status).toBe(503)
    expect((await admin.get(`${AUDIT}?limit=1`, { bindings: without })).status).toBe(200)
    for (const key of await objectsOf()) await env.DOCUMENTS.delete(key)
    const { status, body } = await admin.get(asked)
    expect([status, body.error.message]).toEqual([503, expect.stringContaining('lacks an object')])
  })
})

describe('a page of the log', () => {
  it('of a range has what is in the range, where a later object has earlier rows', async () => {
    const time = daysBefore(60)
    const named = (at: number) => requestsFrom(at, 2, { record_name: 'SO-1' })
    await addLog(db, [...named(time), ...named(time - 60_000)])
    await archive()
    await addLog(db, requestsFrom(daysBefore(1), 1))
    await archive()
    expect(await objectsOf()).toHaveLength(2)
    const from = new Date(time - 120_000).toISOString()
    const { body } = await admin.get(`${AUDIT}?record_name=SO-1&from=${from}`)
    expect(body.data).toHaveLength(4)
  })

  // By time, a row of the archive comes between rows of the database that began before it and were stored after it.
  it.each(
    sample(
      [
        ['a key', { api_key_id: 'k' }],
        ['a partner', { partner_id: 'p' }],
        ['a record', { record_name: 'SO-1' }],
      ],
      1,
    ),
  )('of %s has rows of the database and of the archive in order of their times', async (_, of) => {
    // Rows of the last ten minutes before the cut-off wait, since others may be stored that late.
    const minute = (minutes: number) => new Date(cutoff + (minutes - 10) * 60_000).toISOString()
    const archived = [-8 * 24 * 60, -1, -0.5, -0.5].map(minute)
    const stored = [...archived, ...[1, 2, -5, 3, -0.5, 5, -6].map(minute)]
    const members = { api_key_id: 'k', partner_id: 'p', record_name: 'SO-1' }
    await addLog(
      db,
      stored.map((created_at) => ({ created_at, ...members })),
    )
    await addLog(db, requestsFrom(daysBefore(1), 1))
    const walk = async (limit: number) => {
      const found: Json[] = []
      let cursor = ''
      do {
        const query = new URLSearchParams({ ...of, limit: `${limit}`, ...(cursor && { cursor }) })
        const { body } = await admin.get(`${AUDIT}?${query}`)
        found.push(...body.data.map(({ request_id }: Json) => request_id))
        cursor = body.pagination.next_cursor ?? ''
      } while (cursor)
      return found
    }
    const expected = await walk(100)
    expect(expected).toHaveLength(stored.length)
    await archive()
    expect(await archivedRows(db)).toHaveLength(archived.length)
    for (const limit of [1, 2, 3, 4, 100]) expect(await walk(limit)).toEqual(expected)
  })
})
