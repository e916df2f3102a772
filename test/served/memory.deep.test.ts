import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'

// An isolate of Cloudflare's has 128 MB. This one has less, so that fewer uploads would be too many.
process.env.MINIFLARE_WORKERD_V8_FLAGS = '--max-heap-size=64'

const UPLOADS = 10
const BYTES = 10_000_000

let served: Served
let key: string

beforeAll(async () => {
  served = await startServer()
  key = await served.createKey(['integrations.*'])
  await post('/products/', JSON.stringify({ sku: 'S' }))
  await post('/locations/', JSON.stringify({ code: 'L' }))
})
afterAll(() => served?.close())

function post(path: string, body: string) {
  return fetch(`${served.origin}/api/integrations/v1${path}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body,
  })
}

/** Of as many rows as fit: what they become is many times as large as the text. */
function largeUpload(): string {
  const row = '{"location_code":"L","sku_code":"S","quantity":1}'
  return `{"inventory":[${Array(Math.floor(BYTES / (row.length + 1)))
    .fill(row)
    .join()}]}`
}

describe('POST /inventory/ of 10 MB, ten at a time', () => {
  it('does not take the isolate down: each is answered, and so is the next request', async () => {
    const body = largeUpload()
    const statuses = await Promise.all(
      Array.from({ length: UPLOADS }, async () => (await post('/inventory/', body)).status),
    )
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    expect((await post('/inventory/', body)).status).toBe(200)
  }, 120_000)
})
