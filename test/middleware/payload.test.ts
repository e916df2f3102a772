import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, client, createKey, unique } from '../tenant.ts'

let api: ReturnType<typeof client>

beforeAll(async () => {
  api = client((await createKey(['integrations.*', 'settings.*'])).value)
})

const raw = (...bytes: number[]) => new Uint8Array(bytes)

describe('a body that is no JSON object', () => {
  it.each([
    ['nothing but white space', '  '],
    ['cut off', '{"sku":'],
    ['a comma too many', '{"sku":"a",}'],
    ['single quotes', "{'sku':'a'}"],
    ['NaN', '{"sku":NaN}'],
    ['a bare string', '"sku"'],
    ['a number', '1'],
    ['null', 'null'],
    ['an array', '[{"sku":"a"}]'],
    ['broken UTF-8', raw(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['65 levels deep', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
    ['open brackets only', '['.repeat(1_000_000)],
    ['more than a million values', `{"a":[${'0,'.repeat(1_000_000)}0]}`],
    ['an escape at its very end', '{"a":"\\'],
  ])('is 400 VALIDATION_ERROR: %s', async (_, body) => {
    const answer = await api.post('/products/', body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.detail).toMatch(/^The body /)
  })

  it('names the place of a syntax error where the parser tells it', async () => {
    const answer = await api.post('/products/', '{\n  "sku": "a",\n}')
    expect(answer.body.detail).toBe('The body is not valid JSON (at line 3 column 1).')
  })

  it('may be 64 levels deep, and brackets in strings do not count', async () => {
    const deep = `${'{"a":'.repeat(63)}1${'}'.repeat(63)}`
    const body = `{"sku":"${unique('S')}","unknown":${deep},"more":"${'[{'.repeat(100)}\\"["}`
    expect((await api.post('/products/', body)).status).toBe(201)
  })
})

describe('a body that breaks off', () => {
  it.each([
    ['chunked', '/orders/', {}],
    ['shorter than its Content-Length', '/inventory/', { 'Content-Length': '1000' }],
  ])('is 400, not our fault: %s', async (_, path, headers) => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"notes":'))
        controller.error(new Error('client gone'))
      },
    })
    const answer = await api.post(path, broken, { headers })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.detail).toBe('The body broke off before its end.')
  })
})

describe('a number beyond all bounds', () => {
  it.each([
    ['/products/', '{"sku":"x","custom_fields":{"a":[1e400]}}', 'custom_fields'],
    ['/products/', '{"sku":"x","quantity":1e400}', 'quantity'],
    ['/locations/', '{"code":"x","metadata":{"a":-1e400}}', 'metadata'],
  ])('is refused at %s: %s', async (path, body, field) => {
    const answer = await api.post(path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.fields[field][0]).toMatch(/beyond all bounds/)
  })
})

describe('an absent body', () => {
  it('is an empty object: POST names what is missing', async () => {
    const answer = await api.post('/products/')
    expect(answer.body.error.fields).toEqual({ sku: ['This field is required.'] })
  })
})

describe('Content-Type', () => {
  const post = (type: string) =>
    api.post('/products/', JSON.stringify({ sku: unique('S') }), {
      headers: { 'Content-Type': type },
    })

  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json'])(
    'may be %s',
    async (type) => {
      expect((await post(type)).status).toBe(201)
    },
  )

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'json'])(
    'is 415 UNSUPPORTED_MEDIA_TYPE when %s',
    async (type) => {
      const answer = await post(type)
      expect([answer.status, answer.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    },
  )

  it('may be absent', async () => {
    const body = new TextEncoder().encode(JSON.stringify({ sku: unique('S') }))
    const answer = await api.call('POST', '/products/', body, { headers: { 'Content-Type': '' } })
    expect(answer.status).toBe(201)
  })
})

