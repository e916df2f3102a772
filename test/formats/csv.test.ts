import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { parseCsv, parseNamedCsv, separatorOf } from '../../src/engine/formats/csv.ts'
import { readForm } from '../../src/engine/formats/form.ts'
import { parseDocument } from '../../src/engine/formats/format.ts'
import { fieldOfAnyElement, withoutKeys } from '../../src/engine/log/values.ts'
import { byDepth } from '../fixtures/depth.ts'

const rowsOf = (text: string) => parseCsv(text)

describe('a CSV body', () => {
  it.each([
    ['a;b\n1;2\n3;4', [2, 3]],
    ['a;b\n\n1;2\n \n3;4\n', [3, 5]],
    ['a;b\r\n"1\r\n1";2\r\n3;4', [2, 3]],
    ['a;b', []],
  ])('numbers its rows as a spreadsheet does: %j', (text, numbers) => {
    expect(parseNamedCsv(text).numbers).toEqual(numbers)
  })

  it.each<[what: string, text: string, rows: object[]]>([
    ['commas', 'sku,qty\nA,1\nB,2\n', [row('A', '1'), row('B', '2')]],
    ['semicolons, where commas stand in cells', 'sku;qty\nA;1,5\n', [row('A', '1,5')]],
    ['tabs', 'sku\tqty\nA;x\t1,5\n', [row('A;x', '1,5')]],
    ['one column', 'sku\nA\nB', [{ sku: 'A' }, { sku: 'B' }]],
    ['quotes', 'sku,qty\n"A, ""x""\ny",1', [row('A, "x"\ny', '1')]],
    ['a quote inside a cell without quotes', 'sku,qty\n3/4" nut,1', [row('3/4" nut', '1')]],
    ['a separator within a quoted name', '"a,b;c";qty\n1;2', [{ 'a,b;c': '1', qty: '2' }]],
    ['carriage returns', 'sku,qty\r\nA,1\r\n\r\nB,2\r\n', [row('A', '1'), row('B', '2')]],
    ['carriage returns alone', 'sku,qty\rA,1\rB,2', [row('A', '1'), row('B', '2')]],
    ['a line feed in a name', '"s\nk",qty\r\nA,1\r\n', [{ 's\nk': 'A', qty: '1' }]],
    ['short rows', 'sku,qty\nA\n', [row('A', '')]],
    ['separators at the ends of all rows', 'sku;qty;\nA;1;\n', [row('A', '1')]],
    ['too many empty cells', 'sku;qty\nA;1;;\n', [row('A', '1')]],
    ['numbers as texts', 'sku,qty\n007,1.50', [row('007', '1.50')]],
    ['a formula as a text', 'sku,qty\n"=1+1",@x', [row('=1+1', '@x')]],
    [
      'a member that objects have',
      '__proto__,qty\nA,1',
      [JSON.parse('{"__proto__":"A","qty":"1"}')],
    ],
    ['no rows', 'sku,qty\n', []],
  ])('may have %s', (_, text, rows) => {
    expect(rowsOf(text)).toEqual(rows)
  })

  it.each<[what: string, text: string, message: string]>([
    ['nothing', '', 'The body has no row with the names of its columns.'],
    ['JSON', '{"a": 1}', 'The body looks like JSON, and its Content-Type says CSV'],
    ['JSON in lines', '[\n{"a": 1}]', 'The body looks like JSON, and its Content-Type says CSV'],
    ['no names', ';;\n1;2;3', 'The body has no row with the names of its columns.'],
    ['white space', ' ', 'The body has no row with the names of its columns.'],
    [
      'a row with more cells than names',
      'sku,qty\nA,1\nB,1,2',
      'Row 3 has 3 cells, and row 1 names 2 columns: put a text with commas in quotes.',
    ],
    ['a name twice', 'sku,sku\nA,1', 'Row 1 has the column "sku" twice: name each once.'],
    [
      'a column without a name',
      'sku,,qty\nA,,1\nB,x,2',
      'Row 1, column 2 has no name, but row 3 has a value there.',
    ],
    [
      'a quote that never ends',
      'sku,qty\nA,1\n"B,2\n',
      'Row 3: a quote is not closed, or stands where none may.',
    ],
    ['NUL', 'sku\n\0', 'The body has a NUL character, so it is no CSV.'],
  ])('is refused with %s', (_, text, message) => {
    expect(() => rowsOf(text)).toThrow(message)
  })

  it('is refused with more cells than a body may have values, before it is read', () => {
    expect(() => rowsOf(`a${',a'.repeat(1_000_000)}`)).toThrow('more than 1000000 cells')
  })

  it('is refused with more quotes than its cells may need, before it is read', () => {
    expect(() => rowsOf(`a\n"${'""'.repeat(1_000_000)}"`)).toThrow('more than 2000000 quotes')
  })

  it.each([
    ['"a;b";c,d,e', ','],
    ['"a;;;', ';'],
    ['x"y;z;"q,', ','],
    ['a\tb\n;;;', '\t'],
    ['', ','],
  ])('of the first row %j has the separator %j', (text, separator) => {
    expect(separatorOf(text)).toBe(separator)
  })

  it('tells its separator without copies of the text', () => {
    const text = ','.repeat(10 * 1024 * 1024)
    const before = process.memoryUsage().heapUsed
    expect(separatorOf(text)).toBe(',')
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000)
  })

  it('is refused with short rows that would have too many cells in all columns', () => {
    expect(() => rowsOf(`${columns(400_000)}\n${'x\n'.repeat(400_000)}`)).toThrow(
      'more than 1000000 cells',
    )
  })

  it('may have very many columns', () => {
    expect(Object.keys(rowsOf(`${columns(400_000)}\nx`)[0] ?? {})).toHaveLength(400_000)
  })

  it('is the table that was written', () => {
    const cell = fc.string({ unit: fc.constantFrom(...'ab1 ,;\t"\n\'=é€') })
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z ,;"]{0,5}[a-z]$/), {
      minLength: 2,
      maxLength: 5,
    })
    const tables = names.chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        rows: fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length })),
        delimiter: fc.constantFrom(',', ';', '\t'),
        newline: fc.constantFrom('\n', '\r\n'),
      }),
    )
    fc.assert(
      fc.property(tables, ({ columns, rows, delimiter, newline }) => {
        const text = Papa.unparse([columns, ...rows], { delimiter, newline, quotes: true })
        const expected = rows.map((cells) =>
          Object.fromEntries(columns.map((name, column) => [name, cells[column]])),
        )
        expect(rowsOf(text)).toEqual(expected)
      }),
      { numRuns: byDepth(200, 3000) },
    )
  })
})

