import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin as api } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { type client, type Json, unique } from '../fixtures/tenant.ts'

const BODY_BYTES_MAX = 10_485_760
const SETTINGS = '/api/settings/v1'

type Api = ReturnType<typeof client>
type Row = [what: string, path: string, body: string | Uint8Array, fault: string]

const raw = (...bytes: number[]) => new Uint8Array(bytes)
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
/** A text of these bytes at most, of a pattern over and over. */
const filled = (pattern: string, bytes: number) => pattern.repeat(bytes / pattern.length)

/** POST, but PUT where the path names a record. */
function push(path: string, body: unknown, to: Api = api) {
  const names = /\/[^/]+\/[^/]+\/$/.test(path.replace(SETTINGS, ''))
  return to.call(names ? 'PUT' : 'POST', path, body)
}

describe('a body that is no JSON object is 400 VALIDATION_ERROR', () => {
  it.each(
    sample<[string, string | Uint8Array, string]>(
      [
        ['nothing but white space', '  ', 'not valid JSON'],
        ['cut off', '{"sku":', 'not valid JSON'],
        ['a comma too many', '{"sku":"a",}', 'not valid JSON'],
        ['a colon too many', '{"sku"::"a"}', 'not valid JSON'],
        ['something after its end', '{"sku":"a"}{}', 'not valid JSON'],
        ['single quotes', "{'sku':'a'}", 'not valid JSON'],
        ['a comment', '{"sku":"a"/**/}', 'not valid JSON'],
        ['NaN', '{"sku":NaN}', 'not valid JSON'],
        ['Infinity', '{"quantity":-Infinity}', 'not valid JSON'],
        ['a number with a leading zero', '{"quantity":01}', 'not valid JSON'],
        ['a bare control character', '{"sku":"a\nb"}', 'not valid JSON'],
        ['a bare NUL', '{"sku":"a"}\u0000', 'not valid JSON'],
        ['a space that is none to JSON', '{\u00a0"sku":"a"}', 'not valid JSON'],
        ['an escape that there is not', '{"sku":"\\x41"}', 'not valid JSON'],
        ['an escape at its very end', '{"a":"\\', 'not valid JSON'],
        ['a bare string', '"sku"', 'must be a JSON object'],
        ['a number', '1', 'must be a JSON object'],
        ['null', 'null', 'must be a JSON object'],
        ['an array', '[{"sku":"a"}]', 'must be a JSON object'],
        ['10 MB of one number', filled('1', BODY_BYTES_MAX), 'must be a JSON object'],
        ['broken UTF-8', raw(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 'not valid UTF-8'],
        ['a surrogate as bytes', raw(0x22, 0xed, 0xa0, 0x80, 0x22), 'not valid UTF-8'],
        ['an overlong NUL', raw(0x22, 0xc0, 0x80, 0x22), 'not valid UTF-8'],
        ['UTF-16', raw(0xff, 0xfe, 0x7b, 0, 0x7d, 0), 'not valid UTF-8'],
        ['65 levels deep', nested(65), 'nested deeper than 64 levels'],
        ['open brackets only', '['.repeat(1_000_000), 'nested deeper than 64 levels'],
        ['10 MB of open braces', filled('{"":', BODY_BYTES_MAX), 'nested deeper than 64 levels'],
        [
          'more than a million values',
          `{"a":[${'0,'.repeat(1e6)}0]}`,
          'has more than 1000000 values',
        ],
        [
          '10 MB of empty objects',
          `[${filled('{},', 10_485_756)}{}]`,
          'has more than 1000000 values',
        ],
        ['10 MB of commas', filled(',', BODY_BYTES_MAX), 'has more than 1000000 values'],
      ],
      8,
    ),
  )('%s', async (_, body, fault) => {
    const answer = await api.post('/products/', body)
    expectRefusal(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.detail).toMatch(/^The body (is|has|must) /)
    expect(answer.body.detail).toContain(fault)
  })

  it('and names the place of a syntax error, and what to do', async () => {
    const answer = await api.post('/products/', '{\n  "sku": "a",\n}')
    expect(answer.body.detail).toBe(
      'The body is not valid JSON (line 3, column 1, at "}"). A value or a name is missing before it: a comma may be one too many.',
    )
  })
})

describe('a body', () => {
  it('may be 64 levels deep, and brackets in strings do not count', async () => {
    const body = `{"sku":"${unique('S')}","unknown":${nested(63)},"more":"${'[{'.repeat(100)}\\"["}`
    expect((await api.post('/products/', body)).status).toBe(201)
  })

  it('may begin with a byte order mark', async () => {
    expect((await api.post('/products/', `\ufeff{"sku":"${unique('S')}"}`)).status).toBe(201)
  })

  it('that is absent is an empty object: POST names what is missing', async () => {
    const answer = await api.post('/products/')
    expect(answer.body.error.fields).toEqual({ sku: ['This field is required.'] })
  })

  it('whose names are unknown is told so where it lacks what is required', async () => {
    const answer = await api.post('/orders/', { orderNumber: '7', items: [{ sku: 'A' }] })
    expect(answer.body.error.fields).toEqual({
      order_number: ['This field is required. Unknown beside it: "orderNumber".'],
      'items[0].sku_code': ['This field is required. Unknown beside it: "sku".'],
      'items[0].quantity': ['This field is required. Unknown beside it: "sku".'],
    })
  })
})

describe('a body that breaks off', () => {
  it.each(
    sample(
      [
        ['chunked', '/orders/', {}],
        ['shorter than its Content-Length', '/inventory/', { 'Content-Length': '1000' }],
      ],
      3,
    ),
  )('is 400, not our fault: %s', async (_, path, headers) => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"notes":'))
        controller.error(new Error('client gone'))
      },
    })
    const answer = await api.post(path, broken, { headers })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.reason).toBe('INCOMPLETE_BODY')
    expect(answer.body.detail).toBe(
      'The body ended before all of it had arrived. Send the request again.',
    )
  })
})

