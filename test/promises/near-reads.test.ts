import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { openReplica } from '../fixtures/replica.ts'
import { client, createKey, type Json, openAdmin, unique, type Worker } from '../fixtures/tenant.ts'

// What a key with near reads may miss, and that no other key misses anything (docs/keys-and-settings.md).

const KEYS = '/api/settings/v1/api-keys/'
const AFTER = 'X-Read-After'

interface Stage {
  replica: Awaited<ReturnType<typeof openReplica>>
  near: ReturnType<typeof client>
  plain: ReturnType<typeof client>
  /** The same as `plain`, in another isolate. */
  elsewhere: ReturnType<typeof client>
  nearKey: Json
  worker: Worker
}

/** A near key and another one, both known to the isolate and to the copy; the isolate has just heard from the primary. */
async function stage(): Promise<Stage> {
  const admin = await openAdmin()
  const nearKey = (await admin.post(KEYS, { name: unique('near'), reads: 'near' })).body.data
  const { worker } = await freshIsolate()
  const replica = await openReplica()
  const options = { bindings: replica.bindings, worker }
  const near = client(nearKey.key, options)
  const { value } = await createKey()
  const [plain, elsewhere] = [client(value, options), client(value, { bindings: replica.bindings })]
  await near.get('/products/')
  await plain.get('/products/')
  await replica.copy()
  return { replica, near, plain, elsewhere, nearKey, worker }
}

const newProduct = async (api: ReturnType<typeof client>) => {
  const sku = unique('S')
  const answer = await api.post('/products/', { sku })
  expect(answer.status).toBe(201)
  return { path: `/products/${sku}/`, after: answer.headers.get(AFTER) ?? '' }
}

/** What has changed since the cursor; without one, where the feed ends. */
async function following(api: ReturnType<typeof client>, cursor?: string) {
  const { body } = await api.get(`/changes/?${cursor ? `cursor=${cursor}` : 'from=now'}`)
  const records: Json[] = body.data.map(({ record }: Json) => record)
  return { records, cursor: body.pagination.next_cursor as string }
}

let now: number
const pass = (ms: number) => {
  now += ms
  vi.setSystemTime(now)
}

beforeEach(() => {
  now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('GET by a key with near reads', () => {
  it('reads the nearest copy, in one round trip, and may miss the last 5 seconds', async () => {
    const { replica, near, elsewhere } = await stage()
    const { path } = await newProduct(elsewhere)
    const before = { ...replica.asked }
    const answer = await near.get(path)
    expect([answer.status, answer.headers.get('Server-Timing')]).toEqual([
      404,
      expect.stringContaining('round trips'),
    ])
    expect(replica.asked.replica).toBeGreaterThan(before.replica)
    await replica.copy()
    const { primary, replica: copies } = replica.asked
    expect((await near.get(path)).status).toBe(200)
    expect(replica.asked.replica).toBe(copies + 1)
    // The audit row is written at the primary, after the answer.
    expect(replica.asked.primary).toBeLessThanOrEqual(primary + 1)
  })

  it('asks the primary itself once it has heard nothing from it for 5 seconds', async () => {
    const { near, elsewhere } = await stage()
    const { path } = await newProduct(elsewhere)
    pass(4900)
    expect((await near.get(path)).status).toBe(404)
    pass(200)
    expect((await near.get(path)).status).toBe(200)
  })

  it('sees a write whose X-Read-After it names', async () => {
    const { near, elsewhere } = await stage()
    const { path, after } = await newProduct(elsewhere)
    expect((await near.get(path)).status).toBe(404)
    expect((await near.get(path, { headers: { [AFTER]: after } })).status).toBe(200)
  })

  itInDeep('is not kept from the copy by an X-Read-After that somebody has made up', async () => {
    const { replica, near } = await stage()
    const made_up = `demo.ffffffff-ffffffff-ffffffff-${'f'.repeat(32)}`
    expect((await near.get('/products/', { headers: { [AFTER]: made_up } })).status).toBe(200)
    await replica.copy()
    const copies = replica.asked.replica
    expect((await near.get('/products/')).status).toBe(200)
    expect(replica.asked.replica).toBe(copies + 1)
  })

  itInDeep('sees its own write at once in the isolate that wrote it', async () => {
    const { near } = await stage()
    const { path } = await newProduct(near)
    expect((await near.get(path)).status).toBe(200)
  })

  itInDeep('never goes back in time within an isolate', async () => {
    const { near, elsewhere } = await stage()
    const { path, after } = await newProduct(elsewhere)
    expect((await near.get(path, { headers: { [AFTER]: after } })).status).toBe(200)
    expect((await near.get(path)).status).toBe(200)
  })

  itInDeep('follows changes at the primary', async () => {
    const { near, elsewhere } = await stage()
    const { cursor } = await following(near)
    const { path } = await newProduct(elsewhere)
    expect((await near.get(path)).status).toBe(404)
    const { records } = await following(near, cursor)
    expect(records.map(({ sku }) => `/products/${sku}/`)).toEqual([path])
  })

  it('is 401 at the latest 5 seconds after its key was revoked', async () => {
    const { near, nearKey } = await stage()
    await (await openAdmin()).delete(`${KEYS}${nearKey.id}/`)
    expect((await near.get('/products/')).status).toBe(200)
    pass(5100)
    expect((await near.get('/products/')).status).toBe(401)
  })

  itInDeep('works with a key that the copy does not have yet', async () => {
    const { replica, worker } = await stage()
    const admin = await openAdmin()
    const { key } = (await admin.post(KEYS, { name: unique('near'), reads: 'near' })).body.data
    const api = client(key, { bindings: replica.bindings, worker })
    expect((await api.get('/products/')).status).toBe(200)
  })

  it.each([
    ['garbage', 'x'],
    ['a bookmark without a tenant', `00000001-00000000-00004f00-${'0'.repeat(32)}`],
    ["another tenant's", `other.00000001-00000000-00004f00-${'0'.repeat(32)}`],
  ])('is 400 if X-Read-After is %s', async (_, header) => {
    const { near, plain } = await stage()
    for (const api of [near, plain]) {
      const answer = await api.get('/products/', { headers: { [AFTER]: header } })
      expect(answer.status).toBe(400)
      expect(answer.body.error.fields).toEqual({ [AFTER]: [expect.any(String)] })
    }
  })
})

describe('a blank X-Read-After', () => {
  it('counts as absent: tools send a header that nobody has filled in', async () => {
    const { near } = await stage()
    for (const blank of ['', ' ']) {
      expect((await near.get('/products/', { headers: { [AFTER]: blank } })).status).toBe(200)
    }
  })
})

describe('beside a key with near reads', () => {
  it('another key reads the primary alone, and misses nothing', async () => {
    const { replica, plain } = await stage()
    const copies = replica.asked.replica
    const { path } = await newProduct(plain)
    expect((await plain.get(path)).status).toBe(200)
    expect(replica.asked.replica).toBe(copies)
  })

  it('each write tells its X-Read-After, and no read or refusal does', async () => {
    const { near, plain } = await stage()
    for (const api of [near, plain]) {
      const { path, after } = await newProduct(api)
      expect(after).toMatch(/^demo\.[0-9a-f]{8}-/)
      expect((await api.put(path, { quantity: 1 })).headers.get(AFTER)).toMatch(/^demo\./)
      expect((await api.get(path)).headers.get(AFTER)).toBe(null)
      expect((await api.post('/products/', {})).headers.get(AFTER)).toBe(null)
    }
  })
})
