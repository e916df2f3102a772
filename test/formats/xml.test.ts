import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../src/engine/formats/format.ts'
import { parseXml } from '../../src/engine/formats/xml.ts'
import { byDepth, sample } from '../fixtures/depth.ts'

const UBL = 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2'

describe('an XML body', () => {
  it.each<[what: string, text: string, value: object]>([
    ['elements', '<o><no>A-1</no><qty>2</qty></o>', { o: { no: 'A-1', qty: '2' } }],
    ['one element', '<no>A-1</no>', { no: 'A-1' }],
    [
      'repeated elements',
      '<o><l>1</l><m/><l>2</l><l>3</l></o>',
      { o: { l: ['1', '2', '3'], m: '' } },
    ],
    ['attributes', '<o id="1" b=\'2"\'/>', { o: { '@id': '1', '@b': '2"' } }],
    ['text beside attributes', '<p cur="EUR">5.00</p>', { p: { '@cur': 'EUR', '#text': '5.00' } }],
    ['text beside elements', '<p>a<b>c</b>d</p>', { p: { b: 'c', '#text': 'ad' } }],
    ['white space between elements', '<o>\n  <a> x </a>\n</o>\n', { o: { a: ' x ' } }],
    ['white space alone', '<o><a> \n </a></o>', { o: { a: '' } }],
    ['entities', '<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x20AC;</a>', { a: '<&>"\'A€' }],
    ['CDATA', '<a>x<![CDATA[<b>&amp;]]>y</a>', { a: 'x<b>&amp;y' }],
    ['comments and instructions', '<?a b?><!-- c --><a><!-- d --><?e?>x</a>', { a: 'x' }],
    [
      'prefixes, as they are',
      '<n:a xmlns:n="urn:x"><n:b n:c="1"/></n:a>',
      { 'n:a': { 'n:b': { '@n:c': '1' } } },
    ],
    [
      'declared namespaces, which are no members',
      '<a xmlns="urn:x"><b xmlns:y="urn:y">1</b></a>',
      { a: { b: '1' } },
    ],
    [
      'an external DOCTYPE',
      '<!DOCTYPE cXML SYSTEM "http://xml.cxml.org/[1.2].dtd"><cXML/>',
      { cXML: '' },
    ],
    ['a declaration', '<?xml version="1.0" encoding="UTF-8"?><a>ä</a>', { a: 'ä' }],
    ['line ends of Windows', '<a>x\r\ny</a>', { a: 'x\ny' }],
    ['characters beyond the first plane', '<a>📦</a>', { a: '📦' }],
    [
      'a member that objects have',
      '<a><__proto__>x</__proto__></a>',
      JSON.parse('{"a":{"__proto__":"x"}}'),
    ],
    [
      'names of functions of objects',
      '<a><constructor toString="1"/></a>',
      { a: { constructor: { '@toString': '1' } } },
    ],
  ])('may have %s', (_, text, value) => {
    expect(parseXml(text)).toEqual(value)
  })

  it('has the prefixes that the mapping has for its namespaces', () => {
    const text = `<Order xmlns="urn:order" xmlns:ns2="${UBL}" xmlns:z="urn:z"><ns2:ID ns2:scheme="a" list="b">1</ns2:ID><z:x/></Order>`
    const prefixes = { '': 'urn:order', cbc: UBL }
    expect(parseXml(text, { prefixes })).toEqual({
      Order: { 'cbc:ID': { '@cbc:scheme': 'a', '@list': 'b', '#text': '1' }, 'z:x': '' },
    })
  })

  it.each<[what: string, text: string, message: string]>([
    ['nothing', '', 'Line 1, column 0: text stands outside of the root element.'],
    ['text alone', 'hello', 'text stands outside of the root element.'],
    ['JSON', '{"a": 1}', 'text stands outside of the root element.'],
    [
      'two roots',
      '<a/>\n<b/>',
      'Line 2, column 3: a second root element begins: send one document.',
    ],
    [
      'a tag that closes another',
      '<o>\n<a><b></a></b></o>',
      'Line 2, column 10, in o.a: this tag closes another element than the one that is open here.',
    ],
    ['no end', '<o><a>1</a>', 'in o: the document ends before all'],
    ['an end within a tag', '<o><a', 'the document ends before all of its elements are closed'],
    [
      'an ampersand',
      '<o><a>M&M</a></o>',
      'in o.a: the document ends before all of its elements are closed, or an ampersand is not written as &amp;.',
    ],
    ['an unknown entity', '<a>&nbsp;</a>', 'only the entities'],
    ['a less-than sign', '<a>1 < 2</a>', 'no tag can begin so: write &lt; for a less-than sign.'],
    ['an attribute twice', '<a b="1" b="2"/>', 'an attribute stands here twice.'],
    ['an attribute without quotes', '<a b=1/>', 'an attribute is not written as name="value".'],
    ['an attribute without a value', '<a b/>', 'an attribute is not written as name="value".'],
    [
      'a character that XML cannot have',
      '<a>\u0001</a>',
      'a character stands here that XML cannot have.',
    ],
    ['the number of such a character', '<a>&#0;</a>', 'only the entities'],
    [
      'a declaration that is late',
      ' <?xml version="1.0"?><a/>',
      'the XML declaration must come first.',
    ],
    [
      'entities of its own',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
      'The DOCTYPE declares something between [ and ].',
    ],
    [
      'a file of the reader',
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
      'The DOCTYPE declares something between [ and ].',
    ],
    [
      'more levels than a body may have',
      '<a>'.repeat(65),
      'The body is nested deeper than 64 elements.',
    ],
    ['a long name in a place', `<${'n'.repeat(1000)}><b></c>`, 'this tag closes'],
    [
      'no element for long',
      `<!--${' '.repeat(70_000)}--><a/>`,
      'No element begins in the first 65536 characters of the body.',
    ],
    ...sample<[string, string, string]>(
      [
        [
          'more elements than a body may have values',
          `<a>${'<b/>'.repeat(1_000_000)}</a>`,
          'The body has more than 1000000 elements and attributes.',
        ],
        [
          'as many attributes',
          `<a>${'<b c=""/>'.repeat(500_000)}</a>`,
          'more than 1000000 elements and attributes',
        ],
      ],
      1,
    ),
  ])('is refused with %s', (_, text, message) => {
    expect(() => parseXml(text)).toThrow(message)
  })

  it('says in no message what a parser says, or a long name', () => {
    const thrown = (text: string) => {
      try {
        return String(parseXml(text))
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(thrown(`<${'n'.repeat(1000)}><b></c>`).length).toBeLessThan(300)
    const pieces = [
      '<a>',
      '</a>',
      '<',
      '>',
      '&',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?xml ',
      '?>',
      'x="',
      '"',
      '<!DOCTYPE ',
      '/',
      '\0',
      ';',
      '=',
      '<é>',
      '[',
    ]
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''))
    fc.assert(
      fc.property(text, (one) => {
        expect(thrown(one)).toMatch(
          /^(?:\[object Object\]|Line \d+, column \d+.*: .*|The DOCTYPE .*)$/su,
        )
      }),
      { numRuns: byDepth(200, 20_000) },
    )
  })

  it.each(
    sample<[what: string, text: string]>(
      [
        ['one attribute of 10 MB', `<a b="${'x'.repeat(10_000_000)}"/>`],
        ['100,000 siblings', `<a>${'<b>1</b>'.repeat(100_000)}</a>`],
        [
          '100,000 names',
          `<a>${Array.from({ length: 100_000 }, (_, at) => `<b${at}/>`).join('')}</a>`,
        ],
        [
          '100,000 attributes',
          `<a ${Array.from({ length: 100_000 }, (_, at) => `b${at}=""`).join(' ')}/>`,
        ],
        ['a million numeric entities', `<a>${'&#65;'.repeat(1_000_000)}</a>`],
        ['a million sections', `<a>${'<![CDATA[x]]>'.repeat(700_000)}</a>`],
        ['a million characters of four bytes', `<a>${'📦'.repeat(1_000_000)}</a>`],
      ],
      1,
    ),
  )('is read in time that grows with its size: %s', (_, text) => {
    expect(Object.keys(parseXml(text))).toEqual(['a'])
  })

  it.each<[what: string, bytes: Uint8Array, type: string, told: string]>([
    [
      'the declaration',
      latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>'),
      'text/xml',
      'ä',
    ],
    [
      'the Content-Type before it',
      utf8('<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>'),
      'application/xml; charset=utf-8',
      'ä',
    ],
    ['UTF-8 without both', utf8('<a>ä</a>'), 'application/vnd.x+xml', 'ä'],
    ['a byte order mark', utf8('\ufeff<a>ä</a>'), 'application/xml', 'ä'],
    [
      'UTF-16 by its mark',
      Buffer.from('\ufeff<?xml version="1.0" encoding="UTF-16"?><a>ä</a>', 'utf16le'),
      'text/xml',
      'ä',
    ],
  ])('is of the charset by %s', (_, bytes, type, told) => {
    expect(parseDocument(bytes, type).value).toEqual({ a: told })
  })

  it('is refused if its bytes are of another charset', () => {
    expect(() => parseDocument(latin1('<a>ä</a>'), 'text/xml')).toThrow('The body is not in utf-8.')
    const japanese = utf8('<?xml version="1.0" encoding="Shift_JIS"?><a/>')
    expect(() => parseDocument(japanese, 'text/xml')).toThrow('not in Shift_JIS')
  })

  it('is the object that was written as XML', () => {
    const name = fc.constantFrom('a', 'b', 'c-d', 'e.f', 'cbc:ID', '_g', 'ä')
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .map((one) => `x${one}x`.replace(/[\p{Cc}\ufffe\uffff]/gu, ''))
    const { element } = fc.letrec<{ element: Written }>((tie) => ({
      element: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        text,
        fc.dictionary(
          fc.oneof(
            name,
            name.map((one) => `@${one.replace(':', '-')}`),
          ),
          fc.oneof(tie('element'), fc.array(tie('element'), { minLength: 2, maxLength: 3 })),
          { minKeys: 1, maxKeys: 4 },
        ) as fc.Arbitrary<Written>,
      ),
    }))
    fc.assert(
      fc.property(name, element, (root, value) => {
        const settled = withTexts(value)
        expect(parseXml(written(root, settled))).toEqual({ [root]: settled })
      }),
      { numRuns: byDepth(200, 5000) },
    )
  })
})

type Written = string | { [name: string]: Written | Written[] }

/** An attribute is a text. */
function withTexts(value: Written): Written {
  if (typeof value === 'string') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name.startsWith('@')) return [name, 'v&"<']
      return [name, Array.isArray(member) ? member.map(withTexts) : withTexts(member)]
    }),
  )
}

function written(name: string, value: Written): string {
  if (typeof value === 'string') return `<${name}>${escaped(value)}</${name}>`
  const members = Object.entries(value)
  const attributes = members
    .filter(([one]) => one.startsWith('@'))
    .map(([one, text]) => ` ${one.slice(1)}="${escaped(String(text))}"`)
  const elements = members
    .filter(([one]) => !one.startsWith('@'))
    .flatMap(([one, member]) => [member].flat().map((each) => written(one, each as Written)))
  return `<${name}${attributes.join('')}>\n  ${elements.join('\n  ')}</${name}>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"\r]/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}
