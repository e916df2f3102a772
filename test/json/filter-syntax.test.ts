import { describe, expect, it } from 'vitest'
import { parsePath } from '../../src/engine/json/path.ts'
import { holds, refusal, taken } from './filters.ts'

// As filter.test.ts, mostly after the JSONPath Compliance Test Suite (BSD 2-Clause).

const SPACES = [' ', '\n', '\t', '\r', ' \r\n\t ']

describe('white space in a filter', () => {
  const CONDITIONS = [
    ...['_@.a', '_(@.a)', '(@.a)_', '(_@.a_)', '@.a_||@.b', '@.a||_@.b', '@.a_&&@.a', '@.a&&_@.a'],
    ...['@.a_==1', '@.a==_1', '@.a_!=2', '@.a!=_2', '@.a_<2', '@.a<_2', '@.a_>0', '@.a>_0'],
    ...['@.a_<=1', '@.a<=_1', '@.a_>=1', '@.a>=_1', '!_@.b', '!_(@.a==2)', '_@_.a_'],
    ...["@[_'a'_]", '@_.c_.d', "@_['c']_['d']", 'length(_@.t_) == 2', 'length(@_.c_.t) == 2'],
  ]
  const element = { a: 1, t: 'xy', c: { d: 0, t: 'xy' } }

  it.each(CONDITIONS)('is passed over: %s', (condition) => {
    for (const space of SPACES) {
      expect(holds(condition.replaceAll('_', space), element)).toBe(true)
      expect(holds(condition.replaceAll('_', ''), element)).toBe(true)
    }
  })

  it('is passed over between the bracket and the question mark', () => {
    for (const space of SPACES) {
      const path = parsePath(`a[${space}?@.b].c`, { isSource: true })
      expect(path).toHaveLength(3)
    }
  })

  it.each([
    ['length (@.a)==1', 'is missing before "length (@.a)'],
    ["@[ 'a']==1", 'a compared path has white space within its [ ]'],
    ['@[0 ]==1', 'a compared path has white space within its [ ]'],
    ['@. a', 'a name is missing before " a]'],
    ['@.a = = 1', '"==" compares: write it in place of "="'],
    ['@.a & & @.b', '"]" is missing before "& & @.b'],
    ['@.a==- 1', 'is missing before "- 1'],
    ['@.a==1\u00a0', '"]" is missing before "\u00a0]'],
  ])('is refused where the standard has none: %s', (condition, words) => {
    expect(refusal(`a[?${condition}].b`)).toContain(words)
  })
})

describe('a text in quotes', () => {
  it.each([
    [`"quoted' literal"`, "quoted' literal"],
    [`'quoted" literal'`, 'quoted" literal'],
    [`'quoted\\' literal'`, "quoted' literal"],
    [`"quoted\\" literal"`, 'quoted" literal'],
    [`'\\\\'`, '\\'],
    [`"\\/"`, '/'],
    [`"\\b\\f\\n\\r\\t"`, '\b\f\n\r\t'],
    [`'\\u263A'`, '☺'],
    [`'\\u263a'`, '☺'],
    [`"\\uD834\\uDD1E"`, '𝄞'],
    [`"\\uD83D\\uDE00"`, '😀'],
    [`"\\uD7FF\\uE000"`, '\uD7FF\uE000'],
    [`"𝄞"`, '𝄞'],
    [`' '`, ' '],
    [`'\u007f'`, '\u007f'],
    [`']'`, ']'],
    [`'[?@.a]'`, '[?@.a]'],
    [`''`, ''],
  ])('%s is read as %j, as a value and as a name', (text, value) => {
    expect(taken(`@ == ${text}`, [value, `${value}x`, text])).toEqual([value])
    expect(holds(`@[${text}]`, { [value]: 1 })).toBe(true)
    expect(holds(`@[${text}]`, { other: 1 })).toBe(false)
  })

  it.each([
    [`"\\'"`, `"\\'" is not an escape`],
    [`'\\"'`, `"\\"" is not an escape`],
    ['"\\?"', '"\\?" is not an escape'],
    ['"\\a"', '"\\a" is not an escape'],
    ['"\\v"', '"\\v" is not an escape'],
    ['"\\0"', '"\\0" is not an escape'],
    ['"\\x12"', '"\\x" is not an escape'],
    ['"\\N{LATIN}"', '"\\N" is not an escape'],
    ['"\\U1234"', '"\\U" is not an escape'],
    ['"\\\n"', '"\\\n" is not an escape'],
    ['"\\u"', '"\\u" needs four hexadecimal digits'],
    ['"\\u123"', '"\\u" needs four hexadecimal digits'],
    ['"\\u+1234"', '"\\u" needs four hexadecimal digits'],
    ['"\\u{1234}"', '"\\u" needs four hexadecimal digits'],
    ['"\\uD800"', 'half a surrogate pair is missing'],
    ['"\\uDC00"', 'half a surrogate pair is missing'],
    ['"\\uD800\\uD800"', 'half a surrogate pair is missing'],
    ['"\\uDC00\\uDC00"', 'half a surrogate pair is missing'],
    ['"\\uD800\\u1234"', 'half a surrogate pair is missing'],
    ['"\\u1234\\uDC00"', 'half a surrogate pair is missing'],
    ['"\\uD800𝄞"', 'half a surrogate pair is missing'],
    ['"\\uD800\\uDC0"', '"\\u" needs four hexadecimal digits'],
    ['"""', '"]" is missing'],
    ['"\\"', 'a closing quote is missing'],
    ["'a", 'a closing quote is missing'],
    ['\u201Ca\u201D', 'needs straight quotes'],
  ])('%s is refused', (text, words) => {
    expect(refusal(`a[?@.b == ${text}].c`)).toContain(words)
  })

  it.each(Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)))(
    'has no control character %j',
    (char) => {
      for (const text of [`"${char}"`, `'${char}'`])
        expect(refusal(`a[?@ == ${text}].c`)).toContain('a text in quotes has a control character')
    },
  )
})

