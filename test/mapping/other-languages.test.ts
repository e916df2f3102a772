import { describe, expect, it } from 'vitest'
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
})
