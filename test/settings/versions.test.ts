import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { AUDIT, findKey, inSeconds, issueKey, KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import { type Answer, client, createKey, type Json, unique } from '../fixtures/tenant.ts'

// "Every change raises workspace.settings_version in its own transaction." What it is for is in
// test/promises/settings-hold.test.ts.

const version = async () => (await oneValue('select settings_version from workspace')) as number

/** How far the request raises the version of what it found. */
async function raiseOf(prepare: () => Promise<string>, request: (id: string) => Promise<Answer>) {
  const id = await prepare()
  const before = await version()
  const { status } = await request(id)
  return { status, raise: (await version()) - before }
}

const newKey = async () => (await issueKey(admin)).id as string

const CHANGES: [string, (id: string) => Promise<Answer>][] = [
  ['a key is made', () => admin.post(KEYS, { name: 'x' })],
  ["a key's name is changed", (id) => admin.put(`${KEYS}${id}/`, { name: unique('x') })],
  ["a key's scopes are changed", (id) => admin.put(`${KEYS}${id}/`, { scopes: ['settings.read'] })],
  ['a key is given an end', (id) => admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(60) })],
  ['a key is rotated', (id) => admin.post(`${KEYS}${id}/rotate/`)],
  [
    'a key is rotated with overlap',
    (id) => admin.post(`${KEYS}${id}/rotate/`, { overlap_seconds: 60 }),
  ],
  ['a key is revoked', (id) => admin.delete(`${KEYS}${id}/`)],
  ['the workspace is renamed', () => admin.put(WORKSPACE, { name: unique('x') })],
  [
    'another retention of the audit log is set',
    () => admin.put(WORKSPACE, { audit_retention_days: 30 }),
  ],
  ['the archive begins earlier', () => admin.put(WORKSPACE, { audit_hot_days: 20 })],
  [
    'the integration is switched on',
    () => admin.put(WORKSPACE, { integration_enabled: true, name: unique('x') }),
  ],
  ['documents are kept', () => admin.put(WORKSPACE, { keep_documents: { of: 'all', days: 1 } })],
  ['documents are kept no longer', () => admin.put(WORKSPACE, { keep_documents: null })],
]

const OTHERS: [string, number, (id: string) => Promise<Answer>][] = [
  ['the workspace is read', 200, () => admin.get(WORKSPACE)],
  ['keys are listed', 200, () => admin.get(KEYS)],
  ['a key is read', 200, (id) => admin.get(`${KEYS}${id}/`)],
  ['the audit log is read', 200, () => admin.get(AUDIT)],
  ['orders are listed', 200, () => admin.get('/orders/')],
  ['a product is made', 201, () => admin.post('/products/', { sku: unique('S') })],
  ['a key is refused', 400, () => admin.post(KEYS, { name: 'x', scopes: ['*'] })],
  ['its partner is unknown', 400, () => admin.post(KEYS, { name: 'x', partner_id: 'x' })],
  ['a change of a key is refused', 400, (id) => admin.put(`${KEYS}${id}/`, { name: '' })],
  ['an unknown key is changed', 404, () => admin.put(`${KEYS}x/`, { name: 'x' })],
  ['an unknown key is revoked', 404, () => admin.delete(`${KEYS}x/`)],
  ['an unknown key is rotated', 404, () => admin.post(`${KEYS}x/rotate/`)],
  ['a change of the workspace is refused', 400, () => admin.put(WORKSPACE, { name: '' })],
  [
    'a retention out of range is refused',
    400,
    () => admin.put(WORKSPACE, { audit_retention_days: 0 }),
  ],
  ['a change names no field', 200, (id) => admin.put(`${KEYS}${id}/`, {})],
  ['a change of the workspace names no field', 200, () => admin.put(WORKSPACE, {})],
]

