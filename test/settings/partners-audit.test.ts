import { describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { AUDIT, issueKey, KEYS } from '../fixtures/settings.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { admin, db, deletePartner, makePartner, PARTNERS } from './partners.ts'

describe('the audit log of a partner', () => {
  const find = async (query: Record<string, string>): Promise<Json[]> =>
    (await admin.get(`${AUDIT}?${new URLSearchParams({ limit: '200', ...query })}`)).body.data

  const told = ({ method, status, path }: Json) => `${method} ${status} ${path.split('/')[4]}`

  it('names partner and key with every request of its keys', async () => {
    const { id, name, key, api } = await openPartner({ scopes: ['integrations.products.*'] })
    const sku = unique('S')
    await api.post('/products/', { sku })
    await api.post('/products/', { sku })
    await api.get(`/products/${sku}/`)
    await api.get('/products/unknown/')
    await api.get('/orders/')
    const rows = await find({ partner_id: id })
    expect(rows.map(told)).toEqual([
      'GET 403 orders',
      'GET 404 products',
      'GET 200 products',
      'POST 409 products',
      'POST 201 products',
    ])
    for (const row of rows) {
      expect(row.partner).toEqual({ id, name })
      expect(row.api_key).toEqual({ id: key.id, name: key.name })
    }
    expect(await find({ api_key_id: key.id })).toEqual(rows)
  })

  it('holds the requests of all its keys and of no other', async () => {
    const { id, key, api } = await openPartner()
    const second = await issueKey(admin, { partner_id: id })
    const stranger = await openPartner()
    await api.get('/orders/')
    await client(second.key).get('/orders/')
    await stranger.api.get('/orders/')
    const rows = await find({ partner_id: id })
    expect(rows.map(({ api_key }) => api_key.id)).toEqual([second.id, key.id])
  })

  it('keeps the name of the time of each request', async () => {
    const { id, name, api } = await openPartner()
    await api.get('/orders/')
    const renamed = unique('renamed')
    await admin.put(`${PARTNERS}${id}/`, { name: renamed })
    await api.get('/orders/')
    const partners = (await find({ partner_id: id })).map(({ partner }) => partner)
    expect(partners).toEqual([
      { id, name: renamed },
      { id, name },
    ])
  })

  it('is kept when the partner is deleted, and when its name is used again', async () => {
    const { id, name, key, api } = await openPartner()
    await api.post('/products/', { sku: unique('S') })
    await admin.delete(`${KEYS}${key.id}/`)
    await deletePartner(id)
    const heir = await makePartner({ name })
    const rows = await find({ partner_id: id })
    expect(rows.map(({ partner, status }) => ({ partner, status }))).toEqual([
      { partner: { id, name }, status: 201 },
    ])
    expect(await find({ partner_id: heir.id })).toEqual([])
  })

  it('has no request of a key before it is linked or after it is unlinked', async () => {
    const { id } = await makePartner()
    const key = await issueKey(admin)
    const api = client(key.key)
    await api.get('/orders/')
    await admin.put(`${KEYS}${key.id}/`, { partner_id: id })
    await api.get('/products/')
    await admin.put(`${KEYS}${key.id}/`, { partner_id: null })
    await api.get('/locations/')
    expect((await find({ partner_id: id })).map(told)).toEqual(['GET 200 products'])
    const rows = await find({ api_key_id: key.id })
    expect(rows.map(({ partner }) => partner?.id ?? null)).toEqual([null, id, null])
  })

  it('shows null as the partner of a pass-through key', async () => {
    const { id, value } = await createKey()
    await client(value).get('/orders/')
    await client(value).post('/products/', { sku: unique('S') })
    const rows = await find({ api_key_id: id })
    expect(rows.map(({ partner }) => partner)).toEqual([null, null])
  })

  it("has a row for each change of the partner, of the administrator's key", async () => {
    const { id, value } = await createKey(['settings.*'])
    const own = client(value)
    const partner = (await own.post(PARTNERS, { name: unique('x') })).body.data
    await own.put(`${PARTNERS}${partner.id}/`, { name: unique('x') })
    await own.delete(`${PARTNERS}${partner.id}/`)
    await own.delete(`${PARTNERS}${partner.id}/`)
    const rows = await find({ api_key_id: id, resource: 'partners' })
    expect(rows.map(told)).toEqual([
      'DELETE 404 partners',
      'DELETE 200 partners',
      'PUT 200 partners',
      'POST 201 partners',
    ])
    expect(rows.map(({ partner }) => partner)).toEqual([null, null, null, null])
    const records = await db
      .prepare('select record_id from audit_log where api_key_id = ? and status < 400')
      .bind(id)
      .all()
    expect(new Set(records.results.map(({ record_id }) => record_id))).toEqual(
      new Set([partner.id]),
    )
  })
})
