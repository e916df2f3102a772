import { describe, expect, it } from 'vitest'
import { byDepth, inDeepPass } from '../fixtures/depth.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { admin, db } from '../fixtures/opened.ts'
import { type CallOptions, client, createKey, send } from '../fixtures/tenant.ts'
import { changesOf, enter, openCodes } from './item-codes.ts'

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
  db
    .prepare(
      `insert into item_code_tables (partner_id, kind, codes, version) values (?, 'products', ?, 1)`,
    )
    .bind(partner, count)
    .run()

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
    const row = await db
      .prepare('select codes from item_code_tables where partner_id = ?')
      .bind(partner)
      .first<number>('codes')
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
