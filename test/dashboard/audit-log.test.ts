import { describe, expect, it } from 'vitest'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { recordsOf } from '../fixtures/csv.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, nextIn } from '../fixtures/pages-read.ts'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { addPartner } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, unique } from '../fixtures/tenant.ts'

const PATH = '/dashboard/audit-log/'

const find = (query: Record<string, string>) =>
  dashboard.get(`${PATH}?${new URLSearchParams(query)}`)

const idsIn = (text: string) =>
  Array.from(text.matchAll(/data-copy="([^"]*)"/g), ([, id = '']) => id)

/** A request of a key of its own; gives the ids. */
async function lay(row: Row = {}) {
  const [id, key] = [crypto.randomUUID(), unique('key')]
  await insertRequests([{ request_id: id, api_key_id: key, ...row }])
  return { id, key }
}

describe('GET /dashboard/audit-log/', () => {
  it('shows a request with all that is known of it', async () => {
    const { id, key } = await lay({
      created_at: '2026-03-01T09:30:05.123Z',
      api_key_name: 'ERP nightly',
      partner_id: 'p-1',
      partner_name: 'Mirakl',
      method: 'POST',
      path: '/api/integrations/v1/inventory/',
      status: 400,
      error_code: 'VALIDATION_ERROR',
      duration_ms: 1234,
      source: 'nightly-feed',
      notes: 'Hall 3',
      record_name: 'SO <7>',
      message: 'lines[0].qty: Must be an integer.',
      rows_total: 1000,
      rows_created: 7,
      rows_failed: 3,
    })
    const text = markupOf(await find({ request_id: id }))
    for (const shown of [
      `data-copy="${id}"`,
      '2026-03-01 09:30:05 UTC',
      '<time datetime="2026-03-01T09:30:05.123Z"',
      'ERP nightly',
      'partner Mirakl',
      '<span class="method">POST</span> /api/integrations/v1/inventory/',
      '<span class="status status-4xx">400</span>',
      'VALIDATION_ERROR',
      'SO &lt;7&gt;',
      'lines[0].qty: Must be an integer.',
      '1,234 ms',
      'nightly-feed',
      'Hall 3',
      '3 rows failed',
      '1,000 sent: 7 created, 990 updated, 3 failed',
    ]) {
      expect(text).toContain(shown)
    }
    expect(linksIn(text)).toContain(`${PATH}?api_key_id=${key}`)
    expect(linksIn(text)).toContain(`${PATH}?partner_id=p-1`)
  })

  it('names the record of a folded request, unless its path does', async () => {
    const { key } = await lay({ record_name: 'SO-7', message: null, path: '/api/x/' })
    await lay({ record_name: 'SO-8', message: 'It failed.', path: '/api/x/', api_key_id: key })
    await lay({ record_name: 'SO-9', message: null, path: '/api/x/SO-9/', api_key_id: key })
    const { text } = await find({ api_key_id: key })
    const named = Array.from(text.matchAll(/<small class="reason">(.*?)</g), ([, name]) => name)
    expect(named.toSorted()).toEqual(['SO-7', 'SO-8 · It failed.'])
  })

  it('opens the one request that was looked for, and keeps the others folded', async () => {
    const { id, key } = await lay()
    expect((await find({ request_id: `  ${id} ` })).text).toMatch(
      /<details open[^>]*><summary><span/,
    )
    expect((await find({ api_key_id: key })).text).toMatch(/<details><summary><span/)
  })

  it('leaves out of the detail what a request has not', async () => {
    const { id } = await lay()
    const { text } = await find({ request_id: id })
    expect(text).not.toMatch(/<dt>(Source|Notes|Rows|Partner)</)
  })

  it.each([
    ['api_key_id', { api_key_id: 'chosen' }, { api_key_id: 'another' }],
    ['partner_id', { partner_id: 'chosen' }, { partner_id: null }],
    ['method', { method: 'PUT' }, { method: 'GET' }],
    ['status', { status: 404 }, { status: 400 }],
    ['error_code', { error_code: 'DUPLICATE' }, { error_code: 'IN_USE' }],
  ])('filters by %s', async (name, row: Row, other: Row) => {
    const key = unique('key')
    await insertRequests([
      { request_id: `${key}-a`, api_key_id: key, ...row },
      { request_id: `${key}-b`, api_key_id: key, ...other },
    ])
    const { text } = await find({ api_key_id: key, [name]: String(Object.values(row)[0]) })
    expect(idsIn(text)).toContain(`${key}-a`)
    expect(idsIn(text)).not.toContain(`${key}-b`)
  })

  it('filters by area, resource, class of status, from and to', async () => {
    const { id, key } = await lay({
      created_at: '2026-03-01T09:30:05.123Z',
      path: '/api/settings/v1/api-keys/x/',
      status: 404,
    })
    const shows = async (query: Record<string, string>) =>
      idsIn((await find({ api_key_id: key, ...query })).text).includes(id)
    expect(await shows({ area: 'settings', resource: 'api-keys', status: '4xx' })).toBe(true)
    expect(await shows({ area: 'integrations' })).toBe(false)
    expect(await shows({ resource: 'orders' })).toBe(false)
    expect(await shows({ status: '5xx' })).toBe(false)
    expect(await shows({ from: '2026-03-01T09:30', to: '2026-03-01T09:31' })).toBe(true)
    expect(await shows({ from: '2026-03-01T09:31' })).toBe(false)
    expect(await shows({ to: '2026-03-01T09:30' })).toBe(false)
  })

  it('keeps in its form what was chosen, empty fields mean nothing', async () => {
    const { id } = await createKey(undefined, { name: 'Chosen key' })
    const partner = await addPartner()
    const chosen = {
      api_key_id: id,
      partner_id: partner.id,
      area: 'integrations',
      resource: 'orders',
      method: 'GET',
      status: '4xx',
      error_code: 'NOT_FOUND',
      from: '2026-03-01T09:30:00.000Z',
      to: '2026-03-02T09:30:15Z',
    }
    const text = markupOf(await find({ ...chosen, request_id: '', cursor: '' }))
    for (const value of [id, partner.id, 'integrations', 'orders', 'GET']) {
      expect(text).toContain(`<option value="${value}" selected=""`)
    }
    expect(text).toContain(partner.name)
    for (const [name, value] of [
      ['status', '4xx'],
      ['error_code', 'NOT_FOUND'],
      ['from', '2026-03-01T09:30'],
      ['to', '2026-03-02T09:30:15'],
    ]) {
      expect(text).toMatch(new RegExp(`name="${name}" value="${value}"`))
    }
    expect(text).toMatch(/<details class="filters" open/)
  })

  it('keeps a key that is not among those on offer', async () => {
    const { text } = await find({ api_key_id: 'of-old' })
    expect(text).toContain('<option value="of-old" selected=""')
  })

  it.each([
    ['status', '9', 'Must be a status, such as 404, a class, such as 4xx, or failed.'],
    ['from', 'yesterday', 'Must be an ISO 8601 date or datetime'],
    ['resource', 'returns', 'Must be one of'],
    ['area', 'x', 'Must be one of'],
  ])('shows what is wrong with %s=%s beside its field', async (name, value, message) => {
    const text = markupOf(await find({ [name]: value, method: 'PUT' }), 400)
    const error = new RegExp(`<small[^>]*id="${name}-error"[^>]*>${message}`)
    expect(text).toMatch(error)
    expect(text).toContain('<option value="PUT" selected=""')
    expect(text).toContain(value)
    expect(text).not.toContain('<table')
  })

  it('says what is wrong with a cursor', async () => {
    const text = markupOf(await find({ cursor: 'x' }), 400)
    expect(text).toContain('role="alert">cursor: Not a cursor of this list')
  })

  it('leads from page to page, and keeps the filters', async () => {
    const key = unique('key')
    const ids = [1, 2, 3, 4, 5].map((turn) => `${key}-${turn}`)
    await insertRequests(ids.map((request_id) => ({ request_id, api_key_id: key })))
    const seen: string[][] = []
    let path: string | undefined = `${PATH}?api_key_id=${key}&limit=2`
    while (path !== undefined) {
      const page = await dashboard.get(path)
      seen.push(idsIn(page.text))
      path = nextIn(page)
    }
    expect(seen).toEqual([[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]])
  })

  it('offers to clear the filters where nothing matches', async () => {
    const { text } = await find({ api_key_id: unique('key') })
    expect(text).toContain('No request matches these filters.')
    expect(text).toMatch(new RegExp(`href="${PATH}">Clear filters`))
  })

  it('says so where there is nothing yet', async () => {
    await execute('delete from audit_log')
    const { text } = await dashboard.get(PATH)
    expect(text).toContain('There are no requests.')
  })

  it('shows paths, names and notes as text, whatever is in them', async () => {
    const evil = '<script>alert(1)</script>"\'&'
    const { id } = await lay({
      api_key_name: evil,
      partner_id: 'p',
      partner_name: evil,
      path: `/api/integrations/v1/orders/${evil}/`,
      source: evil,
      notes: evil,
      error_code: evil,
    })
    await createKey(undefined, { name: evil })
    for (const query of [{ request_id: id }, { api_key_id: evil }, { status: evil }]) {
      const { text } = await find(query)
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
      expect(text).not.toContain('<script>alert')
    }
  })
})

