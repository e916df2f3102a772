import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { AUDIT, WORKSPACE } from '../fixtures/settings.ts'
import { oneRow } from '../fixtures/sql.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'

const stored = () => oneRow('select * from workspace')

describe('GET /workspace/', () => {
  it('answers the workspace', async () => {
    const row = await stored()
    const answer = await admin.get(WORKSPACE)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      data: {
        name: row?.name,
        tenant: 'demo',
        integration_enabled: true,
        audit_retention_days: row?.audit_retention_days,
        audit_hot_days: 30,
        undo_days: 7,
        waiting_days: 30,
        low_stock_quantity: 10,
        keep_documents: null,
        pause: null,
        settings_version: row?.settings_version,
      },
    })
  })
})

describe('PUT /workspace/', () => {
  it.each([1, 30, 3650])('sets audit_retention_days to %i and leaves the rest', async (days) => {
    const { name, integration_enabled } = (await admin.get(WORKSPACE)).body.data
    const { status, body } = await admin.put(WORKSPACE, { audit_retention_days: days })
    expect([status, body.warnings]).toEqual([200, undefined])
    expect(body.data).toMatchObject({ name, integration_enabled, audit_retention_days: days })
    expect((await stored())?.audit_retention_days).toBe(days)
    expect((await admin.get(WORKSPACE)).body).toEqual(body)
  })

  it.each([1, 3650])('sets audit_hot_days to %i', async (days) => {
    const { status, body } = await admin.put(WORKSPACE, { audit_hot_days: days })
    expect([status, body.data.audit_hot_days]).toEqual([200, days])
    expect((await admin.get(WORKSPACE)).body).toEqual(body)
    await admin.put(WORKSPACE, { audit_hot_days: 30 })
  })

  it.each([1, 100])('sets low_stock_quantity to %i', async (quantity) => {
    const { settings_version: before } = (await admin.get(WORKSPACE)).body.data
    const { status, body } = await admin.put(WORKSPACE, { low_stock_quantity: quantity })
    expect([status, body.data.low_stock_quantity]).toEqual([200, quantity])
    expect(body.data.settings_version).toBe(before + 1)
    expect((await admin.get(WORKSPACE)).body).toEqual(body)
    await admin.put(WORKSPACE, { low_stock_quantity: 10 })
  })

  it('takes 30.0 days as 30, and keeps them when another field is changed', async () => {
    const set = await admin.put(WORKSPACE, '{"audit_retention_days": 30.0}')
    expect(set.body.data.audit_retention_days).toBe(30)
    const renamed = await admin.put(WORKSPACE, { name: unique('x') })
    expect(renamed.body.data.audit_retention_days).toBe(30)
  })

  it('changes the name and answers as GET does', async () => {
    const name = unique('Lager Süd 📦')
    const answer = await admin.put(WORKSPACE, { name })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      success: true,
      data: {
        name,
        tenant: 'demo',
        integration_enabled: true,
        audit_retention_days: (await stored())?.audit_retention_days,
        audit_hot_days: 30,
        undo_days: 7,
        waiting_days: 30,
        low_stock_quantity: 10,
        keep_documents: null,
        pause: null,
        settings_version: (await stored())?.settings_version,
      },
    })
    expect((await admin.get(WORKSPACE)).body).toEqual(answer.body)
  })

  it('changes what is sent and leaves the rest', async () => {
    const { name } = (await admin.get(WORKSPACE)).body.data
    const off = await admin.put(WORKSPACE, { integration_enabled: false })
    const on = await admin.put(WORKSPACE, { integration_enabled: true })
    expect([off.body.data.name, on.body.data.name]).toEqual([name, name])
    expect([off, on].map(({ body }) => body.data.integration_enabled)).toEqual([false, true])
  })

  it('takes every field at once', async () => {
    const name = unique('both')
    const fields = { name, integration_enabled: false, audit_retention_days: 90 }
    const { body } = await admin.put(WORKSPACE, fields)
    await admin.put(WORKSPACE, { integration_enabled: true })
    expect(body.data).toMatchObject(fields)
  })

  it('switches the integration off and on with the very next request', async () => {
    const api = client((await createKey()).value)
    expect((await api.get('/orders/')).status).toBe(200)
    await admin.put(WORKSPACE, { integration_enabled: false })
    const off = await api.get('/orders/')
    await admin.put(WORKSPACE, { integration_enabled: true })
    expectRefusal(off, 403, 'WORKSPACE_DISABLED')
    expect((await api.get('/orders/')).status).toBe(200)
  })

  it('is in the audit log while the integration is off, and so are reads', async () => {
    const answers = [
      await admin.put(WORKSPACE, { integration_enabled: false }),
      await admin.get(WORKSPACE),
      await admin.get('/orders/'),
      await admin.put(WORKSPACE, { integration_enabled: true }),
    ]
    const statuses = await Promise.all(
      answers.map(async ({ headers }) => {
        const log = await admin.get(`${AUDIT}?request_id=${headers.get('X-Request-Id')}`)
        return log.body.data.map(({ status }: { status: number }) => status)
      }),
    )
    expect(statuses).toEqual([[200], [200], [403], [200]])
  })

  it('without a field changes nothing', async () => {
    const before = await stored()
    const answer = await admin.put(WORKSPACE, {})
    expect(answer.status).toBe(200)
    expect(await stored()).toEqual(before)
  })

  it('names what it does not change', async () => {
    const { body } = await admin.put(WORKSPACE, {
      tenant: 'other',
      settings_version: 1,
      colour: 'red',
    })
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual([
      'tenant',
      'settings_version',
      'colour',
    ])
    expect(body.data.tenant).toBe('demo')
  })

  it.each(
    sample(
      [
        ['name', ''],
        ['name', 'x'.repeat(256)],
        ['name', '\ud800'],
        ['name', null],
        ['name', 7],
        ['integration_enabled', null],
        ['integration_enabled', 'false'],
        ['integration_enabled', 0],
        ['waiting_days', 0],
        ['waiting_days', 91],
        ['waiting_days', null],
        ['low_stock_quantity', 0],
        ['low_stock_quantity', 101],
        ['low_stock_quantity', 2.5],
        ['low_stock_quantity', null],
        ['audit_retention_days', 0],
        ['audit_retention_days', -1],
        ['audit_retention_days', 3651],
        ['audit_retention_days', 1e20],
        ['audit_retention_days', 30.5],
        ['audit_retention_days', '30'],
        ['audit_retention_days', ''],
        ['audit_retention_days', true],
        ['audit_retention_days', [30]],
        ['audit_retention_days', null],
        ['audit_hot_days', 0],
        ['audit_hot_days', 3651],
        ['audit_hot_days', null],
      ],
      8,
    ),
  )('refuses %s as %j and changes nothing', async (field, value) => {
    const before = await stored()
    const other = field === 'name' ? { integration_enabled: false } : { name: 'x' }
    expectInvalid(await admin.put(WORKSPACE, { ...other, [field]: value }), field)
    expect(await stored()).toEqual(before)
  })

  it.each([
    [0, 'Must be at least 1.'],
    [3651, 'Must be at most 3650.'],
    [30.5, 'Must be an integer, not a fraction.'],
    ['30', 'Must be an integer, not a string.'],
    [null, 'Must be an integer, not null.'],
    [1e20, 'Must be an integer, not a number that is too large.'],
  ])('says of audit_retention_days %j: %s', async (days, message) => {
    const { body } = await admin.put(WORKSPACE, { audit_retention_days: days })
    expect(body.error.fields).toEqual({ audit_retention_days: [message] })
  })

  it('takes a name of 255 characters', async () => {
    expect((await admin.put(WORKSPACE, { name: 'x'.repeat(255) })).status).toBe(200)
  })

  it.each([
    ['no JSON', '{"name":'],
    ['a list', '[]'],
    ['a word', '"name"'],
    ['null', 'null'],
  ])('refuses %s', async (_, text) => {
    expectRefusal(await admin.put(WORKSPACE, text), 400, 'VALIDATION_ERROR')
  })
})
