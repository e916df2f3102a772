import { beforeEach, describe, expect, it } from 'vitest'
import { byDepth, inDeepPass } from '../fixtures/depth.ts'
import {
  fillExpiredKeys,
  fillKeys,
  fillPartners,
  liveKeys,
  livePartners,
  unfill,
} from '../fixtures/full-workspace.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { admin } from '../fixtures/opened.ts'
import { markupOf, rowsRead } from '../fixtures/pages-read.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { inSeconds, issueKey, KEYS } from '../fixtures/settings.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import {
  type Answer,
  type CallOptions,
  client,
  createKey,
  type Json,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'
import { openWebhook, WEBHOOKS } from '../fixtures/webhooks.ts'
import { changesOf, enter, openCodes } from './item-codes.ts'

// A workspace has 10,000 live keys and 1,000 partners at most.

const PARTNERS = '/api/settings/v1/partners/'
const PAST = '2026-01-01T00:00:00.000Z'

beforeEach(async () => {
  await unfill()
})

function expectFull(answer: Answer, bound: string, ...fields: string[]) {
  expectRefusal(answer, 400, 'SERVICE_ERROR')
  expect(answer.body.detail).toContain(`A workspace can have at most ${bound}`)
  expect(Object.keys(answer.body.error.fields ?? {})).toEqual(fields)
}

// First: it takes long to delete many keys.
describe('partners', () => {
  const make = () => admin.post(PARTNERS, { name: unique('partner') })

  it('are at most 1,000', async () => {
    const { id } = (await make()).body.data
    await fillPartners(1000)
    const full = await make()
    expectFull(full, '1,000 partners')
    expect(full.body.error.reason).toBe('TOO_MANY_PARTNERS')
    const named = { name: unique('partner'), default_identifier_field: 'zone' }
    expectFull(await admin.post(PARTNERS, named), '1,000 partners')
    expect(await livePartners()).toBe(1000)
    await admin.delete(`${PARTNERS}${id}/`)
    expect((await make()).status).toBe(201)
    expect(await livePartners()).toBe(1000)
  })

  inDeepPass(() => {
    it('are at most 1,000 when several are made at once', async () => {
      await fillPartners(998)
      const answers = await Promise.all([1, 2, 3, 4].map(make))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400])
      expect(await livePartners()).toBe(1000)
    })
  })

  it('beyond 1,000 are refused on the form', async () => {
    await fillPartners(1000)
    const dashboard = await openDashboard()
    const text = markupOf(
      await dashboard.post('/dashboard/new/partner/', { name: 'one more' }),
      400,
    )
    expect(text).toMatch(/class="form-error"[^>]*>A workspace can have at most 1,000 partners/)
    expect(text).toContain('value="one more"')
  })
})

