import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  badOrder,
  documentOf,
  idOf,
  keep,
  keysWith,
  openKept,
  SETTINGS,
  stateOf,
  storedText,
} from '../fixtures/kept-documents.ts'
import {
  client,
  createKey,
  dispatch,
  ORIGIN,
  openAdmin,
  openTenant,
  send,
  unique,
} from '../fixtures/tenant.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const ERRORS = { of: 'errors', days: 7 }
const ALL = { of: 'all', days: 90 }

beforeAll(async () => {
  await openTenant()
})

describe('the documents that are kept', () => {
  it('are those of refusals, byte by byte, with the answer', async () => {
    const { api, admin, id } = await openKept(ERRORS)
    const body = '{"order_number" : "A-1",\n "items":[{"sku_code":"x","quantity":1.50}], "n":1e2 }'
    const refused = await api.post('/orders/', body)
    expect(refused.status).toBe(400)
    const kept = await documentOf(admin, refused)
    expect(kept.status).toBe(200)
    expect(kept.body.data).toMatchObject({
      request_id: idOf(refused),
      content_type: 'application/json',
      body,
      encoding: 'utf-8',
      answer: { status: 400, body: refused.text },
      redacted: [],
    })
    const { created_at } = (await admin.get(`${SETTINGS}/audit-log/${idOf(refused)}/`)).body.data
    const until = new Date(Date.parse(created_at) + 7 * DAY_MS).toISOString()
    expect(kept.body.data.kept_until).toBe(until)
    expect(await stateOf(admin, refused)).toEqual({ state: 'kept', until })
    expect(await keysWith(idOf(refused))).toEqual([
      `demo/documents/${created_at.slice(0, 10)}/${id}/${idOf(refused)}`,
    ])
  })

  it('are also those that are no JSON, and those of PUT and DELETE', async () => {
    const { api, admin } = await openKept(ERRORS)
    const broken = await api.post('/orders/', '{"order_number":')
    expect((await documentOf(admin, broken)).body.data.body).toBe('{"order_number":')
    const latin = await api.post('/orders/', new Uint8Array([0x22, 0xe9, 0x22]))
    expect((await documentOf(admin, latin)).body.data).toMatchObject({
      body: btoa('"\xe9"'),
      encoding: 'base64',
    })
    const form = await api.post('/orders/', 'a=1', { headers: { 'Content-Type': 'text/plain' } })
    expect(form.status).toBe(415)
    expect((await documentOf(admin, form)).body.data).toMatchObject({
      body: 'a=1',
      content_type: 'text/plain',
    })
    for (const method of ['PUT', 'DELETE']) {
      const missing = await api.call(method, '/orders/nowhere/', { notes: 'x', reason: 'y' })
      expect(missing.status).toBe(404)
      expect((await documentOf(admin, missing)).status, method).toBe(200)
    }
  })

  it('are none of successes, refused keys and requests without a body with "errors"', async () => {
    const { api, admin } = await openKept(ERRORS, { scopes: ['integrations.locations.*'] })
    const made = await api.post('/locations/', { code: unique('L') })
    const scope = await api.post('/orders/', badOrder())
    const bodiless = await api.delete('/locations/nowhere/')
    const read = await api.get('/locations/nowhere/')
    expect([made, scope, bodiless, read].map(({ status }) => status)).toEqual([201, 403, 404, 404])
    for (const answer of [made, scope, bodiless, read]) {
      expect(await stateOf(admin, answer)).toBeNull()
      expect((await documentOf(admin, answer)).body.detail).toMatch(/was not to be kept\.$/)
      expect(await keysWith(idOf(answer))).toEqual([])
    }
  })

  it('are those of successes too with "all", as of the commit', async () => {
    const { api, admin } = await openKept(ALL)
    const made = await api.post('/products/', { sku: unique('S') })
    expect(made.status).toBe(201)
    expect(await stateOf(admin, made)).toMatchObject({ state: 'kept' })
    expect((await documentOf(admin, made)).body.data.answer).toEqual({
      status: 201,
      body: made.text,
    })
    const upload = await api.post('/inventory/', {
      inventory: [{ location_code: 'no', sku_code: 'no', quantity: 1 }],
    })
    expect(await stateOf(admin, upload)).toMatchObject({ state: 'kept' })
    const settings = await admin.put(`${SETTINGS}/workspace/`, { name: 'Test' })
    expect(await keysWith(idOf(settings))).toEqual([])
  })

  it('are those of uploads with failed rows, and of no other uploads, with "errors"', async () => {
    const { api, admin } = await openKept(ERRORS)
    const [location_code, sku_code] = [unique('L'), unique('S')]
    await api.post('/locations/', { code: location_code })
    await api.post('/products/', { sku: sku_code })
    const row = { location_code, sku_code, quantity: 1 }
    const good = await api.post('/inventory/', { inventory: [row] })
    const bad = await api.post('/inventory/', { inventory: [row, { ...row, sku_code: 'no' }] })
    expect([good.status, bad.status]).toEqual([200, 200])
    expect(await stateOf(admin, good)).toBeNull()
    expect(await keysWith(idOf(good))).toEqual([])
    expect(await stateOf(admin, bad)).toMatchObject({ state: 'kept' })
    expect((await documentOf(admin, bad)).body.data.answer.body).toBe(bad.text)
  })

  it('are those of keys without a partner if the workspace says so, and only those', async () => {
    const admin = await openAdmin()
    const own = client((await createKey()).value)
    const partner = await openKept(null)
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: ERRORS })
    const [refused, other] = [
      await own.post('/orders/', badOrder()),
      await partner.api.post('/orders/', badOrder()),
    ]
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: null })
    expect(await keysWith(idOf(refused))).toEqual([
      expect.stringMatching(/^demo\/documents\/[\d-]+\/-\//),
    ])
    expect(await keysWith(idOf(other))).toEqual([])
    expect((await documentOf(admin, refused)).body.detail).toMatch(
      /has expired: none are kept any longer\.$/,
    )
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: ERRORS })
    expect((await documentOf(admin, refused)).status).toBe(200)
    await admin.put(`${SETTINGS}/workspace/`, { keep_documents: null })
  })

  it('are whole or not at all: over 1 MB none is kept, and a large answer is left out', async () => {
    const { api, admin } = await openKept(ALL)
    const text = (bytes: number) => `{"sku":"", "x":"${'ü'.repeat((bytes - 18) / 2)}"}`
    const largest = await api.post('/products/', text(1_048_576))
    const larger = await api.post('/products/', text(1_048_578))
    expect([largest.status, larger.status]).toEqual([400, 400])
    expect((await documentOf(admin, largest)).body.data.body).toBe(text(1_048_576))
    expect(await stateOf(admin, larger)).toEqual({ state: 'not_kept', reason: 'too_large' })
    expect((await documentOf(admin, larger)).body.detail).toMatch(
      /was not kept: it has more than 1 MB\.$/,
    )
    expect(await keysWith(idOf(larger))).toEqual([])
    const sku = unique('S')
    await api.post('/products/', { sku })
    const items = Array.from({ length: 1000 }, () => ({
      sku_code: sku,
      quantity: 1,
      notes: 'x'.repeat(950),
    }))
    const made = await api.post('/orders/', { order_number: unique('O'), items })
    expect(made.status).toBe(201)
    expect(made.text.length).toBeGreaterThan(1_048_576)
    const kept = (await documentOf(admin, made)).body.data
    expect(kept.answer).toEqual({ status: 201, body: null })
    expect(JSON.parse(kept.body).items).toHaveLength(1000)
  })
})

