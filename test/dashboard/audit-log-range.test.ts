import { beforeAll, describe, expect, it } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { recordsOf } from '../fixtures/csv.ts'
import { type Dashboard, linksIn, openDashboard } from '../fixtures/session.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'

// Ranges, filters that are kept, and the download of the dashboard's audit log.

const PATH = '/dashboard/audit-log/'
const HOUR = 3_600_000

let dashboard: Dashboard

beforeAll(async () => {
  await openTenant()
  dashboard = await openDashboard()
})

const find = (query: Record<string, string>) =>
  dashboard.get(`${PATH}?${new URLSearchParams(query)}`)

const idsIn = (text: string) =>
  Array.from(text.matchAll(/data-copy="([^"]*)"/g), ([, id = '']) => id)

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
    const { status, text } = await find({ ...query, method: 'PUT' })
    expect(status).toBe(400)
    expect(text).toMatch(new RegExp(`<small[^>]*id="${name}-error"[^>]*>${message}`))
    expect(text).toContain('<option value="PUT" selected=""')
    expect(text).not.toContain('Download CSV')
  })

  it('refuses a preset that there is not', async () => {
    const { status, text } = await find({ range: '2h' })
    expect(status).toBe(400)
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