describe('a member that is given twice', () => {
  it.each(
    sample<Row>(
      [
        ['at the top', '/products/', '{"sku":"a","sku":"b"}', 'sku'],
        ['with the same value', '/products/', '{"sku":"a","sku":"a"}', 'sku'],
        ['one of them escaped', '/products/', '{"sku":"a","\\u0073ku":"b"}', 'sku'],
        [
          'of an item',
          '/orders/',
          '{"items":[{},[1,{}],{"quantity":1,"quantity":2}]}',
          'items[2].quantity',
        ],
        [
          'far from each other',
          '/orders/',
          '{"notes":{"a":[{"b":"}\\""}]},"items":[],"notes":1}',
          'notes',
        ],
        [
          'of an object',
          '/products/none/',
          '{"custom_fields":{"a":{"b":1,"b":1}}}',
          'custom_fields.a.b',
        ],
        ['of what has no effect', '/locations/', '{"code":"x","other":{"a":1,"a":1}}', 'other.a'],
        ['__proto__', '/products/', '{"__proto__":1,"__proto__":{}}', '__proto__'],
        [
          'of an index as its name',
          '/products/',
          '{"custom_fields":{"0":1,"0":1}}',
          'custom_fields.0',
        ],
        ['of no name', '/products/', '{"":1,"":1}', "['']"],
        ['of a name with a dot', '/products/', '{"a.b":1,"a.b":1}', "['a.b']"],
        ['of a lone surrogate', '/products/', '{"\\ud800":1,"\\ud800":1}', '\ufffd'],
        [
          'of a long name',
          '/products/',
          `{"${'x'.repeat(400)}":1,"${'x'.repeat(400)}":1}`,
          `${'x'.repeat(299)}…`,
        ],
        ['the first of two', '/products/', '{"a":{"b":1,"b":1},"a":1}', 'a.b'],
        [
          'of a stock row',
          '/inventory/',
          '{"inventory":[{"quantity":1,"quantity":1}]}',
          'inventory[0].quantity',
        ],
        ['of a setting', `${SETTINGS}/api-keys/`, '{"name":"a","name":"b"}', 'name'],
        [
          'of a sample',
          `${SETTINGS}/partners/none/mappings/orders/preview/`,
          '{"payload":{"a":1,"a":1}}',
          'payload.a',
        ],
      ],
      5,
    ),
  )('is 400 and named: %s', async (_, path, body, field) => {
    const answer = await api.call(path.endsWith('/none/') ? 'PUT' : 'POST', path, body)
    expectInvalid(answer, field)
    expect(answer.body.error.fields[field]).toEqual(['Is given twice: send it once.'])
    expect(answer.body.detail).toBe(`${field}: Is given twice: send it once.`)
  })

  it("is named by its path in a partner's own document", async () => {
    const fields = { order_number: 'header.number' }
    const partner = await openPartner({ mappings: { orders: { inbound: { fields } } } })
    const answer = await partner.api.post('/orders/', '{"header":{"number":"1","number":"2"}}')
    expectInvalid(answer, 'header.number')
  })

  it.each(
    sample(
      [
        ['in another object', '{"a":{"b":1},"c":{"b":1}}'],
        ['in the next element', '{"a":[{"b":1},{"b":1}]}'],
        ['within itself', '{"a":{"a":{"a":1}}}'],
        ['in other letters', '{"a":1,"A":1,"á":1,"a\\u0301":1,"a ":1}'],
        ['as a value', '{"a":"a","b":"\\"a\\":1,\\"a\\":1"}'],
        [
          'that every object inherits',
          '{"toString":1,"constructor":2,"__proto__":3,"hasOwnProperty":4}',
        ],
      ],
      3,
    ),
  )('is not one %s', async (_, fields) => {
    const body = `{"sku":"${unique('S')}","custom_fields":${fields}}`
    const { status, text } = await api.post('/products/', body)
    expect([status, text]).toEqual([201, expect.stringContaining('"custom_fields"')])
  })
})

