import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { intercept } from '../fixtures/bindings.ts'
import { db } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { type Dashboard, linksIn, openDashboard, withCookie } from '../fixtures/session.ts'
import { newCookie } from '../fixtures/signed-in.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'

// What needs a person, on the overview: each line appears, leads somewhere, and disappears.

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NO_PAUSE = { until: null, note: null }

let auditor: Dashboard

beforeAll(async () => {
  await db.batch([
    db.prepare(
      "insert into partners (id, name, created_at, updated_at) values ('P', 'Nordvik', '', '')",
    ),
    db.prepare(
      "insert into orders (id, order_number, created_at, updated_at) values ('o', 'O-1', '', '')",
    ),
  ])
  const { id } = await openWebhook()
  await addKey('K', null)
  await addKey('W', id)
})

beforeEach(async () => {
  await db.batch(
    ['audit_log', 'line_differences'].map((table) => db.prepare(`delete from ${table}`)),
  )
  auditor = await openDashboard(['settings.audit.read'])
})

const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

/** A webhook has the rules of another one. */
async function addKey(id: string, like: string | null) {
  await execute(
    `insert into api_keys (id, hash, hint, name, scopes, partner_id, webhook, created_at)
       values (?1, ?1, ?1, ?1, '[]', 'P', (select webhook from api_keys where id = ?2), '')`,
    id,
    like,
  )
}

/** The words of each line, and where its action leads. */
async function needs(of = dashboard): Promise<{ words: string; href: string | undefined }[]> {
  const page = await of.get('/dashboard/')
  const [, list = ''] = /<ul class="needs">(.*?)<\/ul>/s.exec(page.text) ?? []
  return Array.from(list.matchAll(/<li>(.*?)<\/li>/gs), ([, text = '']) => ({
    words: wordsOf({ ...page, text }).trim(),
    href: linksIn(text)[0],
  }))
}

const run =
  (sql: string, ...values: unknown[]) =>
  () =>
    execute(sql, ...values)
const pause = (table: string, id: string, value: object | null) =>
  run(`update ${table} set pause = ? where id = ?`, value && JSON.stringify(value), id)

const wait = (count: number, need = 'product') =>
  run(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into waiting_deliveries (delivery_id, log_seq, api_key_id, partner_id, resource, needs, error_code, message,
       created_at, ends_at, bytes, body)
     select ?2 || i, i, 'W', 'P', 'orders', ?2, 'X', '', ?3, ?4, 1, '' from n`,
    count,
    need,
    ago(HOUR),
    ago(-20 * DAY),
  )
const differ = (count: number) =>
  run(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into line_differences (order_id, log_seq, request_id, partner_id, sent, differences, total, noted_at)
     select 'o' || i, i, 'r', 'P', '[]', '[]', 1, ?2 from n`,
    count,
    ago(HOUR),
  )
const ATTEMPT = "insert into key_attempts values ('xd_demo_…Q7kD', ?, 4, ?, ?, 'none')"
const requests =
  (times: number[], row: Row = {}) =>
  () =>
    insertRequests(
      times.map((time) => ({
        created_at: ago(time),
        api_key_id: 'K',
        api_key_name: 'ERP',
        partner_id: 'P',
        partner_name: 'Nordvik',
        ...row,
      })),
    )

const EVERY_8_HOURS = Array.from({ length: 10 }, (_, at) => (9 - at) * 8 * HOUR)
const REFUSED = { status: 400, method: 'POST', error_code: 'X' }
const EIGHT = Array.from({ length: 8 }, (_, at) => (8 - at) * 60_000)

const emptyLog = run('delete from audit_log')

interface Case {
  begins: () => Promise<unknown>
  words: RegExp
  href: string | undefined
  /** Where a key leads that sees the log alone; null if it is not shown to it. */
  auditor: string | null | undefined
  ends: () => Promise<unknown>
}