describe('what RFC 9535 has and a mapping has not', () => {
  it.each([
    ["match(@.a, 'a.*')", 'the function match()'],
    ["!search(@.a, 'a.*')", 'the function search()'],
    ['count(@.*)==1', 'the function count()'],
    ['value(@.a)==4', 'the function value()'],
    ['length(value(@.a))>0', 'the function value()'],
    ['@[?@>1]', 'a filter within a filter'],
    ['@[ ?@>1]', 'a filter within a filter'],
    ['$', '"$" within a filter'],
    ['$.a.b', '"$" within a filter'],
    ['@.a == $.b', '"$" within a filter'],
    ['length($[0].a) == 1', '"$" within a filter'],
    ['@.*', '"*" within a filter'],
    ['@[*]==0', '"*" within a filter'],
    ['length(@.*)<3', '"*" within a filter'],
    ['@[0:2]', 'a slice [:] within a filter'],
    ['@[:2]==0', 'a slice [:] within a filter'],
    ['@[ 1 : ]', 'a slice [:] within a filter'],
    ['@[::2]', 'a slice [:] within a filter'],
    ['@..a==0', '".."'],
    ['@.a ..b', '".."'],
    ["@['a', 'b']", 'several selectors in one [ ]'],
    ['@[0, 0]==42', 'several selectors in one [ ]'],
    ['@.a,?@.b', 'several selectors in one [ ]'],
    ['@.a,1', 'several selectors in one [ ]'],
    ['@.a , *', 'several selectors in one [ ]'],
  ])('is refused by its name: %s', (condition, what) => {
    const message = `has a filter that cannot be read: ${what} of RFC 9535 cannot be used in a mapping`
    expect(refusal(`a[?${condition}].b`)).toBe(message)
  })

  it('is refused at the place of a step too', () => {
    expect(refusal("a[1, ?@.a=='b'].b")).toContain('there are no lists of selectors')
    expect(refusal("a[?@.z].b['x','y']")).toContain('there are no lists of selectors')
    expect(refusal('$..[?@.a]')).toContain('".." searches at every depth')
  })
})

