import { describe, expect, it } from 'vitest'
import { withBatch } from '../fixtures/bindings.ts'
import { byDepth, itInDeep } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { client, createKey, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { unread } from '../fixtures/unread.ts'

const BODY_BYTES_MAX = 10_485_760

/** Inserts `total` rows made by SQL from the numbers 0, 1, 2 ... in `i`. */
async function fill(table: string, columns: string, values: string, total: number) {
  await db
    .prepare(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ? - 1)
       insert into ${table} (${columns}) select ${values} from n`,
    )
    .bind(total)
    .run()
}

async function fillCatalogue(prefix: string, locations: number, skus: number) {
  const moment = "'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'"
  const columns = 'created_at, updated_at'
  await fill(
    'locations',
    `id, code, ${columns}`,
    `'${prefix}l' || i, '${prefix}L' || i, ${moment}`,
    locations,
  )
  await fill(
    'products',
    `id, sku, ${columns}`,
    `'${prefix}p' || i, '${prefix}S' || i, ${moment}`,
    skus,
  )
}

/** Of an upload: of as many slices as tell how they are put together, or of as much as is taken. */
const LENGTH = byDepth(1_500_000, BODY_BYTES_MAX)
/** At one place: of several slices of an answer. */
const RECORDS = byDepth(15_000, 100_000)

const db = await openTenant()
const key = (await createKey()).value
const api = client(key)

describe(`POST /inventory/ of ${LENGTH} bytes`, () => {
  it('is answered within seconds, with exact counts, created and then updated', async () => {
    const prefix = unique('b')
    await fillCatalogue(prefix, 300, 600)
    const rows = []
    let length = 20
    for (let n = 0; length < LENGTH - 200 && n < 180_000; n++) {
      const location_code = `${prefix}L${n % 300}`
      const sku_code = `${prefix}S${Math.floor(n / 300)}`
      rows.push({ location_code, sku_code, quantity: n % 1000 })
      length += JSON.stringify(rows.at(-1)).length + 1
    }
    rows.push({ location_code: 'nowhere', sku_code: `${prefix}S0`, quantity: 1 })
    rows.push({ location_code: `${prefix}L0`, sku_code: `${prefix}S0`, quantity: -1 })
    const upload = JSON.stringify({ inventory: rows })
    expect(upload.length).toBeGreaterThan(0.95 * LENGTH)
    expect(upload.length).toBeLessThanOrEqual(LENGTH)

    const first = await api.post('/inventory/', upload)
    const total = rows.length
    const good = total - 2
    expect(first.body.data).toMatchObject({ total, created: good, updated: 0, failed: 2 })
    const second = await api.post('/inventory/', upload)
    expect(second.body.data).toMatchObject({ total, created: 0, updated: good, failed: 2 })
    expect(second.body.data.errors.map(({ row }: Json) => row)).toEqual([good, good + 1])

    const stock = await db
      .prepare(
        'select count(*) as n, sum(quantity) as sum from inventory where location_code like ?',
      )
      .bind(`${prefix}%`)
      .first()
    const sum = rows.slice(0, good).reduce((before, { quantity }) => before + quantity, 0)
    expect(stock).toEqual({ n: good, sum })
    const slices = await db.prepare('select count(*) as n from inventory_upload_slices').first('n')
    expect(slices).toBe(0)
  }, 60_000)
})

describe(`POST /inventory/ of ${LENGTH} bytes in a partner's own words`, () => {
  it('lands whole, and names bad rows by their own paths', async () => {
    const prefix = unique('m')
    await fillCatalogue(prefix, 300, 600)
    const inbound = {
      unmapped: 'reject',
      fields: {
        'inventory[].location_code': 'stock[].bin',
        'inventory[].sku_code': 'stock[].article.sku',
        'inventory[].quantity': 'stock[].on_hand',
        source: { value: 'erp_sync' },
      },
    }
    const partner = await openPartner({ mappings: { inventory: { inbound } } })
    const stock: Json[] = []
    let length = 20
    for (let n = 0; length < LENGTH - 300 && n < 180_000; n++) {
      const article = { sku: `${prefix}S${Math.floor(n / 300)}` }
      stock.push({ bin: `${prefix}L${n % 300}`, article, on_hand: n % 1000 })
      length += JSON.stringify(stock.at(-1)).length + 1
    }
    const good = stock.length
    stock.push({ bin: 'nowhere', article: { sku: `${prefix}S0` }, on_hand: 1 })
    stock.push({ bin: `${prefix}L0`, article: null, on_hand: '1' })
    const upload = JSON.stringify({ stock })
    expect(upload.length).toBeGreaterThan(0.95 * LENGTH)
    expect(upload.length).toBeLessThanOrEqual(LENGTH)

    const { status, body } = await partner.api.post('/inventory/', upload)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ total: good + 2, created: good, updated: 0, failed: 2 })
    expect(body.data.errors.map(({ source }: Json) => source)).toEqual([
      { location_code: `stock[${good}].bin` },
      { sku_code: `stock[${good + 1}].article.sku`, quantity: `stock[${good + 1}].on_hand` },
    ])
    expect(body.warnings).toBeUndefined()
  }, 60_000)
})