describe('a change of what is kept', () => {
  it('holds at the next request, wherever the caller is known from', async () => {
    const { api, admin, id } = await openKept(null)
    const kept = []
    for (const policy of [null, ALL, null, ERRORS]) {
      await keep(admin, id, policy)
      const refused = await api.post('/orders/', badOrder())
      const made = await api.post('/products/', { sku: unique('S') })
      kept.push(
        [await keysWith(idOf(refused)), await keysWith(idOf(made))].map((keys) => keys.length),
      )
      const states = [await stateOf(admin, refused), await stateOf(admin, made)]
      expect(states.map((state) => state?.state === 'kept')).toEqual(kept.at(-1)?.map(Boolean))
    }
    expect(kept).toEqual([
      [0, 0],
      [1, 1],
      [0, 0],
      [1, 0],
    ])
  })
})

describe('redaction', () => {
  const REDACT = { ...ALL, redact: ['customer_info.email', 'items[].notes'] }

  it('takes place before anything is stored', async () => {
    const { api, admin } = await openKept(REDACT)
    const refused = await api.post('/orders/', badOrder())
    const [key = ''] = await keysWith(idOf(refused))
    expect(await storedText(key)).not.toContain('ada@')
    expect((await documentOf(admin, refused)).body.data).toMatchObject({
      body: expect.stringContaining('"customer_info":{"email":"[redacted]"}'),
      redacted: ['customer_info.email'],
    })
  })

  it('covers what the mapping makes of a place, there and back', async () => {
    const { api, admin } = await openKept(
      { ...ALL, redact: ['buyer.mail'] },
      {
        mappings: {
          orders: {
            inbound: {
              fields: {
                order_number: 'no',
                customer_name: 'buyer.mail',
                'items[].sku_code': 'rows[].sku',
                'items[].quantity': 'rows[].n',
              },
            },
            outbound: { fields: { 'to.name': 'customer_name', no: 'order_number' } },
          },
        },
      },
    )
    const sku = unique('S')
    await api.post('/products/', { sku })
    const sent = { no: unique('O'), buyer: { mail: 'ada@example.com' }, rows: [{ sku, n: 1 }] }
    const made = await api.post('/orders/', sent)
    expect(made.body.data.to).toEqual({ name: 'ada@example.com' })
    const kept = (await documentOf(admin, made)).body.data
    expect(JSON.parse(kept.answer.body).data).toEqual({ to: { name: '[redacted]' }, no: sent.no })
    const [key = ''] = await keysWith(idOf(made))
    expect(await storedText(key)).not.toContain('ada@')
  })

  it('keeps nothing of what is not JSON', async () => {
    const { api, admin } = await openKept(REDACT)
    const broken = await api.post('/orders/', '{"customer_info":{"email":"ada@example.com"')
    expect(await stateOf(admin, broken)).toEqual({ state: 'not_kept', reason: 'not_json' })
    expect(await keysWith(idOf(broken))).toEqual([])
  })

  it('keeps nothing of a CSV, even if its text looks like JSON', async () => {
    const { key, admin } = await openKept(REDACT, {
      mappings: { orders: { inbound: { fields: {} } } },
    })
    const headers = { 'X-API-Key': key.key, 'Content-Type': 'text/csv' }
    const body = '{"x":"ada@example.com"}'
    const url = `${ORIGIN}/api/integrations/v1/orders/`
    const sent = await send(new Request(url, { method: 'POST', headers, body }))
    expect(sent.status).toBe(400)
    expect(await stateOf(admin, sent)).toEqual({ state: 'not_kept', reason: 'not_json' })
  })

  it('keeps a CSV without a column, and what its answer quotes from there', async () => {
    const policy = { ...ALL, redact: ['$[].menge'] }
    const inventory = {
      inbound: {
        fields: {
          'inventory[]': { each: '$[]' },
          'inventory[].sku_code': '$[].sku',
          'inventory[].location_code': '$[].ort',
          'inventory[].quantity': { from: '$[].menge', as: 'integer' },
        },
      },
    }
    const { key, admin } = await openKept(policy, { mappings: { inventory } })
    const headers = {
      'X-API-Key': key.key,
      'Content-Type': 'text/csv; charset=windows-1252',
      'Content-Encoding': 'gzip',
    }
    const text = new TextEncoder().encode('sku;ort;menge\nA;K;geheim 77\n')
    const body = new Response(text).body?.pipeThrough(new CompressionStream('gzip')) ?? null
    const url = `${ORIGIN}/api/integrations/v1/inventory/`
    const sent = await send(new Request(url, { method: 'POST', headers, body }))
    expect(sent.status).toBe(200)
    expect(sent.text).toContain('geheim 77')
    const kept = (await documentOf(admin, sent)).body.data
    expect(kept).toMatchObject({
      body: 'sku;ort;menge\nA;K;[redacted]\n',
      content_type: 'text/csv; charset=utf-8',
      redacted: ['$[].menge'],
    })
    expect(kept.answer.body).toContain('row 2, column \\"menge\\"')
    const [stored = ''] = await keysWith(idOf(sent))
    expect(await storedText(stored)).not.toContain('geheim')
  })

  it('holds from the next request on', async () => {
    const { api, admin, id } = await openKept(ALL)
    await api.post('/orders/', badOrder())
    await keep(admin, id, REDACT)
    const refused = await api.post('/orders/', badOrder())
    const [key = ''] = await keysWith(idOf(refused))
    expect(await storedText(key)).not.toContain('ada@')
  })

  it('leaves a hint of an API key, whoever sends it', async () => {
    const { api, admin } = await openKept(ALL)
    const { value } = await createKey()
    const refused = await api.post('/products/', { sku: '', custom_fields: { key: value } })
    const kept = (await documentOf(admin, refused)).body.data
    expect(JSON.parse(kept.body).custom_fields.key).toMatch(/^xd_demo_…/)
    const [key = ''] = await keysWith(idOf(refused))
    expect(await storedText(key)).not.toContain(value.slice(8, -4))
  })
})