inDeepPass(() => {
  describe('live keys', () => {
    const expectNoMore = (answer: Answer, ...fields: string[]) =>
      expectFull(answer, '10,000 live API keys and webhooks', ...fields)
    const at = ({ id }: Json) => `${KEYS}${id}/`

    it('are at most 10,000, however one could come to be', async () => {
      const spare = await issueKey(admin)
      const expired = await createKey(['integrations.*'], { expires_at: PAST })
      const both = await createKey(['integrations.*'], { expires_at: PAST, revoked_at: PAST })
      const { webhook } = await openWebhook()
      const { name, partner_id, rules } = webhook
      await fillKeys(10_000)
      const before = await oneValue('select count(*) from api_keys')

      const full = await admin.post(KEYS, { name: 'one more' })
      expectNoMore(full)
      expect(full.body.error.reason).toBe('TOO_MANY_KEYS')
      expectNoMore(
        await admin.post(`${at(spare)}rotate/`, { overlap_seconds: 60 }),
        'overlap_seconds',
      )
      expectNoMore(await admin.post(`${WEBHOOKS}/`, { name, partner_id, rules }))
      expectNoMore(
        await admin.post(`${WEBHOOKS}/${webhook.id}/rotate/`, { overlap_seconds: 60 }),
        'overlap_seconds',
      )
      for (const expires_at of [null, inSeconds(60)]) {
        expectNoMore(await admin.put(at(expired), { expires_at }), 'expires_at')
      }
      expect(await oneValue('select count(*) from api_keys')).toBe(before)

      // None of these makes one more.
      expect((await admin.put(at(expired), { name: 'renamed' })).status).toBe(200)
      expect((await admin.put(at(both), { expires_at: null })).status).toBe(200)
      expect((await admin.put(at(spare), { expires_at: inSeconds(60) })).status).toBe(200)
      const data = dataOf(await admin.post(`${at(spare)}rotate/`, {}), 201)
      expect(await liveKeys()).toBe(10_000)

      await admin.delete(at(data))
      expect((await admin.put(at(expired), { expires_at: null })).status).toBe(200)
      expect(await liveKeys()).toBe(10_000)
    })

    it('are at most 10,000 when several are made at once', async () => {
      const spare = await issueKey(admin)
      await fillKeys(9998)
      const answers = await Promise.all([
        ...[1, 2, 3].map((n) => admin.post(KEYS, { name: `key ${n}` })),
        admin.post(`${at(spare)}rotate/`, { overlap_seconds: 60 }),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400])
      expect(await liveKeys()).toBe(10_000)
    })

    it('are counted without a look at those that have expired', async () => {
      await fillExpiredKeys(2000)
      expect(rowsRead(await admin.post(KEYS, { name: 'one more' }))).toBeLessThan(500)
    })

    it('beyond 10,000 are refused on the form', async () => {
      const dashboard = await openDashboard()
      const spare = await issueKey(admin)
      const expired = await createKey(['integrations.*'], { expires_at: PAST })
      await fillKeys(10_000)
      const fields = { name: 'one more', access: 'full' }
      const created = await dashboard.post('/dashboard/new/api-key/', fields)
      expect([created.status, created.text]).toEqual([
        400,
        expect.stringContaining('at most 10,000 live'),
      ])
      const path = `/dashboard/api-keys/${spare.id}/rotate/`
      const text = markupOf(await dashboard.post(path, { overlap_seconds: '3600' }), 400)
      expect(text).toContain('id="overlap_seconds-error">A workspace can have at most 10,000 live')
      const revived = await dashboard.post(`/dashboard/api-keys/${expired.id}/`, fields)
      expect(revived.status).toBe(400)
      expect(revived.text).toContain(
        'id="expires_at-error">A workspace can have at most 10,000 live',
      )
    })
  })
})

// As many codes as a partner may have.

const MOST = 200_000

const fileOf = (count: number, sku: (n: number) => string) =>
  `code,sku_code,units\n${Array.from({ length: count }, (_, n) => `C${n},${sku(n)},${(n % 9) + 1}`).join('\n')}\n`

async function putFile(path: string, body: string, options: CallOptions = {}) {
  const { value } = await createKey(['settings.*'])
  const headers = { 'X-API-Key': value, 'Content-Type': 'text/csv' }
  return await send(
    new Request(`https://demo.example${path}`, { method: 'PUT', headers, body }),
    options,
  )
}

const fill = (partner: string, count: number) =>
  execute(
    `insert into item_code_tables (partner_id, kind, codes, version) values (?, 'products', ?, 1)`,
    partner,
    count,
  )