describe('what RFC 9535 calls invalid', () => {
  const NO_COMPARABLE = 'length() is missing before'

  it.each([
    ...['+1', '- 1', '--1', '.1', '-.1'].map((number) => [`@.a==${number}`, NO_COMPARABLE]),
    ...['00', '01', '-01', '1.', '1.-1', '1.e1', '1e', '1e-', '1eE1', '1e--1', '1e+-1'].map(
      (number) => [`@.a==${number}`, '"]" is missing before'],
    ),
    ...['1e2.3', '1e2e3', '0x10', '1_000'].map((number) => [`@.a==${number}`, '"]" is missing']),
    ...['true', 'false', 'null', "'abc'", '2', '2.2', 'true && false', 'true || false'].map(
      (literal) => [literal, 'a comparison is missing'],
    ),
    ['true == false && false', 'a comparison is missing'],
    ['false || true == false', 'a comparison is missing'],
    ['length(@.a)', 'a comparison is missing'],
    ['!length(@.a)', 'a comparison is missing'],
    ['@==True', 'True is written true'],
    ['@==NULL', 'NULL is written null'],
    ['@==nullx', 'write "@.nullx"'],
    ['@==undefined', 'write "@.undefined"'],
    ['length()==1', NO_COMPARABLE],
    ['length(@.a,@.b)==1', '")" is missing before ",@.b)'],
    ['length(@.a==1)==1', '")" is missing before "==1)'],
    ['lower(@.a)==1', 'there is no function lower()'],
    ['', NO_COMPARABLE],
    ['()', NO_COMPARABLE],
    ['(@.a', '")" is missing'],
    ['@.a)', '"]" is missing'],
    ['@.a &&', NO_COMPARABLE],
    ['&& @.a', NO_COMPARABLE],
    ['@.a == 1 == 1', '"]" is missing'],
    ['!@.a == 1', '"!" before a comparison needs parentheses: !(...)'],
    ['!!@.a', NO_COMPARABLE],
    ['(@.a) == 1', '"]" is missing'],
    ['@.a == (1)', NO_COMPARABLE],
    ['@.a = 1', '"==" compares: write it in place of "="'],
    ['@.a === 1', NO_COMPARABLE],
    ['@.a <> 1', NO_COMPARABLE],
    ['@.a =~ /x/', 'regular expressions cannot be used: compare with =='],
    ['@.a and @.b', '"]" is missing'],
    ['@.', 'a name is missing'],
    ['@.1', 'a name is missing'],
    ['@.a-b', '"]" is missing before "-b'],
    ['@a', '"]" is missing before "a'],
    ['@[]', 'a name in quotes or an index is missing'],
    ['@[a]', 'a name in quotes or an index is missing'],
    ['@[01]', '"]" is missing'],
    ['@[-0]', '-0 is not an index'],
    ['@[9007199254740992]', '9007199254740992 is not an index'],
    ['@[1.0]', '"]" is missing'],
    ["@['a'", '"]" is missing'],
  ])('is refused: %s', (condition, words) => {
    const message = refusal(`a[?${condition}].b`)
    expect(message).toMatch(/^has a filter that cannot be read: /)
    expect(message).toContain(words)
    expect(message).not.toContain('of RFC 9535')
  })

  it('says that a field of the element begins with @', () => {
    expect(refusal("a[?kind == 'x'].b")).toContain('write "@.kind"')
    expect(refusal('a[?@.b && !hidden].b')).toContain('write "@.hidden"')
    expect(refusal('a[?length(sku) > 0].b')).toContain('write "@.sku"')
  })

  it.each(['a[?@.b', 'a[?', 'a[?@.b == "]', 'a[?@.b].c]'])('is refused: %s', (source) => {
    expect(refusal(source)).toMatch(/^(has a filter that cannot be read|is not a path)/)
  })
})

describe('the bounds of a filter', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}@.a${')'.repeat(depth)}`

  it('are 16 parentheses in each other', () => {
    expect(holds(nested(16), { a: 1 })).toBe(true)
    expect(refusal(`a[?${nested(17)}]`)).toContain('more than 16 parentheses in each other')
  })

  it('are 16 functions in each other', () => {
    const lengths = (depth: number) => `${'length('.repeat(depth)}@${')'.repeat(depth)} == 1`
    expect(holds(lengths(16), 'x')).toBe(false)
    expect(refusal(`a[?${lengths(17)}]`)).toContain('too many functions are in each other')
  })

  it('are 3 filters in a path, and 256 characters', () => {
    expect(refusal('a[?@.b][?@.c][?@.d][?@.e]')).toBe('has more than 3 filters')
    expect(refusal(`a[?@.b == '${'x'.repeat(250)}']`)).toBe('is longer than 256 characters')
  })

  it('are sources: a target has none', () => {
    expect(() => parsePath('a[?@.b].c')).toThrow('has a filter: only a source may have one')
  })
})
