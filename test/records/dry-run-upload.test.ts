import { beforeAll, describe, expect, it } from 'vitest'
import { admin, db } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { rehearse, seen } from '../fixtures/rehearsing.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'

beforeAll(async () => {
  await admin.get('/orders/')
})

/** The dry run, whose counts, errors and warnings must be those of the upload, which follows. */
async function tryOut(inventory: unknown[], more: object = {}) {
  const dry = await rehearse(db, admin, ['POST', '/inventory/', { inventory, ...more }])
  const { changes, ...others } = dry.body.data
  const real = await admin.post('/inventory/', { inventory, ...more })
  expect(seen({ ...dry, body: { ...dry.body, data: others } })).toEqual(seen(real))
  return { changes, dry, real }
}

const pairOf = async () => {
  const { location_code, sku_code } = await stock(admin, { quantity: 5 })
  return { location_code, sku_code }
}
const newPair = async () => ({
  location_code: (await createLocation(admin)).code,
  sku_code: (await createProduct(admin)).sku,
})

describe('a dry run of POST /inventory/', () => {
  it('lists what each pair has and would have, in order of first appearance', async () => {
    const [known, fresh, same] = [await pairOf(), await newPair(), await pairOf()]
    const { changes } = await tryOut([
      { ...fresh, quantity: 3 },
      { ...known, quantity: 9 },
      { ...same, quantity: 5 },
      { ...fresh, quantity: 4 },
    ])
    expect(changes).toEqual([
      { ...fresh, from: null, to: 4 },
      { ...known, from: 5, to: 9 },
    ])
  })

  it('lists net changes: a pair that ends as it began is none', async () => {
    const pair = await pairOf()
    const rows = [7, 5].map((quantity) => ({ ...pair, quantity }))
    expect((await tryOut(rows)).changes).toEqual([])
  })

  it('has the errors of bad rows, and the warnings', async () => {
    const inactive = await createProduct(admin, { is_active: false })
    const { code } = await createLocation(admin)
    const { changes, dry } = await tryOut([
      { location_code: code, sku_code: unique('none'), quantity: 1 },
      { location_code: code, sku_code: inactive.sku, quantity: 1, colour: 'red' },
      'no row',
    ])
    expect(changes).toEqual([{ location_code: code, sku_code: inactive.sku, from: null, to: 1 }])
    expect([dry.body.data.failed, dry.body.warnings.length]).toEqual([2, 2])
  })

  it('judges conditions by what is stored, and by what the rows before leave', async () => {
    const [pair, fresh] = [await pairOf(), await newPair()]
    const { changes } = await tryOut([
      { ...pair, quantity: 6, if_quantity: 5 },
      { ...pair, quantity: 7, if_quantity: 6 },
      { ...pair, quantity: 8, if_quantity: 6 },
      { ...fresh, quantity: 1, if_quantity: 0 },
    ])
    expect(changes).toEqual([{ ...pair, from: 5, to: 7 }])
  })

  it('lists at most 1,000 changes, and says how many more there are', async () => {
    const { code: location_code } = await createLocation(admin)
    const skus = Array.from({ length: 1003 }, () => unique('S'))
    const insert = `insert into products (id, sku, created_at, updated_at)
      select value, value, '2026', '2026' from json_each(?)`
    await db.prepare(insert).bind(JSON.stringify(skus)).run()
    const inventory = skus.map((sku_code) => ({ location_code, sku_code, quantity: 1 }))
    const dry = await rehearse(db, admin, ['POST', '/inventory/', { inventory }])
    expect(dry.body.data.changes).toHaveLength(1000)
    expect(dry.body.warnings).toEqual([
      { field: 'changes', message: '3 more changes are not listed.' },
    ])
  })

  it('has the place of each in the document of a partner', async () => {
    const [one, other] = [await pairOf(), await pairOf()]
    const fields = {
      'inventory[].location_code': 'levels[].place',
      'inventory[].sku_code': 'levels[].item',
      'inventory[].quantity': 'levels[].on_hand',
    }
    const inventory = { inbound: { fields } }
    const { api } = await openPartner({ mappings: { inventory } })
    const levelOf = ({ location_code, sku_code }: Json, on_hand: number) => ({
      place: location_code,
      item: sku_code,
      on_hand,
    })
    const document = { levels: [levelOf(one, 5), levelOf(other, 8)] }
    const { body, status } = await api.post('/inventory/?dry_run=true', document)
    expect([status, body.data.changes]).toEqual([
      200,
      [{ ...other, from: 5, to: 8, source: 'levels[1]' }],
    ])
  })

  it('leaves the counts and the failed rows in the audit log, and no more', async () => {
    const pair = await pairOf()
    const inventory = [
      { ...pair, quantity: 6 },
      { ...pair, quantity: -1 },
    ]
    const { dry, real } = await tryOut(inventory, { source: 'erp_sync', notes: 'Hall 3' })
    const rowOf = async ({ headers }: { headers: Headers }) => {
      const { body } = await admin.get(`/api/settings/v1/audit-log/${headers.get('X-Request-Id')}/`)
      const { request_id, created_at, duration_ms, dry_run, ...row } = body.data
      return { dry_run, row }
    }
    const { dry_run, row } = await rowOf(dry)
    expect(dry_run).toBe(true)
    expect(row).toEqual((await rowOf(real)).row)
    expect(row).toMatchObject({ source: 'erp_sync', counts: { total: 2, updated: 1, failed: 1 } })
  })
})