const CASES: Record<string, Case> = {
  'a delivery that waits': {
    begins: wait(1),
    words: /^1 delivery waits for a product that is not there since \d/,
    href: '/dashboard/deliveries/?needs=product',
    auditor: null,
    ends: run('delete from waiting_deliveries'),
  },
  'more deliveries than are counted': {
    begins: wait(60),
    words: /^50\+ deliveries wait for a product that is not there some since \d/,
    href: '/dashboard/deliveries/?needs=product',
    auditor: null,
    ends: run('delete from waiting_deliveries'),
  },
  'an order with other lines': {
    begins: differ(1),
    words: /^1 order has other lines than its shop has delivered last since \d/,
    href: '/dashboard/line-differences/',
    auditor: null,
    ends: run("update line_differences set seen_at = ''"),
  },
  'a key that ends soon': {
    begins: run('update api_keys set expires_at = ? where id = ?', ago(-DAY), 'K'),
    words: /^1 API key ends within 14 days on \d/,
    href: '#ending-keys-key',
    auditor: null,
    ends: run('update api_keys set expires_at = null where id = ?', 'K'),
  },
  'a webhook that ends soon': {
    begins: run('update api_keys set expires_at = ? where id = ?', ago(-DAY), 'W'),
    words: /^1 webhook ends within 14 days on \d/,
    href: '#ending-keys-webhook',
    auditor: null,
    ends: run('update api_keys set expires_at = ? where id = ?', ago(-15 * DAY), 'W'),
  },
  'a key that was used after its end': {
    begins: run(ATTEMPT, 'expired', ago(2 * DAY), ago(DAY)),
    words: /^1 key that has ended was used, 4 times in all last \d/,
    href: '/dashboard/?range=7d#key-attempts',
    auditor: '/dashboard/?range=7d#key-attempts',
    ends: run('update key_attempts set last_at = ?', ago(8 * DAY)),
  },
  'a partner that has gone quiet': {
    begins: requests(EVERY_8_HOURS.map((time) => time + 49 * HOUR)),
    words:
      /^2 days without a request of Nordvik, which usually sends within 8 hours \(“ERP”\) since \d/,
    href: '/dashboard/partners/P/',
    auditor: '/dashboard/audit-log/?partner_id=P',
    ends: requests([0]),
  },
  'a partner of which every request is refused': {
    begins: requests(EIGHT, REFUSED),
    words: /^8\+ requests of Nordvik in a row were refused \(“ERP”\) since \d/,
    href: '/dashboard/audit-log/?partner_id=P&api_key_id=K&status=4xx',
    auditor: '/dashboard/audit-log/?partner_id=P&api_key_id=K&status=4xx',
    ends: requests([0]),
  },
  'what the daily check-up has found': {
    begins: run(
      `insert into check_ups values ('P', ?, '["mapping_refused","no_cursor"]')`,
      ago(HOUR),
    ),
    words:
      /^2 findings in the check-up of Nordvik: a mapping that would be refused if it were saved today; a list of which only the first page is read found \d/,
    href: '/dashboard/partners/P/',
    auditor: null,
    ends: run('update check_ups set checked_at = ?', ago(3 * DAY)),
  },
  'an old backup': {
    begins: run('update workspace set backed_up_at = ?', ago(4 * DAY)),
    words: /^4 days without a backup. Ask whoever operates the service the last \d/,
    href: undefined,
    auditor: null,
    ends: run('update workspace set backed_up_at = ?', ago(DAY)),
  },
  'a paused partner': {
    begins: pause('partners', 'P', NO_PAUSE),
    words: /^1 partner is paused: Nordvik Resume/,
    href: '/dashboard/partners/P/',
    auditor: null,
    ends: pause('partners', 'P', { ...NO_PAUSE, until: ago(1000) }),
  },
  'a paused key': {
    begins: pause('api_keys', 'K', { ...NO_PAUSE, until: ago(-DAY) }),
    words: /^1 API key is paused: K until \d/,
    href: '/dashboard/api-keys/K/',
    auditor: null,
    ends: pause('api_keys', 'K', null),
  },
  'a paused webhook': {
    begins: pause('api_keys', 'W', NO_PAUSE),
    words: /^1 webhook is paused: W Resume/,
    href: '/dashboard/webhooks/W/',
    auditor: null,
    ends: pause('api_keys', 'W', null),
  },
  'the integration that is switched off': {
    begins: run('update workspace set integration_enabled = 0'),
    words: /^All calls of partners are refused: the integration is switched off/,
    href: '/dashboard/workspace/',
    auditor: undefined,
    ends: run('update workspace set integration_enabled = 1'),
  },
  'the integration that is paused': {
    begins: run("update workspace set pause = json_object('until', null, 'note', null)"),
    words: /^All calls of partners are on hold: the integration is paused/,
    href: '/dashboard/workspace/pause/',
    auditor: undefined,
    ends: run('update workspace set pause = null'),
  },
}

