import { beforeAll, describe, expect, it } from 'vitest'
import { expectRefusal } from '../fixtures/refusal.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'

let key: string
let api: ReturnType<typeof client>

beforeAll(async () => {
  key = (await createKey()).value
  api = client(key)
})

const product = () => JSON.stringify({ sku: unique('S') })
const post = (headers: Record<string, string>) => api.post('/products/', product(), { headers })
const NOT_JSON = 'Send JSON: Content-Type: application/json.'

describe('Content-Type', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/merge-patch+json',
    ' application/json ; Charset="UTF-8" ',
    'application/json; charset=us-ascii',
    'application/json;',
    'application/json; charset=',
    'application/json; version=1; charset=utf-8',
    'application/ld+json; profile="a,b;c"',
    'application/vnd.shop.v2+json',
    'application/json-rpc',
    'text/json; charset=utf-8',
    'text/plain',
    'Text/Plain;charset=UTF-8',
  ])('may be %s', async (type) => {
    expect((await post({ 'Content-Type': type })).status).toBe(201)
  })

  it.each([
    'text/html',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-rpc2',
    'text/json2',
    'text/x+json',
    'text/plain2',
    'json',
    'application/json/',
    `application/${'+'.repeat(8000)}`,
  ])('is 415 UNSUPPORTED_MEDIA_TYPE when %s', async (type) => {
    expectRefusal(await post({ 'Content-Type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE', NOT_JSON)
  })

  it.each([
    'application/json, application/json',
    'application/json; charset=utf-8, application/json; charset=utf-8',
    'application/json; version=1, text/plain',
  ])('is 415 where it was sent twice: %s', async (type) => {
    const message = 'Send one Content-Type, not two.'
    expectRefusal(await post({ 'Content-Type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE', message)
  })

  it.each([
    ['application/json; charset=utf-16', 'utf-16'],
    ['application/json;charset="ISO-8859-1"', 'iso-8859-1'],
    ['application/json; charset=utf-8; charset=utf-32', 'utf-32'],
    [`application/json; charset=${'x'.repeat(8000)}`, 'x'.repeat(40)],
  ])('is 415, which names the charset, when %s', async (type, charset) => {
    const message = `Send JSON in UTF-8, not in ${charset}.`
    expectRefusal(await post({ 'Content-Type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE', message)
  })

  it.each(['a=1', 'sku,quantity', '"text"', '5', '<p>'])(
    'is 415 for text/plain whose body is no object or array: %s',
    async (body) => {
      const headers = { 'Content-Type': 'text/plain' }
      const answer = await api.post('/products/', body, { headers })
      expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE', NOT_JSON)
    },
  )

  it('may be text/plain with white space before the body, whose syntax is then told', async () => {
    const headers = { 'Content-Type': 'text/plain' }
    expect((await api.post('/products/', ` \r\n\t${product()}`, { headers })).status).toBe(201)
    const answer = await api.post('/products/', ' {"sku": }', { headers })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('may be absent', async () => {
    const body = new TextEncoder().encode(product())
    const answer = await api.call('POST', '/products/', body, { headers: { 'Content-Type': '' } })
    expect(answer.status).toBe(201)
  })

  it('does not matter where there is no body', async () => {
    const sku = unique('S')
    await api.post('/products/', { sku })
    const answer = await api.delete(`/products/${sku}/`, undefined, {
      headers: { 'Content-Type': 'text/plain; charset=utf-16' },
    })
    expect(answer.status).toBe(200)
  })
})

describe('Content-Encoding', () => {
  it.each(['gzip', 'br', 'deflate', 'zstd', 'x', 'gzip, identity', 'identity, gzip', 'gzip, gzip'])(
    '%s is 415',
    async (encoding) => {
      const message = 'Send the body without Content-Encoding.'
      const answer = await post({ 'Content-Encoding': encoding })
      expectRefusal(answer, 415, 'UNSUPPORTED_MEDIA_TYPE', message)
    },
  )

  it.each(['identity', 'Identity', ' identity ', ''])('"%s" is none', async (encoding) => {
    expect((await post({ 'Content-Encoding': encoding })).status).toBe(201)
  })
})

describe('X-API-Key', () => {
  it.each([
    ['missing', () => null, 403, 'KEY_MISSING'],
    ['blank', () => ' ', 403, 'KEY_MISSING'],
    ['given twice', () => `${key}, ${key}`, 401, 'KEY_INVALID'],
    ['with something before it', () => `Bearer ${key}`, 401, 'KEY_INVALID'],
    ['not ASCII', () => `${key.slice(0, -1)}é`, 401, 'KEY_INVALID'],
    ['far too long', () => `${key}${'x'.repeat(60_000)}`, 401, 'KEY_INVALID'],
  ])('%s: nothing of the body is read', async (_, keyOf, status, code) => {
    let pulled = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(new Uint8Array(1000))
        },
      },
      { highWaterMark: 0 },
    )
    expectRefusal(await client(keyOf()).post('/orders/', body), status, code)
    expect(pulled).toBe(0)
  })
})

describe('a header that means nothing here', () => {
  it.each([
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Request-Id', 'mine'],
    ['X-Original-URL', '/api/settings/v1/workspace/'],
    ['Expect', '100-continue'],
    ['Range', 'bytes=0-1'],
    ['If-None-Match', '*'],
    ['Accept', 'text/html'],
    ['Accept-Encoding', 'identity;q=0, *;q=0'],
    ['Cookie', `session=${'x'.repeat(4000)}`],
    ['Origin', 'https://elsewhere.example'],
    ['X-Forwarded-Host', 'other.example'],
    ['__proto__', 'x'],
  ])('changes nothing: %s', async (name, value) => {
    const answer = await post({ [name]: value })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})
