import { beforeEach, describe, expect, it } from 'vitest'
import { usualIfQuiet } from '../../src/requests/overview/senders.ts'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { linksIn } from '../fixtures/session.ts'
import { addPartner } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey } from '../fixtures/tenant.ts'

// The range that the overview shows, and whose requests.

const PATH = '/dashboard/'
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

beforeEach(() => execute('delete from audit_log'))

const show = (query: Record<string, string>) =>
  dashboard.get(`${PATH}?${new URLSearchParams(query)}`)

const requestsIn = (text: string) => /<dt>Requests<\/dt><dd>([\d,]*)<\/dd>/.exec(text)?.[1]

const timesIn = (text: string) => {
  const table = /<details class="numbers".*?<\/details>/s.exec(text)?.[0] ?? ''
  return Array.from(table.matchAll(/datetime="(.*?)"/g), ([, time]) => time)
}

const ago = (ms: number, row: Row = {}): Row => ({
  created_at: new Date(Date.now() - ms).toISOString(),
  ...row,
})

describe('GET /dashboard/ of a preset', () => {
  it.each([
    ['1h', 60, MINUTE],
    ['24h', 24, 60 * MINUTE],
    ['7d', 28, DAY / 4],
    ['30d', 30, DAY],
  ])('%s has %i buckets, the last of which is the present one', async (range, buckets, size) => {
    await insertRequests([{}])
    const present = () => Math.floor(Date.now() / size) * size
    const before = present()
    const { text } = await show({ range })
    const times = timesIn(text)
    expect(times).toHaveLength(buckets)
    const last = Date.parse(times.at(-1) ?? '')
    expect([before, present()]).toContain(last)
    expect(last - Date.parse(times[0] ?? '')).toBe((buckets - 1) * size)
    expect(text).toContain(`href="/dashboard/?range=${range}" aria-current="true"`)
  })

  it('counts what came in within it', async () => {
    await insertRequests([
      ago(5 * MINUTE),
      ago(120 * MINUTE),
      ago(3 * DAY),
      ago(20 * DAY),
      ago(40 * DAY),
    ])
    const counts = []
    for (const range of ['1h', '24h', '7d', '30d']) {
      counts.push(requestsIn((await show({ range })).text))
    }
    expect(counts).toEqual(['1', '2', '3', '4'])
    expect(requestsIn((await show({})).text)).toBe('2')
  })

  it('shows days as days in UTC, and says so', async () => {
    await insertRequests([{}])
    const { text } = await show({ range: '30d' })
    expect(text).toContain('Days begin at midnight UTC')
    expect(text).toMatch(/data-day="">\d{4}-\d\d-\d\d</)
    expect((await show({ range: '7d' })).text).not.toContain('Days begin at midnight')
  })
})

describe('GET /dashboard/ of an own range', () => {
  const own = { from: '2026-03-01T09:30:00Z', to: '2026-03-01T10:10:00Z' }

  beforeEach(async () => {
    const times = ['09:29:59.999', '09:30:00.000', '10:09:59.999', '10:10:00.000']
    await insertRequests(times.map((time) => ({ created_at: `2026-03-01T${time}Z` })))
  })

  it('counts from its first moment to before its last, in buckets that fit', async () => {
    const { text } = await show(own)
    expect(requestsIn(text)).toBe('2')
    expect(timesIn(text)).toHaveLength(40)
    expect(text).toContain('name="from" value="2026-03-01T09:30"')
    expect(text).toContain('name="to" value="2026-03-01T10:10"')
    expect(text).not.toContain('aria-current="true"')
  })

  it('counts until now without an end', async () => {
    await insertRequests([{}])
    expect(requestsIn((await show({ from: own.from })).text)).toBe('4')
  })

  it('counts instead of the preset that a form without JavaScript sends with it', async () => {
    const { text } = await show({ ...own, range: '7d' })
    expect(requestsIn(text)).toBe('2')
  })

  it('takes what a field sends without JavaScript for UTC, and says so', async () => {
    const { text } = await show({ from: '2026-03-01T09:30', to: '2026-03-01T10:10' })
    expect(requestsIn(text)).toBe('2')
    expect(text).toContain('From (UTC)')
  })

  it('leads to the same requests in the audit log', async () => {
    const { text } = await show(own)
    const [path = ''] = linksIn(text).filter(
      (href) => href.includes('/audit-log/?area=integ') && href.includes('to='),
    )
    const found = await dashboard.get(path)
    expect(found.text.match(/<tr>/g)).toHaveLength(1 + 2)
  })

  it.each([
    [
      { from: '2026-03-02T09:30:00Z', to: '2026-03-01T09:30:00Z' },
      'to',
      'Must be later than “From”.',
    ],
    [{ from: own.from, to: own.from }, 'to', 'Must be later than “From”.'],
    [{ to: own.to }, 'from', 'Say when the range begins.'],
    [{ from: '2999-01-01' }, 'from', 'Must be in the past.'],
    [{ from: '2001-01-01', to: '2026-01-01' }, 'from', 'A range has at most 3,650 days.'],
    [{ from: 'yesterday' }, 'from', 'Must be an ISO 8601 date or datetime'],
    [{ from: '2026-02-30', to: own.to }, 'from', 'Is not a day of the calendar'],
  ])('says what is wrong with %o at the field', async (query, name, message) => {
    const text = markupOf(await show({ ...query, partner_id: 'kept' }), 400)
    expect(text).toMatch(new RegExp(`<small[^>]*id="${name}-error"[^>]*>${message}`))
    expect(text).toMatch(new RegExp(`name="${name}"[^>]*aria-invalid="true"`))
    expect(text).toContain('<option value="kept" selected=""')
    expect(text).not.toContain('<canvas')
  })

  it('refuses a preset that there is not', async () => {
    const text = markupOf(await show({ range: '1y' }), 400)
    expect(text).not.toContain('name="range"')
    expect(text).toContain('role="alert">range: Must be one of: 1h, 24h, 7d, 30d.')
  })
})

