import { beforeAll, describe, expect, it } from 'vitest'
import { newRequestId } from '../../src/engine/db/request-id.ts'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { everyPage, rowsRead } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { AUDIT, issueKey, KEYS } from '../fixtures/settings.ts'
import { allRows, execute } from '../fixtures/sql.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { deletePartner, makePartner, PARTNERS } from './partners.ts'

// A key may be linked to one partner after another, and a partner may have many keys. All of their rows are found, each
// once and in order, along the index of (caller, created_at, request_id).

const BEGIN = Date.UTC(2026, 0)
/** Many rows share a moment. */
const at = (n: number) => BEGIN + Math.floor(n / 3) * 1000

interface Row {
  id: string
  api_key_id: string
  partner_id: string | null
  created_at: string
  status: number
}

/** Rows of these callers in turn. Every second id is of the time before ids told it. */
async function log(
  count: number,
  callers: [key: string, partner: string | null][],
): Promise<Row[]> {
  const rows = Array.from({ length: count }, (_, n) => {
    const [api_key_id, partner_id] = callers[(n * 7) % callers.length] as [string, string | null]
    const id = n % 2 === 0 ? newRequestId(at(n)) : crypto.randomUUID()
    const status = n % 5 === 0 ? 404 : 200
    return { id, api_key_id, partner_id, created_at: new Date(at(n)).toISOString(), status }
  })
  await execute(
    `insert into audit_log (request_id, created_at, settings_version, api_key_id, api_key_name, partner_id,
         method, path, status, duration_ms)
       select value ->> 'id', value ->> 'created_at', 1, value ->> 'api_key_id', 'key', value ->> 'partner_id',
         'GET', '/api/integrations/v1/orders/', value ->> 'status', 1 from json_each(?)`,
    JSON.stringify(rows),
  )
  return rows
}

/** Newest first. */
function inOrder(rows: Row[]): string[] {
  const place = ({ created_at, id }: Row) => `${created_at} ${id}`
  return rows.toSorted((one, other) => (place(one) < place(other) ? 1 : -1)).map(({ id }) => id)
}

async function walk(
  query: Record<string, string>,
  limit = 7,
): Promise<{ ids: string[]; read: number }> {
  const ids: string[] = []
  let read = 0
  const asked = new URLSearchParams({ ...query, limit: String(limit) })
  for await (const page of everyPage(admin, `${AUDIT}?${asked}`)) {
    ids.push(...page.body.data.map(({ request_id }: Json) => request_id))
    read = Math.max(read, rowsRead(page))
  }
  return { ids, read }
}

const newIds = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())

describe.each(sample([1, 2, 5, 6, 30], 2))('GET /audit-log/ of a partner with %i keys', (count) => {
  const [partner = '', former = ''] = newIds(2)
  const keys = newIds(count)
  let rows: Row[]

  beforeAll(async () => {
    const own = keys.map((key): [string, string] => [key, partner])
    // The first key belonged to another partner, and to none.
    const moved: [string, string | null][] = [
      [keys[0] ?? '', former],
      [keys[0] ?? '', null],
    ]
    rows = await log(200, [...own, ...moved])
  })

  it('finds its rows, each once and newest first', async () => {
    const own = rows.filter(({ partner_id }) => partner_id === partner)
    const { ids, read } = await walk({ partner_id: partner })
    expect(ids).toEqual(inOrder(own))
    // Some rows for each caller that the log has.
    expect(read).toBeLessThan(500)
  })

  it('finds the rows of a key, whichever partner it had', async () => {
    const own = rows.filter(({ api_key_id }) => api_key_id === keys[0])
    expect((await walk({ api_key_id: keys[0] ?? '' })).ids).toEqual(inOrder(own))
    const both = own.filter(({ partner_id }) => partner_id === former)
    const query = { api_key_id: keys[0] ?? '', partner_id: former }
    expect((await walk(query)).ids).toEqual(inOrder(both))
  })

  it('compares them with other filters, and keeps to a range', async () => {
    const [from, to] = [new Date(at(30)).toISOString(), new Date(at(150)).toISOString()]
    const own = rows.filter(
      ({ partner_id, status, created_at }) =>
        partner_id === partner && status === 404 && created_at >= from && created_at < to,
    )
    expect((await walk({ partner_id: partner, status: '404', from, to }, 3)).ids).toEqual(
      inOrder(own),
    )
  })

  it('finds each of them by its id', async () => {
    for (const { id, api_key_id } of rows.slice(0, 12)) {
      const { status, body } = await admin.get(`${AUDIT}${id}/`)
      expect([status, body.data?.api_key.id]).toEqual([200, api_key_id])
    }
  })
})

