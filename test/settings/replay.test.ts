import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { idOf, keep, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import {
  type Api,
  type CallOptions,
  client,
  createKey,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

const ALL = { of: 'all', days: 7 }
const FIELDS = { order_number: 'number', 'items[].sku_code': 'lines[].sku' }
const MAPPING = { inbound: { fields: { ...FIELDS, 'items[].quantity': 'lines[].qty' } } }
const MENDED = {
  inbound: { fields: { ...FIELDS, 'items[].quantity': { from: 'lines[].qty', as: 'integer' } } },
}

type Partner = Awaited<ReturnType<typeof openKept>>

let admin: Api
let partner: Partner
let sku: string

beforeEach(async () => {
  await openTenant()
  admin = await openAdmin()
  partner = await openKept(ALL, { mappings: { orders: MAPPING } })
  sku = (await createProduct(admin)).sku
})

const push = (qty: unknown, more: object = {}) =>
  partner.api.post('/orders/', { number: unique('O'), lines: [{ sku, qty }], ...more })

const post = (body: object, more?: CallOptions) =>
  admin.post(`${SETTINGS}/partners/${partner.id}/mappings/orders/replay/`, body, more)

async function replay(body: object): Promise<Json> {
  const { status, body: answer, text } = await post(body)
  expect([status, text]).toEqual([200, expect.anything()])
  const { documents, same, changed, newly_failing, newly_passing } = answer.data
  expect(same + changed + newly_failing + newly_passing).toBe(documents)
  return answer.data
}

const NONE = {
  documents: 0,
  same: 0,
  changed: 0,
  newly_failing: 0,
  newly_passing: 0,
  unreadable: 0,
  truncated: false,
  examples: [],
  others: [],
}

describe('POST /partners/{id}/mappings/{resource}/replay/', () => {
  it('tells what a draft would have made of the documents that came in', async () => {
    await push(1)
    const refused = await push('2')
    const bad = await push('two')
    const data = await replay({ mapping: MENDED })
    expect(data).toMatchObject({ documents: 3, same: 1, changed: 1, newly_passing: 1 })
    expect(data.examples).toEqual([
      {
        request_id: idOf(bad),
        kind: 'changed',
        differences: [],
        faults: {
          before: ['lines[0].qty: Must be an integer, not a string.'],
          after: ['lines[0].qty: The mapping expects an integer here, not "two".'],
        },
      },
      {
        request_id: idOf(refused),
        kind: 'newly_passing',
        differences: [],
        faults: { before: ['lines[0].qty: Must be an integer, not a string.'], after: [] },
      },
    ])
    // It is a draft: nothing was saved, and nothing sent.
    expect((await push('2')).status).toBe(400)
  })

  it('shows where the records differ, by their values', async () => {
    const sent = await push(1, { memo: 'ring', big: 123456789012345680000 })
    const fields = {
      ...MAPPING.inbound.fields,
      notes: 'memo',
      order_number: { join: [{ value: 'X-' }, 'number'], with: '' },
    }
    const data = await replay({ mapping: { inbound: { fields } } })
    const [{ differences, kind, request_id }] = data.examples
    expect([kind, request_id]).toEqual(['changed', idOf(sent)])
    const number = sent.body.data.order_number
    expect(differences).toEqual(
      expect.arrayContaining([
        { at: 'order_number', before: `"${number}"`, after: `"X-${number}"` },
        { at: 'notes', before: null, after: '"ring"' },
      ]),
    )
  })

  it('finds what a draft would refuse', async () => {
    await push(1)
    const mapping = {
      inbound: { fields: { ...MAPPING.inbound.fields, notes: { from: 'memo', required: true } } },
    }
    const { newly_failing, examples } = await replay({ mapping })
    expect(newly_failing).toBe(1)
    expect(examples[0].faults).toEqual({
      before: [],
      after: ['memo: Is missing, and the mapping requires it.'],
    })
  })

  it('compares the saved mapping with itself without a draft', async () => {
    await push(1)
    await push('2')
    expect(await replay({})).toEqual({ ...NONE, documents: 2, same: 2 })
  })

  it('names every document whose result would change, the first five of a kind with differences', async () => {
    const refused = []
    for (let n = 0; n < 7; n++) refused.push(idOf(await push('2')))
    const { examples, others, newly_passing } = await replay({ mapping: MENDED })
    expect([newly_passing, examples.length]).toEqual([7, 5])
    const named = [...examples, ...others].map(({ request_id }) => request_id)
    expect(named.toSorted()).toEqual(refused.toSorted())
    expect(others[0]).toEqual({ request_id: expect.any(String), kind: 'newly_passing' })
  })

  it('takes the newest, and those of a range', async () => {
    await push(1)
    const between = new Date(Date.now() + 5).toISOString()
    await scheduler.wait(10)
    const newest = await push('2')
    const last = await replay({ mapping: MENDED, last: 1 })
    expect([last.documents, last.examples[0].request_id]).toEqual([1, idOf(newest)])
    expect((await replay({ mapping: MENDED, to: between })).same).toBe(1)
    expect((await replay({ mapping: MENDED, from: between })).newly_passing).toBe(1)
  })

  it('takes documents of POST and PUT to this resource alone', async () => {
    const order = await push(1)
    const at = `/orders/${order.body.data.order_number}/`
    await partner.api.put(at, { notes: 'x' })
    await partner.api.delete(at, { reason: 'x' })
    await partner.api.post('/products/', { sku: unique('S') })
    expect((await replay({})).documents).toBe(2)
  })

  it('has at most 5 examples of a kind', async () => {
    for (let n = 0; n < 7; n++) await push('2')
    const { newly_passing, examples } = await replay({ mapping: MENDED })
    expect([newly_passing, examples.length]).toEqual([7, 5])
  })

  it('cannot tell what depends on a redacted place, and takes other redacted places as equal', async () => {
    await keep(partner.admin, partner.id, { ...ALL, redact: ['lines[].qty', 'memo'] })
    await push(1, { memo: 'x' })
    expect(await replay({ mapping: MENDED })).toMatchObject({ documents: 0, unreadable: 1 })
    await keep(partner.admin, partner.id, { ...ALL, redact: ['memo'] })
    await push(1, { memo: 'x' })
    const fields = { ...MAPPING.inbound.fields, notes: 'memo' }
    await saveMapping(partner.admin, partner.id, 'orders', { inbound: { fields } })
    expect(await replay({ mapping: { inbound: { fields } } })).toMatchObject({ same: 1 })
  })

  it('cannot tell what a filter makes of a redacted place', async () => {
    await keep(partner.admin, partner.id, { ...ALL, redact: ['lines[].kind'] })
    await push(1, { lines: [{ sku, qty: 1, kind: 'item' }] })
    const fields = { ...MAPPING.inbound.fields, 'items[]': { each: "lines[?@.kind == 'item']" } }
    expect(await replay({ mapping: { inbound: { fields } } })).toEqual({ ...NONE, unreadable: 1 })
  })

  it('holds no memory of a document that it has tried', async () => {
    const memo = 'x'.repeat(950_000)
    await push(1, { memo })
    await push(1, { memo })
    const other = await openAdmin('other')
    const stock = JSON.stringify({ inventory: [], padding: 'x'.repeat(9_900_000) })
    let reads = 0
    const get: Watch = async (call) => {
      reads += 1
      // A large document has room while the replay waits for its next one.
      if (reads === 2) expect((await other.post('/inventory/', stock)).status).toBe(400)
      return await call()
    }
    const bindings = { ...env, DOCUMENTS: intercept(env.DOCUMENTS, { get }) }
    const started = Date.now()
    const { body } = await post({}, { bindings })
    expect([body.data.same, reads]).toEqual([2, 2])
    expect(Date.now() - started).toBeLessThan(15_000)
  })

  it('counts what is no JSON as unreadable, and leaves deleted documents out', async () => {
    await partner.api.post('/orders/', '{"number":')
    expect(await replay({})).toEqual({ ...NONE, unreadable: 1 })
    const refused = await push('2')
    await admin.delete(`${SETTINGS}/audit-log/${idOf(refused)}/document/`)
    expect(await replay({})).toEqual({ ...NONE, unreadable: 1 })
  })

  it('has nothing of another partner, nor once nothing is kept any longer', async () => {
    await push(1)
    const own = partner
    partner = await openKept(ALL)
    expect(await replay({})).toEqual(NONE)
    partner = own
    await keep(partner.admin, partner.id, null)
    expect(await replay({})).toEqual(NONE)
  })

  it.each([
    [{ last: 0 }],
    [{ last: 1001 }],
    [{ from: 'yesterday' }],
    [{ mapping: { inbound: 1 } }],
  ])('is 400 for %j', async (body) => {
    expectRefusal(await post(body), 400, 'VALIDATION_ERROR')
  })

  it('finds nothing in a range that ends as it begins', async () => {
    expect(await replay({ from: '2026-11-24', to: '2026-11-24' })).toEqual(NONE)
  })

  it('is 400 for a range that ends before it begins', async () => {
    const { status, body } = await post({ from: '2026-11-24', to: '2026-11-01' })
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    const message = ['to is before from.']
    expect(body.error.fields).toEqual({ from: message, to: message })
    expect(body.error.reason).toBe('CONFLICTING_PARAMETERS')
  })

  it('is 403 for a key without settings.documents.read, and for one of a partner', async () => {
    admin = client((await createKey(['settings.read', 'settings.write'])).value)
    expectRefusal(await post({}), 403, 'SCOPE_MISSING')
    admin = (await openKept(ALL, { scopes: ['settings.*'] })).api
    expectRefusal(await post({}), 403, 'SCOPE_MISSING')
  })
})
