import { describe, expect, it } from 'vitest'
import { numberIn } from '../fixtures/markdown.ts'
import { openPartner } from '../fixtures/partner.ts'
import {
  ADDED,
  db,
  documented,
  MIX,
  money,
  PAGE,
  PRICES,
  pathOfOrder,
  priceOf,
  REQUESTS,
  RETENTION,
  repeatAuditRow,
  shown,
} from './costs.ts'

const MILLION = 1_000_000

const GB = 1e9

const DATABASE_GB_MAX = 10

describe('a million requests', () => {
  const rows = [...REQUESTS.values()].map((row) => ({
    count: numberIn(row['In the mix']),
    ...documented(row),
  }))
  const sumOf = (what: 'rows_read' | 'rows_written') =>
    rows.reduce((sum, row) => sum + row.count * row[what], 0)

  it('are a million', () => {
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(MILLION)
  })

  it('cost together what the page says, and the deletion of their audit rows with them', () => {
    const deletion = documented(ADDED.get('Deletion of 1,000 audit rows'))
    const amounts = {
      Requests: MILLION,
      'D1 rows read': sumOf('rows_read') + deletion.rows_read * 1000,
      'D1 rows written': sumOf('rows_written') + deletion.rows_written * 1000,
      'KV reads': MILLION / 50,
    }
    let total = 0
    for (const [billed, amount] of Object.entries(amounts)) {
      const dollars = (amount / MILLION) * priceOf(billed)
      total += dollars
      const included = numberIn(PRICES.get(billed)?.['Included each month']) * MILLION
      expect(MIX.get(billed)).toMatchObject({
        Amount: shown(amount),
        $: money(dollars),
        'Included for': `${shown(Math.floor(included / amount))} such tenants`,
      })
    }
    expect([...MIX.keys()]).toEqual([...Object.keys(amounts), 'Together'])
    expect(MIX.get('Together')?.$).toBe(money(total))
  })
})

describe('audit rows', () => {
  const bytes = numberIn(/takes (\d+) bytes/.exec(PAGE)?.[1])
  const size = async () => (await db.prepare('select 1').run()).meta.size_after

  it('take as many bytes as the page says, to a tenth', async () => {
    const { api: nordvik } = await openPartner({ name: 'Nordvik ERP' })
    const where = await pathOfOrder()
    const requests = [await nordvik.get(where), await nordvik.put(where, { notes: 'gift wrap' })]
    const before = await size()
    for (const { headers } of requests) {
      await repeatAuditRow(headers.get('X-Request-Id') ?? '', 10_000, new Date().toISOString())
    }
    const measured = ((await size()) - before) / 20_000
    expect(Math.abs(measured / bytes - 1)).toBeLessThan(0.1)
  })

  it.each([...RETENTION])('cost what the page says, kept for %s days', (text, row) => {
    const days = numberIn(text)
    const kept = (MILLION * 12 * days) / 365
    const gb = (kept * bytes) / GB
    expect(row).toMatchObject({
      'Audit rows': `${shown(kept / MILLION, 1)} million`,
      GB: shown(gb, 1),
      '$ a month': money(gb * priceOf('D1 storage')),
      'A database is full at': `${shown(DATABASE_GB_MAX / gb, 1)} million requests a month`,
    })
  })
})