describe('a field of the wrong type or size is named', () => {
  it.each(
    sample<Row>(
      [
        ['an array', '/products/', '{"sku":["a"]}', 'sku: Must be a string, not an array.'],
        ['an object', '/products/', '{"sku":{"a":1}}', 'sku: Must be a string, not an object.'],
        ['a number', '/locations/', '{"code":1}', 'code: Must be a string, not a number.'],
        [
          'an array for an object',
          '/products/none/',
          '{"custom_fields":[]}',
          'custom_fields: Must be an object, not an array.',
        ],
        [
          'an object for an array',
          '/inventory/',
          '{"inventory":{"0":{}}}',
          'inventory: Must be an array, not an object.',
        ],
        [
          'half a million items',
          '/orders/',
          `{"order_number":"x","items":[${filled('{},', 1_497_000)}{}]}`,
          'items: Must have at most 1000 entries.',
        ],
        [
          'half a million scopes',
          `${SETTINGS}/api-keys/`,
          `{"name":"x","scopes":[${filled('"a",', 2_000_000)}"a"]}`,
          'scopes: Must have at most 50 entries.',
        ],
        [
          'a text of 10 MB',
          '/locations/',
          `{"code":"${filled('x', 10_485_700)}"}`,
          'code: Must have at most 255 characters.',
        ],
        [
          'an id of 3 MB',
          `${SETTINGS}/api-keys/`,
          `{"name":"x","partner_id":"${filled('x', 3e6)}"}`,
          'partner_id: Must have at most 255 characters.',
        ],
        [
          'an integer of 10 MB',
          '/products/none/',
          `{"quantity":${filled('1', 10_485_700)}}`,
          'quantity: Must be an integer, not a number that is too large.',
        ],
        [
          'a fraction of 10 MB',
          '/products/none/',
          `{"quantity":0.${filled('1', 10_485_700)}}`,
          'quantity: Must be an integer, not a number with more digits than are kept.',
        ],
        [
          '10 MB of escapes',
          '/products/none/',
          `{"quantity":"${filled('\\u0000', 10_485_700)}"}`,
          'quantity: Must be an integer, not a string.',
        ],
      ],
      5,
    ),
  )('%s', async (_, path, body, message) => {
    const answer = await push(path, body)
    expectInvalid(answer, message.slice(0, message.indexOf(':')))
    expect(answer.body.detail).toBe(message)
  })

  it('a scope of 10 MB, of which as much is told as tells which it is', async () => {
    const scopes = [`integrations.${filled('x', 1e7)}`]
    const answer = await api.post(`${SETTINGS}/api-keys/`, { name: 'x', scopes })
    expectInvalid(answer, 'scopes[0]')
    expect(answer.body.detail).toMatch(/^scopes\[0\]: There is no scope "integrations\.x+…"\.$/)
    expect(answer.text.length).toBeLessThan(2000)
  })
})