describe('settings_version', () => {
  it.each(CHANGES)('goes up when %s', async (_, request) => {
    const { status, raise } = await raiseOf(newKey, request)
    expect([200, 201]).toContain(status)
    expect(raise).toBeGreaterThanOrEqual(1)
  })

  it.each(OTHERS)('stays when %s', async (_, expected, request) => {
    expect(await raiseOf(newKey, request)).toEqual({ status: expected, raise: 0 })
  })

  it('stays when a key without the scope asks for a change', async () => {
    const { value } = await createKey(['settings.read'])
    const outcome = await raiseOf(newKey, (id) => client(value).delete(`${KEYS}${id}/`))
    expect(outcome).toEqual({ status: 403, raise: 0 })
  })

  it('stays when a revoked key is revoked again', async () => {
    const revoked = async () => {
      const id = await newKey()
      await admin.delete(`${KEYS}${id}/`)
      return id
    }
    const outcome = await raiseOf(revoked, (id) => admin.delete(`${KEYS}${id}/`))
    expect(outcome).toEqual({ status: 200, raise: 0 })
  })

  it('is told by the workspace as the database has it, before and after a change', async () => {
    const told = async () => (await admin.get(WORKSPACE)).body.data.settings_version
    expect(await told()).toBe(await version())
    const { body } = await admin.put(WORKSPACE, { name: unique('x') })
    expect(body.data.settings_version).toBe(await version())
    expect(await findKey(admin, await newKey())).toBeDefined()
    expect(await told()).toBe(await version())
  })
})

// docs/behaviour.md, Versions of settings.

const SETTINGS = '/api/settings/v1'
const ORDERS = { inbound: { unmapped: 'drop', fields: { order_number: 'no' } } }

async function mappingPath(mapping: object = ORDERS): Promise<string> {
  const { id } = await openPartner({ mappings: { orders: mapping } })
  return `${SETTINGS}/partners/${id}/mappings/orders/`
}

const RECORDS: { record: string; make: () => Promise<string>; change: () => Json }[] = [
  {
    record: '/api-keys/{id}/',
    make: async () => `${SETTINGS}/api-keys/${(await issueKey(admin)).id}/`,
    change: () => ({ name: unique('key') }),
  },
  {
    record: '/partners/{id}/',
    make: async () => `${SETTINGS}/partners/${(await openPartner()).id}/`,
    change: () => ({ name: unique('partner') }),
  },
  {
    record: '/partners/{id}/mappings/{resource}/',
    make: mappingPath,
    change: () => ({
      inbound: { unmapped: 'drop', fields: { order_number: unique('no') } },
    }),
  },
  { record: '/workspace/', make: async () => WORKSPACE, change: () => ({ name: unique('Home') }) },
]

const tagOf = ({ headers }: Answer) => headers.get('ETag') ?? ''
const ifMatch = (tag: string) => ({ headers: { 'If-Match': tag } })
const put = (path: string, body: Json, tag: string) => admin.put(path, body, ifMatch(tag))
const told = ({ status, body }: Answer) => [status, body.error?.code]
const REFUSED = [412, 'PRECONDITION_FAILED']

