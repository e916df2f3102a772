import { describe, expect, it } from 'vitest'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { addPartner, findKey, inSeconds, issueKey, KEYS, utc } from '../fixtures/settings.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { admin, PAST, rowOf } from './api-keys.ts'

describe('PUT /api-keys/{id}/', () => {
  it('changes what is sent, leaves the rest, and answers the record', async () => {
    const partner = await addPartner()
    const { key, ...record } = await issueKey(admin)
    let expected = record
    for (const change of [
      { name: unique('renamed') },
      { scopes: ['integrations.orders.read'] },
      { partner_id: partner.id },
      { expires_at: inSeconds(3600) },
      { expires_at: null },
      { partner_id: null },
      { name: 'all', scopes: ['settings.*'], partner_id: partner.id, expires_at: inSeconds(60) },
    ]) {
      expected = { ...expected, ...change }
      const answer = await admin.put(`${KEYS}${record.id}/`, change)
      expect([answer.status, answer.body]).toEqual([200, { success: true, data: expected }])
      expect(await findKey(admin, record.id)).toEqual(expected)
    }
  })

  it('takes effect with the very next request of the key', async () => {
    const { id, key } = await issueKey(admin)
    const api = client(key)
    expect((await api.get('/orders/')).status).toBe(200)
    await admin.put(`${KEYS}${id}/`, { scopes: ['integrations.products.*'] })
    expectRefusal(await api.get('/orders/'), 403, 'SCOPE_MISSING')
    expect((await api.get('/products/')).status).toBe(200)
  })

  it('revives an expired key with a later expires_at', async () => {
    const { id, value } = await createKey(['integrations.*'], { expires_at: PAST })
    expectRefusal(await client(value).get('/orders/'), 401, 'KEY_EXPIRED')
    const { body } = await admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(3600) })
    expect(body.data.status).toBe('active')
    expect((await client(value).get('/orders/')).status).toBe(200)
  })

  it('never revives a revoked key', async () => {
    const { id, value } = await createKey(['integrations.*'], { revoked_at: PAST })
    const change = { revoked_at: null, status: 'active', expires_at: inSeconds(3600) }
    const { body } = await admin.put(`${KEYS}${id}/`, change)
    expect(body.data).toMatchObject({ revoked_at: PAST, status: 'revoked' })
    expectRefusal(await client(value).get('/orders/'), 401, 'KEY_INVALID')
  })

  it('keeps a scope that is named twice once', async () => {
    const { id } = await issueKey(admin)
    const scopes = ['settings.read', 'settings.read']
    const { body } = await admin.put(`${KEYS}${id}/`, { scopes })
    expect(body.data.scopes).toEqual(['settings.read'])
  })

  it('without a field changes nothing', async () => {
    const { id } = await issueKey(admin)
    const before = await rowOf(id)
    expect((await admin.put(`${KEYS}${id}/`, {})).status).toBe(200)
    expect(await rowOf(id)).toEqual(before)
  })

  it('names what it does not change', async () => {
    const { key, ...record } = await issueKey(admin)
    const readOnly = {
      id: 'x',
      hint: 'x',
      key: 'x',
      rotated_from: 'x',
      created_at: PAST,
      hash: 'x',
    }
    const { body } = await admin.put(`${KEYS}${record.id}/`, readOnly)
    expect(body.data).toEqual(record)
    expect(body.warnings.map(({ field }: Json) => field)).toEqual(Object.keys(readOnly))
  })

  it.each([
    ['name', '', 'name'],
    ['name', null, 'name'],
    ['name', 'x'.repeat(256), 'name'],
    ['scopes', [], 'scopes'],
    ['scopes', null, 'scopes'],
    ['scopes', ['*'], 'scopes[0]'],
    ['scopes', ['integrations.*.read'], 'scopes[0]'],
    ['expires_at', PAST, 'expires_at'],
    ['expires_at', 'never', 'expires_at'],
    ['partner_id', 'unknown', 'partner_id'],
    ['partner_id', 7, 'partner_id'],
  ])('refuses %s as %j and changes nothing', async (name, value, field) => {
    const { id } = await issueKey(admin)
    const before = await rowOf(id)
    const other = name === 'name' ? { partner_id: null } : { name: 'changed' }
    expectInvalid(await admin.put(`${KEYS}${id}/`, { ...other, [name]: value }), field)
    expect(await rowOf(id)).toEqual(before)
  })

  it('refuses a deleted partner and changes nothing', async () => {
    const { id } = await issueKey(admin)
    const partner_id = (await addPartner(PAST)).id
    expectInvalid(await admin.put(`${KEYS}${id}/`, { partner_id }), 'partner_id')
    expect((await rowOf(id))?.partner_id).toBeNull()
  })

  it('is 404 for an unknown id', async () => {
    const path = `${KEYS}${crypto.randomUUID()}/`
    for (const body of [{}, { name: 'x' }, { scopes: ['settings.*'] }]) {
      expectRefusal(await admin.put(path, body), 404, 'NOT_FOUND')
    }
  })
})

describe('DELETE /api-keys/{id}/', () => {
  it('revokes, and answers the record', async () => {
    const { key, ...record } = await issueKey(admin)
    const answer = await admin.delete(`${KEYS}${record.id}/`)
    const revoked = { ...record, revoked_at: utc, status: 'revoked' }
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: revoked }])
    expect(await findKey(admin, record.id)).toEqual(answer.body.data)
  })

  it('ends the key with its very next request', async () => {
    const { id, key } = await issueKey(admin)
    expect((await client(key).get('/orders/')).status).toBe(200)
    await admin.delete(`${KEYS}${id}/`)
    expectRefusal(await client(key).get('/orders/'), 401, 'KEY_INVALID', 'Invalid API key.')
  })

  it('answers the same when it is repeated', async () => {
    const { id } = await issueKey(admin)
    const first = await admin.delete(`${KEYS}${id}/`)
    await scheduler.wait(5)
    const second = await admin.delete(`${KEYS}${id}/`)
    expect([second.status, second.body]).toEqual([200, first.body])
  })

  it('revokes an expired key', async () => {
    const { id } = await createKey(['integrations.*'], { expires_at: PAST })
    const { body } = await admin.delete(`${KEYS}${id}/`)
    expect(body.data).toMatchObject({ revoked_at: utc, status: 'revoked' })
  })

  it('is 404 for an unknown id', async () => {
    expectRefusal(await admin.delete(`${KEYS}${crypto.randomUUID()}/`), 404, 'NOT_FOUND')
  })
})
