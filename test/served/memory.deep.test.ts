import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { served } from './serving.ts'

// An isolate of Cloudflare's has 128 MB. This one has less, so that fewer uploads would be too many.
process.env.MINIFLARE_WORKERD_V8_FLAGS = '--max-heap-size=64'

const UPLOADS = 10
const BYTES = 10_000_000

let key: string

beforeAll(async () => {
  key = await served.createKey(['integrations.*'])
  await post('/products/', JSON.stringify({ sku: 'S' }))
  await post('/locations/', JSON.stringify({ code: 'L' }))
})

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

const STOCK = {
  single_as_list: true,
  fields: {
    'inventory[]': { each: 's.r[]' },
    'inventory[].location_code': 's.r[].@l',
    'inventory[].sku_code': 's.r[].@s',
    'inventory[].quantity': { from: 's.r[].#text', as: 'integer' },
  },
}
const ROWS = {
  fields: {
    'inventory[]': { each: '$[]' },
    'inventory[].location_code': '$[].l',
    'inventory[].sku_code': '$[].s',
    'inventory[].quantity': { from: '$[].q', as: 'integer' },
  },
}

const filled = (row: string) => row.repeat(Math.floor((BYTES - 100) / row.length))
const xml = () => `<s>${filled('<r l="L" s="S">1</r>')}</s>`
const csv = () => `l,s,q,a,b,c,d,e\n${filled('L,S,1,a,b,c,d,e\n')}`

/** The key of a partner whose stock is read so. */
async function openSupplier(inbound: object): Promise<string> {
  const admin = await served.createKey(['settings.*', 'integrations.*'])
  const call = async (method: string, path: string, body: object) => {
    const headers = { 'X-API-Key': admin, 'Content-Type': 'application/json' }
    const url = `${served.origin}/api/settings/v1${path}`
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
    return ((await answer.json()) as { data: Record<string, string> }).data
  }
  const { id } = await call('POST', '/partners/', { name: `Supplier ${performance.now()}` })
  await call('PUT', `/partners/${id}/mappings/inventory/`, { inbound })
  const named = { name: `Supplier ${id}`, partner_id: id }
  return String((await call('POST', '/api-keys/', named)).key)
}

describe('POST /inventory/ of other formats, ten at a time', () => {
  it.each<[what: string, rules: object, body: () => string, type: string, statuses: number[]]>([
    ['XML of 10 MB', STOCK, xml, 'text/xml', [200, 400]],
    ['CSV of 10 MB', ROWS, csv, 'text/csv', [200, 400]],
    ['empty elements', STOCK, () => `<s>${filled('<r/>')}</s>`, 'text/xml', [400]],
    ['separators', ROWS, () => `a,b\n${filled(',')}`, 'text/csv', [400]],
    ['one attribute', STOCK, () => `<s a="${filled('x')}"/>`, 'text/xml', [400]],
    [
      'a DOCTYPE of 10 MB',
      STOCK,
      () => `<!DOCTYPE s [${filled('<!ENTITY a "b">')}]><s/>`,
      'text/xml',
      [400],
    ],
    ['members of a form', STOCK, () => filled('a&'), 'application/x-www-form-urlencoded', [400]],
  ])(
    'do not take the isolate down: %s, packed and not',
    async (_, rules, body, type, statuses) => {
      const supplier = await openSupplier(rules)
      const sent = body()
      const packed = gzipSync(sent)
      const send = async (isPacked: boolean) => {
        const headers = { 'X-API-Key': supplier, 'Content-Type': type }
        const coded = isPacked ? { ...headers, 'Content-Encoding': 'gzip' } : headers
        const url = `${served.origin}/api/integrations/v1/inventory/`
        return await fetch(url, { method: 'POST', headers: coded, body: isPacked ? packed : sent })
      }
      const answers = await Promise.all(
        Array.from({ length: UPLOADS }, (_, n) => send(n % 2 === 0)),
      )
      const found = answers.map(({ status }) => status)
      expect(found.filter((status) => !statuses.includes(status))).toEqual([])
      expect((await fetch(`${served.origin}/healthz/`)).status).toBe(200)
    },
    120_000,
  )

  it('does not take the isolate down: bombs', async () => {
    const supplier = await openSupplier(STOCK)
    const body = gzipSync(Buffer.alloc(200_000_000))
    const headers = {
      'X-API-Key': supplier,
      'Content-Type': 'text/xml',
      'Content-Encoding': 'gzip',
    }
    const url = `${served.origin}/api/integrations/v1/inventory/`
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => fetch(url, { method: 'POST', headers, body })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413, 503]))
    expect((await fetch(`${served.origin}/healthz/`)).status).toBe(200)
  }, 120_000)
})
