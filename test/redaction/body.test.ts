import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../src/engine/formats/format.ts'
import type { FormatOptions } from '../../src/engine/formats/options.ts'
import { readPath } from '../../src/engine/json/path.ts'
import { redactBody } from '../../src/engine/redaction/body.ts'
import { byDepth, sample } from '../fixtures/depth.ts'

const [CSV, TSV, XML] = ['text/csv', 'text/tab-separated-values', 'application/xml']
const FORM = 'application/x-www-form-urlencoded'
const R = '[redacted]'

const bytes = (text: string) => new TextEncoder().encode(text)
const redact = (
  type: string,
  body: string | Uint8Array,
  paths: string[],
  formats: FormatOptions = {},
) => redactBody(typeof body === 'string' ? bytes(body) : body, type, paths.map(readPath), formats)

const LINES =
  '<Order id="7"><Line n="1"><Note>a</Note></Line><Line n="2"><Note>b</Note></Line></Order>'

describe('redactBody', () => {
  it.each<[string, string, string, string[], string, FormatOptions?]>([
    ['a column', CSV, 'sku,mail\nA,a@x\n\nB,b@x\n', ['$[].mail'], `sku,mail\nA,${R}\n\nB,${R}\n`],
    ['a row of a CSV', CSV, 'sku,mail\nA,a@x\n\nB,b@x', ['$[1].mail'], `sku,mail\nA,a@x\n\nB,${R}`],
    ['the last row', CSV, 'sku,mail\nA,a@x\nB,b@x\n', ['$[-1]'], `sku,mail\nA,a@x\n${R},${R}\n`],
    [
      'a cell in quotes',
      CSV,
      'sku;mail\r\nA;"a;""x""\r\n@y"\r\n',
      ['$[].mail'],
      `sku;mail\r\nA;${R}\r\n`,
    ],
    [
      'a column by number',
      CSV,
      'A,a@x\nB,b@x',
      ['$[][1]'],
      `A,${R}\nB,${R}`,
      { csv: { header: false } },
    ],
    [
      'a column by another separator',
      CSV,
      'a;b,c\n1;2,3',
      ["$[]['b,c']"],
      `a;b,c\n1;${R}`,
      { csv: { separator: ';' } },
    ],
    [
      'a row whose cells have other line breaks',
      CSV,
      'sku;mail\rA\n;\n"a@x"\rB;"b\r@x" \r',
      ['$[].mail'],
      `sku;mail\rA\n;${R}\rB;${R}\r`,
    ],
    [
      'a row after one that ends otherwise',
      CSV,
      'a;b;c\r \n"1""\r\n";2;3',
      ['$[0].a'],
      `a;b;c\r${R}\r\n";2;3`,
    ],
    ['a column of a TSV', TSV, 'a;b;c\tmail\n1;2;3\tm@x', ['$[].mail'], `a;b;c\tmail\n1;2;3\t${R}`],
    [
      'an empty cell, which stays',
      CSV,
      'sku,mail\nA,\nB,b@x',
      ['$[].mail'],
      `sku,mail\nA,\nB,${R}`,
    ],
    [
      'a member',
      FORM,
      'no=1&mail=a%40x&mail=b',
      ['mail'],
      'no=1&mail=%5Bredacted%5D&mail=%5Bredacted%5D',
    ],
    [
      'a name that is encoded',
      FORM,
      'buyer%5Bmail%5D=a%2Bb&n=1',
      ["['buyer[mail]']"],
      'buyer%5Bmail%5D=%5Bredacted%5D&n=1',
    ],
    [
      'a name in another charset',
      `${FORM}; charset=windows-1252`,
      'stra%DFe=Am+Tor+1&n=1',
      ['straße'],
      'stra%DFe=%5Bredacted%5D&n=1',
    ],
    [
      'a name in the charset of the mapping',
      FORM,
      'n=1&stra%DFe=Am+Tor+1',
      ['n', 'straße'],
      'n=%5Bredacted%5D&stra%DFe=%5Bredacted%5D',
      { form: { charset: 'latin1' } },
    ],
    [
      'a name that cannot be read',
      FORM,
      'n=1&stra%DFe=Am+Tor+1&mail=b',
      ['mail'],
      'n=1&stra%DFe=%5Bredacted%5D&mail=%5Bredacted%5D',
    ],
    [
      'a place in the JSON of a member',
      FORM,
      `a=1&payload=${encodeURIComponent('{"m":"a@x","n":2}')}`,
      ['payload.m'],
      `a=1&payload=${encodeURIComponent(`{"m":"${R}","n":2}`)}`,
      { form: { json: 'payload' } },
    ],
    [
      'an element',
      XML,
      '<Order><Mail>a@x</Mail><No>1</No></Order>',
      ['Order.Mail'],
      `<Order><Mail>${R}</Mail><No>1</No></Order>`,
    ],
    [
      'an element with a prefix',
      XML,
      '<x:O xmlns:x="u"><x:M>a@x</x:M></x:O>',
      ['O.y:M'],
      `<x:O xmlns:x="u"><x:M>${R}</x:M></x:O>`,
    ],
    [
      'each of a name',
      XML,
      LINES,
      ['Order.Line[].Note'],
      LINES.replace('>a<', `>${R}<`).replace('>b<', `>${R}<`),
    ],
    [
      'each of a name, without a list',
      XML,
      LINES,
      ['Order.Line.Note'],
      LINES.replace('>a<', `>${R}<`).replace('>b<', `>${R}<`),
    ],
    ['one of a name', XML, LINES, ['Order.Line[1].Note'], LINES.replace('>b<', `>${R}<`)],
    [
      'one of a name, whichever prefixes count',
      XML,
      '<O><a:M>1</a:M><b:M>2</b:M><a:M>3</a:M><b:M>4</b:M></O>',
      ['O.a:M[1]'],
      `<O><a:M>1</a:M><b:M>${R}</b:M><a:M>${R}</a:M><b:M>${R}</b:M></O>`,
    ],
    [
      'the last of a name',
      XML,
      LINES,
      ['Order.Line[-1].@n'],
      LINES.replace('"1"', `"${R}"`).replace('"2"', `"${R}"`),
    ],
    ['an attribute', XML, LINES, ['Order.@id'], LINES.replace('"7"', `"${R}"`)],
    [
      'attributes of a list',
      XML,
      LINES,
      ['Order.Line[].@n'],
      LINES.replace('"1"', `"${R}"`).replace('"2"', `"${R}"`),
    ],
    [
      'an element with all that it has',
      XML,
      '<O><C a="1" b=\'2\'><M>a@x</M></C></O>',
      ['O.C'],
      `<O><C a="${R}" b='${R}'>${R}</C></O>`,
    ],
    [
      'what any member has',
      XML,
      '<O><P><M>a@x</M></P><Q><M>b@x</M></Q></O>',
      ['O[*].M'],
      `<O><P><M>${R}</M></P><Q><M>${R}</M></Q></O>`,
    ],
    [
      'text beside attributes',
      XML,
      '<O><M k="1">a@x</M></O>',
      ["O.M['#text']"],
      `<O><M k="1">${R}</M></O>`,
    ],
    [
      'attributes of one tag, with spaces, prefixes and both quotes',
      XML,
      `<O x:m = "a>x" y:m\n=\n'b="c"' n="m='1'"/>`,
      ['O.@m'],
      `<O x:m = "${R}" y:m\n=\n'${R}' n="m='1'"/>`,
    ],
    [
      'an element with comments, instructions, CDATA and elements in it',
      XML,
      '<O><!-- <M> --><M>a<!-- b --><?c d?><![CDATA[</M>]]><M e="f">g</M></M><N/></O>',
      ['O.M', 'O.M.M', 'O.N'],
      `<O><!-- <M> --><M>${R}</M><N/></O>`,
    ],
    [
      'the text of any member, attributes too',
      XML,
      '<O a="1"><M>2</M>3</O>',
      ["O[*]['#text']"],
      `<O a="${R}">${R}</O>`,
    ],
    ['CDATA', XML, '<O><M><![CDATA[a<x]]></M></O>', ['O.M'], `<O><M>${R}</M></O>`],
  ])('redacts %s', (_, type, body, paths, expected, formats) => {
    expect(redact(type, body, paths, formats)?.text).toBe(expected)
  })

  it.each<[string, string, string | Uint8Array, string[], FormatOptions?]>([
    ['a CSV that cannot be read', CSV, 'a,b\n"1,2', ['$[].a']],
    ['a CSV that is JSON', CSV, '{"mail":"a@x"}', ['mail']],
    ['a CSV without the column', CSV, 'sku,mail\nA,a@x', ['$[].email', 'customer.email']],
    ['XML that is broken', XML, '<O><M>a@x</M>', ['O.M']],
    ['XML with another root', XML, '<P><M>a@x</M></P>', ['O.M']],
    [
      'XML with entities of its own',
      XML,
      '<!DOCTYPE O [<!ENTITY m "a@x">]><O><M>&m;</M></O>',
      ['O.M'],
    ],
    ['a form without the member', FORM, 'a=1', ['mail']],
    [
      'a form whose JSON is broken',
      FORM,
      'payload={',
      ['payload.m'],
      { form: { json: 'payload' } },
    ],
    [
      'a charset that is not the body’s',
      `${CSV}; charset=utf-8`,
      new Uint8Array([0x61, 0xff]),
      ['$[].a'],
    ],
    ['a charset that nobody reads', `${CSV}; charset=klingon`, 'a\n1', ['$[].a']],
  ])('takes nothing of %s', (_, type, body, paths, formats) => {
    expect(redact(type, body, paths, formats)).toBeNull()
  })

  // Others wait meanwhile.
  const cpuOf = (work: () => unknown) => {
    const before = process.cpuUsage()
    work()
    return process.cpuUsage(before).user / 1000
  }

  it.each(
    sample<[what: string, type: string, body: string, path: string]>(
      [
        [
          'deep XML',
          XML,
          `<r>${('<a>'.repeat(60) + '</a>'.repeat(60)).repeat(2400)}</r>`,
          'r[][][].a[]',
        ],
        ['wide XML', XML, `<r>${'<x><a><b9>1</b9></a></x>'.repeat(45_000)}</r>`, 'r[].x[].a[]'],
        ['many rows', CSV, `c0,c1,c2,d\n${'1,2,3,4\n'.repeat(125_000)}`, '$[]'],
      ],
      1,
    ),
  )('looks for 100 paths as long as for a few, in 1 MB of %s', (_, type, body, path) => {
    const paths = Array.from({ length: 100 }, (_, at) => `${path}.b${at}`)
    redact(type, body, paths.slice(0, 2))
    const few = cpuOf(() => redact(type, body, paths.slice(0, 2)))
    expect(cpuOf(() => redact(type, body, paths))).toBeLessThan(3 * few + 300)
  })

  const NAME = 'a'.repeat(500_000)
  it.each([
    ['an element', `<O><${NAME}/><M>a@x</M></O>`],
    ['an attribute', `<O><M ${NAME} = "1">a@x</M></O>`],
  ])('passes at once over a long name of %s', (_, body) => {
    expect(cpuOf(() => expect(redact(XML, body, ['O.M'])?.text).toContain(R))).toBeLessThan(2000)
  })

  it('keeps a CSV in another charset as UTF-8', () => {
    const body = new Uint8Array([
      ...bytes('name,ort\n'),
      0xfc,
      ...bytes(',K'),
      0xf6,
      ...bytes('ln'),
    ])
    const kept = redact(`${CSV}; charset=windows-1252`, body, ['$[].name'])
    expect(kept).toMatchObject({
      text: `name,ort\n${R},Köln`,
      content_type: 'text/csv; charset=utf-8',
    })
  })

  it.each([
    [CSV, 'sku,mail\nA,"ada ""x"" lund"', '$[].mail', 'ada "x" lund'],
    [XML, '<O><M>ada &amp; <b>lund</b></M></O>', 'O.M', 'lund'],
    [XML, '<O><M><b n="ada"/></M></O>', 'O.M', 'ada'],
    [XML, '<O m="ada &amp; lund"/>', 'O.@m', 'ada & lund'],
    [XML, '<O><M>ad<![CDATA[a ]]>l<!-- -->und</M></O>', 'O.M', 'ada lund'],
    [XML, '<O><M>\n  ada lund\n</M></O>', 'O.M', 'ada lund'],
    [FORM, 'mail=ada+%26+lund', 'mail', 'ada & lund'],
    [`${FORM}; charset=windows-1252`, 'mail=J%FCrg+%80', 'mail', 'Jürg €'],
  ])('knows the values of %s, which messages may quote: %s', (type, body, path, value) => {
    const quotes = redact(type, body, [path])?.quotesWith([])
    expect(quotes?.isIn(`The value ${value} is no number.`)).toBe(true)
    expect(quotes?.isIn('The value 12 is no number.')).toBe(false)
  })
})

