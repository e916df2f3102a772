import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { ATTEMPTS } from '../fixtures/attempts.ts'
import { admin } from '../fixtures/opened.ts'
import { everyPage } from '../fixtures/pages-read.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { utc } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { client, createKey, type Json, openAdmin } from '../fixtures/tenant.ts'

const DAY_MS = 24 * 60 * 60 * 1000

beforeEach(async () => {
  await openAdmin('other')
  for (const db of [env.DB_DEMO, env.DB_OTHER]) await db.exec('delete from key_attempts')
  await env.DB_DEMO.exec('update workspace set audit_retention_days = 365')
})

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

/** Rows as attempts would have left them. */
async function insertAttempts(rows: Json[]): Promise<void> {
  const insert = env.DB_DEMO.prepare('insert into key_attempts values (?, ?, ?, ?, ?, ?)')
  const values = rows.map(({ hint, reason = 'unknown', count = 1, at = daysAgo(0) }) =>
    insert.bind(hint, reason, count, at, at, 'none'),
  )
  await env.DB_DEMO.batch(values)
}

const hintsOf = (rows: Json[]) => rows.map(({ hint }) => hint)

describe('GET /key-attempts/', () => {
  it('lists what was counted of a key that nobody was given', async () => {
    const { value, hint } = await mintKey('demo')
    await client(value).get('/orders/')
    const { status, body } = await admin.get(ATTEMPTS)
    expect(status).toBe(200)
    const row = { hint, reason: 'unknown', count: 1, first_at: utc, last_at: utc }
    const pagination = { limit: 50, next_cursor: null }
    expect(body).toEqual({ success: true, data: [row], pagination })
  })

  it('is an empty list where there are none, and of nobody else', async () => {
    await insertAttempts([{ hint: 'xd_demo_…mine' }])
    const other = await openAdmin('other')
    expect((await other.get(ATTEMPTS)).body.data).toEqual([])
  })

  it('lists the latest first', async () => {
    const rows = [3, 1, 2].map((days) => ({ hint: `${days}`, at: daysAgo(days) }))
    await insertAttempts(rows)
    expect(hintsOf((await admin.get(ATTEMPTS)).body.data)).toEqual(['1', '2', '3'])
  })

  it('lists all there can be, in pages that a later attempt does not move', async () => {
    const reasons = ['malformed', 'unknown', 'revoked', 'expired', 'wrong_host']
    const hints = Array.from({ length: 101 }, (_, index) => `${index}`)
    const [one, other] = [daysAgo(1), daysAgo(2)]
    const rows = hints.flatMap((hint, index) =>
      reasons.map((reason) => ({ hint, reason, at: index % 2 ? one : other })),
    )
    await insertAttempts(rows)
    const seen: Json[] = []
    for await (const { body } of everyPage(admin, `${ATTEMPTS}?limit=60`)) {
      seen.push(...body.data)
      await execute(
        'update key_attempts set last_at = ? where hint = ?',
        daysAgo(0),
        `${seen.length % 101}`,
      )
    }
    expect(seen).toHaveLength(rows.length)
    expect(new Set(seen.map(({ hint, reason }) => `${hint} ${reason}`)).size).toBe(rows.length)
  })

  it('filters by reason', async () => {
    await insertAttempts([
      { hint: 'a', reason: 'revoked', count: 7 },
      { hint: 'a', reason: 'expired' },
      { hint: 'b', reason: 'expired' },
    ])
    const { body } = await admin.get(`${ATTEMPTS}?reason=revoked`)
    expect(body.data).toMatchObject([{ hint: 'a', reason: 'revoked', count: 7 }])
  })

  it('refuses a reason that there is none of', async () => {
    const answer = await admin.get(`${ATTEMPTS}?reason=lost`)
    expect([answer.status, answer.body.error.fields]).toEqual([
      400,
      { reason: ['Must be one of: malformed, unknown, revoked, expired, wrong_host, plain_http.'] },
    ])
  })

  it.each([['settings.audit.read'], ['settings.read']])('is open to %s', async (scope) => {
    const reader = client((await createKey([scope])).value)
    expect((await reader.get(ATTEMPTS)).status).toBe(200)
  })

  it('is closed to other scopes', async () => {
    const writer = client((await createKey(['settings.write', 'integrations.*'])).value)
    expectRefusal(await writer.get(ATTEMPTS), 403, 'SCOPE_MISSING')
  })
})

describe('attempts that are older than audit_retention_days', () => {
  it('are shown no longer, as soon as the days are changed', async () => {
    await insertAttempts([
      { hint: 'new', at: daysAgo(29) },
      { hint: 'old', at: daysAgo(31) },
      { hint: 'oldest', at: daysAgo(366) },
    ])
    expect(hintsOf((await admin.get(ATTEMPTS)).body.data)).toEqual(['new', 'old'])
    await admin.put('/api/settings/v1/workspace/', { audit_retention_days: 30 })
    expect(hintsOf((await admin.get(ATTEMPTS)).body.data)).toEqual(['new'])
  })
})