describe.each(sample(RECORDS, 3))('PUT $record with If-Match', ({ make, change }) => {
  it('changes the version that it names, once', async () => {
    const path = await make()
    const tag = tagOf(await admin.get(path))
    const [first, second] = [change(), change()]
    const changed = await put(path, first, tag)
    expect(changed.status).toBe(200)
    expect(changed.body.data).toMatchObject(first)
    expect(tagOf(changed)).not.toBe(tag)
    const refused = await put(path, second, tag)
    expect(told(refused)).toEqual(REFUSED)
    const now = await admin.get(path)
    expect(now.body.data).toMatchObject(first)
    expect(tagOf(now)).toBe(tagOf(changed))
    expect(tagOf(refused)).toBe(tagOf(changed))
  })

  it('lets one of two through that come at once', async () => {
    const path = await make()
    const tag = tagOf(await admin.get(path))
    const answers = await Promise.all([put(path, change(), tag), put(path, change(), tag)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })

  it('takes *, several tags, and none', async () => {
    const path = await make()
    const tag = tagOf(await admin.get(path))
    expect((await put(path, change(), `"1.00000000.x", ${tag}`)).status).toBe(200)
    expect((await put(path, change(), '*')).status).toBe(200)
    expect((await admin.put(path, change())).status).toBe(200)
  })

  it('keeps its version if nothing differs', async () => {
    const path = await make()
    const body = change()
    const changed = await admin.put(path, body)
    expect(tagOf(await admin.put(path, body))).toBe(tagOf(changed))
    expect(tagOf(await admin.put(path, {}))).toBe(tagOf(changed))
  })

  it('refuses the tag of another record, and what is no tag', async () => {
    const path = await make()
    const [version = ''] = tagOf(await admin.get(path))
      .slice(1)
      .split('.')
    const other = `"${version}.ffffffff.0123456789ab"`
    expect(told(await put(path, change(), other))).toEqual(REFUSED)
    expect(told(await put(path, change(), 'none'))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('is 304 for a GET that names the version', async () => {
    const path = await make()
    const tag = tagOf(await admin.get(path))
    const { status, text } = await admin.get(path, { headers: { 'If-None-Match': tag } })
    expect([status, text]).toEqual([304, ''])
  })
})

describe('PUT /partners/{id}/mappings/{resource}/ with If-Match', () => {
  it('refuses the tag of its partner, and of another mapping, at the same version', async () => {
    const path = await mappingPath()
    const products = path.replace('orders', 'products')
    await admin.put(products, { identifier_field: 'cost' })
    const version = '12345'
    const at = ({ headers }: Answer) => (headers.get('ETag') ?? '').replace(/\d+/, version)
    const [, id] = /partners\/([^/]+)\//.exec(path) ?? []
    const others = [await admin.get(`${SETTINGS}/partners/${id}/`), await admin.get(products)]
    const own = at(await admin.get(path))
    await execute(`update field_mappings set version = ${version} where partner_id = ?`, id)
    await execute(`update partners set version = ${version} where id = ?`, id)
    for (const other of others) expect(told(await put(path, ORDERS, at(other)))).toEqual(REFUSED)
    expect((await put(path, ORDERS, own)).status).toBe(200)
  })

  it('refuses the tag of a mapping that was deleted and made again', async () => {
    const path = await mappingPath()
    const tag = tagOf(await admin.get(path))
    expect((await admin.delete(path, undefined, ifMatch(tag))).status).toBe(200)
    const gone = await put(path, ORDERS, tag)
    expect([...told(gone), gone.headers.get('ETag')]).toEqual([...REFUSED, null])
    expect(gone.body.error.message).toContain('without If-Match')
    expect(told(await put(path, ORDERS, '*'))).toEqual(REFUSED)
    expect((await admin.put(path, ORDERS)).status).toBe(200)
    expect(told(await put(path, ORDERS, tag))).toEqual(REFUSED)
  })
})

describe.each([
  ['DELETE /api-keys/{id}/', RECORDS[0]],
  ['DELETE /partners/{id}/', RECORDS[1]],
  ['DELETE /partners/{id}/mappings/{resource}/', RECORDS[2]],
] as const)('%s with If-Match', (_, record) => {
  it('leaves a record of another version', async () => {
    const { make, change } = record as (typeof RECORDS)[number]
    const isPartner = record === RECORDS[1]
    const path = isPartner ? await bare() : await make()
    const tag = tagOf(await admin.get(path))
    await admin.put(path, change())
    expect(told(await admin.delete(path, undefined, ifMatch(tag)))).toEqual(REFUSED)
    const now = tagOf(await admin.get(path))
    expect((await admin.delete(path, undefined, ifMatch(now))).status).toBe(200)
  })
})

/** A partner without a key. */
async function bare(): Promise<string> {
  const { body } = await admin.post(`${SETTINGS}/partners/`, { name: unique('partner') })
  return `${SETTINGS}/partners/${body.data.id}/`
}

describe('POST /api-keys/{id}/rotate/ with If-Match', () => {
  it('leaves a key of another version, and gives the ETag of the new one', async () => {
    const path = `${SETTINGS}/api-keys/${(await issueKey(admin)).id}/`
    const tag = tagOf(await admin.get(path))
    await admin.put(path, { name: unique('key') })
    expect(told(await admin.post(`${path}rotate/`, {}, ifMatch(tag)))).toEqual(REFUSED)
    const rotated = await admin.post(`${path}rotate/`, {}, ifMatch(tagOf(await admin.get(path))))
    expect(rotated.status).toBe(201)
    const fresh = await admin.get(`${SETTINGS}/api-keys/${rotated.body.data.id}/`)
    expect(tagOf(fresh)).toBe(tagOf(rotated))
  })
})
