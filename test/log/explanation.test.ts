import { describe, expect, it } from 'vitest'
import { ApiError, brokenRule, invalid, unavailable } from '../../src/engine/errors.ts'
import { mintKey } from '../../src/engine/identity/key.ts'
import { shortened } from '../../src/engine/json/messages.ts'
import { explain, explainRows } from '../../src/engine/log/explanation.ts'
import { mappingError, type Problem } from '../../src/engine/mapping/problem.ts'

const explained = (error: ApiError, { sources = {}, rules = '' } = {}) =>
  explain(error, {
    sourceOf: (field) => (sources as Record<string, string>)[field] ?? null,
    rules: () => rules,
  })

const problem = (more: Partial<Problem>): Problem => ({
  reason: 'CONVERSION',
  rule: 'items[].quantity',
  at: 'lines[0].qty',
  expected: 'integer',
  ...more,
})

describe('the explanation of an error', () => {
  it('is its message alone, where it is about no field', () => {
    const error = new ApiError('SCOPE_MISSING', 'This API key lacks the scope x.', {
      reason: 'KEY_LACKS_SCOPE',
    })
    expect(explained(error)).toEqual({
      message: 'This API key lacks the scope x.',
      details: null,
      error_fields: null,
    })
    expect(explained(unavailable('Try again.', 'SERVER_BUSY')).message).toBe('Try again.')
  })

  it('has the fields, and names the first', () => {
    const fields = { 'items[3].quantity': ['Must be an integer.'], sku: ['Is missing.', 'Bad.'] }
    expect(explained(invalid(fields))).toEqual({
      message: 'items[3].quantity: Must be an integer. (and 1 more, see fields)',
      details: { fields },
      error_fields: '\nitems[].quantity\nsku\n',
    })
    expect(explained(brokenRule('status', 'The order is shipped.', 'ORDER_IS_FINAL')).message).toBe(
      'status: The order is shipped.',
    )
  })

  it('leads with the path in the partner’s document', () => {
    const sources = { 'items[0].quantity': 'lines[0].qty' }
    expect(explained(invalid({ 'items[0].quantity': ['Is wrong.'] }), { sources })).toEqual({
      message: 'lines[0].qty: Is wrong.',
      details: { fields: { 'items[0].quantity': ['Is wrong.'] }, source: sources },
      error_fields: '\nitems[].quantity\nlines[].qty\n',
    })
  })

  it('has the problems of a mapping, and finds them by rule and by path', () => {
    const { message, details, error_fields } = explained(
      mappingError([problem({ found: 'object' })]),
    )
    expect(message).toBe('lines[0].qty: The mapping expects an integer here, not an object.')
    expect(details).toEqual({ problems: [problem({ found: 'object' })] })
    expect(error_fields).toBe('\nlines[].qty\nitems[].quantity\n')
  })

  it.each<[string, Partial<Problem>, string]>([
    ['a text', { found: '"secret"' }, 'a string of 6 characters'],
    ['a text of one character', { found: '"x"' }, 'a string of 1 character'],
    [
      'a long text',
      { found: JSON.stringify(`${'s'.repeat(60)}...`) },
      'a string of more than 60 characters',
    ],
    ['a text with quotes', { found: '"a\\"b"' }, 'a string of 3 characters'],
    ['a number', { found: '9007199254740993' }, 'a number of 16 characters'],
    ['a boolean', { found: 'true' }, 'a boolean'],
    ['an unknown value', { reason: 'UNMAPPED_VALUE', found: '"gift"' }, 'a string of 4 characters'],
  ])('tells %s by kind and length', (_, more, found) => {
    const { message, details } = explained(mappingError([problem(more)]))
    expect(details).toEqual({ problems: [problem({ ...more, found })] })
    expect(message).toContain(found)
    expect(message).not.toContain(String(more.found))
  })

  it.each([
    'order_number',
    'items[].sku_code',
    'inventory[].location_code',
    'items[0].sku_code',
    'inventory[].sku_code',
    'sku',
    'code',
    'status',
  ])('keeps the value of %s, which is a name', (rule) => {
    const { details } = explained(mappingError([problem({ rule, found: '"S-1"' })]))
    expect(details).toEqual({ problems: [problem({ rule, found: '"S-1"' })] })
  })

  it.each(['metadata.code', 'metadata.status', 'custom_fields.sku', 'items[].notes'])(
    'hides the value of %s, which may be anything',
    (rule) => {
      const { details } = explained(mappingError([problem({ rule, found: '"4711"' })]))
      expect(details).toEqual({
        problems: [problem({ rule, found: 'a string of 4 characters' })],
      })
    },
  )

  it('hides the last key of a path that was shortened, of which too little may be left', () => {
    const path = `metadata.${`${'n'.repeat(60)}.`.repeat(4)}`
    const shown = shortened(`${path}${'secret'.repeat(20)}`)
    const { message, details, error_fields } = explained(invalid({ [shown]: ['Is wrong.'] }))
    expect(details).toEqual({ fields: { [`${path.slice(0, -1)}['…']`]: ['Is wrong.'] } })
    expect(JSON.stringify([message, error_fields])).not.toContain('secret')
  })

  it('keeps the length of an array that is in the way', () => {
    const conflict = { reason: 'TARGET_CONFLICT', expected: 'object', found: 'array of 3' } as const
    expect(explained(mappingError([problem(conflict)])).message).toContain('not array of 3.')
  })

  it.each([
    ['metadata.ann@example', "metadata['…']"],
    ["metadata['Ann Smith'].age", "metadata['…'].age"],
    [`metadata.${'k'.repeat(65)}`, "metadata['…']"],
    [`metadata.${'k'.repeat(64)}`, `metadata.${'k'.repeat(64)}`],
    ["['a b'][0].c", "['…'][0].c"],
    ['not a path [', "['…']"],
  ])('writes the path %s as %s', (at, shown) => {
    const { message, details } = explained(mappingError([problem({ at, found: 'object' })]))
    expect(details).toEqual({ problems: [problem({ at: shown, found: 'object' })] })
    expect(message?.startsWith(`${shown}: `)).toBe(true)
  })

  it('keeps a key that a rule names', () => {
    const at = "['Order Lines'][0].qty"
    const rules = JSON.stringify({ fields: { 'items[].quantity': "['Order Lines'][].qty" } })
    const { details } = explained(mappingError([problem({ at, found: 'object' })]), { rules })
    expect(details).toEqual({ problems: [problem({ at, found: 'object' })] })
  })

  it('holds no API key', async () => {
    const { value, hint } = await mintKey('demo')
    const { message, details, error_fields } = explained(invalid({ [value]: [`Is ${value}.`] }))
    const text = JSON.stringify([message, details, error_fields])
    expect(text).not.toContain(value)
    expect(text).toContain(hint)
  })

  it('has at most 1,000 characters of message and 4,096 bytes of details, and says how many there were', () => {
    const many = Array.from({ length: 300 }, (_, n) => [`items[${n}].notes`, ['ä'.repeat(400)]])
    const { message, details, error_fields } = explained(invalid(Object.fromEntries(many)))
    expect(message?.length).toBeLessThanOrEqual(1000)
    expect(new TextEncoder().encode(JSON.stringify(details)).length).toBeLessThanOrEqual(4096)
    expect(details).toMatchObject({ truncated: true, total: 300 })
    expect(Object.keys(details?.fields as object).length).toBeGreaterThan(2)
    expect(error_fields?.length).toBeLessThanOrEqual(1100)
  })

  it('has nothing but the number where not even one entry fits', () => {
    const { details } = explained(invalid({ notes: ['x'.repeat(5000)] }))
    expect(details).toEqual({ fields: {}, truncated: true, total: 1 })
  })
})

describe('the explanation of an upload', () => {
  it('has the first 20 rows that failed, and how many did', () => {
    const rows = Array.from({ length: 30 }, (_, row) => ({ row, errors: { quantity: ['Bad.'] } }))
    expect(explainRows(3000, 5000, rows)).toEqual({
      message: '3000 of 5000 rows failed.',
      details: { errors: rows.slice(0, 20), truncated: true, total: 3000 },
      error_fields: '\ninventory[].quantity\n',
    })
    expect(explainRows(2, 2, rows.slice(0, 2)).details).toEqual({ errors: rows.slice(0, 2) })
  })
})
