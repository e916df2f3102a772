import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { type Dashboard, linksIn, openDashboard } from '../fixtures/session.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, unique } from '../fixtures/tenant.ts'

const PATH = '/dashboard/'
const HOUR = 3_600_000
const DAY = 24 * HOUR

beforeEach(() => execute('delete from audit_log'))

const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()
const startOf = (hours: number) => Math.floor(Date.now() / (hours * HOUR)) * hours * HOUR

/** Each row of the table of numbers: its time, then its cells. */
function numbersIn(text: string): (string | undefined)[][] {
  const table = /<details class="numbers".*?<tbody>(.*?)<\/tbody>/s.exec(text)?.[1] ?? ''
  return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => [
    /datetime="(.*?)"/.exec(row)?.[1],
    ...Array.from(row.matchAll(/<td>(?:<data value="(.*?)">)?/g), ([, value]) => value),
  ])
}

/** The totals by name. */
function totalsIn(text: string): Record<string, string> {
  const pairs = text.matchAll(/<dt[^>]*>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)
  return Object.fromEntries(Array.from(pairs, ([, name = '', value = '']) => [name, value]))
}

describe('GET /dashboard/', () => {
  it('tells how many requests there were, how many failed and how long they took', async () => {
    await insertRequests([{ duration_ms: 20 }], 1234)
    await insertRequests([{ status: 404, error_code: 'NOT_FOUND', duration_ms: 900 }], 100)
    await insertRequests([{ status: 500, error_code: 'INTERNAL_ERROR', duration_ms: 2500 }])
    const text = markupOf(await dashboard.get(PATH))
    expect(totalsIn(text)).toEqual({
      Requests: '1,335',
      '2xx': '1,234',
      '4xx': '100',
      '5xx': '1',
      'Error rate': '7.57%',
      'Latency p50': '20 ms',
      'Latency p95': '900 ms',
    })
  })

  it('has the numbers of each hour of a day, zero where there were none', async () => {
    const hour = startOf(1)
    const created_at = new Date(hour - 2 * HOUR).toISOString()
    await insertRequests([{ created_at, duration_ms: 5 }], 3)
    await insertRequests([{ created_at, status: 400, error_code: 'X', duration_ms: 9 }])
    const { text } = await dashboard.get(PATH)
    expect(numbersIn(text)).toEqual(
      Array.from({ length: 24 }, (_, index) => {
        const time = new Date(hour - (23 - index) * HOUR).toISOString()
        return index === 21
          ? [time, '3', '1', '5', '9', '4']
          : [time, '0', '0', undefined, undefined, '0']
      }),
    )
    expect(text).toMatch(/<caption>.+<\/caption>/)
    expect(text).toMatch(/<canvas role="img" aria-label="Requests over time: 4 in all, 1 of them/)
  })

  it('has the numbers of 7 days by 6 hours', async () => {
    const start = startOf(6)
    await insertRequests([{ created_at: new Date(start - 27 * 6 * HOUR).toISOString() }], 2)
    const day = await dashboard.get(PATH)
    expect(day.text).toContain('No requests to the integrations API in the last 24 hours.')
    const { text } = await dashboard.get(`${PATH}?range=7d`)
    const rows = numbersIn(text)
    expect(rows).toHaveLength(28)
    expect(rows[0]).toEqual([new Date(start - 27 * 6 * HOUR).toISOString(), '2', '1', '1', '2'])
    expect(rows.at(-1)).toEqual([new Date(start).toISOString(), '0', undefined, undefined, '0'])
  })

  it('counts no requests of settings and dashboard', async () => {
    await insertRequests([{ path: '/api/settings/v1/api-keys/' }, { path: '/dashboard/' }])
    const { text } = await dashboard.get(PATH)
    expect(text).toContain('No requests to the integrations API')
  })

  it('leads from an error to its requests', async () => {
    await insertRequests([{ status: 409, error_code: 'DUPLICATE' }], 3)
    await insertRequests([
      { status: 409, error_code: 'IN_USE' },
      { status: 409, error_code: 'DUPLICATE', created_at: inDays(-2) },
      { status: 409, error_code: 'DUPLICATE', path: '/dashboard/new/partner/' },
    ])
    const { text } = await dashboard.get(PATH)
    const [path = ''] = linksIn(text).filter((href) => href.includes('error_code=DUPLICATE'))
    const found = await dashboard.get(path)
    expect(found.text.match(/<code>\/(api|dashboard)/g)).toHaveLength(3)
    expect(found.text).not.toContain('IN_USE')
  })

  it('never tells of an error as none', async () => {
    await insertRequests([{}], 20_000)
    await insertRequests([{ status: 500, error_code: 'INTERNAL_ERROR' }])
    const { text } = await dashboard.get(PATH)
    expect(totalsIn(text)['Error rate']).toBe('&lt; 0.01%')
  })

  it('says that nothing failed where nothing did', async () => {
    await insertRequests([{}])
    const { text } = await dashboard.get(PATH)
    expect(text).toContain('No request was refused or failed.')
  })

  it('shows how to begin where there were no requests', async () => {
    const { text } = await dashboard.get(PATH)
    expect(text).toContain('curl &#39;https://demo.example/api/integrations/v1/orders/&#39;')
    expect(linksIn(text)).toContain('/dashboard/new/api-key/')
    const reader = await openDashboard(['settings.read'])
    expect(linksIn((await reader.get(PATH)).text)).not.toContain('/dashboard/new/api-key/')
  })

  inDeepPass(() => {
    it('says since when its numbers are where there are too many requests', async () => {
      const created_at = new Date(startOf(1) - 5 * HOUR).toISOString()
      await insertRequests([{ created_at }], 200_001)
      const { text } = await dashboard.get(PATH)
      expect(text).toMatch(/numbers cover only the latest 200,000 in the audit\s+log, since <time/)
      expect(totalsIn(text).Requests).toBe('200,000')
      const hours = (startOf(1) - Date.parse(created_at)) / HOUR + 1
      expect(numbersIn(text)).toHaveLength(hours)
    })
  })

  it('lists active keys that expire within 14 days, soonest first', async () => {
    await execute('update api_keys set expires_at = null')
    const add = async (days: number | null, revoked_at?: string) => {
      const name = unique('key')
      const expires = days === null ? {} : { expires_at: inDays(days) }
      const { id } = await createKey(undefined, {
        name,
        ...expires,
        ...(revoked_at && { revoked_at }),
      })
      return { name, id }
    }
    const later = await add(13.9)
    const sooner = await add(0.1)
    const others = [await add(14.1), await add(-1), await add(null), await add(1, inDays(-1))]
    const page = await dashboard.get(PATH)
    const text = page.text.slice(page.text.indexOf('Keys that expire soon'))
    expect(text.indexOf(sooner.name)).toBeGreaterThan(0)
    expect(text.indexOf(later.name)).toBeGreaterThan(text.indexOf(sooner.name))
    for (const { name } of others) expect(text).not.toContain(name)
    const at = `/dashboard/api-keys/${sooner.id}/`
    expect(linksIn(text)).toEqual(expect.arrayContaining([at, `${at}rotate/`]))
    const reader = await openDashboard(['settings.read'])
    expect((await reader.get(PATH)).text).not.toContain(at)
  })

  it('lists 20 keys that expire soon, and no more', async () => {
    for (let turn = 0; turn < 21; turn++) await createKey(undefined, { expires_at: inDays(1) })
    const { text } = await dashboard.get(PATH)
    expect(linksIn(text).filter((href) => href.endsWith('/rotate/'))).toHaveLength(20)
  })

  it('has no list of them where no key expires soon', async () => {
    await execute('update api_keys set expires_at = null')
    expect((await dashboard.get(PATH)).text).not.toContain('Keys that expire soon')
  })

  it('shows names and error codes as text, whatever is in them', async () => {
    const name = '<script>alert(1)</script>'
    await createKey(undefined, { name, expires_at: inDays(1) })
    await insertRequests([{ status: 400, error_code: name }])
    const { text } = await dashboard.get(PATH)
    expect(text.match(/&lt;script&gt;alert/g)?.length).toBeGreaterThan(1)
    expect(text).not.toContain('<script>alert')
  })
})

const HEADING = 'Attempts without a valid key'
const HOUR_MS = 3_600_000

let auditor: Dashboard

beforeAll(async () => {
  auditor = await openDashboard(['settings.audit.read'])
})
beforeEach(() => execute('delete from key_attempts'))

const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()

async function insert(hint: string, reason: string, count: number, hours: number) {
  const [first_at, last_at] = [hoursAgo(hours + 1), hoursAgo(hours)]
  await execute(
    'insert into key_attempts values (?, ?, ?, ?, ?, ?)',
    hint,
    reason,
    count,
    first_at,
    last_at,
    'none',
  )
  return { first_at, last_at }
}

/** The cells of each row of the panel; of a time its instant. */
function rowsIn(text: string): string[][] {
  const panel = text.split(HEADING)[1]?.split('</section>')[0] ?? ''
  const rows = [...panel.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/gs)]
  return rows.map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(
      ([, cell = '']) => /datetime="(.*?)"/.exec(cell)?.[1] ?? cell.replace(/<[^>]*>/g, ''),
    ),
  )
}

