import { describe, expect, it } from 'vitest'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { client, createKey, openTenant, unique } from '../fixtures/tenant.ts'
import { createOrder, dataOf, path } from '../fixtures/warehouse.ts'
import {
  api,
  contentOf,
  db,
  document,
  from,
  orderRows,
  type Partner,
  SETTINGS,
  sku,
} from './mappings.ts'

async function versionOf(database: D1Database): Promise<unknown> {
  return await database.prepare('select settings_version from workspace').first('settings_version')
}

describe('a mapping that is compiled once', () => {
  it('serves every key of its partner, and changes for all of them', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const linked = { name: unique('second key'), partner_id: partner.id }
    const { key } = dataOf(await partner.admin.post(`${SETTINGS}/api-keys/`, linked), 201)
    const callers = [partner.api, client(key)]
    for (const member of ['old', 'new'] as const) {
      await saveMapping(partner.admin, partner.id, 'orders', from(member))
      for (const caller of callers) {
        const body = document()
        expect((await caller.post('/orders/', body)).status).toBe(201)
        expect(await orderRows(body.number)).toMatchObject([contentOf(member, body.number)])
      }
    }
  })

  it('is nobody else’s, though all post the same documents at the same time', async () => {
    const old = await openPartner({ mappings: { orders: from('old') } })
    const renamed = await openPartner({ mappings: { orders: from('new') } })
    const none = await openPartner()
    for (const { api: caller } of [old, renamed, none]) await caller.get('/orders/')

    const posted = await Promise.all(
      Array.from({ length: 30 }, async (_, turn) => {
        const owner = [old, renamed, none][turn % 3] as Partner
        const body = document()
        return { owner, body, answer: await owner.api.post('/orders/', body) }
      }),
    )
    for (const { owner, body, answer } of posted) {
      const content = contentOf(owner === old ? 'old' : 'new', body.number)
      expect(answer.status).toBe(owner === none ? 400 : 201)
      expect(await orderRows(body.number)).toEqual(
        owner === none ? [] : [{ ...content, partner_id: owner.id }],
      )
    }
  })

  it('is no other tenant’s, though partner, id and settings version are the same', async () => {
    const other = await openTenant('other')
    const mine = await openPartner({ mappings: { orders: from('old') } })
    const theirs = await openPartner({
      tenant: 'other',
      name: mine.name,
      mappings: { orders: from('new') },
    })
    const theirApi = client((await createKey(undefined, { tenant: 'other' })).value)
    await theirApi.post('/products/', { sku })
    await other.batch([
      other.prepare('pragma defer_foreign_keys = on'),
      other.prepare('update partners set id = ? where id = ?').bind(mine.id, theirs.id),
      other
        .prepare('update field_mappings set partner_id = ? where partner_id = ?')
        .bind(mine.id, theirs.id),
      other
        .prepare('update api_keys set partner_id = ? where partner_id = ?')
        .bind(mine.id, theirs.id),
      other.prepare('update workspace set settings_version = ?').bind(await versionOf(db)),
    ])
    expect(await versionOf(other)).toBe(await versionOf(db))

    const body = document()
    const answers = await Promise.all([
      mine.api.post('/orders/', body),
      theirs.api.post('/orders/', body),
    ])
    const names = answers.map((answer) => dataOf(answer, 201).customer_name)
    expect(names).toEqual([`old ${body.number}`, `new ${body.number}`])
  })
})

describe('POST /orders/', () => {
  it('remembers the partner whose key created it, whatever becomes of key and partner', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const other = await openPartner({ mappings: { orders: from('old') } })
    const [mine, theirs, nobodys] = [document(), document(), unique('O')]
    dataOf(await partner.api.post('/orders/', mine), 201)
    dataOf(await other.api.post('/orders/', theirs), 201)
    await createOrder(api, { order_number: nobodys })
    const partnerIds = async () =>
      Promise.all(
        [mine.number, theirs.number, nobodys].map(
          async (number) => (await orderRows(number))[0].partner_id,
        ),
      )
    expect(await partnerIds()).toEqual([partner.id, other.id, null])

    const moved = { partner_id: other.id }
    await partner.admin.put(`${SETTINGS}/api-keys/${partner.key.id}/`, moved)
    await partner.admin.delete(`${SETTINGS}/partners/${partner.id}/`)
    dataOf(await other.api.put(path('orders', mine.number), { note: 'x' }), 200)
    expect(await partnerIds()).toEqual([partner.id, other.id, null])
  })

  it.each(['partner_id', 'partner'])('does not take %s from the document', async (field) => {
    const [partner, other] = [await openPartner(), await openPartner()]
    const order_number = unique('O')
    const items = [{ sku_code: sku, quantity: 1 }]
    dataOf(await partner.api.post('/orders/', { order_number, items, [field]: other.id }), 201)
    expect((await orderRows(order_number))[0].partner_id).toBe(partner.id)
  })
})
