import { describe, expect, it } from 'vitest'
import { csvLine, unguarded } from '../../src/engine/answers/csv.ts'
import { linesOf } from '../fixtures/csv.ts'

describe('a line of CSV', () => {
  it.each([
    ['a plain text', 'SO-1', 'SO-1'],
    ['nothing', null, ''],
    ['an empty text', '', ''],
    ['a number', 1234, '1234'],
    ['a comma', 'a,b', '"a,b"'],
    ['quotes', 'say "hi"', '"say ""hi"""'],
    ['line breaks', 'a\nb\r\nc', '"a\nb\r\nc"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['other scripts', 'Grüße 東京 😀', 'Grüße 東京 😀'],
    ['white space at its ends', ' a ', ' a '],
  ])('has %s as RFC 4180 writes it', (_, cell, written) => {
    expect(csvLine([cell, 'end'])).toBe(`${written},end\r\n`)
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ['\n=1', "'\n=1"],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://evil.example","x")', '\'=HYPERLINK("http://evil.example","x")'],
    ['a=1', 'a=1'],
    ["'=1", "'=1"],
    ['SO-1', 'SO-1'],
  ])('guards what a spreadsheet would run: %j', (cell, read) => {
    expect(linesOf(csvLine(['first', cell]))).toEqual([['first', read]])
  })

  it.each(['=1+1', '-1', '@SUM(A1)', '\t=1', '＝1', 'a; =1;+2', "it's", "'", 'SO-1', ''])(
    'is read back as it was: %j',
    (cell) => {
      const [[, read = ''] = []] = linesOf(csvLine(['first', cell]))
      expect(unguarded(read)).toBe(cell)
    },
  )

  it('leaves a negative number as it is', () => {
    expect(csvLine([-1])).toBe('-1\r\n')
  })
})
