import { beforeAll, describe, expect, it } from 'vitest'
import { client, createKey, ORIGIN, openAdmin } from '../fixtures/tenant.ts'
import { unread } from '../fixtures/unread.ts'
import { createLocation } from '../fixtures/warehouse.ts'

const URL = `${ORIGIN}/api/integrations/v1/locations/`
const CSV = { Accept: 'text/csv' }
const KEY_EXPORTS_MAX = 4

beforeAll(async () => {
  await createLocation(await openAdmin())
})

/** An export whose body nobody has read yet. */
async function begin(key: string): Promise<Response> {
  const response = await unread(new Request(URL, { headers: { 'X-API-Key': key, ...CSV } }))
  expect(response.status).toBe(200)
  return response
}

/** What the promise gives within a while, or 'waits'. */
async function soon<T>(promise: Promise<T>): Promise<T | 'waits'> {
  return await Promise.race([promise, scheduler.wait(300).then(() => 'waits' as const)])
}

describe('a key with four exports in progress', () => {
  it('waits with the fifth until one is sent, and with nothing else', async () => {
    const { value } = await createKey()
    const begun: Response[] = []
    for (let n = 0; n < KEY_EXPORTS_MAX; n++) begun.push(await begin(value))
    const fifth = client(value).get('/locations/', { headers: CSV })
    expect(await soon(fifth)).toBe('waits')
    expect((await client(value).get('/locations/')).status).toBe(200)
    const other = client((await createKey()).value)
    expect((await other.get('/locations/', { headers: CSV })).status).toBe(200)
    const [first, ...rest] = begun
    expect(await first?.text()).toMatch(/^code,/)
    expect((await fifth).status).toBe(200)
    await Promise.all(rest.map((response) => response.body?.cancel()))
  })

  it('has given all places back when its clients have left', async () => {
    const { value } = await createKey()
    for (let n = 0; n < 3 * KEY_EXPORTS_MAX; n++) await (await begin(value)).body?.cancel()
  })
})

describe('an export that nobody reads', () => {
  it('takes no place: HEAD, and one that is refused', async () => {
    const { value } = await createKey()
    const api = client(value)
    for (let n = 0; n < 2 * KEY_EXPORTS_MAX; n++) {
      const head = api.call('HEAD', '/locations/', undefined, { headers: CSV })
      expect(await soon(head)).toMatchObject({ status: 200, text: '' })
      const refused = api.get('/inventory/?quantity_below=102', { headers: CSV })
      expect(await soon(refused)).toMatchObject({ status: 400 })
    }
  })
})