describe('a number that JSON.parse would change', () => {
  it.each(
    sample(
      [
        ['/products/', '{"sku":"x","custom_fields":{"a":[1e400]}}', 'custom_fields.a[0]'],
        ['/products/', '{"sku":"x","quantity":1e400}', 'quantity'],
        ['/locations/', '{"code":"x","metadata":{"a":-1e400}}', 'metadata.a'],
        ['/locations/', '{"code":"x","metadata":{"a":1e-400}}', 'metadata.a'],
        ['/products/', '{"sku":"x","cost":-1e400}', 'cost'],
      ],
      3,
    ),
  )('is refused at %s: %s', async (path, body, field) => {
    const answer = await api.post(path, body)
    expectInvalid(answer, field)
    expect(answer.body.error.fields[field][0]).toMatch(/too large|more digits|at most 12 digits/)
  })
})

describe('zero', () => {
  it.each(['0', '-0', '-0.0', '0e5', '-0E-5', '-0e-400'])('written %s is 0', async (zero) => {
    const [sku, code] = [unique('S'), unique('L')]
    const fields = `"quantity":${zero},"cost":${zero},"custom_fields":{"a":${zero},"b":[${zero}]}`
    const product = await api.post('/products/', `{"sku":"${sku}",${fields}}`)
    expect(product.text).toContain('"quantity":0,"is_active":true,"cost":"0"')
    expect(product.text).toContain('"custom_fields":{"a":0,"b":[0]}')
    expect((await api.get(`/products/${sku}/`)).text).toBe(product.text)
    const changed = await api.put(`/products/${sku}/`, `{${fields}}`)
    expect(changed.text).toBe(product.text)

    await api.post('/locations/', { code })
    const row = `{"location_code":"${code}","sku_code":"${sku}","quantity":${zero}}`
    const upload = await api.post('/inventory/', `{"inventory":[${row}]}`)
    expect(upload.body.data).toMatchObject({ created: 1, failed: 0 })
    expect((await api.get(`/inventory/${code}/`)).text).toContain('"quantity":0}')
  })
})