describe('a redacted body', () => {
  const printable = fc
    .string({ unit: 'grapheme' })
    .map((text) => text.replace(/\p{C}/gu, '').trim())
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const escaped = (text: string) => text.replace(/[<>&"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
  const row = fc.record({ sku: printable, mail: printable, ort: printable })

  const WRITTEN: [
    string,
    (rows: { sku: string; mail: string; ort: string }[]) => string,
    string,
  ][] = [
    [
      CSV,
      (rows) =>
        ['sku,mail,ort', ...rows.map((one) => Object.values(one).map(quoted).join(','))].join(
          '\r\n',
        ),
      '$[].mail',
    ],
    [
      XML,
      (rows) =>
        `<O>${rows.map(({ sku, mail, ort }) => `<L ort="${escaped(ort)}"><S>${escaped(sku)}</S><M>${escaped(mail)}</M></L>`).join('\n')}</O>`,
      'O.L[].M',
    ],
    [FORM, (rows) => rows.map((one) => new URLSearchParams(one).toString()).join('&'), 'mail'],
  ]

  it.each(WRITTEN)('of %s reads as before, but for the redacted values', (type, write, path) => {
    const property = fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      const kept = redact(type, write(rows), [path])
      const hidden = rows.map((one) => ({ ...one, mail: one.mail === '' ? '' : R }))
      expect(parseDocument(bytes(kept?.text ?? ''), type).value).toEqual(
        parseDocument(bytes(write(hidden)), type).value,
      )
    })
    fc.assert(property, { numRuns: byDepth(50, 2000) })
  })

  it('of CSV reads so whatever its quotes and line breaks are', () => {
    const mark = fc.constantFrom('\n', '\r', '\r\n', ';', ';', '"', '""', 'x', ' ', 'x;"y"\r')
    const text = fc.array(mark, { maxLength: 30 }).map((marks) => `a;b;c${marks.join('')}`)
    const rowsOf = (body: string) => parseDocument(bytes(body), CSV).value as { b: string }[]
    const property = fc.property(text, (body) => {
      const kept = redact(CSV, body, ['$[].b'])
      if (!kept) return
      const hidden = rowsOf(body).map((one) => ({ ...one, b: one.b === '' ? '' : R }))
      expect(rowsOf(kept.text)).toEqual(hidden)
    })
    fc.assert(property, { numRuns: byDepth(500, 20_000) })
  })
})