describe('documents that are stored at a time', () => {
  it('are bounded: beyond that they are not kept, and the answers are the same', async () => {
    const partner = await openKept({ of: 'errors', days: 7 })
    const { promise, resolve } = Promise.withResolvers<void>()
    let waiting = 0
    const put = async (...parameters: Parameters<R2Bucket['put']>) => {
      waiting += 1
      await promise
      return await env.DOCUMENTS.put(...parameters)
    }
    const bindings = { ...env, DOCUMENTS: { put } }
    const all = await Promise.all(
      Array.from({ length: 80 }, () => dispatch(orderOf(partner.key.key), { bindings })),
    )
    expect(all.every(({ answer }) => answer.status === 400)).toBe(true)
    resolve()
    await Promise.all(all.map(({ afterwards }) => afterwards()))
    const states = await Promise.all(all.map(({ answer }) => stateOf(partner.admin, answer)))
    const busy = states.filter(({ reason }) => reason === 'busy')
    expect([waiting, busy.length]).toEqual([64, 16])
    const later = await partner.api.post('/orders/', badOrder())
    expect(await stateOf(partner.admin, later)).toMatchObject({ state: 'kept' })
  }, 60_000)
})

function orderOf(key: string): Request {
  return new Request(`${ORIGIN}/api/integrations/v1/orders/`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(badOrder()),
  })
}