describe('NUL and other control characters', () => {
  const HARD = 'a\u0000b\u001f\u007f\u2028'

  it('are kept in texts and objects, to the letter', async () => {
    const sku = unique('S')
    await api.post('/products/', { sku })
    const order = {
      order_number: unique('O'),
      customer_name: HARD,
      notes: '\u0000',
      customer_info: { [HARD]: [HARD], '\ud800': '\udc00' },
      metadata: { nul: HARD },
    }
    const items = [{ sku_code: sku, quantity: 1, notes: HARD }]
    const made = await api.post('/orders/', { ...order, items })
    expect(made.status).toBe(201)
    const { data } = (await api.get(`/orders/${order.order_number}/`)).body
    expect(data).toMatchObject({ ...order, items: [{ notes: HARD }] })
  })

  it('are refused in identifiers', async () => {
    expectInvalid(await api.post('/products/', { sku: 'a\u0000' }), 'sku')
    expectInvalid(await api.post('/locations/', { code: '\u009f' }), 'code')
  })

  it('make another code of a code: nothing after them is overlooked', async () => {
    const [sku, code] = [unique('S'), unique('L')]
    await api.post('/products/', { sku })
    await api.post('/locations/', { code })
    const inventory = [
      { location_code: `${code}\u0000`, sku_code: sku, quantity: 1 },
      { location_code: code, sku_code: `${sku}\u0000x`, quantity: 1 },
    ]
    const { data } = (await api.post('/inventory/', { inventory })).body
    expect(data).toMatchObject({ created: 0, updated: 0, failed: 2 })
    expect(data.errors.map(({ errors }: Json) => Object.keys(errors))).toEqual([
      ['location_code'],
      ['sku_code'],
    ])
    expect((await api.get(`/inventory/${code}%00/`)).body.data).toEqual([])
    expect((await api.get(`/products/${sku}%00/`)).status).toBe(404)
    expect((await api.put(`/locations/${code}%00/`, { name: 'x' })).status).toBe(404)
    expect((await api.delete(`/products/${sku}%00x/`)).status).toBe(404)
  })

  it('in an address by a free member mean that member', async () => {
    const inbound = { fields: { code: 'code', metadata: 'metadata' } }
    const mapping = { identifier_field: 'metadata.ref', inbound }
    const partner = await openPartner({ mappings: { locations: mapping } })
    const [code, ref] = [unique('L'), unique('R')]
    await partner.api.post('/locations/', { code, metadata: { ref: `${ref}\u0000b` } })
    expect((await partner.api.get(`/locations/${ref}/`)).status).toBe(404)
    const found = await partner.api.get(`/locations/${ref}%00b/`)
    expect(found.body.data.code).toBe(code)
  })
})

describe('a lone surrogate', () => {
  it.each(
    sample<Row>(
      [
        ['in an identifier', '/products/', '{"sku":"a\\ud800"}', 'sku'],
        ['in a name', '/locations/', '{"code":"x","name":"\\udc00a"}', 'name'],
        ['in a note', '/orders/none/', '{"notes":"\\udbff"}', 'notes'],
        ['in an id', `${SETTINGS}/api-keys/`, '{"name":"x","partner_id":"\\ud800"}', 'partner_id'],
      ],
      4,
    ),
  )('is refused %s', async (_, path, body, field) => {
    const answer = await push(path, body)
    expectInvalid(answer, field)
    expect(answer.body.detail).toBe(`${field}: Must be well-formed Unicode.`)
  })

  it('fails the row of an upload that has it', async () => {
    const row = '{"location_code":"\\ud800","sku_code":"S","quantity":1}'
    const { data } = (await api.post('/inventory/', `{"inventory":[${row}]}`)).body
    expect(data.errors[0].errors).toEqual({
      location_code: ['Must be well-formed Unicode.'],
      sku_code: ['No product has the SKU "S".'],
    })
  })

  it('is not made where a long code is cut to be echoed', async () => {
    const location_code = '😀'.repeat(300)
    const inventory = [{ location_code, sku_code: 'S', quantity: 1 }]
    const { data } = (await api.post('/inventory/', { inventory })).body
    expect(data.errors[0].location_id.isWellFormed()).toBe(true)
    expect(data.errors[0].location_id).toMatch(/^(😀){255}/u)
  })

  it.each(['%ED%A0%80', '%F0%9F', '%ff', '%C0%80'])(
    'or other broken UTF-8 in a path or query finds nothing: %s',
    async (broken) => {
      expectRefusal(await api.get(`/products/${broken}/`), 404, 'NOT_FOUND')
      expectInvalid(await api.get(`/products/?cursor=${broken}`), 'cursor')
      expect((await api.get(`/inventory/${broken}/`)).body.data).toEqual([])
    },
  )
})
