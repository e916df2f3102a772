import { describe, expect, it } from 'vitest'
import { faultsOf } from '../../src/dashboard/requests/faults.ts'
import { markedParts } from '../../src/dashboard/requests/marks.ts'

const fault = (at: string, ...messages: string[]) => ({ at, messages })

/** What is marked, with its messages. */
function marksOf(text: string, ...faults: ReturnType<typeof fault>[]) {
  return marksIn(null, text, ...faults)
}

function marksIn(type: string | null, text: string, ...faults: ReturnType<typeof fault>[]) {
  const { parts, unplaced } = markedParts(text, faults, type)
  expect(parts.map((part) => part.text).join('')).toBe(text)
  const marks = parts
    .filter((part) => part.faults.length > 0)
    .map((part) => [part.text, part.faults.flatMap(({ messages }) => messages).join(' ')])
  return { marks, unplaced: unplaced.map(({ at }) => at) }
}

describe('the faults in a document', () => {
  const text = '{"number":"A","lines":[{"qty":"two"},{"sku":""}],"ship to":{"e@mail":1}}'

  it('are at their values, in the order of the text', () => {
    const faults = [
      fault('lines[1].sku', 'Is empty.'),
      fault('lines[0].qty', 'No number.'),
      fault("['ship to']['e@mail']", 'No text.'),
    ]
    expect(marksOf(text, ...faults)).toEqual({
      marks: [
        ['"two"', 'No number.'],
        ['""', 'Is empty.'],
        ['1', 'No text.'],
      ],
      unplaced: [],
    })
  })

  it('are at the beginning of what lacks them, and together where they are at one place', () => {
    const faults = [fault('lines[1].qty', 'Missing.'), fault('lines[1].a.b', 'Missing, too.')]
    expect(marksOf(text, ...faults).marks).toEqual([
      ['{', 'lines[1].qty: Missing. lines[1].a.b: Missing, too.'],
    ])
  })

  it('are at the beginning of the document where nothing of their path is in it', () => {
    expect(marksOf(text, fault('header.id', 'Missing.')).marks).toEqual([
      ['{', 'header.id: Missing.'],
    ])
    expect(marksOf('[]', fault('$[0].id', 'Missing.')).marks).toEqual([['[', '$[0].id: Missing.']])
  })

  it('are at each source of a joined text', () => {
    const { marks } = marksOf(text, fault('number, lines[0].qty', 'Too long.'))
    expect(marks).toEqual([
      ['"A"', 'Too long.'],
      ['"two"', 'Too long.'],
    ])
  })

  it('are without a place where they are about a header, which is not in the document', () => {
    const faults = [fault("$header['X-Shop-Domain']", 'Missing.')]
    expect(marksOf(text, ...faults)).toEqual({ marks: [], unplaced: ["$header['X-Shop-Domain']"] })
    const joined = fault("number, $query['a']", 'Too long.')
    expect(marksOf(text, joined).marks).toEqual([['"A"', 'Too long.']])
  })

  it('are without a place where the path cannot be read, or the text is no JSON', () => {
    expect(marksOf(text, fault('', 'a'), fault('a[', 'b')).unplaced).toEqual(['', 'a['])
    expect(marksOf('{"a":', fault('a', 'b'))).toEqual({ marks: [], unplaced: ['a'] })
  })

  it('mark only the beginning of a long value', () => {
    const long = JSON.stringify({ notes: 'x'.repeat(300) })
    expect(marksOf(long, fault('notes', 'Too long.')).marks).toEqual([['"', 'Too long.']])
  })

  it('are shown with what is around them, if the document is long', () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => `{"n":${n}}`).join(',\n')
    const { parts } = markedParts(`[${rows}]`, [fault('$[9000].n', 'a'), fault('$[9001].n', 'b')])
    const shown = parts.map(({ text: part }) => part).join('')
    expect(shown.length).toBeLessThan(10_000)
    expect(shown).toContain('{"n":9000},\n{"n":9001}')
    expect(shown.split('⋯')).toHaveLength(3)
  })

  it('leave the beginning of a long document without one', () => {
    const { parts } = markedParts(`"${'x'.repeat(300_000)}"`, [])
    expect(parts[0]?.text).toMatch(/^"x{1999}\n⋯\n$/)
  })
})

describe('the faults that the log keeps', () => {
  it('are by the partner’s path, or ours without a mapping', () => {
    const details = {
      fields: { 'items[0].quantity': ['No.', 'Never.'], notes: ['Long.'] },
      source: { 'items[0].quantity': 'lines[0].qty' },
    }
    expect(faultsOf(details)).toEqual([
      fault('lines[0].qty', 'No.', 'Never.'),
      fault('notes', 'Long.'),
    ])
  })

  it('are those of a mapping', () => {
    const problems = [{ reason: 'SOURCE_MISSING', rule: 'x', at: 'a.b' }]
    expect(faultsOf({ problems })).toEqual([
      fault('a.b', 'Is missing, and the mapping requires it.'),
    ])
  })

  it('are those of the rows of an upload', () => {
    const errors = [
      { row: 3, errors: { quantity: ['No.'] } },
      { row: 5, errors: { sku_code: ['Unknown.'] }, source: { sku_code: 's[5].k' } },
    ]
    expect(faultsOf({ errors })).toEqual([
      fault('inventory[3].quantity', 'No.'),
      fault('s[5].k', 'Unknown.'),
    ])
    expect(faultsOf(null)).toEqual([])
  })
})

