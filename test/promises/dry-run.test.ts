import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import {
  asked,
  ENDPOINTS,
  type Endpoint,
  requestOf,
  strayRequestOf,
} from '../fixtures/endpoints.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { rehearse, seen } from '../fixtures/rehearsing.ts'
import { AUDIT, issueKey, KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { storedNow } from '../fixtures/stored.ts'
import {
  type Answer,
  type Api,
  client,
  createKey,
  type Json,
  ORIGIN,
  openAdmin,
  openTenant,
  outdateCallers,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { createOrder, createProduct, path } from '../fixtures/warehouse.ts'
import { sideBySide } from '../releases/callers.ts'

// A dry run answers what the request would answer at this moment, and changes nothing.

const WRITES = ENDPOINTS.filter(({ method }) => method !== 'GET')
const NO_KEY = { field: 'key', message: 'A dry run makes no key, so there is none to show.' }
const NO_ADDRESS = {
  field: 'address',
  message: 'A dry run makes no address, so there is none to show.',
}

/** What a dry run shows of this answer: no secret. */
function rehearsed({ status, body }: Answer): Json {
  for (const warning of [NO_KEY, NO_ADDRESS]) {
    if (typeof body.data?.[warning.field] !== 'string') continue
    const data = { ...body.data, [warning.field]: null }
    return seen({ status, body: { ...body, data, warnings: [warning] } })
  }
  return seen({ status, body })
}

const db = await openTenant()
const admin = await openAdmin()
await admin.get('/orders/')

describe.each(sample(WRITES, 8))('$method $path', (endpoint) => {
  it('answers a dry run as the request, and changes nothing', async () => {
    const request = await requestOf(endpoint, admin)
    const dry = await rehearse(db, admin, request)
    // test/records/dry-run-upload.test.ts
    if (endpoint.path.endsWith('/inventory/')) delete dry.body.data.changes
    // What is sent again is rehearsed itself.
    if (dry.body.data.answer) {
      expect(dry.body.data.answer.dry_run).toBe(true)
      delete dry.body.data.answer.dry_run
    }
    const real = await admin.call(...request)
    expect(real.status).toBeLessThan(300)
    expect(real.headers.get('X-Dry-Run')).toBeNull()
    expect(seen(dry)).toEqual(rehearsed(real))
    expect(JSON.stringify(Object.keys(dry.body.data))).toBe(
      JSON.stringify(Object.keys(real.body.data)),
    )
  })

  it('refuses a dry run as the request', async () => {
    const [method, path, body] = await strayRequestOf(endpoint, admin)
    const request = path.includes('unknown-')
      ? ([method, path, body] as const)
      : ([method, path, { items: 1, inventory: 1, name: 1, sku: 1, code: 1 }] as const)
    const dry = await rehearse(db, admin, request)
    const real = await admin.call(...request)
    expect(real.status).toBeGreaterThanOrEqual(400)
    expect(seen(dry)).toEqual(seen(real))
  })
})

// How a dry run is asked for, and what knows of it.

const idOf = (answer: Answer) => answer.headers.get('X-Request-Id') ?? ''
/** The header's mark, beside which the body has its own. */
function isDry({ headers, body }: Answer): string | null {
  const mark = headers.get('X-Dry-Run')
  if (body) expect(body.dry_run).toBe(mark === null ? undefined : true)
  return mark
}
const newProduct = () => ({ sku: unique('S') })

describe('a write', () => {
  const WRONG: [query: string, message: string][] = [
    ...['dry_run=True', 'dry_run=False', 'dry_run=1', 'dry_run=0', 'dry_run=', 'dry_run'].map(
      (query): [string, string] => [query, 'Must be true, or false to make the change.'],
    ),
    ['dry_run=true&dry_run=true', 'Give this parameter once.'],
    ['dry_run=true&dry_run=false', 'Give this parameter once.'],
    ['dry_run=false&dry_run=false', 'Give this parameter once.'],
    ...['dryrun', 'dry-run', 'Dry_Run', 'dryRun', 'DRY_RUN', 'dry_run[]'].map(
      (name): [string, string] => [
        `${encodeURIComponent(name)}=true`,
        `Is not called "${name}": send dry_run=true, or leave it out.`,
      ],
    ),
  ]

  it.each(WRONG)('with %s is refused and changes nothing', async (query, message) => {
    await admin.get('/orders/')
    const before = await storedNow(db)
    const answer = await admin.post(`/products/?${query}`, newProduct())
    expectInvalid(answer, 'dry_run')
    expect(answer.body.error.fields.dry_run).toEqual([message])
    expect(isDry(answer)).toBeNull()
    expect({ ...(await storedNow(db)), audit_log: 0 }).toEqual({ ...before, audit_log: 0 })
  })

  it('with dry_run=false makes the change, as without it', async () => {
    const product = newProduct()
    const answer = await admin.post('/products/?dry_run=false', product)
    expect([answer.status, isDry(answer), answer.body.dry_run]).toEqual([201, null, undefined])
    expect(answer.body.warnings).toBeUndefined()
    expect((await admin.get(path('products', product.sku))).status).toBe(200)
  })

  it('is marked where it asks twice, in different words', async () => {
    const answer = await admin.post('/products/?dry_run=true&dryrun=true', newProduct())
    expectInvalid(answer, 'dry_run')
    expect(isDry(answer)).toBe('true')
  })

  it('is a dry run at an encoded path as well', async () => {
    const { value } = await createKey()
    const product = newProduct()
    const url = `${ORIGIN}/%61pi/integrations/v1/products/?dry_run=true`
    const headers = { 'X-API-Key': value, 'Content-Type': 'application/json' }
    const body = JSON.stringify(product)
    const answer = await send(new Request(url, { method: 'POST', headers, body }))
    expect([answer.status, isDry(answer)]).toEqual([201, 'true'])
    expect((await admin.get(path('products', product.sku))).status).toBe(404)
  })

  it('names parameters without effect in a dry run as well', async () => {
    const answer = await admin.post('/products/?dry_run=true&fast=1', newProduct())
    expect(answer.status).toBe(201)
    expect(answer.body.warnings).toEqual([
      { field: 'fast', message: 'Unknown query parameter: it had no effect.' },
    ])
  })
})

describe('a read', () => {
  // There it is a filter.
  const isOther = ({ path }: Endpoint) => !path.endsWith('/audit-log/')

  const READS = ENDPOINTS.filter(({ method }) => method === 'GET').filter(isOther)

  it.each(sample(READS, 4))('has no dry run, and says so: $path', async (endpoint) => {
    const [method, where] = await requestOf(endpoint, admin)
    const isList = Array.isArray((await admin.get(where)).body.data)
    const answer = await admin.call(method, asked(where, 'dry_run=true&dryrun=1'))
    expect([answer.status, isDry(answer)]).toEqual([isList ? 400 : 200, null])
    if (isList) return expectInvalid(answer, 'dry_run', 'dryrun')
    expect(answer.body.warnings).toEqual([
      {
        field: 'dry_run',
        message: 'Only POST, PUT and DELETE have a dry run: it had no effect.',
      },
      { field: 'dryrun', message: 'Unknown query parameter: it had no effect.' },
    ])
  })
})

describe('release 1.0', () => {
  it('refuses what might mean a dry run, and changes nothing', async () => {
    const { pinned } = await sideBySide({ default_identifier_field: 'sku' })
    for (const query of ['dry_run=true', 'dry_run=false', 'dryrun=1']) {
      const sku = unique('S')
      const answer = await pinned.post(`/products/?${query}`, { sku })
      expectRefusal(answer, 400, 'SERVICE_ERROR')
      expect(answer.body.detail).toBe('Release 1.0 has no dry run.')
      expect((await admin.get(path('products', sku))).status).toBe(404)
    }
  })
})

describe('the answer to a dry run', () => {
  const asked = (api: Api, more = {}) => api.post('/products/?dry_run=true', newProduct(), more)

  it('is marked where the key is missing, unknown or revoked', async () => {
    const { value } = await createKey(undefined, { revoked_at: '2026-01-01T00:00:00.000Z' })
    for (const [api, status] of [
      [client(null), 403],
      [client('xd_demo_nonsense'), 401],
      [client(value), 401],
    ] as const) {
      const answer = await asked(api)
      expect([answer.status, isDry(answer)]).toEqual([status, 'true'])
    }
  })

  it('is marked where the path has no slash at its end', async () => {
    const answer = await admin.post('/products?dry_run=true', newProduct())
    expect([answer.status, isDry(answer)]).toEqual([308, 'true'])
    expect(answer.headers.get('Location')).toContain('?dry_run=true')
  })

  it('counts for the rate limit', async () => {
    const { key } = await issueKey(admin, { rate_limit: 1 })
    const api = client(key)
    expect((await asked(api)).status).toBe(201)
    const answer = await asked(api)
    expect([answer.status, isDry(answer)]).toEqual([429, 'true'])
  })

  it('is refused where the integration is switched off', async () => {
    await admin.put(WORKSPACE, { integration_enabled: false })
    const answer = await asked(admin)
    await admin.put(WORKSPACE, { integration_enabled: true })
    expectRefusal(answer, 403, 'WORKSPACE_DISABLED')
    expect(isDry(answer)).toBe('true')
  })

  it('rests on the settings of now', async () => {
    const { value, id } = await createKey()
    const api = client(value)
    expect((await asked(api)).status).toBe(201)
    await outdateCallers()
    const answer = await asked(api)
    expect([answer.status, isDry(answer)]).toEqual([201, 'true'])
    await db
      .prepare(`update api_keys set scopes = '["integrations.*.read"]' where id = ?`)
      .bind(id)
      .run()
    expectRefusal(await asked(api), 403, 'SCOPE_MISSING')
  })

  it('goes through the mappings of a partner, in and out', async () => {
    const fields = { sku: 'article.code', quantity: 'stock' }
    const products = { inbound: { fields }, outbound: { fields: { code: 'sku' } } }
    const { api } = await openPartner({ mappings: { products } })
    const document = { article: { code: unique('S') }, stock: 3, shelf: 7 }
    const dry = await api.post('/products/?dry_run=true', document)
    const real = await api.post('/products/', document)
    expect([dry.status, dry.body]).toEqual([201, { ...real.body, dry_run: true }])
    expect(Object.keys(dry.body.data)).toEqual(['code'])
  })
})

describe('the audit log', () => {
  it('has the record that a dry run names, and finds dry runs alone or leaves them out', async () => {
    const { sku } = await createProduct(admin)
    const real = idOf(await admin.put(path('products', sku), { quantity: 1 }))
    const dry = await admin.put(`${path('products', sku)}?dry_run=true`, { quantity: 2 })
    const find = async (query: string) => {
      const { body } = await admin.get(`${AUDIT}?record_name=${sku}&method=PUT${query}`)
      return body.data.map(({ request_id, dry_run }: { request_id: string; dry_run: boolean }) => [
        request_id,
        dry_run,
      ])
    }
    expect(await find('')).toEqual([
      [idOf(dry), true],
      [real, false],
    ])
    expect(await find('&dry_run=true')).toEqual([[idOf(dry), true]])
    expect(await find('&dry_run=false')).toEqual([[real, false]])
    const row = db.prepare('select record_id from audit_log where request_id = ?').bind(idOf(dry))
    expect(await row.first('record_id')).toBe(dry.body.data.id)
  })

  it('says of a new key what the answer showed, which no key has', async () => {
    const dry = await admin.post(`${KEYS}?dry_run=true`, { name: unique('key') })
    expect(dry.body.data.hint).toMatch(/^xd_demo_…\w{4}$/)
    expect((await admin.get(`${KEYS}${dry.body.data.id}/`)).status).toBe(404)
  })

  it('does not let a dry run be sent again', async () => {
    await admin.put(WORKSPACE, { keep_documents: { of: 'errors', days: 7 } })
    const refused = await admin.post('/orders/?dry_run=true', {})
    expect(refused.status).toBe(400)
    const answer = await admin.post(`${AUDIT}${idOf(refused)}/send-again/`, {})
    expectRefusal(answer, 400, 'SERVICE_ERROR')
    expect(answer.body.detail).toContain('it was a dry run')
    // As the policy says of any request.
    expect((await admin.get(`${AUDIT}${idOf(refused)}/document/`)).status).toBe(200)
  })

  it('rehearses what is sent again, and what follows does not take it for sent', async () => {
    await admin.put(WORKSPACE, { keep_documents: { of: 'errors', days: 7 } })
    const { order_number } = await createOrder(admin)
    const line = { sku_code: unique('later'), quantity: 1 }
    const failed = await admin.post('/orders/', { order_number: unique('O'), items: [line] })
    await admin.post('/products/', { sku: line.sku_code })
    const at = `${AUDIT}${idOf(failed)}/send-again/`
    const dry = await admin.post(`${at}?dry_run=true`, {})
    expect([dry.status, dry.body.data.status, isDry(dry)]).toEqual([200, 201, 'true'])
    const both = {
      request_ids: [idOf(failed), idOf(await admin.post('/orders/', { order_number }))],
    }
    const several = await admin.post('/api/settings/v1/send-again/?dry_run=true', both)
    expect(several.body.warnings).toMatchObject([{ field: 'request_ids' }])
    const real = await admin.post(at, {})
    expect(real.body.data.status).toBe(201)
  })
})
