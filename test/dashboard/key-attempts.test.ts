import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'

const HEADING = 'Attempts without a valid key'
const HOUR_MS = 3_600_000

let dashboard: Dashboard

beforeAll(async () => {
  dashboard = await openDashboard(['settings.audit.read'])
})
beforeEach(() => env.DB_DEMO.prepare('delete from key_attempts').run())

const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()

async function insert(hint: string, reason: string, count: number, hours: number) {
  const [first_at, last_at] = [hoursAgo(hours + 1), hoursAgo(hours)]
  await env.DB_DEMO.prepare('insert into key_attempts values (?, ?, ?, ?, ?, ?)')
    .bind(hint, reason, count, first_at, last_at, 'none')
    .run()
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
    expect((await dashboard.get('/dashboard/')).text).not.toContain(HEADING)
  })

  it('shows them with hint, reason, number and times, the latest first', async () => {
    const one = await insert('xd_demo_…Q7kD', 'revoked', 1234, 2)
    const two = await insert('other', 'malformed', 5, 1)
    const { text } = await dashboard.get('/dashboard/')
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
      const [row] = rowsIn((await dashboard.get('/dashboard/')).text)
      expect(row?.[1]).toMatch(/^[A-Z].+ .+$/)
      expect(row?.[1]).not.toContain('_')
    },
  )

  it('shows those of the range alone', async () => {
    await insert('xd_demo_…Q7kD', 'expired', 1, 25)
    expect((await dashboard.get('/dashboard/')).text).not.toContain(HEADING)
    const week = await dashboard.get('/dashboard/?range=7d')
    expect(rowsIn(week.text)).toHaveLength(1)
  })

  it('shows the latest 20, and says where the others are', async () => {
    for (let turn = 0; turn < 20; turn++) await insert(`hint ${turn}`, 'unknown', 1, 1)
    const full = (await dashboard.get('/dashboard/')).text
    expect([rowsIn(full).length, full.includes('lists all')]).toEqual([20, false])
    await insert('oldest', 'unknown', 1, 20)
    const { text } = await dashboard.get('/dashboard/')
    expect(rowsIn(text)).toHaveLength(20)
    expect(text).not.toContain('oldest')
    expect(text).toContain('GET /api/settings/v1/key-attempts/')
  })
})
