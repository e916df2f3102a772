import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { served } from './serving.ts'
import { blocksOf, upload } from './upload.ts'

const BODY_BYTES_MAX = 10_485_760
const HOSTILE_TOTAL = 100

type Hostile = [
  what: string,
  answer: [status: number, code: string | null],
  body: () => string | Uint8Array,
  headers?: Record<string, string>,
]

/** `open`, as much of the pattern as fits, `close`. */
function filled(open: string, pattern: string, close: string): string {
  const room = BODY_BYTES_MAX - open.length - close.length
  return open + pattern.repeat(Math.floor(room / pattern.length)) + close
}

function numbered(total: number, write: (n: number) => string): string {
  return Array.from({ length: total }, (_, n) => write(n)).join()
}

const INVALID: Hostile[1] = [400, 'VALIDATION_ERROR']
const MEDIA_TYPE: Hostile[1] = [415, 'UNSUPPORTED_MEDIA_TYPE']

const ROW = '{"location_code":"L","sku_code":"S","quantity":1}'

const HOSTILE: Hostile[] = [
  ['empty objects', INVALID, () => filled('{"inventory":[', '{},', '{}]}')],
  ['open brackets', INVALID, () => filled('', '[', '')],
  ['open braces', INVALID, () => filled('', '{"":', '')],
  ['almost a million values', INVALID, () => `{"notes":[${'0,'.repeat(999_990)}0]}`],
  ['more than a million', INVALID, () => `{"inventory":[${'0,'.repeat(1_000_000)}0]}`],
  ['100,000 empty rows', [200, null], () => `{"inventory":[${'{},'.repeat(100_000)}{}]}`],
  ['one long text', INVALID, () => filled('{"inventory":[{}],"notes":"', 'x', '"}')],
  [
    'a long text in a row',
    [200, null],
    () => `{"inventory":[{"sku_code":"${'é'.repeat(5_000_000)}"}]}`,
  ],
  ['escapes', INVALID, () => filled('{"inventory":"', '\\u0000', '"}')],
  ['backslashes without end', INVALID, () => filled('{"inventory":"', '\\\\', '')],
  ['one number', INVALID, () => filled('{"inventory":', '1', '}')],
  [
    'a member twice, at the end',
    INVALID,
    () => filled('{"inventory":[', `${ROW},`, `${ROW}],"inventory":1}`),
  ],
  [
    'a lot of names, one of them twice',
    INVALID,
    () => `{${numbered(200_000, (n) => `"n${n}":1`)},"n0":1}`,
  ],
  ['unknown names', INVALID, () => `{${numbered(200_000, (n) => `"n${n}":1`)}}`],
  ['a long name', INVALID, () => filled('{"', 'n', '":1}')],
  [
    'a bomb, announced',
    MEDIA_TYPE,
    () => gzipSync(filled('', '[', '')),
    { 'Content-Encoding': 'gzip' },
  ],
  ['a bomb', INVALID, () => gzipSync(filled('', '[', ''))],
  ['zeros', INVALID, () => new Uint8Array(BODY_BYTES_MAX)],
  ['no UTF-8', INVALID, () => new Uint8Array(BODY_BYTES_MAX).fill(0xff)],
  ['wrong types', INVALID, () => '{"inventory":{"0":[]},"source":[],"notes":{}}'],
  ['nothing', INVALID, () => ''],
  ['text', MEDIA_TYPE, () => filled('', 'x', ''), { 'Content-Type': 'text/plain' }],
  ['UTF-16', MEDIA_TYPE, () => '{}', { 'Content-Type': 'application/json; charset=utf-16' }],
  ['a byte too many', [413, 'PAYLOAD_TOO_LARGE'], () => `${filled('', ' ', '')} `],
  ['cut off', INVALID, () => filled('{"inventory":[', `${ROW},`, '')],
]

/** What a caller does all day; every answer is good, or `push` throws. */
async function work(key: string, n: number): Promise<number[]> {
  const statuses: number[] = []
  const push = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${served.origin}/api/integrations/v1${path}`, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(await answer.json()).toMatchObject({ success: true })
    statuses.push(answer.status)
  }
  const [sku, code] = [`S-${n}`, `L-${n}`]
  await push('POST', '/products/', { sku })
  await push('POST', '/locations/', { code })
  await push('POST', '/orders/', {
    order_number: `O-${n}`,
    items: [{ sku_code: sku, quantity: 1 }],
  })
  await push('POST', '/inventory/', {
    inventory: [{ location_code: code, sku_code: sku, quantity: n }],
  })
  await push('GET', `/orders/O-${n}/`)
  return statuses
}

const WORKED = [201, 201, 201, 200, 200]

describe(`${HOSTILE_TOTAL} hostile bodies in a row`, () => {
  it('are refused one by one, and a caller who works meanwhile notices nothing', async () => {
    const [hostileKey, key] = await Promise.all([
      served.createKey(['integrations.*'], 'hostile'),
      served.createKey(['integrations.*'], 'normal'),
    ])
    const url = `${served.origin}/api/integrations/v1/inventory/`
    let isOver = false
    const attack = async () => {
      for (let n = 0; n < HOSTILE_TOTAL; n++) {
        const [what, expected, bodyOf, more] = HOSTILE[n % HOSTILE.length]!
        const sent = bodyOf()
        const bytes = typeof sent === 'string' ? new TextEncoder().encode(sent) : sent
        const isSized = Math.floor(n / HOSTILE.length) % 2 === 0
        const headers = {
          'X-API-Key': hostileKey,
          'Content-Type': 'application/json',
          ...(isSized && { 'Content-Length': String(bytes.length) }),
          ...more,
        }
        const { status, text } = await upload(url, headers, { blocks: blocksOf(bytes) })
        const { success, error, detail } = JSON.parse(text)
        expect([what, status, error?.code ?? null]).toEqual([what, ...expected])
        expect([success, detail]).toEqual([status === 200, error?.message])
      }
    }
    let turns = 0
    const normal = async () => {
      while (!isOver) expect(await work(key, turns++)).toEqual(WORKED)
    }
    const attacked = attack().finally(() => {
      isOver = true
    })
    await Promise.all([attacked, normal()])
    expect(turns).toBeGreaterThan(HOSTILE_TOTAL / 10)
    expect(await work(key, turns)).toEqual(WORKED)
  }, 180_000)
})