const columns = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`).join(',')

function row(sku: string, qty: string) {
  return { sku, qty }
}

describe('a quote within the name of a column', () => {
  it.each([
    ['a;b"\r1;"2\n3"\r', '2\n3'],
    ['a;5" x\n1;2\n', '2'],
  ])('is a quote, and ends no line: %j', (text, second) => {
    const [row] = parseCsv(text) as Record<string, string>[]
    expect(Object.values(row ?? {})).toEqual(['1', second])
  })
})

const placesIn = (text: string, type = 'text/csv', formats = {}) => {
  const { placeOf } = parseDocument(new TextEncoder().encode(text), type, { formats })
  return (path: string) => placeOf?.(path)
}

describe('a place in a CSV', () => {
  it.each([
    ['$[0].sku', 'row 2, column "sku"'],
    ["$[1]['a, b']", 'row 5, column "a, b"'],
    ['$[1]', 'row 5'],
    ['$[-1].sku', 'row 5, column "sku"'],
    ["$header['X-A']", "$header['X-A']"],
    ['$[].sku', '$[].sku'],
    ['$[0', '$[0'],
    ['inventory[0].sku_code', 'inventory[0].sku_code'],
  ])('is for %s: %s', (path, told) => {
    expect(placesIn('sku,"a, b"\nA,1\n\n\nB,2\n')(path)).toBe(told)
  })

  it('is a number where no row names the columns', () => {
    const formats = { csv: { header: false } }
    expect(placesIn('A;1\n\nB;2', 'text/csv', formats)('$[1][0]')).toBe('row 3, column 1')
  })

  it('is the path in any other document', () => {
    expect(placesIn('[{"sku":1}]', 'application/json')('$[0].sku')).toBeUndefined()
    expect(placesIn('<a/>', 'text/xml')('a')).toBeUndefined()
  })
})

describe('a cell in the audit log', () => {
  const rules = () => '{"from":"$[].Menge am Lager"}'

  it.each([
    ['row 3, column "Menge"', 'row 3, column "Menge"', '$[].Menge'],
    ['row 3, column "Menge am Lager"', 'row 3, column "Menge am Lager"', "$[]['Menge am Lager']"],
    ['row 3, column "ada@example.com"', 'row 3, column "…"', "$[]['ada@example.com']"],
    ['row 3, column "w 3"', 'row 3, column "…"', "$[]['w 3']"],
    ['row 3, column "say "hi""', 'row 3, column "…"', '$[][\'say "hi"\']'],
    ['row 3, column "a", row 4, column "b"', "['…']", 'row 3, column "a", row 4, column "b"'],
    ['row 3, column 2', 'row 3, column 2', '$[]'],
    ['row 3', 'row 3', '$[]'],
  ])('keeps its row, and its column unless that may be a value: %s', (place, kept, field) => {
    expect(withoutKeys(place, rules)).toBe(kept)
    expect(fieldOfAnyElement(place)).toBe(field)
  })
})

const read = (text: string, charset = 'utf-8') =>
  readForm(new TextEncoder().encode(text), charset).value

describe('a form', () => {
  it.each<[what: string, text: string, members: object]>([
    ['texts', 'no=A-1&name=Ada+L%C3%B6we', { no: 'A-1', name: 'Ada Löwe' }],
    ['a name several times', 'sku=A&qty=1&sku=B', { sku: ['A', 'B'], qty: '1' }],
    ['brackets, which stay in the name', 'a%5Bb%5D=1&a[c]=2', { 'a[b]': '1', 'a[c]': '2' }],
    ['no value', 'a&b=&=c', { a: '', b: '', '': 'c' }],
    ['an equals sign in a value', 'a=b=c', { a: 'b=c' }],
    ['empty parts', '&&a=1&', { a: '1' }],
    ['a member that objects have', '__proto__=x', JSON.parse('{"__proto__":"x"}')],
    ['nothing', '', {}],
  ])('may have %s', (_, text, members) => {
    expect(read(text)).toEqual(members)
  })

  it('is read in its charset', () => {
    expect(read('name=L%F6we', 'windows-1252')).toEqual({ name: 'Löwe' })
    expect(() => read('name=L%F6we')).toThrow('The body is not in utf-8.')
  })

  it.each([
    [
      'a=1&b=50%',
      'The member "b" has a % without two hexadecimal digits: write %25 for a percent sign.',
    ],
    ['a=%zz', 'The member "a" has a %'],
    ['%4=1', 'The name of a member has a %'],
  ])('is refused as %s', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it('is refused with too many members', () => {
    expect(() => read('a&'.repeat(100_001))).toThrow('more than 100000 members')
  })

  it('is read as URLSearchParams reads it', () => {
    const pairs = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
    )
    fc.assert(
      fc.property(pairs, (sent) => {
        const written = new URLSearchParams(sent)
        const members = Object.fromEntries(
          [...new Set(written.keys())].map((name) => {
            const values = written.getAll(name)
            return [name, values.length === 1 ? values[0] : values]
          }),
        )
        expect(read(written.toString())).toEqual(members)
      }),
      { numRuns: byDepth(200, 3000) },
    )
  })
})
