import { beforeEach, describe, expect, it } from 'vitest'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { markupOf, rowsRead } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { KEYS } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { client, type Json, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'

const PARTNERS = '/api/settings/v1/partners/'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

type Partner = Awaited<ReturnType<typeof openPartner>>

let partner: Partner

beforeEach(async () => {
  await openTenant()
  partner = await openPartner()
})

async function found(kind?: string): Promise<Json[]> {
  const data = dataOf(await partner.admin.get(`${PARTNERS}${partner.id}/check-up/`), 200)
  return kind === undefined ? data : data.filter((each: Json) => each.kind === kind)
}

const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

/** Rows of the partner as requests would have left them, so long ago each. */
async function insert(times: number[], row: Row = {}): Promise<void> {
  const rows = times.map((ms) => ({ partner_id: partner.id, created_at: ago(ms), ...row }))
  await insertRequests(rows.toReversed())
}

const many = (count: number, step: number, first = step) =>
  Array.from({ length: count }, (_, n) => first + n * step)

const refused = (record_name: string | null, ...fields: string[]): Row => ({
  method: 'POST',
  status: 400,
  error_code: 'VALIDATION_ERROR',
  record_name,
  message: `${fields.at(-1)}: Must be an integer, not a string.`,
  error_fields: `\n${fields.join('\n')}\n`,
})

const order = (quantity: unknown) => ({
  order_number: unique('O'),
  items: [{ sku_code: 'x', quantity }],
})

describe('GET /partners/{id}/check-up/', () => {
  it('is an empty list for a new partner, and for one with ordinary traffic', async () => {
    expect(await found()).toEqual([])
    await partner.api.post('/products/', { sku: unique('S') })
    await partner.api.get('/orders/')
    await partner.api.post('/orders/', order('two'))
    expect(await found()).toEqual([])
  })

  it('finds a field that five requests were refused for, under both of its names', async () => {
    partner = await openPartner({
      mappings: {
        orders: {
          inbound: {
            fields: { 'items[].sku_code': 'lines[].sku', 'items[].quantity': 'lines[].qty' },
          },
        },
      },
    })
    const ids: string[] = []
    for (let n = 0; n < 6; n++) {
      const sent = { order_number: unique('O'), lines: [{ sku: 'x', qty: 'two' }] }
      const { status, body } = await partner.api.post('/orders/', sent)
      expect(status).toBe(400)
      ids.unshift(body.request_id)
      if (n === 3) expect(await found()).toEqual([])
    }
    expect(await found()).toEqual([
      {
        kind: 'field_refused',
        since: expect.stringMatching(/Z$/),
        count: 6,
        requests: ids.slice(0, 5),
        message:
          '"items[].quantity" (with "lines[].qty") was refused in 6 requests. The newest error: lines[0].qty: Must be an integer, not a string.',
        remedy: expect.stringContaining('Correct the mapping'),
      },
    ])
  })

  it('finds two fields apart, the more frequent first, and none of eight days ago', async () => {
    await insert(many(6, HOUR_MS), refused(null, 'a'))
    await insert(many(7, HOUR_MS), refused(null, 'b'))
    await insert(many(9, MINUTE_MS, 8 * DAY_MS), refused(null, 'c'))
    const fields = await found('field_refused')
    expect(fields.map(({ count, message }) => [count, message.slice(0, 3)])).toEqual([
      [7, '"b"'],
      [6, '"a"'],
    ])
  })

  it('forgets a refusal that was sent again and accepted, and no other', async () => {
    const ids = Array.from({ length: 5 }, () => crypto.randomUUID())
    for (const request_id of ids) await insert([HOUR_MS], { request_id, ...refused(null, 'a') })
    const [replay_of, another] = ids
    const sent = { method: 'POST', partner_id: partner.id, replay_of: replay_of ?? '' }
    await insert([MINUTE_MS], { ...sent, status: 400 })
    await insert([MINUTE_MS], { ...sent, rows_total: 2, rows_created: 1, rows_failed: 1 })
    expect(await found('field_refused')).toMatchObject([{ count: 5 }])
    await insert([MINUTE_MS], { ...sent, replay_of: another ?? '', status: 201 })
    expect(await found()).toEqual([])
  })

  it('finds a field of uploads with failed rows', async () => {
    for (let n = 0; n < 5; n++) {
      const inventory = [{ location_code: 'nowhere', sku_code: 'nothing', quantity: 1 }]
      expect((await partner.api.post('/inventory/', { inventory })).status).toBe(200)
    }
    expect((await found('field_refused'))[0]?.message).toContain('inventory[].')
  })

  it('finds a record that is refused three times for the same fields', async () => {
    const again = order('two')
    for (let n = 0; n < 3; n++) {
      if (n === 2) expect(await found()).toEqual([])
      await partner.api.post('/orders/', again)
    }
    const [first, ...others] = await found()
    expect(others).toEqual([])
    expect(first).toMatchObject({ kind: 'same_document', count: 3 })
    expect(first?.message).toContain(`"${again.order_number}" was sent 3 times`)
    expect(first?.requests).toHaveLength(3)
  })

  it('takes refusals of one record for other fields as progress', async () => {
    for (const field of ['a', 'b', 'c']) await insert([HOUR_MS], refused('SO-1', field))
    expect(await found()).toEqual([])
  })

  it('finds a list of several pages of which only the first is read', async () => {
    for (let n = 0; n < 2; n++) await partner.api.post('/products/', { sku: unique('S') })
    for (let n = 0; n < 5; n++) await partner.api.get('/products/?limit=1')
    for (let n = 0; n < 9; n++) await partner.api.get('/locations/?limit=200')
    const [first, ...others] = await found()
    expect(others).toEqual([])
    expect(first).toMatchObject({ kind: 'no_cursor', count: 5 })
    expect(first?.message).toContain('GET /api/integrations/v1/products/ has several pages')
    expect(first?.requests).toHaveLength(5)
    const { body } = await partner.api.get('/products/?limit=1')
    await partner.api.get(`/products/?limit=1&cursor=${body.pagination.next_cursor}`)
    expect(await found()).toEqual([])
  })

  it('takes first pages of a list with filters for no sign of anything', async () => {
    for (let n = 0; n < 6; n++) {
      const { body } = await partner.api.get('/products/?limit=1&is_active=all')
      expect(body.pagination.next_cursor).not.toBeNull()
    }
    expect(await found()).toEqual([])
  })

  it.each(['revoked', 'expired', 'rotated'])(
    'finds a key that is %s and still used',
    async (state) => {
      const { id, key, hint, name } = partner.key
      const at = `${KEYS}${id}/`
      if (state === 'revoked') await partner.admin.delete(at)
      if (state === 'rotated') await partner.admin.post(`${at}rotate/`, {})
      if (state === 'expired') {
        await execute('update api_keys set expires_at = ? where id = ?', ago(HOUR_MS), id)
      }
      expect(await found()).toEqual([])
      // An isolate stores at once what it counts first.
      const asked = await client(key).get('/orders/', await freshIsolate())
      expect(asked.status).toBe(401)
      const words = { revoked: 'is revoked', expired: 'has expired', rotated: 'was rotated' }
      await expect
        .poll(() => found())
        .toEqual([
          {
            kind: 'invalid_key',
            since: expect.stringMatching(/Z$/),
            count: 1,
            requests: [],
            message: `The key "${name}" (${hint}) ${words[state as keyof typeof words]}, but has been used once since.`,
            remedy: expect.any(String),
          },
        ])
    },
  )

  it('finds a partner that calls each five minutes, and not for an hour', async () => {
    await insert(many(30, 5 * MINUTE_MS, 62 * MINUTE_MS))
    expect(await found()).toEqual([
      {
        kind: 'silence',
        since: expect.stringMatching(/Z$/),
        count: 0,
        requests: [],
        message:
          'The partner has sent no request for 1 hour. Half of its requests come within 5 minutes of the one before.',
        remedy: expect.any(String),
      },
    ])
    await partner.api.get('/orders/')
    expect(await found()).toEqual([])
  })

  it.each<[string, number[]]>([
    ['has fewer than 20 requests', many(19, MINUTE_MS, 3 * HOUR_MS)],
    ['called less than an hour ago', many(30, MINUTE_MS, 55 * MINUTE_MS)],
    ['calls every half hour, and two hours ago', many(30, 30 * MINUTE_MS, 2 * HOUR_MS)],
    [
      'pauses as long as each night',
      [0, 1, 2].flatMap((day) => many(30, 10 * MINUTE_MS, day * DAY_MS + 14 * HOUR_MS)),
    ],
  ])('finds no silence of a partner that %s', async (_, times) => {
    await insert(times)
    expect(await found('silence')).toEqual([])
  })

  it('finds a key that expires within 14 days, and none that another has replaced', async () => {
    const at = `${KEYS}${partner.key.id}/`
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
    await partner.admin.put(at, { expires_at: inDays(15) })
    expect(await found()).toEqual([])
    const expires_at = inDays(13)
    await partner.admin.put(at, { expires_at })
    const [first, ...others] = await found()
    expect(others).toEqual([])
    expect(first).toMatchObject({ kind: 'key_expiring', count: 1, requests: [] })
    expect(first?.message).toContain(`"${partner.key.name}" (${partner.key.hint}) expires at`)
    expect(Date.parse(first?.since)).toBe(Date.parse(expires_at) - 14 * DAY_MS)
    const heir = await partner.admin.post(`${at}rotate/`, { overlap_seconds: 3600 })
    await partner.admin.put(`${KEYS}${heir.body.data.id}/`, { expires_at: null })
    expect(await found()).toEqual([])
  })

  it('leaves out what administrators have sent again', async () => {
    const replay_of = crypto.randomUUID()
    await insert(many(6, HOUR_MS), { ...refused('SO-1', 'a'), replay_of })
    await insert(many(6, MINUTE_MS), { list_page: 'first', replay_of })
    await insert(many(30, 5 * MINUTE_MS, 62 * MINUTE_MS), { replay_of })
    expect(await found()).toEqual([])
  })

  it('is of this partner alone', async () => {
    await insert(many(6, HOUR_MS), refused('SO-1', 'a'))
    expect(await found()).toHaveLength(2)
    partner = await openPartner()
    expect(await found()).toEqual([])
  })

  inDeepPass(() => {
    it('reads a bounded number of rows', async () => {
      await insertRequests([{ partner_id: partner.id, ...refused('SO-1', 'a') }], 25_000)
      const answer = await partner.admin.get(`${PARTNERS}${partner.id}/check-up/`)
      expect(answer.body.data.map(({ kind, count }: Json) => [kind, count])).toEqual([
        ['field_refused', 500],
        ['same_document', 500],
      ])
      expect(rowsRead(answer)).toBeLessThan(45_000)
    })
  })

  it('is 404 of no partner', async () => {
    const answer = await partner.admin.get(`${PARTNERS}${crypto.randomUUID()}/check-up/`)
    expectRefusal(answer, 404, 'NOT_FOUND')
    const other = await openAdmin('other')
    expectRefusal(await other.get(`${PARTNERS}${partner.id}/check-up/`), 404, 'NOT_FOUND')
  })
})

describe('the page of a partner', () => {
  it('shows what was found, with links to the requests', async () => {
    const path = `/dashboard/partners/${partner.id}/`
    const dashboard = await openDashboard()
    expect((await dashboard.get(path)).text).toContain('Nothing was found in this partner')
    const { body } = await partner.api.post('/orders/', order('two'))
    await insert(many(4, HOUR_MS), refused(null, 'items[].quantity'))
    const { text } = await dashboard.get(path)
    expect(text).toContain('was refused in 5 requests')
    expect(text).toContain(`"/dashboard/send-again/?partner_id=${partner.id}"`)
    expect(text).toContain(`/dashboard/audit-log/${body.request_id}/`)
  })

  it('shows no check-up to a session that may not read the log', async () => {
    const dashboard = await openDashboard(['settings.partners.read'])
    const text = markupOf(await dashboard.get(`/dashboard/partners/${partner.id}/`))
    expect(text).not.toContain('Check-up')
  })
})
