import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { issueKey, WORKSPACE } from '../fixtures/settings.ts'
import {
  type Answer,
  type Api,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../fixtures/tenant.ts'

// docs/behaviour.md, Versions of settings.

const SETTINGS = '/api/settings/v1'
const ORDERS = { inbound: { unmapped: 'drop', fields: { order_number: 'no' } } }

let admin: Api

beforeAll(async () => {
  admin = await openAdmin()
})

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
    const db = await openTenant()
    await db
      .prepare(`update field_mappings set version = ${version} where partner_id = ?`)
      .bind(id)
      .run()
    await db.prepare(`update partners set version = ${version} where id = ?`).bind(id).run()
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