describe('GET /dashboard/', () => {
  it('says that nothing needs anybody, and when it looked', async () => {
    const page = await dashboard.get('/dashboard/')
    expect(wordsOf(page)).toMatch(/Nothing needs you Looked at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
    expect(page.text).not.toContain('class="needs"')
  })

  it.each(Object.entries(CASES))('tells of %s until it is settled', async (_, of) => {
    await of.begins()
    expect(await needs()).toEqual([{ words: expect.stringMatching(of.words), href: of.href }])
    const seen = await needs(auditor)
    expect(seen.map(({ href }) => href)).toEqual(of.auditor === null ? [] : [of.auditor])
    await of.ends()
    expect(await needs()).toEqual([])
    await emptyLog()
  })

  it.each([
    [8_100_000_000, /^81% of the database of this workspace is full/],
    [7_990_000_000, null],
  ])('tells that a database of %d bytes is full', async (size_after, words) => {
    const batch = async (call: () => unknown) =>
      ((await call()) as D1Result[]).map((result) => ({
        ...result,
        meta: { ...result.meta, size_after },
      }))
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const seenBy = async (scopes: string[]) => {
      return await needs(withCookie(await newCookie(scopes), { bindings }))
    }
    const found = await seenBy(['settings.audit.read', 'settings.workspace.*'])
    expect(found).toEqual(
      words === null
        ? []
        : [{ words: expect.stringMatching(words), href: '/dashboard/workspace/' }],
    )
    expect(await seenBy(['settings.audit.read'])).toEqual([])
    const reader = await seenBy(['settings.audit.read', 'settings.workspace.read'])
    expect(reader.map(({ href }) => href)).toEqual(found.map(() => undefined))
  })

  it('counts a person whose access ends soon as no key', async () => {
    await execute(
      `insert into api_keys (id, hash, hint, name, email, scopes, expires_at, created_at)
         values ('E', 'E', 'E', 'E', 'e@example.com', '[]', ?, '')`,
      ago(-DAY),
    )
    expect(await needs()).toEqual([])
    await execute("delete from api_keys where id = 'E'")
  })

  it('puts what is most urgent first', async () => {
    const several = [differ(1), wait(3), wait(2, 'settings'), pause('partners', 'P', NO_PAUSE)]
    for (const begin of [...several, run('update waiting_deliveries set ends_at = ?', ago(-DAY))]) {
      await begin()
    }
    expect((await needs()).map(({ words }) => words)).toEqual([
      expect.stringMatching(/^5 deliveries are given up within three days .* the first on \d/),
      expect.stringMatching(
        /^2 deliveries wait for a change of the mapping .* the oldest since \d/,
      ),
      expect.stringMatching(/^3 deliveries wait for a product/),
      expect.stringMatching(/^1 order has other lines/),
      expect.stringMatching(/^1 partner is paused/),
    ])
    await db.batch(
      [
        'delete from waiting_deliveries',
        'delete from line_differences',
        'update partners set pause = null',
      ].map((sql) => db.prepare(sql)),
    )
  })

  it('tells that a partner is quiet although somebody has sent a request of it again', async () => {
    await CASES['a partner that has gone quiet']?.begins()
    await requests([HOUR], { api_key_id: 'A', api_key_name: 'Admin', replay_of: 'x' })()
    expect((await needs()).map(({ words }) => words)).toEqual([
      expect.stringContaining('without a request of Nordvik'),
    ])
  })

  it('tells of refusals until the last one has been sent again and accepted', async () => {
    await requests(EIGHT.slice(0, -1), REFUSED)()
    await requests([30_000], { ...REFUSED, request_id: 'last' })()
    const again = { api_key_id: 'A', api_key_name: 'Admin', replay_of: 'last' }
    await requests([20_000], { ...again, ...REFUSED })()
    await requests([10_000], { ...again, status: 200, dry_run: 1 })()
    expect((await needs()).map(({ words }) => words)).toEqual([
      expect.stringContaining('requests of Nordvik in a row were refused'),
    ])
    await requests([0], { ...again, status: 201 })()
    expect(await needs()).toEqual([])
  })

  it.each<[string, number[], Row]>([
    ['seven refusals', EIGHT.slice(1), REFUSED],
    ['refusals of another day', EIGHT.map((time) => time + DAY), REFUSED],
    ['look-ups of what is not there', EIGHT, { status: 404, method: 'GET' }],
    ['answers that a client has to repeat', EIGHT, { ...REFUSED, status: 503 }],
    ['dry runs', EIGHT, { ...REFUSED, dry_run: 1 }],
    ['visits without a rhythm', [40 * DAY, 39 * DAY, 38 * DAY, 37 * DAY], {}],
    ['a key without a partner', EIGHT, { ...REFUSED, partner_id: null }],
  ])('says nothing of %s', async (_, times, row) => {
    await requests(times, row)()
    expect(await needs()).toEqual([])
  })

  it.each([
    ['partners', 'P', 'Nordvik', '/dashboard/partners/P/'],
    ['api_keys', 'K', 'K', '/dashboard/api-keys/'],
    ['api_keys', 'W', 'W', '/dashboard/webhooks/W/'],
  ])(
    'leads a key that may only read to a page of %s %s that it may see',
    async (table, id, name, href) => {
      await pause(table, id, NO_PAUSE)()
      const reader = await openDashboard(['settings.read'])
      const [line] = await needs(reader)
      expect(line).toEqual({ words: expect.stringContaining(`Look at ${name}`), href })
      expect((await reader.get(href)).status).toBe(200)
      await pause(table, id, null)()
    },
  )

  it('tells a key that is linked to a partner nothing of deliveries', async () => {
    await wait(1)()
    const { id, value } = await createKey(['settings.*'])
    await run("update api_keys set partner_id = 'P' where id = ?", id)()
    expect(await needs(await openDashboard([], { key: value }))).toEqual([])
    await run('delete from waiting_deliveries')()
  })
})

describe('numbers of deliveries that wait for different things', () => {
  it.each([
    [
      [3, 2],
      ['2', '3'],
    ],
    [
      [60, 2],
      ['2', '50+'],
    ],
    [
      [60, 60],
      ['25+', '25+'],
    ],
  ])('%j are shown as %j', async ([products = 0, settings = 0], shown) => {
    await wait(products)()
    await wait(settings, 'settings')()
    expect((await needs()).map(({ words }) => words.split(' ')[0])).toEqual(shown)
    await run('delete from waiting_deliveries')()
  })
})
