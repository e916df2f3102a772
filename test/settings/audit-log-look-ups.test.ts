import { beforeAll, describe, expect, it } from 'vitest'
import { byDepth } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { rowsRead } from '../fixtures/pages-read.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, type Json, unique } from '../fixtures/tenant.ts'

// A look-up that has no index compares at most this many rows for a page.
const COMPARED_MAX = 100_000
const READ_MAX = 200_000
// Some rows for each pair of a key and a partner that the log has: here three.
const OF_CALLERS_MAX = 25
const ROWS = byDepth(40_000, 1_000_000)
const BEGIN = Date.UTC(2026, 0)
const SECONDS = 20

let busy: string
let partner: string

const at = (n: number) => new Date(BEGIN + n * SECONDS * 1000).toISOString()

beforeAll(async () => {
  busy = (await createKey()).id
  partner = crypto.randomUUID()
  // One key with nearly all rows, one request in 20 s. The oldest row alone is a teapot of a rare record.
  for (let from = 0; from < ROWS; from += 50_000) {
    await execute(
      `with recursive n (i) as (
           select cast(?1 as integer) union all select i + 1 from n where i + 1 < ?1 + 50000)
         insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
           api_key_name, partner_id, partner_name, method, path, status, error_code, duration_ms, record_name)
         select 'r' || i, strftime('%Y-%m-%dT%H:%M:%fZ', ?2 + i * ${SECONDS}, 'unixepoch'), 1, 'x', ?3,
           'busy', ?4, 'partner', 'GET', '/api/integrations/v1/orders/', iif(i = 0, 418, 200),
           iif(i = 0, 'RARE', null), 1, iif(i % 1000 = 0, 'SO-' || i, null) from n`,
      from,
      BEGIN / 1000,
      busy,
      partner,
    )
  }
}, 120_000)

/** A page, and how many rows the database has read for it, besides that of the settings. */
async function look(query: Record<string, string>) {
  const answer = await admin.get(`${AUDIT}?${new URLSearchParams(query)}`)
  expect(answer.status).toBe(200)
  const { data, pagination } = answer.body
  return { rows: data as Json[], pagination, read: rowsRead(answer) }
}

const lastDays = { from: at(ROWS - 30_000), to: at(ROWS - 100) }

const NOT_THERE = () => ({ record_name: 'SO-1000', ...lastDays })

describe(`GET /audit-log/ of ${ROWS} rows`, () => {
  it.each<[string, () => Record<string, string>]>([
    ['a key', () => ({ api_key_id: busy })],
    ['a key in a range', () => ({ api_key_id: busy, ...lastDays })],
    ['a partner in a range', () => ({ partner_id: partner, ...lastDays })],
    ['a record', () => ({ record_name: 'SO-1000' })],
    ['a record in a range that it is not in', NOT_THERE],
    ['names with a prefix', () => ({ record_name_prefix: 'SO-1' })],
    ['a request', () => ({ request_id: 'r1000' })],
  ])('reads the page and a few rows for each caller of %s, on each page', async (_, query) => {
    let cursor: string | null = ''
    for (let page = 0; page < 3 && cursor !== null; page++) {
      const { rows, read, pagination } = await look({
        ...query(),
        limit: '20',
        ...(cursor && { cursor }),
      })
      expect(rows.length).toBeGreaterThan(query === NOT_THERE ? -1 : 0)
      const most = rows.length + (pagination.next_cursor ? 1 : 0)
      // The settings are confirmed by a row of their own, and one look says how far the log is archived.
      const isOfName = Object.keys(query()).some((name) => name.startsWith('record_name'))
      expect(read - 2).toBeLessThanOrEqual(most + (isOfName ? 6 : OF_CALLERS_MAX))
      cursor = pagination.next_cursor
    }
  })

  it('reads a bounded number of rows of names with a prefix in a range', async () => {
    const { rows, pagination, read } = await look({ record_name_prefix: 'SO-', ...lastDays })
    const names = rows.map(({ record_name }) => record_name)
    expect(names).toEqual(names.toSorted().reverse())
    expect(rows.every(({ created_at }) => created_at >= lastDays.from)).toBe(true)
    expect([rows.length > 0, pagination.next_cursor]).toEqual([true, null])
    expect(read).toBeLessThanOrEqual(READ_MAX)
  })

  it('takes the end of all time for an end', async () => {
    for (const to of ['9999-12-31T23:59:59.999Z', '9999-12-31T23:55:00Z']) {
      const { rows } = await look({ to, from: '0001-01-01', limit: '5' })
      expect(rows).toHaveLength(5)
    }
  })

  it('reads the page and a few hundred rows of a range', async () => {
    const first = await look({ ...lastDays, limit: '20' })
    expect(first.rows).toHaveLength(20)
    expect(first.rows[0]?.created_at).toBe(at(ROWS - 101))
    expect(first.read).toBeLessThan(500)
    const next = await look({ ...lastDays, limit: '20', cursor: first.pagination.next_cursor })
    expect(next.rows[0]?.created_at).toBe(at(ROWS - 121))
    expect(next.read).toBeLessThan(500)
  })

  it.each<[string, () => Record<string, string>]>([
    ['a status', () => ({ status: '418' })],
    ['an error code', () => ({ error_code: 'RARE' })],
    ['a status of a key', () => ({ status: '418', api_key_id: busy })],
    [
      'a status of a partner in a range',
      () => ({ status: '418', partner_id: partner, from: at(0) }),
    ],
  ])(
    'finds %s that is rare, in pages that each read a bounded number of rows',
    async (_, query) => {
      const seen: string[] = []
      const searched: string[] = []
      let cursor: string | null = ''
      let pages = 0
      while (cursor !== null) {
        const { rows, read, pagination } = await look({ ...query(), ...(cursor && { cursor }) })
        expect(read).toBeLessThanOrEqual(READ_MAX + 2 * OF_CALLERS_MAX)
        seen.push(...rows.map(({ request_id }) => request_id))
        if (pagination.searched_to !== null) searched.push(pagination.searched_to)
        cursor = pagination.next_cursor
        pages += 1
      }
      expect(seen).toEqual(['r0'])
      expect(pages).toBe(Math.ceil((ROWS + 1) / COMPARED_MAX))
      expect(searched).toEqual(searched.toSorted().reverse())
      expect(searched).toHaveLength(pages - 1)
    },
  )

  it.each(['method', 'error_code'])('ends for %s that no row has', async (name) => {
    const range = { from: at(ROWS - 1000), to: at(ROWS) }
    const { rows, pagination, read } = await look({ [name]: unique('X').toUpperCase(), ...range })
    expect([rows, pagination.next_cursor]).toEqual([[], null])
    expect(read).toBeLessThan(3000)
  })
})
