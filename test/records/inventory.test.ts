import { describe, expect, it } from 'vitest'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Answer, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import {
  bodyWith,
  createLocation,
  createProduct,
  dataOf,
  expectData,
  expectError,
  NO_OBJECTS,
  path,
  stock,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { MESSAGES, newPair, stockAt, upload } from './inventory.ts'
import { testField, texts } from './samples.ts'

describe('POST /inventory/', () => {
  it('creates missing pairs, updates existing ones and reports the rest', async () => {
    const known = await newPair()
    await stock(api, { ...known, quantity: 3 })
    const fresh = await newPair()
    const unknown = unique('LOC')
    const answer = await upload([
      { ...known, quantity: 10 },
      { ...fresh, quantity: 20 },
      { location_code: unknown, sku_code: known.sku_code, quantity: 1 },
    ])
    expectData(answer, 200, {
      total: 3,
      created: 1,
      updated: 1,
      failed: 1,
      errors: [
        {
          row: 2,
          location_id: unknown,
          product_id: known.sku_code,
          errors: { location_code: MESSAGES },
        },
      ],
    })
    expect(await stockAt(known.location_code)).toStrictEqual([{ ...known, quantity: 10 }])
    expect(await stockAt(fresh.location_code)).toStrictEqual([{ ...fresh, quantity: 20 }])
  })

  it('answers an empty list of errors when no row failed', async () => {
    const answer = await upload([{ ...(await newPair()), quantity: 1 }])
    expectData(answer, 200, { total: 1, created: 1, updated: 0, failed: 0, errors: [] })
  })

  it('is safe to repeat: the second time every row counts as updated', async () => {
    const rows = [
      { ...(await newPair()), quantity: 1 },
      { ...(await newPair()), quantity: 2 },
    ]
    expect(dataOf(await upload(rows), 200)).toMatchObject({ created: 2, updated: 0 })
    expect(dataOf(await upload(rows), 200)).toMatchObject({ created: 0, updated: 2, failed: 0 })
    for (const row of rows) expect(await stockAt(row.location_code)).toStrictEqual([row])
  })

  it('counts an unchanged quantity as updated and does not rewrite its row', async () => {
    const same = await newPair()
    const other = await newPair()
    await stock(api, { ...same, quantity: 5 })
    await stock(api, { ...other, quantity: 5 })
    const written = await watchWrites(async () => {
      const answer = await upload([
        { ...same, quantity: 5 },
        { ...other, quantity: 6 },
      ])
      expect(dataOf(answer, 200)).toMatchObject({ created: 0, updated: 2 })
    })
    expect(written).toEqual([other.sku_code])
  })

  it('takes the same pair twice in order: the last one wins, the second counts as updated', async () => {
    const pair = await newPair()
    const again = { ...pair, quantity: 2 }
    const answer = await upload([{ ...pair, quantity: 1 }, { ...pair, quantity: 9 }, again])
    const counts = { total: 3, created: 1, updated: 2, failed: 0, errors: [] }
    expect(dataOf(answer, 200)).toStrictEqual(counts)
    expect(await stockAt(pair.location_code)).toStrictEqual([again])
  })

  const repeats = (row: number, first: number, others = '') => ({
    field: `inventory[${row}]`,
    message: `Row ${row} has the location and the SKU of row ${first}${others}: the last one counts.`,
    code: 'PAIR_REPEATED',
  })

  it('names the rows of a pair that stands in several, also in a dry run', async () => {
    const [one, other] = [await newPair(), await newPair()]
    const bad = { ...one, quantity: -1 }
    const rows = [one, bad, other, one, other, one].map((row, quantity) => ({ quantity, ...row }))
    const expected = [repeats(5, 0, ' (and of 1 between them)'), repeats(4, 2)]
    const rehearsed = await api.post('/inventory/?dry_run=true', { inventory: rows })
    expect(rehearsed.body.warnings).toEqual(expected)
    expect((await upload(rows)).body.warnings).toEqual(expected)
  })

  it('lists 20 repeated pairs, and counts the others', async () => {
    const { code } = await createLocation(api)
    const rows = Array.from({ length: 44 }, (_, index) => {
      return { location_code: code, sku_code: `none-${index % 22}`, quantity: 1 }
    })
    const { warnings } = (await upload(rows)).body
    expect(warnings).toHaveLength(21)
    expect(warnings.slice(19)).toEqual([
      repeats(41, 19),
      {
        field: 'inventory',
        message: '2 more pairs of location and SKU stand in several rows.',
        code: 'PAIR_REPEATED',
      },
    ])
  })

  it("leads to the rows of a partner's document", async () => {
    const { location_code, sku_code } = await newPair()
    const fields = {
      'inventory[].location_code': 'rows[].bin',
      'inventory[].sku_code': 'rows[].item',
      'inventory[].quantity': 'rows[].qty',
    }
    const partner = await openPartner({ mappings: { inventory: { inbound: { fields } } } })
    const rows = [1, 2].map((qty) => ({ bin: location_code, item: sku_code, qty }))
    const { warnings } = (await partner.api.post('/inventory/', { rows })).body
    expect(warnings).toEqual([{ ...repeats(1, 0), source: 'rows[1]' }])
  })

  it('takes rows with conditions for a sequence that is meant', async () => {
    const pair = await newPair()
    const rows = [null, 1].map((if_quantity, index) => ({
      ...pair,
      quantity: index + 1,
      if_quantity,
    }))
    const { body } = await upload(rows)
    expect([body.data.created, body.data.updated, body.warnings]).toEqual([1, 1, undefined])
  })

  it('ends a repeated pair as its last good row says', async () => {
    const pair = await newPair()
    const answer = await upload([
      { ...pair, quantity: 1 },
      { ...pair, quantity: 2 },
      { ...pair, quantity: -3 },
    ])
    expect(dataOf(answer, 200)).toMatchObject({ total: 3, created: 1, updated: 1, failed: 1 })
    expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity: 2 }])
  })

  it('keeps a repeated pair in order across a large upload', async () => {
    const pair = await newPair()
    const rows = Array.from({ length: 30_000 }, (_, quantity) => ({ ...pair, quantity }))
    expect(dataOf(await upload(rows), 200)).toMatchObject({ created: 1, updated: 29_999 })
    expect(await stockAt(pair.location_code)).toStrictEqual([{ ...pair, quantity: 29_999 }])
  })

  it('keeps a record of quantity 0', async () => {
    const row = { ...(await newPair()), quantity: 0 }
    expect(dataOf(await upload([row]), 200).created).toBe(1)
    expect(await stockAt(row.location_code)).toStrictEqual([row])
  })

  it('leaves product quantity alone', async () => {
    const { sku } = await createProduct(api, { quantity: 7 })
    await stock(api, { sku_code: sku, quantity: 99 })
    expect(dataOf(await api.get(path('products', sku)), 200).quantity).toBe(7)
  })

  it.each(['007', '7', '1e3', '1000', 'null', 'true', '[]'])(
    'takes the code %s for text',
    async (odd) => {
      await createLocation(api, { code: odd })
      await createProduct(api, { sku: odd })
      const row = { location_code: odd, sku_code: odd, quantity: 4 }
      expect(dataOf(await upload([row]), 200).created).toBe(1)
      expect(await stockAt(odd)).toStrictEqual([row])
    },
  )

  it('creates a pair once when twenty uploads bring it at the same time', async () => {
    const pair = await newPair()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, quantity) => upload([{ ...pair, quantity }])),
    )
    const counts = answers.map((answer) => dataOf(answer, 200))
    expect(counts.filter((count) => count.created === 1)).toHaveLength(1)
    expect(counts.filter((count) => count.updated === 1)).toHaveLength(19)
    expect(await stockAt(pair.location_code)).toHaveLength(1)
  })

  it('names unknown fields in warnings, of the request and of rows', async () => {
    const rows = [await newPair(), await newPair()].map((pair) => {
      return { ...pair, quantity: 1, lot: 'A', id: 5 }
    })
    const answer = await upload(rows, { colour: 'red' })
    expect(dataOf(answer, 200)).toMatchObject({ created: 2, updated: 0 })
    const [colour, ...ofRows] = warnedFields(answer).toSorted()
    expect(colour).toBe('colour')
    expect(ofRows).toEqual(ofRows.map(() => expect.stringMatching(/^inventory\[\d*\]\.(lot|id)$/)))
    expect(new Set(ofRows.map((field) => field.split('.')[1]))).toEqual(new Set(['lot', 'id']))
  })
})