describe('POST /inventory/ of one long text in every row', () => {
  const rowsOf = (total: number) => Array.from({ length: total }, () => ({ item: 'S', count: 1 }))
  const fields = {
    'inventory[].location_code': 'warehouse',
    'inventory[].sku_code': 'stock[].item',
    'inventory[].quantity': 'stock[].count',
  }

  it('is refused, with the place of the text, before it is looked at row by row', async () => {
    const partner = await openPartner({ mappings: { inventory: { inbound: { fields } } } })
    const document = { warehouse: 'x'.repeat(1_000_000), stock: rowsOf(1000) }
    const { status, body } = await partner.api.post('/inventory/', document)
    expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(body.error.reason).toBe('MAPPED_TOO_LARGE')
    expect(body.error.problems[0]).toEqual({
      reason: 'TOO_LARGE',
      rule: 'inventory[].location_code',
      at: 'inventory[10].location_code',
      source: 'warehouse',
      expected: BODY_BYTES_MAX,
      unit: 'bytes',
    })
    expect(body.error.message).toBe(
      'warehouse: The mapping turns it into a document of more than 10485760 bytes.',
    )
  })

  itInDeep('is taken if it is a code, however many pairs have it', async () => {
    const partner = await openPartner({ mappings: { inventory: { inbound: { fields } } } })
    const stock = Array.from({ length: 12_000 }, (_, n) => ({ item: `S${n}`, count: 1 }))
    const { status, body } = await partner.api.post('/inventory/', {
      warehouse: 'é'.repeat(255),
      stock,
    })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ total: 12_000, created: 0, updated: 0, failed: 12_000 })
  })

  it('is echoed as much as tells which it is', async () => {
    const partner = await openPartner({ mappings: { inventory: { inbound: { fields } } } })
    const document = { warehouse: 'x'.repeat(5000), stock: rowsOf(1000) }
    const { text, body } = await partner.api.post('/inventory/', document)
    expect(body.data).toMatchObject({ total: 1000, failed: 1000 })
    expect(body.data.errors[0].location_id).toMatch(/^x{255,600}$/)
    expect(text.length).toBeLessThan(1_000_000)
  })
})

describe(`GET /inventory/{code}/ of ${RECORDS} records`, () => {
  it.each([
    ['location', (prefix: string) => `${prefix}L0`],
    ['sku', (prefix: string) => `${prefix}S0`],
  ])(
    'gives them all, newest first, by %s',
    async (by, codeOf) => {
      const prefix = unique('s')
      await fillCatalogue(prefix, by === 'sku' ? RECORDS : 1, by === 'sku' ? 1 : RECORDS)
      const l = by === 'sku' ? 'i' : '0'
      const s = by === 'sku' ? '0' : 'i'
      const values = `'${prefix}L' || ${l}, '${prefix}S' || ${s}, i`
      await fill('inventory', 'location_code, sku_code, quantity', values, RECORDS)

      await api.get('/inventory/nothing/')
      const answer = await api.get(`/inventory/${codeOf(prefix)}/?by=${by}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('Content-Type')).toBe('application/json')
      expect(answer.body.success).toBe(true)
      const quantities = answer.body.data.map(({ quantity }: Json) => quantity)
      expect(quantities).toHaveLength(RECORDS)
      expect(quantities.every((quantity: number, n: number) => quantity === RECORDS - 1 - n)).toBe(
        true,
      )
      expect(answer.headers.get('Server-Timing')).toContain('round trips 1,')
    },
    60_000,
  )

  /** The stock at a location of so many records, of which nothing is read yet; each batch is watched once it has answered. */
  async function openStock(watch: (results: D1Result[]) => void) {
    const prefix = unique('t')
    await fillCatalogue(prefix, 1, RECORDS)
    await fill(
      'inventory',
      'location_code, sku_code, quantity',
      `'${prefix}L0', '${prefix}S' || i, i`,
      RECORDS,
    )
    const bindings = withBatch(async (call) => {
      const results = await call()
      watch(results)
      return results
    })
    const url = `https://demo.example/api/integrations/v1/inventory/${prefix}L0/`
    return await unread(new Request(url, { headers: { 'X-API-Key': key } }), { bindings })
  }

  itInDeep('reads no more than the client takes', async () => {
    const slices: number[] = []
    const response = await openStock((results) => {
      slices.push(Math.max(...results.map((result) => result.results.length)))
    })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.read()
    await scheduler.wait(300)
    expect(slices.length).toBeLessThanOrEqual(4)
    expect(Math.max(...slices)).toBeLessThanOrEqual(4000)
    await reader.cancel()
  })

  itInDeep(
    'breaks off when the database fails on the way: half a list never looks whole',
    async () => {
      let slices = 0
      const response = await openStock((results) => {
        slices += results.some((result) => result.results.length >= 1000) ? 1 : 0
        if (slices === 3) throw new Error('D1_ERROR: Network connection lost.')
      })
      expect(response.status).toBe(200)
      await expect(response.text()).rejects.toThrow()
    },
  )
})

describe('a body of exactly 10 MiB', () => {
  const padded = (bytes: number) => {
    const frame = JSON.stringify({ inventory: [{}], notes: '' })
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
  }
  const chunked = (text: string) => new Blob([text]).stream()

  it.each([
    ['with Content-Length', (text: string) => text],
    ['chunked', chunked],
  ])('is read, and one byte more is 413, %s', async (_, bodyOf) => {
    const most = await api.post('/inventory/', bodyOf(padded(BODY_BYTES_MAX)))
    expect([most.status, most.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(most.body.error.fields).toHaveProperty('notes')
    const over = await api.post('/inventory/', bodyOf(padded(BODY_BYTES_MAX + 1)))
    expect([over.status, over.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })
})