describe('GET /dashboard/ of one partner or key', () => {
  it('offers both, and counts only that', async () => {
    const partner = await addPartner()
    const { id } = await createKey(undefined, { name: 'Own key' })
    await insertRequests([{ partner_id: partner.id, api_key_id: id }], 3)
    await insertRequests([{ partner_id: partner.id, api_key_id: 'other' }], 2)
    await insertRequests([{}])
    const all = await show({})
    expect(requestsIn(all.text)).toBe('6')
    expect(all.text).toContain(`<option value="${partner.id}">${partner.name}</option>`)
    const of = await show({ partner_id: partner.id, range: '7d' })
    expect(requestsIn(of.text)).toBe('5')
    expect(of.text).toContain(`<option value="${partner.id}" selected=""`)
    expect(of.text).toContain('<input type="hidden" name="range" value="7d"/>')
    expect(requestsIn((await show({ api_key_id: id })).text)).toBe('3')
  })

  it('is kept by the presets, and led to by the busiest', async () => {
    const row = { partner_id: 'p-1', partner_name: 'Nordvik <ERP>' }
    await insertRequests([{ ...row, api_key_id: 'k-1' }], 3)
    await insertRequests([{ ...row, api_key_id: 'k-2', status: 500 }])
    const all = await show({ range: '1h' })
    expect(all.text).toContain('Nordvik &lt;ERP&gt;')
    const [path = ''] = linksIn(all.text).filter((href) => href.includes('partner_id=p-1'))
    expect(path).toBe('/dashboard/?range=1h&partner_id=p-1')
    const { text } = await dashboard.get(path)
    expect(linksIn(text)).toEqual(
      expect.arrayContaining([
        '/dashboard/?range=7d&partner_id=p-1',
        '/dashboard/?range=1h&partner_id=p-1&api_key_id=k-2',
      ]),
    )
    expect(text).toContain('Busiest API keys')
    const errors = linksIn(text).filter((href) => href.includes('status=500'))
    expect(errors[0]).toContain('partner_id=p-1')
  })

  it('sums up all beyond the five busiest as others', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await insertRequests([{ partner_id: id, partner_name: id }], 2)
    }
    expect((await show({})).text).not.toContain('>Others<')
    await insertRequests([{ partner_id: 'f', partner_name: 'f' }, { api_key_id: 'g' }])
    const { text } = await show({})
    expect(text).toContain('<th scope="col" data-plot="share">Others</th>')
    expect(text).toMatch(/<data value="2">2<\/data><\/td><\/tr><\/tbody>/)
  })

  it('names its columns after the busiest, whatever is in their names', async () => {
    await insertRequests([{ partner_id: 'p', partner_name: '<script>alert(1)</script>' }])
    const { text } = await show({})
    expect(text).toContain('<th scope="col" data-plot="share">&lt;script&gt;alert')
    expect(text).not.toContain('<script>alert')
  })

  it('says so where it has no requests', async () => {
    const { text } = await show({ partner_id: 'silent', range: '30d' })
    expect(text).toContain('No such requests to the integrations API in the last 30 days.')
    expect(text).not.toContain('curl')
  })
})

// When a partner has gone quiet.

const HOUR = 3_600_000
const FRIDAY_EVENING = Date.parse('2026-11-27T18:00:00Z')

/** Visits every so many hours until Friday evening, the newest first. */
const every = (hours: number, visits = 12) =>
  Array.from({ length: visits }, (_, at) => FRIDAY_EVENING - at * hours * HOUR)

/** In the morning and in the evening of each working day. */
const WORKDAYS = Array.from({ length: 14 }, (_, day) => FRIDAY_EVENING - day * DAY)
  .filter((time) => ![0, 6].includes(new Date(time).getUTCDay()))
  .flatMap((evening) => [evening, evening - 10 * HOUR])
  .slice(0, 12)

describe('a partner that sends', () => {
  it.each<[string, number[], quietAfter: number]>([
    ['all day', every(8), 24],
    ['once a day', every(24), 3 * 24],
    ['once a week', every(7 * 24, 5), 21 * 24],
    ['on working days', WORKDAYS, 62],
  ])('%s has gone quiet later than usual', (_, visits, hours) => {
    const times = visits.map((time) => new Date(time).toISOString())
    expect(usualIfQuiet(times, FRIDAY_EVENING + hours * HOUR)).toBeNull()
    expect(usualIfQuiet(times, FRIDAY_EVENING + (hours + 1) * HOUR)).toBeGreaterThan(0)
  })

  it('four times has no rhythm yet', () => {
    const times = every(8, 4).map((time) => new Date(time).toISOString())
    expect(usualIfQuiet(times, FRIDAY_EVENING + 30 * DAY)).toBeNull()
  })
})
