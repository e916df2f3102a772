import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { parseCsv, parseNamedCsv, separatorOf } from '../../src/engine/formats/csv.ts'
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
