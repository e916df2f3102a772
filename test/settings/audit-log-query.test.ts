import { describe, expect, it } from 'vitest'
import { AUDITED_RESOURCES } from '../../src/requests/audit-log/schema.ts'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { everyPage, rowsRead } from '../fixtures/pages-read.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { AUDIT, addPartner, issueKey, KEYS } from '../fixtures/settings.ts'
import { client, type Json, unique } from '../fixtures/tenant.ts'
import { DONE, find, idsOf, insertRow, layTrail, told } from './trail.ts'

describe('GET /audit-log/', () => {
  it('lists newest first', async () => {
    const { id, key } = await issueKey(admin, { scopes: ['integrations.*', 'settings.read'] })
    const api = client(key)
    const sku = unique('S')
    await api.post('/products/', { sku })
    await api.post('/products/', { sku })
    await api.get('/orders/')
    await api.get('/orders/unknown/')
    await api.put(`/products/${sku}/`, { quantity: 2 })
    await api.get(KEYS)
    await api.post(KEYS, { name: 'x' })
    expect((await find({ api_key_id: id })).map(told)).toEqual([
      'POST 403 api-keys',
      'GET 200 api-keys',
      'PUT 200 products',
      'GET 404 orders',
      'GET 200 orders',
      'POST 409 products',
      'POST 201 products',
    ])
  })

  it('lists by 50 unless told otherwise', async () => {
    const key = unique('key')
    for (let turn = 0; turn < 51; turn++) await insertRow({ key })
    const { body } = await admin.get(`${AUDIT}?api_key_id=${key}`)
    expect([body.data.length, body.pagination.limit]).toEqual([50, 50])
    expect(body.pagination.next_cursor).toEqual(expect.any(String))
  })

  it('with a filter that nothing matches is an empty list', async () => {
    const { body } = await admin.get(`${AUDIT}?api_key_id=unknown`)
    expect(body).toEqual({
      success: true,
      data: [],
      pagination: { limit: 50, next_cursor: null, searched_to: null },
    })
  })

  it.each(
    sample(
      [
        ['method', 'GET', ({ method }: Json) => method === 'GET'],
        ['method', 'POST', ({ method }: Json) => method === 'POST'],
        ['status', '200', ({ status }: Json) => status === 200],
        ['status', '404', ({ status }: Json) => status === 404],
        ['status', '2xx', ({ status }: Json) => status >= 200 && status < 300],
        ['status', '4xx', ({ status }: Json) => status >= 400 && status < 500],
        ['status', 'failed', ({ status }: Json) => status >= 400],
        ['status', '5xx', ({ status }: Json) => status >= 500],
        ['resource', 'orders', ({ path }: Json) => path.includes('/v1/orders/')],
        ['resource', 'products', ({ path }: Json) => path.includes('/v1/products/')],
        ['resource', 'locations', ({ path }: Json) => path.includes('/v1/locations/')],
        ['resource', 'inventory', ({ path }: Json) => path.includes('/v1/inventory/')],
        ['resource', 'workspace', ({ path }: Json) => path.includes('/v1/workspace/')],
        ['resource', 'api-keys', ({ path }: Json) => path.includes('/v1/api-keys/')],
        ['resource', 'audit-log', ({ path }: Json) => path.includes('/v1/audit-log/')],
      ],
      5,
    ),
  )('filters by %s=%s alone and with a key', async (name, value, matches) => {
    const id = await layTrail()
    const alone = await find({ [name]: value, limit: '200' })
    expect(alone.filter((row) => !matches(row))).toEqual([])
    const own = await find({ [name]: value, api_key_id: id })
    const expected = (await find({ api_key_id: id })).filter(matches)
    expect(expected.length).toBeLessThan(DONE.length)
    expect(own).toEqual(expected)
    for (const row of own) expect(idsOf(alone)).toContain(row.request_id)
  })

  it.each([
    ['integrations', ['/api/integrations/v1/orders/', '/api/integrations/v1/dashboard/']],
    ['settings', ['/api/settings/v1/workspace/']],
    ['dashboard', ['/dashboard/', '/dashboard/api-keys/']],
  ])('filters by area=%s', async (area, expected) => {
    const key = unique('key')
    const paths = [
      '/api/integrations/v1/orders/',
      '/api/integrations/v1/dashboard/',
      '/api/settings/v1/workspace/',
      '/dashboard/',
      '/dashboard/api-keys/',
      '/api/integrationsx/v1/orders/',
      '/api/dashboard/',
    ]
    await insertRequests(paths.map((path) => ({ path, api_key_id: key })))
    const rows = await find({ area, api_key_id: key })
    expect(rows.map(({ path }) => path).toSorted()).toEqual(expected.toSorted())
    const alone = await find({ area, limit: '200' })
    for (const row of rows) expect(idsOf(alone)).toContain(row.request_id)
  })

  it('holds the pages of the dashboard too, without their queries', async () => {
    const { id, key } = await issueKey(admin, { scopes: ['settings.*'] })
    await (await openDashboard([], { key })).get('/dashboard/api-keys/?limit=1')
    const rows = await find({ area: 'dashboard', api_key_id: id })
    expect(rows.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /dashboard/api-keys/',
      'POST /dashboard/sign-in/',
    ])
  })

  it('filters by error_code, in upper or lower case', async () => {
    const key = unique('key')
    await insertRequests(
      [null, 'NOT_FOUND', 'VALIDATION_ERROR'].map((error_code) => ({
        error_code,
        api_key_id: key,
      })),
    )
    const codes = async (error_code: string) =>
      (await find({ api_key_id: key, error_code })).map((row) => row.error_code)
    expect(await codes('NOT_FOUND')).toEqual(['NOT_FOUND'])
    expect(await codes('validation_error')).toEqual(['VALIDATION_ERROR'])
    expect(await codes('NOT_%')).toEqual([])
  })

  it('filters by api_key_id', async () => {
    const id = await layTrail()
    await layTrail()
    const rows = await find({ api_key_id: id })
    expect(rows.map(told)).toEqual(DONE.toReversed())
    expect(new Set(rows.map(({ api_key }) => api_key.id))).toEqual(new Set([id]))
  })

  it('filters by partner_id, over all keys of the partner', async () => {
    const partner = await addPartner()
    const trails = [await layTrail(partner.id), await layTrail(partner.id)]
    await layTrail()
    const rows = await find({ partner_id: partner.id, limit: '200' })
    expect(rows).toHaveLength(2 * DONE.length)
    expect(new Set(rows.map((row) => row.partner.id))).toEqual(new Set([partner.id]))
    expect(new Set(rows.map(({ api_key }) => api_key.id))).toEqual(new Set(trails))
  })

  it('filters by request_id', async () => {
    const id = await insertRow({})
    expect(idsOf(await find({ request_id: id }))).toEqual([id])
    expect(await find({ request_id: crypto.randomUUID() })).toEqual([])
  })

  it('filters by from and to, alone and together', async () => {
    const days = ['2001-01-01', '2001-02-01', '2001-03-01', '2001-04-01']
    const key = unique('key')
    const [first, second, third, fourth] = await Promise.all(
      days.map((day) => insertRow({ created_at: `${day}T12:00:00.000Z`, key })),
    )
    const within = async (query: Record<string, string>) =>
      idsOf(await find({ api_key_id: key, ...query })).toSorted()
    const sorted = (...ids: (string | undefined)[]) => ids.toSorted()
    expect(await within({ from: '2001-02-01' })).toEqual(sorted(second, third, fourth))
    expect(await within({ to: '2001-03-01' })).toEqual(sorted(first, second))
    expect(await within({ from: '2001-02-01', to: '2001-04-01' })).toEqual(sorted(second, third))
    expect(await within({ from: '2001-05-01' })).toEqual([])
    const reversed = await admin.get(`${AUDIT}?from=2001-03-02&to=2001-02-01`)
    expectInvalid(reversed, 'from', 'to')
    expect(idsOf(await find({ to: '2001-02-01' }))).toContain(first)
    expect(idsOf(await find({ from: '2001-02-01', to: '2001-02-02' }))).toContain(second)
  })

  it('takes from and to with an offset', async () => {
    const key = unique('key')
    const id = await insertRow({ created_at: '2001-01-01T12:00:00.000Z', key })
    const within = async (from: string, to: string) =>
      idsOf(await find({ api_key_id: key, from, to }))
    expect(await within('2001-01-01T13:59:00+02:00', '2001-01-01T14:01:00+02:00')).toEqual([id])
    expect(await within('2001-01-01T14:01:00+02:00', '2001-01-02')).toEqual([])
    expect(await within('2001-01-01', '2001-01-01T06:59:00-05:00')).toEqual([])
  })

  it('takes from and to as databases and XML write them', async () => {
    const key = unique('key')
    const id = await insertRow({ created_at: '2001-01-01T12:00:00.000Z', key })
    const within = async (from: string, to: string) =>
      idsOf(await find({ api_key_id: key, from, to }))
    expect(await within('2001-01-01 13:59:00+0200', '2001-01-01 14:01:00 +02')).toEqual([id])
    expect(await within('2001-01-01+02:00', '2001-01-02Z')).toEqual([id])
    expect(await within('2001-01-02-12:00', '2001-01-03')).toEqual([])
  })

  it('does not take an offset that lost its plus for a time', async () => {
    const answer = await admin.get(`${AUDIT}?from=2001-01-01+02:00`)
    expectInvalid(answer, 'from')
    expect(answer.body.error.fields.from).toEqual([
      'Is ambiguous in a query: write %2B for the + of an offset, and T before a time.',
    ])
  })

  it('combines filters: all must match', async () => {
    const partner = await addPartner()
    const id = await layTrail(partner.id)
    const scope = { api_key_id: id, partner_id: partner.id, from: '2020-01-01', to: '2999-01-01' }
    const rows = async (query: Record<string, string>) =>
      (await find({ ...scope, ...query })).map(told)
    expect(await rows({ method: 'POST', status: '4xx', resource: 'products' })).toEqual([
      'POST 400 products',
      'POST 409 products',
    ])
    expect(await rows({ method: 'GET', status: '404' })).toEqual([
      'GET 404 orders',
      'GET 404 products',
    ])
    expect(await rows({ method: 'PUT', status: '4xx' })).toEqual([])
    expect(await rows({ resource: 'products', to: '2020-01-01' })).toEqual([])
  })

  it('filters by the resource itself, not by what a path ends in', async () => {
    const { id, key } = await issueKey(admin)
    await client(key).get('/locations/v1/products/')
    await client(key).get('/locations/products/')
    expect(await find({ api_key_id: id, resource: 'products' })).toEqual([])
  })

  it('is paged without skipping or repeating while requests come in', async () => {
    const id = await layTrail()
    const expected = idsOf(await find({ api_key_id: id, limit: '200' }))
    const seen: string[] = []
    for await (const { body } of everyPage(admin, `${AUDIT}?api_key_id=${id}&limit=3`)) {
      expect(body.pagination.limit).toBe(3)
      seen.push(...idsOf(body.data))
      await insertRow({ key: id })
    }
    expect(seen).toEqual(expected)
  })

  it.each([
    ['from', { from: '2002-01-01' }],
    ['to', { to: '2003-01-01' }],
    ['from and to', { from: '2002-01-01', to: '2003-01-01' }],
  ])('by %s is newest first, and paged without skipping or repeating', async (_, range) => {
    const method = unique('METHOD').toUpperCase()
    const at = (second: number) => new Date(Date.UTC(2002, 5, 1, 0, 0, second)).toISOString()
    // As they are answered: not quite in the order in which they came in, several at once.
    const seconds = [1, 3, 2, 5, 5, 5, 4, 6]
    await insertRequests(seconds.map((second) => ({ method, created_at: at(second) })))
    const times: string[] = []
    const ids: string[] = []
    const query = new URLSearchParams({ method, limit: '2', ...range })
    for await (const { body } of everyPage(admin, `${AUDIT}?${query}`)) {
      times.push(...body.data.map((row: Json) => row.created_at))
      ids.push(...idsOf(body.data))
      await insertRequests([{ method }])
    }
    expect(times).toEqual([6, 5, 5, 5, 4, 3, 2, 1].map(at))
    expect(new Set(ids).size).toBe(seconds.length)
  })

  it('reads no more of a range than the page it is asked for, and a few hundred rows', async () => {
    const from = Date.UTC(2010, 0)
    await insertRequests(
      Array.from({ length: 700 }, (_, second) => ({
        created_at: new Date(from + second * 1000).toISOString(),
      })),
    )
    const range = { from: '2010-01-01', to: '2011-01-01' }
    let cursor = ''
    for (const limit of ['200', '200', '200']) {
      const query = new URLSearchParams({ ...range, limit, ...(cursor && { cursor }) })
      cursor = (await admin.get(`${AUDIT}?${query}`)).body.pagination.next_cursor
    }
    const query = new URLSearchParams({ ...range, limit: '10', cursor })
    expect(rowsRead(await admin.get(`${AUDIT}?${query}`))).toBeLessThan(300)
  })

  it('keeps to the range with a cursor of another list', async () => {
    const method = unique('METHOD').toUpperCase()
    const years = ['2002', '2003', '2004', '2005'].map((year) => `${year}-01-01T00:00:00.000Z`)
    await insertRequests(years.map((created_at) => ({ method, created_at })))
    const newest = await admin.get(`${AUDIT}?${new URLSearchParams({ method, limit: '1' })}`)
    const cursor = newest.body.pagination.next_cursor
    const rows = await find({ method, cursor, from: '2003-01-01', to: '2004-01-01' })
    expect(rows.map(({ created_at }) => created_at)).toEqual([years[1]])
  })

  it('ends with null even when the last page is full', async () => {
    const key = unique('key')
    for (let turn = 0; turn < 4; turn++) await insertRow({ key })
    const first = (await admin.get(`${AUDIT}?api_key_id=${key}&limit=2`)).body.pagination
    const cursor = first.next_cursor
    const { body } = await admin.get(`${AUDIT}?api_key_id=${key}&limit=2&cursor=${cursor}`)
    expect([body.data.length, body.pagination.next_cursor]).toEqual([2, null])
  })

  it.each([
    ['status', '4'],
    ['status', '44'],
    ['status', '4x'],
    ['status', 'x4x'],
    ['status', '099'],
    ['status', '600'],
    ['status', '6xx'],
    ['status', '404,405'],
    ['status', 'ok'],
    ['status', ''],
    ['area', 'orders'],
    ['area', ''],
    ['resource', 'returns'],
    ['resource', 'Orders'],
    ['resource', '*'],
    ['resource', ''],
    ['from', 'yesterday'],
    ['from', '2026-02-30'],
    ['from', '2026-02-30 10:00:00'],
    ['from', '2026-03-01 02:00'],
    ['to', '2026-03-01T09:30:00 02:00'],
    ['from', ''],
    ['to', '1767225600'],
    ['to', '2026-13-01T00:00:00Z'],
    ['limit', '0'],
    ['limit', '201'],
    ['limit', '1.5'],
    ['limit', 'all'],
    ['cursor', 'x'],
    ['cursor', 'MS5hdWRpdC1sb2cu'],
  ])('refuses %s=%s by name', async (name, value) => {
    const query = new URLSearchParams({ [name]: value })
    expectInvalid(await admin.get(`${AUDIT}?${query}`), name)
  })

  it('names every bad filter at once', async () => {
    const answer = await admin.get(`${AUDIT}?status=x&resource=x&from=x&to=x&limit=x&cursor=x`)
    expect(Object.keys(answer.body.error.fields).toSorted()).toEqual([
      'cursor',
      'from',
      'limit',
      'resource',
      'status',
      'to',
    ])
  })

  it('refuses a parameter that is given twice', async () => {
    expectInvalid(await admin.get(`${AUDIT}?status=404&status=405`), 'status')
  })

  it("refuses another list's cursor", async () => {
    await issueKey(admin)
    const cursor = (await admin.get(`${KEYS}?limit=1`)).body.pagination.next_cursor
    expect(cursor).toEqual(expect.any(String))
    expectInvalid(await admin.get(`${AUDIT}?cursor=${cursor}`), 'cursor')
  })

  it('refuses a parameter that it does not know', async () => {
    expectInvalid(await admin.get(`${AUDIT}?key=x&limit=1`), 'key')
  })

  it('takes every resource that has an endpoint, and finds its requests', async () => {
    const resources = new Set(ENDPOINTS.map(({ path }) => path.split('/')[4]))
    expect([...resources].toSorted()).toEqual([...AUDITED_RESOURCES].toSorted())
    await admin.get('/api/settings/v1/mapping-starters/?limit=1')
    const rows = await find({ resource: 'mapping-starters' })
    expect(rows[0]?.path).toBe('/api/settings/v1/mapping-starters/')
  })

  it('takes what looks like SQL as a value', async () => {
    for (const value of ["' or 1=1 --", '%', '_', "x'; drop table audit_log; --"]) {
      for (const name of ['api_key_id', 'partner_id', 'request_id', 'method', 'error_code']) {
        expect(await find({ [name]: value })).toEqual([])
      }
    }
    expect((await find({ limit: '1' })).length).toBe(1)
  })
})