describe('Content-Encoding', () => {
  it.each([
    ['gzip', 415],
    ['br', 415],
    ['identity', 201],
  ])('%s is %i', async (encoding, status) => {
    const headers = { 'Content-Encoding': encoding }
    const answer = await api.post('/products/', JSON.stringify({ sku: unique('S') }), { headers })
    expect(answer.status).toBe(status)
  })
})

describe('whatever is sent', () => {
  const endpoints: [string, string][] = [
    ['POST', '/orders/'],
    ['PUT', '/orders/none/'],
    ['DELETE', '/orders/none/'],
    ['POST', '/products/'],
    ['PUT', '/products/none/'],
    ['POST', '/locations/'],
    ['PUT', '/locations/none/'],
    ['POST', '/inventory/'],
    ['POST', '/api/settings/v1/api-keys/'],
    ['PUT', '/api/settings/v1/api-keys/none/'],
    ['POST', '/api/settings/v1/api-keys/none/rotate/'],
  ]
  const names = [
    ...['order_number', 'external_order_id', 'customer_name', 'customer_info', 'notes', 'due_date'],
    ...[
      'order_date',
      'metadata',
      'status',
      'items',
      'sku',
      'quantity',
      'is_active',
      'cost',
      'code',
    ],
    ...['custom_fields', 'name', 'zone', 'aisle', 'inventory', 'source', 'reason', 'scopes', 'id'],
    ...['partner_id', 'expires_at', 'overlap_seconds', '__proto__', 'constructor', 'toString'],
  ]
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\ud800',
      '\u0000',
      '2026-02-30',
      '9999-12-31T23:59:59-12:00',
      -0,
      1e308,
      2 ** 53,
    ),
    fc.array(
      fc.dictionary(fc.constantFrom('sku_code', 'location_code', 'quantity'), fc.jsonValue()),
    ),
  )
  const body = fc.dictionary(fc.constantFrom(...names), value)

  /** One envelope, a status that we mean, and nothing of the machinery. */
  function expectWellAnswered({ status, body, text }: Answer) {
    expect(status).not.toBe(500)
    expect(body?.success).toBe(status < 300)
    if (status >= 300) expect(body.error.message).toBe(body.detail)
    expect(text).not.toMatch(/SQLITE|D1_ERROR|sqlite|\bat .+\.ts:\d+/)
  }

  it('is answered in the envelope, never with a 500', async () => {
    const request = fc.tuple(fc.constantFrom(...endpoints), body)
    await fc.assert(
      fc.asyncProperty(together(request), async (requests) => {
        const answers = requests.map(([[method, path], payload]) => api.call(method, path, payload))
        for (const answer of await Promise.all(answers)) expectWellAnswered(answer)
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  it('in a path or query is answered in the envelope, never with a 500', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).map(encodeURIComponent)
    const broken = fc.constantFrom('%', '%zz', '%ff', '%00', '%2F', '..%2f', 'a%0ab', '%F0%9F')
    const resource = fc.constantFrom('orders', 'products', 'locations', 'inventory')
    const request = fc.tuple(resource, fc.oneof(text, broken), text)
    await fc.assert(
      fc.asyncProperty(together(request), async (requests) => {
        const answers = requests.flatMap(([name, identifier, query]) => [
          api.get(`/${name}/${identifier}/?by=sku&limit=${query}&cursor=${query}`),
          api.get(`/${name}/?limit=${query}`),
          api.get(`/${name}/?cursor=${query}&${query}=1`),
        ])
        for (const answer of await Promise.all(answers)) expectWellAnswered(answer)
      }),
      { numRuns: 30 },
    )
  }, 120_000)

  it('as a key is 401 or 403', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme-ascii' }), async (key) => {
        const answer = await client(key).get('/orders/')
        expect([401, 403]).toContain(answer.status)
        expectWellAnswered(answer)
      }),
      { numRuns: 200 },
    )
  })
})

/** Ten at a time, as parallel requests. */
function together<T>(request: fc.Arbitrary<T>) {
  return fc.array(request, { minLength: 10, maxLength: 10 })
}