describe('a table of many item codes', () => {
  it('is uploaded, changed in part, exported and replaced', { timeout: 200_000 }, async () => {
    const count = byDepth(5000, MOST)
    const { codes, partner } = await openCodes()
    const before = await changesOf(partner)
    const { bindings, rows } = countedBindings()
    const file = fileOf(count, (n) => `S${n}`)
    const made = await putFile(codes, file, { bindings })
    expect(made.body.data).toMatchObject({ total: count, created: count, failed: 0 })
    expect(rows.written).toBeGreaterThanOrEqual(count)
    expect(rows.written).toBeLessThan(count + 100)
    expect(await changesOf(partner)).toBe(before + 1)
    const changed = await putFile(
      codes,
      fileOf(count, (n) => (n < 10 ? 'X' : `S${n}`)),
    )
    expect(changed.body.data).toMatchObject({ created: 0, updated: 10, unchanged: count - 10 })
    const { text } = await client((await createKey(['settings.read'])).value).get(codes, {
      headers: { Accept: 'text/csv' },
    })
    expect(text.match(/\r\n/g)).toHaveLength(count + 1)
    const replaced = await putFile(
      `${codes}?replace=true`,
      fileOf(count / 2, (n) => `S${n}`),
    )
    expect(replaced.body.data).toMatchObject({ updated: 10, removed: count / 2 })
    const row = await oneValue<number>(
      'select codes from item_code_tables where partner_id = ?',
      partner,
    )
    expect(row).toBe(count / 2)
  })

  it('has no room for one more than 200,000, and takes a replacement', async () => {
    const { codes, partner } = await openCodes()
    await fill(partner, MOST)
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await admin.put(`${codes}K/${query}`, { sku_code: 'S' })
      expect([status, body.error.reason]).toEqual([400, 'TOO_MANY_ITEM_CODES'])
      const many = await admin.put(`${codes}${query}`, {
        item_codes: [{ code: 'K', sku_code: 'S' }],
      })
      expect([many.status, many.body.error.reason]).toEqual([400, 'TOO_MANY_ITEM_CODES'])
    }
    expect((await admin.get(codes)).body.data).toEqual([])
  })

  it('refuses more rows than a table may have, and more cells than a body may have values', async () => {
    const { codes } = await openCodes()
    const rows = Array.from({ length: MOST + 1 }, () => 0)
    const { body } = await admin.put(codes, { item_codes: rows })
    expect(body.error.fields.item_codes).toEqual(['Must have at most 200000 entries.'])
    const cells = await putFile(codes, ','.repeat(1_000_001))
    expect(cells.body.error.reason).toBe('BODY_TOO_COMPLEX')
  })

  it('lists 1,000 failed rows of many, and counts all', async () => {
    const { codes } = await openCodes()
    const item_codes = Array.from({ length: 1200 }, (_, n) => ({ code: `C${n}` }))
    const { body } = await admin.put(codes, { item_codes })
    expect([body.data.failed, body.data.errors.length]).toEqual([1200, 1000])
    expect(body.warnings).toEqual([
      { field: 'errors', message: 'Only the first 1000 of 1200 failed rows are listed.' },
    ])
  })

  it('takes codes and SKUs of the greatest length, in pages and in files', async () => {
    const { codes } = await openCodes()
    const long = (n: number) => `${n}`.padEnd(255, '荷')
    const table = Object.fromEntries(
      Array.from({ length: 300 }, (_, n): [string, [string]] => [long(n), [long(n)]]),
    )
    expect((await enter(codes, table)).body.data).toMatchObject({ created: 300, failed: 0 })
    const { body } = await admin.get(`${codes}?limit=200`)
    expect(body.data).toHaveLength(200)
    const rest = await admin.get(`${codes}?limit=200&cursor=${body.pagination.next_cursor}`)
    expect(rest.body.data).toHaveLength(100)
    expect((await admin.get(`${codes}${encodeURIComponent(long(7))}/`)).status).toBe(200)
  })

  inDeepPass(() => {
    it('takes no more than some seconds with quotes without end', async () => {
      const { codes } = await openCodes()
      const started = performance.now()
      const { status } = await putFile(codes, `code,sku_code\n${'"a""'.repeat(2_000_000)}`)
      expect(status).toBe(400)
      expect(performance.now() - started).toBeLessThan(10_000)
    })
  })
})
