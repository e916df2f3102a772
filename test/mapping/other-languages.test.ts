import { describe, expect, it } from 'vitest'
import { map } from '../fixtures/mapped.ts'
import { words } from './saved.ts'

const JOIN = 'to put texts together write {"join": ["a", "b"]}'
const TEMPLATE = 'templates are not evaluated: write the path alone, or {"join": [...]} for several'
const FIRST = 'for the first that has a value write {"from": ["a", "b"]}'
const FUNCTION = 'there are no functions: write "as", "values" or "default" beside the path'
const REGEX = 'regular expressions cannot be used: compare with =='

describe('a source in another language', () => {
  it.each([
    ['a + b', JOIN],
    ['a & b', JOIN],
    ["a + ' ' + b", JOIN],
    ['{{a}}', TEMPLATE],
    ['$'.concat('{a}'), TEMPLATE],
    ['<%= a %>', TEMPLATE],
    ['{{ a | upcase }}', 'write the path alone, and "as", "values" or "default" beside it'],
    ['a | upcase', FUNCTION],
    ['upper(a)', FUNCTION],
    ['$.a.length()', FUNCTION],
    ['concat(a, b)', FUNCTION],
    ['a ?? b', FIRST],
    ['a || b', FIRST],
    ['a ? b : c', 'there are no conditions: write {"from": "a", "values": {...}}'],
    ['$.x[?(@.y =~ /z/)]', REGEX],
    ['.order.number', 'without the first dot: write "order.number"'],
    ['.lines[].sku', 'without the first dot: write "lines[].sku"'],
    ['/order/number', 'is a JSON pointer: write "order.number". A field of this name is'],
    ['#/order/number', 'is a JSON pointer: write "order.number".'],
    ['/lines/0/sku', 'write "lines[0].sku"'],
    ['/ship to/a~1b~0c', `write "['ship to'].a/b~c"`],
    ["/it's", "A field of this name is \"['/it\\'s']\"."],
    ['$..a', '".." searches at every depth: write each name on the way'],
    ['a..b', '".." searches at every depth: write each name on the way'],
    ['a[0:2]', 'there are no slices: write one index, or [] for all'],
    ['a[:1]', 'there are no slices: write one index, or [] for all'],
    ['a[1,2]', 'there are no lists of selectors: write one path each'],
    ["a['x','y']", 'there are no lists of selectors: write one path each'],
    ["a[?@.b == 'x' || c]", 'a field of the element begins with "@.": write "@.c"'],
    ['a[?@.b = 1]', '"==" compares: write it in place of "="'],
    ['a b', "write a.b, a[0], a[] or a['any key']"],
  ])('%s is refused when saved, with what to write here', (source, advice) => {
    expect(words({ notes: source }).notes).toContain(advice)
    expect(words({ notes: { from: ['x', source] } }).notes).toContain(advice)
    expect(words({ notes: { join: ['x', source] } }).notes).toContain(advice)
  })

  it('is refused in an each, and as a target', () => {
    const advice = 'is a JSON pointer: write "lines'
    expect(words({ 'items[]': { each: '/lines' } })['items[]']).toContain(advice)
    expect(words({ '/items/0/sku_code': 'a' })['/items/0/sku_code']).toContain(
      '"items[0].sku_code"',
    )
  })

  it.each([
    [{ join: ['x', { pair: ['label', '/lines/0'] }] }, 'write "lines[0]"'],
    [{ from: 'x', as: 'integer', less: ['/gone'] }, 'write "gone"'],
    [{ from: 'x', as: 'integer', times: '/pack' }, 'write "pack"'],
  ])('is refused in any member of a rule: %j', (rule, advice) => {
    expect(words({ notes: rule }).notes).toContain(advice)
  })

  it('is taken where its name is quoted, and goes on where it is saved already', () => {
    expect(words({ notes: "['/order/number']" })).toEqual({})
    const { value } = map({ notes: '/order/number' }, { '/order/number': 'x' })
    expect(value).toEqual({ notes: 'x' })
  })
})