describe('the faults in a CSV', () => {
  const text = 'sku;"menge ""neu""";ort\r\nA;1;X\r\n\r\n"B;\n2";zwei;\r\nC;3;Z'

  it.each([
    ['row 4, column 2', 'zwei'],
    ['row 4, column "sku"', '"B;\n2"'],
    ['row 2, column "ort"', 'X'],
    ['row 5, column 3', 'Z'],
    ['row 1, column "sku"', 'sku'],
  ])('are at their cells: %s', (at, cell) => {
    expect(marksIn('text/csv', text, fault(at, 'No.')).marks).toEqual([[cell, 'No.']])
  })

  it('are found by the names of columns, and several of one fault', () => {
    const faults = [
      fault('row 2, column "sku", row 5, column "ort"', 'Two.'),
      fault('row 2', 'All.'),
    ]
    expect(marksIn('text/csv; charset=utf-8', text, ...faults).marks).toEqual([
      ['A', 'Two. All.'],
      ['Z', 'Two.'],
    ])
    const whole = marksIn('text/tab-separated-values', 'a\tb\n1\t2\n', fault('row 2', 'All.'))
    expect(whole.marks).toEqual([['1\t2', 'All.']])
  })

  it('are shown above it where there is no such cell', () => {
    const faults = [
      fault('row 9, column "sku"', 'a'),
      fault('row 2, column "none"', 'b'),
      fault('x', 'c'),
    ]
    const { marks, unplaced } = marksIn('text/csv', text, ...faults)
    expect(marks).toEqual([])
    expect(unplaced).toEqual(faults.map(({ at }) => at))
  })

  it('are at cells of columns with quotes in their names', () => {
    const faults = [fault('row 2, column "menge "neu"", row 2, column "sku"', 'Both.')]
    expect(marksIn('text/csv', text, ...faults).marks).toEqual([
      ['A', 'Both.'],
      ['1', 'Both.'],
    ])
  })

  it('are at an empty cell', () => {
    const { parts, unplaced } = markedParts(
      'a,b\n,2',
      [fault('row 2, column "a"', 'Empty.')],
      'text/csv',
    )
    expect([parts.map((part) => part.text), unplaced]).toEqual([['a,b\n', '', ',2'], []])
  })
})

describe('the faults in XML', () => {
  const text =
    '<?xml version="1.0"?><n:o no="1"><n:l q="2">\n<sku>A</sku></n:l><n:l><sku/><t a="b">x</t></n:l></n:o>'

  it.each([
    ['o.l[0].sku', 'A'],
    ['o.l[1].sku', '<sku/>'],
    ['o.l[1].t.#text', 'x'],
    ['o.l[1].t', 'x'],
    ['o.@no', '<n:o no="1">'],
    ['cbc:o.cbc:l[0].@q', '<n:l q="2">'],
    ['o.l[0].sku.#text', 'A'],
  ])('are at their elements, or at the tag of their attribute: %s', (at, marked) => {
    expect(marksIn('application/xml', text, fault(at, 'No.')).marks).toEqual([[marked, 'No.']])
  })

  it('are at the beginning of what lacks them', () => {
    const { marks } = marksIn('text/xml', text, fault('o.l[1].qty', 'Missing.'))
    expect(marks).toEqual([['<', 'o.l[1].qty: Missing.']])
  })

  it('are not looked for in a document that is too deep', () => {
    const deep = '<a>'.repeat(100) + '</a>'.repeat(100)
    const { marks } = marksIn('text/xml', deep, fault('a.a', 'No.'))
    expect(marks).toEqual([])
  })

  it('are found before the place where the text is no XML any more', () => {
    const { marks, unplaced } = marksIn(
      'text/xml',
      '<o><a>1</a><b></o>',
      fault('o.a', 'No.'),
      fault('p', 'b'),
    )
    expect(marks).toEqual([['1', 'No.']])
    expect(unplaced).toEqual(['p'])
  })
})

describe('the faults in a form', () => {
  const text = 'no=1&qty=a%20b&qty=2&payload=%7B%22m%22%3A1%7D&empty='
  const FORM = 'application/x-www-form-urlencoded'

  it('are at the values of their members', () => {
    const faults = [fault('qty', 'No.'), fault('no', 'Low.'), fault('none', 'Missing.')]
    const { marks, unplaced } = marksIn(FORM, text, ...faults)
    expect(marks).toEqual([
      ['1', 'Low.'],
      ['a%20b', 'No.'],
    ])
    expect(unplaced).toEqual(['none'])
  })

  it('are at the member that holds the JSON with the fault', () => {
    const { marks } = marksIn(FORM, text, fault('payload.m', 'No.'))
    expect(marks).toEqual([['%', 'payload.m: No.']])
  })
})