/** SKUs of the inventory rows that were written while `work` ran. */
async function watchWrites(work: () => Promise<void>): Promise<string[]> {
  const db = await openTenant()
  const log = `watched_${crypto.randomUUID().replaceAll('-', '')}`
  await db.batch([
    db.prepare(`create table ${log} (sku_code text)`),
    db.prepare(`create trigger ${log}_update after update on inventory
      begin insert into ${log} values (new.sku_code); end`),
  ])
  try {
    await work()
    const { results } = await db.prepare(`select sku_code from ${log}`).all<{ sku_code: string }>()
    return results.map((row) => row.sku_code)
  } finally {
    await db.batch([db.prepare(`drop trigger ${log}_update`), db.prepare(`drop table ${log}`)])
  }
}

describe('POST /inventory/ request', () => {
  it.each(['missing', 'null', '{}', '"x"', '5', 'true', '[]'])(
    'answers 400 VALIDATION_ERROR for inventory %s',
    async (json) => {
      const body = json === 'missing' ? '{}' : bodyWith({}, 'inventory', json)
      expectInvalid(await api.post('/inventory/', body), 'inventory')
    },
  )

  it('answers 400 VALIDATION_ERROR for no body', async () => {
    expectInvalid(await api.post('/inventory/'), 'inventory')
  })

  it.each(NO_OBJECTS)('answers 400 VALIDATION_ERROR for the body %s', async (body) => {
    expectError(await api.post('/inventory/', body), 400, 'VALIDATION_ERROR')
  })

  it('answers 415 for a body that is not sent as JSON', async () => {
    const headers = { 'Content-Type': 'text/csv' }
    expectError(await api.post('/inventory/', 'A,B,1', { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['bulk_import', 'manual_adjustment', 'erp_sync', 'initial_load'])(
    'takes the source %s and keeps it in the audit log',
    async (source) => {
      const answer = await upload([{ ...(await newPair()), quantity: 1 }], { source })
      expect(dataOf(answer, 200).created).toBe(1)
      expect(await auditRow(answer)).toMatchObject({ source, notes: null })
    },
  )

  it('takes bulk_import for the source by default', async () => {
    const answer = await upload([{ ...(await newPair()), quantity: 1 }])
    expect(await auditRow(answer)).toMatchObject({ source: 'bulk_import', notes: null })
  })

  it.each(['other', '', 'BULK_IMPORT', ' bulk_import', 5, true, []])(
    'answers 400 VALIDATION_ERROR for source %j and changes nothing',
    async (source) => {
      const pair = await newPair()
      expectInvalid(await upload([{ ...pair, quantity: 1 }], { source }), 'source')
      expect(await stockAt(pair.location_code)).toStrictEqual([])
    },
  )

  it('keeps notes and counts in the audit log', async () => {
    const pair = await newPair()
    const notes = 'Count of week 9 \u0000 👩‍🚀'
    const answer = await upload([{ ...pair, quantity: 1 }, { ...pair, quantity: 2 }, {}], { notes })
    expect(await auditRow(answer)).toStrictEqual({
      source: 'bulk_import',
      notes,
      rows_total: 3,
      rows_created: 1,
      rows_updated: 1,
      rows_failed: 1,
    })
  })

  it('takes notes null for none', async () => {
    const answer = await upload([{ ...(await newPair()), quantity: 1 }], { notes: null })
    expect(await auditRow(answer)).toMatchObject({ notes: null })
  })

  const { accepted, refused } = texts(10_000)
  const read = (data: Json) => data.notes
  testField('notes', { accepted, refused }, sendNotes, read)
})

/** Uploads with these notes; on success, answers what the audit log then has. */
async function sendNotes(json: string): Promise<Answer> {
  const body = bodyWith({ inventory: [{ ...(await newPair()), quantity: 1 }] }, 'notes', json)
  const answer = await api.post('/inventory/', body)
  if (answer.status !== 200) return answer
  return { ...answer, body: { data: await auditRow(answer) } }
}

async function auditRow(answer: Answer): Promise<Json> {
  const columns = 'source, notes, rows_total, rows_created, rows_updated, rows_failed'
  return await loggedRow(answer, columns)
}