// Ranges, filters that are kept, and the download of the dashboard's audit log.

const HOUR = 3_600_000

const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString()

describe('GET /dashboard/audit-log/ of a range', () => {
  it('shows what came in within a preset', async () => {
    const key = unique('key')
    const hours = [0.5, 5, 100, 500, 900]
    await insertRequests(hours.map((back) => ({ api_key_id: key, created_at: ago(back) })))
    const counts = []
    for (const range of ['1h', '24h', '7d', '30d', '']) {
      counts.push(idsIn((await find({ api_key_id: key, range })).text).length)
    }
    expect(counts).toEqual([1, 2, 3, 4, 5])
  })

  it('names the preset, and keeps the other filters in its links', async () => {
    const { text } = await find({ range: '7d', status: '4xx', cursor: '' })
    expect(linksIn(text)).toEqual(
      expect.arrayContaining([
        `${PATH}?status=4xx`,
        `${PATH}?range=1h&status=4xx`,
        `${PATH}?range=30d&status=4xx`,
      ]),
    )
    expect(text).toMatch(/range=7d&amp;status=4xx" aria-current="true"/)
    expect(text).toContain('<input type="hidden" name="range" value="7d"/>')
    expect((await find({})).text).toMatch(/aria-current="true">All times/)
  })

  it('leads to what failed among what is shown, and back', async () => {
    const key = unique('key')
    const rows = [200, 302, 399, 400, 404, 503].map((status) => ({
      api_key_id: key,
      request_id: `${key}-${status}`,
      status,
    }))
    await insertRequests(rows)
    const all = `${PATH}?api_key_id=${key}&range=7d`
    const failed = `${all}&status=failed`
    const { text } = await find({ api_key_id: key, range: '7d', cursor: '', done: 'x' })
    expect(linksIn(text)).toContain(failed)
    expect(text).toMatch(/aria-current="true">Any status/)
    const found = await dashboard.get(failed)
    expect(idsIn(found.text)).toEqual([503, 404, 400].map((status) => `${key}-${status}`))
    expect(linksIn(found.text)).toContain(all)
    expect(found.text).toMatch(/aria-current="true">Failed/)
    expect((await find({ status: '404' })).text).not.toMatch(
      /aria-current="true">(Failed|Any status)/,
    )
  })

  it('counts an own range instead of the preset that came with it', async () => {
    const key = unique('key')
    await insertRequests([
      { api_key_id: key, created_at: '2026-03-01T09:30:00.000Z', request_id: key },
      { api_key_id: key },
    ])
    const own = { from: '2026-03-01T09:30', to: '2026-03-01T09:31' }
    const { text } = await find({ api_key_id: key, range: '7d', ...own })
    expect(idsIn(text)).toEqual([key])
  })

  it.each([
    [{ from: '2026-03-02', to: '2026-03-01' }, 'to', 'Must be later than “From”.'],
    [{ from: '2026-03-01', to: '2026-03-01' }, 'to', 'Must be later than “From”.'],
    [{ to: 'tomorrow' }, 'to', 'Must be an ISO 8601 date or datetime'],
  ])('says what is wrong with %o at the field', async (query, name, message) => {
    const text = markupOf(await find({ ...query, method: 'PUT' }), 400)
    expect(text).toMatch(new RegExp(`<small[^>]*id="${name}-error"[^>]*>${message}`))
    expect(text).toContain('<option value="PUT" selected=""')
    expect(text).not.toContain('Download CSV')
  })

  it('refuses a preset that there is not', async () => {
    const text = markupOf(await find({ range: '2h' }), 400)
    expect(text).not.toContain('name="range"')
    expect(text).toContain('role="alert">range: Must be one of: 1h, 24h, 7d, 30d.')
  })
})

describe('the filters of GET /dashboard/audit-log/', () => {
  it.each([
    ['api_key_id', 'x'],
    ['partner_id', 'x'],
    ['resource', 'orders'],
    ['method', 'GET'],
    ['status', '4xx'],
    ['error_code', 'NOT_FOUND'],
    ['record_name', 'x'],
    ['record_name_prefix', 'x'],
    ['field', 'x'],
    ['from', '2026-03-01'],
    ['to', '2026-03-01'],
  ])('are open if %s is set', async (name, value) => {
    const { text } = await find({ [name]: value, area: 'integrations' })
    expect(text).toMatch(/<details class="filters" open/)
  })

  it('are folded where their heading shows all of them: the area', async () => {
    const { text } = await find({ area: 'integrations' })
    expect(text).toContain('Filters: area integrations')
    expect(text).toContain('<details class="filters"><summary>')
  })

  it('are kept by the next page and by the first', async () => {
    const key = unique('key')
    await insertRequests([{ api_key_id: key }], 3)
    const query = { api_key_id: key, range: '24h', method: 'GET', limit: '2' }
    const first = await find(query)
    const [older = ''] = linksIn(first.text).filter((href) => href.includes('cursor='))
    const { searchParams } = new URL(older, 'https://demo.example')
    const { cursor, back, ...kept } = Object.fromEntries(searchParams)
    expect([kept, cursor, back]).toEqual([query, expect.any(String), '0'])
    const second = await dashboard.get(older)
    expect(idsIn(second.text)).toHaveLength(1)
    expect(linksIn(second.text)).toContain(`${PATH}?${new URLSearchParams(query)}`)
    expect(second.text).toContain('<option value="GET" selected=""')
  })
})

describe('the download of GET /dashboard/audit-log/', () => {
  it('has the filters of the page, but not its cursor', async () => {
    const key = unique('key')
    await insertRequests(
      [200, 404].map((status) => ({ api_key_id: key, status, request_id: `${key}-${status}` })),
    )
    await insertRequests([{ api_key_id: key, status: 404, created_at: ago(30), notes: 'ü' }])
    const query = { api_key_id: key, status: '4xx', range: '24h', limit: '1', cursor: '' }
    const { text } = await find(query)
    const [path = ''] = linksIn(text).filter((href) => href.includes('format=csv'))
    expect(path).toBe(`${PATH}?api_key_id=${key}&status=4xx&range=24h&format=csv`)
    const file = await dashboard.get(path)
    expect(file.status).toBe(200)
    expect(file.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('Content-Disposition')).toMatch(/^attachment; filename=".+\.csv"$/)
    // Without the mark, which text() leaves out, Excel would take it for another encoding.
    const rows = recordsOf(file.text.replace('\ufeff', ''))
    expect(rows.map(({ request_id }) => request_id)).toEqual([`${key}-404`])
  })

  it('shows the page with its error where a filter is wrong', async () => {
    const { status, text, headers } = await find({ format: 'csv', status: 'x' })
    expect(status).toBe(400)
    expect(headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(text).toContain('id="status-error"')
    const other = await find({ format: 'xml' })
    expect(other.text).toContain('role="alert">format: Must be one of: json, csv.')
  })

  it('is for keys that may read the log', async () => {
    const other = await openDashboard(['settings.keys.*'])
    const { status } = await other.get(`${PATH}?format=csv`)
    expect(status).toBe(403)
  })
})