describe('GET /dashboard/', () => {
  it('has no panel of attempts without a valid key where there were none', async () => {
    expect((await auditor.get('/dashboard/')).text).not.toContain(HEADING)
  })

  it('shows them with hint, reason, number and times, the latest first', async () => {
    const one = await insert('xd_demo_…Q7kD', 'revoked', 1234, 2)
    const two = await insert('other', 'malformed', 5, 1)
    const { text } = await auditor.get('/dashboard/')
    const malformed = 'Not a key: mistyped, cut off, or of another system'
    expect(rowsIn(text)).toEqual([
      ['Other keys', malformed, '5', two.first_at, two.last_at],
      ['xd_demo_…Q7kD', 'The key is revoked', '1,234', one.first_at, one.last_at],
    ])
  })

  it.each(['malformed', 'unknown', 'revoked', 'expired', 'wrong_host', 'plain_http'])(
    'says %s in words',
    async (reason) => {
      await insert('xd_demo_…Q7kD', reason, 1, 1)
      const [row] = rowsIn((await auditor.get('/dashboard/')).text)
      expect(row?.[1]).toMatch(/^[A-Z].+ .+$/)
      expect(row?.[1]).not.toContain('_')
    },
  )

  it('shows those of the range alone', async () => {
    await insert('xd_demo_…Q7kD', 'expired', 1, 25)
    expect((await auditor.get('/dashboard/')).text).not.toContain(HEADING)
    const week = await auditor.get('/dashboard/?range=7d')
    expect(rowsIn(week.text)).toHaveLength(1)
  })

  it('shows the latest 20, and says where the others are', async () => {
    for (let turn = 0; turn < 20; turn++) await insert(`hint ${turn}`, 'unknown', 1, 1)
    const full = (await auditor.get('/dashboard/')).text
    expect([rowsIn(full).length, full.includes('lists all')]).toEqual([20, false])
    await insert('oldest', 'unknown', 1, 20)
    const { text } = await auditor.get('/dashboard/')
    expect(rowsIn(text)).toHaveLength(20)
    expect(text).not.toContain('oldest')
    expect(text).toContain('GET /api/settings/v1/key-attempts/')
  })
})