describe('GET /audit-log/', () => {
  it('finds nothing of an empty partner, of none, or of an id that no request has', async () => {
    for (const query of [
      { partner_id: '' },
      { partner_id: crypto.randomUUID() },
      { api_key_id: '' },
      { request_id: newRequestId(BEGIN) },
      { request_id: crypto.randomUUID() },
      { request_id: "x' or 1" },
    ]) {
      expect((await walk(query as unknown as Record<string, string>)).ids).toEqual([])
    }
  })
})

describe('the audit log of a partner', () => {
  const find = async (query: Record<string, string>): Promise<Json[]> =>
    (await admin.get(`${AUDIT}?${new URLSearchParams({ limit: '200', ...query })}`)).body.data

  const told = ({ method, status, path }: Json) => `${method} ${status} ${path.split('/')[4]}`

  it('names partner and key with every request of its keys', async () => {
    const { id, name, key, api } = await openPartner({ scopes: ['integrations.products.*'] })
    const sku = unique('S')
    await api.post('/products/', { sku })
    await api.post('/products/', { sku })
    await api.get(`/products/${sku}/`)
    await api.get('/products/unknown/')
    await api.get('/orders/')
    const rows = await find({ partner_id: id })
    expect(rows.map(told)).toEqual([
      'GET 403 orders',
      'GET 404 products',
      'GET 200 products',
      'POST 409 products',
      'POST 201 products',
    ])
    for (const row of rows) {
      expect(row.partner).toEqual({ id, name })
      expect(row.api_key).toEqual({ id: key.id, name: key.name })
    }
    expect(await find({ api_key_id: key.id })).toEqual(rows)
  })

  it('holds the requests of all its keys and of no other', async () => {
    const { id, key, api } = await openPartner()
    const second = await issueKey(admin, { partner_id: id })
    const stranger = await openPartner()
    await api.get('/orders/')
    await client(second.key).get('/orders/')
    await stranger.api.get('/orders/')
    const rows = await find({ partner_id: id })
    expect(rows.map(({ api_key }) => api_key.id)).toEqual([second.id, key.id])
  })

  it('keeps the name of the time of each request', async () => {
    const { id, name, api } = await openPartner()
    await api.get('/orders/')
    const renamed = unique('renamed')
    await admin.put(`${PARTNERS}${id}/`, { name: renamed })
    await api.get('/orders/')
    const partners = (await find({ partner_id: id })).map(({ partner }) => partner)
    expect(partners).toEqual([
      { id, name: renamed },
      { id, name },
    ])
  })

  it('is kept when the partner is deleted, and when its name is used again', async () => {
    const { id, name, key, api } = await openPartner()
    await api.post('/products/', { sku: unique('S') })
    await admin.delete(`${KEYS}${key.id}/`)
    await deletePartner(id)
    const heir = await makePartner({ name })
    const rows = await find({ partner_id: id })
    expect(rows.map(({ partner, status }) => ({ partner, status }))).toEqual([
      { partner: { id, name }, status: 201 },
    ])
    expect(await find({ partner_id: heir.id })).toEqual([])
  })

  it('has no request of a key before it is linked or after it is unlinked', async () => {
    const { id } = await makePartner()
    const key = await issueKey(admin)
    const api = client(key.key)
    await api.get('/orders/')
    await admin.put(`${KEYS}${key.id}/`, { partner_id: id })
    await api.get('/products/')
    await admin.put(`${KEYS}${key.id}/`, { partner_id: null })
    await api.get('/locations/')
    expect((await find({ partner_id: id })).map(told)).toEqual(['GET 200 products'])
    const rows = await find({ api_key_id: key.id })
    expect(rows.map(({ partner }) => partner?.id ?? null)).toEqual([null, id, null])
  })

  it('shows null as the partner of a pass-through key', async () => {
    const { id, value } = await createKey()
    await client(value).get('/orders/')
    await client(value).post('/products/', { sku: unique('S') })
    const rows = await find({ api_key_id: id })
    expect(rows.map(({ partner }) => partner)).toEqual([null, null])
  })

  it("has a row for each change of the partner, of the administrator's key", async () => {
    const { id, value } = await createKey(['settings.*'])
    const own = client(value)
    const partner = (await own.post(PARTNERS, { name: unique('x') })).body.data
    await own.put(`${PARTNERS}${partner.id}/`, { name: unique('x') })
    await own.delete(`${PARTNERS}${partner.id}/`)
    await own.delete(`${PARTNERS}${partner.id}/`)
    const rows = await find({ api_key_id: id, resource: 'partners' })
    expect(rows.map(told)).toEqual([
      'DELETE 404 partners',
      'DELETE 200 partners',
      'PUT 200 partners',
      'POST 201 partners',
    ])
    expect(rows.map(({ partner }) => partner)).toEqual([null, null, null, null])
    const records = await allRows(
      'select record_id from audit_log where api_key_id = ? and status < 400',
      id,
    )
    expect(new Set(records.map(({ record_id }) => record_id))).toEqual(new Set([partner.id]))
  })
})
