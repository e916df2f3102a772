import { describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { shortened } from '../../src/engine/json/messages.ts'
import { documentOf, type SentBody } from '../../src/engine/log/documents/document.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'

const R = '[redacted]'
const NO_RULES = { inbound: null, outbound: null }
const rules = (fields: SavedRules['fields'], unmapped: SavedRules['unmapped'] = 'drop') => ({
  unmapped,
  fields,
})

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

function keep(body: unknown, answer: unknown, redact: string[], saved: object = {}) {
  const sent: SentBody = {
    content_type: 'application/json',
    body: body instanceof Uint8Array ? body : bytes(body),
    status: 200,
    answer: JSON.stringify(answer),
  }
  const document = documentOf(sent, redact, { ...NO_RULES, ...saved })
  return document && { ...document, answer: JSON.parse(document.answer.body ?? 'null') }
}

const BODY = {
  order: 'SO-1',
  customer: { email: 'ada@example.com', first: 'Ada', last: 'Lund', vat: { id: 'SE55' } },
  lines: [{ sku: 'TEA', note: 'for Ada' }, { sku: 'CUP' }],
}

describe('the body of a kept document', () => {
  it('keeps its bytes, with or without redacted places', () => {
    const text = '{"a" : 1.50, "b":[ ],\n"c":"\\u0041ü"}'
    expect(keep(text, {}, [])?.body).toBe(text)
    expect(keep(text, {}, ['b', 'x.y'])).toMatchObject({
      body: '{"a" : 1.50, "b":"[redacted]",\n"c":"\\u0041ü"}',
      encoding: 'utf-8',
      redacted: ['b'],
    })
  })

  it('is not kept where a place could hide in what is not JSON', () => {
    for (const body of ['{"a":', 'a=1', new Uint8Array([0x7b, 0xff, 0x7d])]) {
      expect(keep(body, {}, ['a'])).toBeNull()
    }
    expect(keep('{"a":', {}, [])?.body).toBe('{"a":')
  })

  it('is base64 if it is not UTF-8', () => {
    const body = new Uint8Array([0x7b, 0xff, 0x00, 0x7d])
    expect(keep(body, {}, [])).toMatchObject({ body: btoa('{\xff\0}'), encoding: 'base64' })
  })

  it('has hints in place of keys, also escaped and in other encodings', async () => {
    const { value, hint } = await mintKey('demo')
    const escaped = value.replace('_', '\\u005f')
    const kept = keep(`{"a":"${value}","b":"${escaped}"}`, { data: { notes: value } }, [])
    expect(kept?.body).toBe(`{"a":"${hint}","b":"${hint}"}`)
    expect(kept?.answer).toEqual({ data: { notes: hint } })
    const latin = Buffer.from(`é ${value} é`, 'latin1')
    const shown = Buffer.from(keep(latin, {}, [])?.body ?? '', 'base64')
    expect(shown.includes(value.slice(8, -4))).toBe(false)
    expect(shown.includes(Buffer.from(hint))).toBe(true)
  })
})

describe('the data of a kept answer', () => {
  const data = {
    order_number: 'SO-1',
    customer_name: 'Ada Lund',
    customer_info: { email: 'ada@example.com', vat: { id: 'SE55' } },
    metadata: { email: 'ada@example.com', kept: true },
    items: [{ sku: { sku: 'TEA' }, notes: 'for Ada' }],
  }

  it.each<[string, string[], SavedRules['fields'], object]>([
    [
      'a copied value',
      ['customer.email'],
      { 'metadata.email': 'customer.email' },
      { metadata: { email: R, kept: true } },
    ],
    [
      'a joined text',
      ['customer.last'],
      { customer_name: { join: ['customer.first', 'customer.last'] } },
      { customer_name: R },
    ],
    [
      'the first of several',
      ['customer.last'],
      { customer_name: { from: ['customer.name', 'customer.last'] } },
      { customer_name: R },
    ],
    [
      'a part of a copied object',
      ['customer.vat.id'],
      { customer_info: 'customer' },
      { customer_info: { email: 'ada@example.com', vat: { id: R } } },
    ],
    [
      'what lies below a place',
      ['customer'],
      { 'metadata.email': 'customer.email' },
      { metadata: { email: R, kept: true } },
    ],
    [
      'elements',
      ['lines[].note'],
      { 'items[].notes': 'lines[].note' },
      { items: [{ sku: { sku: 'TEA' }, notes: R }] },
    ],
    [
      'elements of an each',
      ['lines[].note'],
      { 'items[]': { each: 'lines[]' }, 'items[].notes': 'lines[].note' },
      { items: [{ sku: { sku: 'TEA' }, notes: R }] },
    ],
    [
      'one element as any',
      ['lines[1].note'],
      { 'items[].notes': 'lines[].note' },
      { items: [{ sku: { sku: 'TEA' }, notes: R }] },
    ],
    [
      'SKUs, which answers have elsewhere',
      ['lines[].sku'],
      { 'items[].sku_code': 'lines[].sku' },
      { items: [{ sku: R, notes: 'for Ada' }] },
    ],
    [
      'a filtered element',
      ['lines[].note'],
      { customer_name: "lines[?@.sku == 'TEA'].note" },
      { customer_name: R },
    ],
  ])('redacts %s', (_, redact, fields, expected) => {
    const kept = keep(BODY, { success: true, data }, redact, { inbound: rules(fields) })
    expect(kept?.answer).toEqual({ success: true, data: { ...data, ...expected } })
  })

  it('is redacted at the same place without a mapping, or if the field passes through', () => {
    const kept = keep(BODY, { data }, ['items[].notes', 'reason'])
    expect(kept?.answer.data.items).toEqual([{ sku: { sku: 'TEA' }, notes: R }])
    const cancelled = keep({ reason: 'Ada left' }, { data: { cancel_reason: 'Ada left' } }, [
      'reason',
    ])
    expect(cancelled?.answer.data).toEqual({ cancel_reason: R })
  })

  it('is followed through the outbound mapping', () => {
    const saved = {
      inbound: rules({ customer_name: 'customer.email' }),
      outbound: rules({ 'buyer.mail': 'customer_name', number: 'order_number' }),
    }
    const answer = { data: { buyer: { mail: 'ada@example.com' }, number: 'SO-1' } }
    expect(keep(BODY, answer, ['customer.email'], saved)?.answer).toEqual({
      data: { buyer: { mail: R }, number: 'SO-1' },
    })
  })

  it('keeps the digits of a field that a mapping calls "errors"', () => {
    const sent = { content_type: null, body: bytes('{"a":1}'), status: 201 }
    const answer = '{"data":{"errors":[ 1.50, 12345678901234567890 ]}}'
    expect(documentOf({ ...sent, answer }, ['a.b'], NO_RULES)?.answer.body).toBe(answer)
  })

  it('keeps its bytes elsewhere', () => {
    const sent = { content_type: null, body: bytes('{"a":1}'), status: 201 }
    const answer = '{"data":{ "a" : 1, "cost":1.50 }}'
    expect(documentOf({ ...sent, answer }, ['a'], NO_RULES)?.answer).toEqual({
      status: 201,
      body: '{"data":{ "a" : "[redacted]", "cost":1.50 }}',
    })
  })
})

describe('the messages of a kept answer', () => {
  const inbound = rules({ customer_name: 'customer.email', 'items[].sku_code': 'lines[].sku' })
  const failed = (error: object, message: string) => ({
    success: false,
    error: { code: 'VALIDATION_ERROR', message, ...error },
    detail: message,
    request_id: 'r',
  })

  it('do not tell of a field that a redacted place fills', () => {
    const answer = failed(
      {
        fields: { customer_name: ['Not ada.'], order_number: ['Exists.'] },
        source: { customer_name: 'customer.email' },
      },
      'customer.email: Not ada. (and 1 more, see fields)',
    )
    const kept = keep(BODY, answer, ['customer.email'], { inbound })
    expect(kept?.answer).toEqual(
      failed(
        {
          fields: { customer_name: [R], order_number: ['Exists.'] },
          source: { customer_name: 'customer.email' },
        },
        R,
      ),
    )
  })

  it('do not tell what a mapping found there', () => {
    const problem = {
      reason: 'UNMAPPED_VALUE',
      rule: 'customer_name',
      at: 'customer.email',
      found: '"ada…"',
    }
    const other = { reason: 'SOURCE_MISSING', rule: 'notes', at: 'remark', found: 'null' }
    const answer = failed({ problems: [problem, other] }, 'customer.email: no entry for "ada…"')
    const kept = keep(BODY, answer, ['customer.email'], { inbound })
    expect(kept?.answer).toEqual(failed({ problems: [{ ...problem, found: R }, other] }, R))
  })

  it('do not quote a redacted value, wherever they do', () => {
    const message = 'The place quotes "ada@example.com".'
    const answer = { ...failed({ fields: { other: [message, 'Is fine.'] } }, message) }
    const kept = keep(BODY, answer, ['customer.email'])
    expect(kept?.answer).toEqual(failed({ fields: { other: [R, 'Is fine.'] } }, R))
    const cut = `${'x'.repeat(60)}...`
    const long = keep({ a: 'x'.repeat(500) }, failed({}, `"${cut}" is long`), ['a'])
    expect(long?.answer.detail).toBe(R)
  })

  it('do not tell of a path that was shortened: it may have led to a redacted place', () => {
    const name = 'n'.repeat(285)
    const shown = shortened(`metadata.${name}.secret.${'n'.repeat(300)}`)
    const answer = failed({ fields: { [shown]: ['Is wrong.'] } }, `${shown}: Is wrong.`)
    const warnings = [{ field: shown, message: 'It had no effect.' }]
    const redact = [`metadata.${name}.secret`]
    const kept = keep({ metadata: { [name]: { secret: 1 } } }, { ...answer, warnings }, redact)
    expect(kept?.answer).toEqual({
      ...failed({ fields: { [R]: [R] } }, R),
      warnings: [{ field: R, message: R }],
    })
  })

  it('find short values and numbers as words only', () => {
    const warned = (message: string) => ({ data: {}, warnings: [{ field: 'x', message }] })
    const told = (message: string, value: unknown) =>
      keep({ a: value }, warned(message), ['a'])?.answer.warnings[0].message
    expect(told('Has 12 of them.', 12)).toBe(R)
    expect(told('Has 120 of them.', 12)).toBe('Has 120 of them.')
    expect(told('Order "A" is there.', 'A')).toBe(R)
    expect(told('An order is there.', 'A')).toBe('An order is there.')
    expect(told('It says "say \\"no\\"".', 'say "no"')).toBe(R)
    expect(told('Nobody reads secretive.', { deep: [{ secretive: 1 }] })).toBe(R)
  })

  it('are redacted in warnings and in the failed rows of an upload', () => {
    const upload = { stock: [{ where: 'HALL-17', sku: 'TEA' }] }
    const saved = rules({
      'inventory[].location_code': 'stock[].where',
      'inventory[].sku_code': 'stock[].sku',
    })
    const row = { row: 0, location_id: 'HALL-17', product_id: 'TEA' }
    const answer = {
      success: true,
      data: {
        failed: 1,
        errors: [{ ...row, errors: { location_code: ['No location.'], sku_code: ['Too short.'] } }],
      },
      warnings: [
        { field: 'inventory[].location_code', message: 'It is inactive.' },
        { field: 'inventory[].sku_code', message: 'Fine.' },
      ],
    }
    const kept = keep(upload, answer, ['stock[].where'], { inbound: saved })
    expect(kept?.answer).toEqual({
      success: true,
      data: {
        failed: 1,
        errors: [
          { ...row, location_id: R, errors: { location_code: [R], sku_code: ['Too short.'] } },
        ],
      },
      warnings: [
        { field: 'inventory[].location_code', message: R },
        { field: 'inventory[].sku_code', message: 'Fine.' },
      ],
    })
  })

  it('and the codes of failed rows are redacted, whatever a table has made of them', () => {
    const upload = { stock: [{ where: 'north', sku: 'tea', left: 4 }] }
    const saved = rules({
      'inventory[].location_code': { from: 'stock[].where', values: { north: 'HALL-17' } },
      'inventory[].sku_code': { from: 'stock[].sku', values: { tea: 'T-1' } },
      'inventory[].quantity': 'stock[].left',
      'inventory[].if_quantity': 'stock[].before',
    })
    const errors = { if_quantity: ['Is 7, not 5.'] }
    const data = { errors: [{ row: 0, location_id: 'HALL-17', product_id: 'T-1', errors }] }
    const rowWith = (place: string) =>
      keep(upload, { data }, [place], { inbound: saved })?.answer.data.errors[0]
    const row = data.errors[0]
    expect(rowWith('stock[].where')).toEqual({ ...row, location_id: R })
    expect(rowWith('stock[].sku')).toEqual({ ...row, product_id: R })
    const unmet = { ...row, errors: { if_quantity: [R] } }
    expect([rowWith('stock[].left'), rowWith('stock[].before')]).toEqual([unmet, unmet])
  })

  it('are redacted in little time, however many values there are', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => ({ note: `note ${at} of the order` }))
    const warnings = Array.from({ length: 100 }, (_, at) => ({
      field: `f${at}`,
      message: 'Had no effect. '.repeat(20),
    }))
    const started = performance.now()
    const kept = keep({ lines }, { data: {}, warnings }, ['lines[].note'])
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(kept?.answer.warnings[99]).toEqual({ field: R, message: R })
  })
})

describe('the answer to a CSV', () => {
  const text = 'sku;mail;menge\nA;ada@x.example;zwei\n'
  const errors = {
    'row 2, column "mail"': ['Must be shorter.'],
    'row 2, column "menge"': ['Is no integer.'],
    'row 2': ['Has too many cells.'],
  }
  const kept = (redact: string[]) => {
    const answer = JSON.stringify({ error: { fields: errors } })
    const sent = { content_type: 'text/csv', body: bytes(text), status: 422, answer }
    return JSON.parse(documentOf(sent, redact, NO_RULES)?.answer.body ?? 'null').error.fields
  }

  it('loses what is said of a redacted column, and of a row as a whole', () => {
    expect(kept(['$[].mail'])).toEqual({
      'row 2, column "mail"': [R],
      'row 2, column "menge"': ['Is no integer.'],
      'row 2': [R],
    })
  })

  it('loses what is said of a column by its number, and of all where rows are redacted', () => {
    expect(Object.values(kept(['$[]']))).toEqual([[R], [R], [R]])
    expect(kept(['$[].sku'])['row 2, column "mail"']).toEqual(['Must be shorter.'])
  })
})
