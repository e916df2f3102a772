import { describe, expect, it } from 'vitest'
import { SHOP_MAPPING, shopOrder } from '../../scripts/dev/shop.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openDashboard } from '../fixtures/session.ts'
import { oneRow } from '../fixtures/sql.ts'
import { fieldsOf, filledIn } from './form-fields.ts'
import { at, FORM, makePartner, ORDER, rules, savedOf, stock, tryOut } from './mapping-forms.ts'

const DOCUMENT = { no: 'A-1', lines: [{ sku: 'S1', qty: 2 }] }

describe('POST /dashboard/partners/{id}/mappings/{resource}/preview/', () => {
  it('says that a document fits, and where each value comes from', async () => {
    await stock('S1')
    const answer = await tryOut(DOCUMENT)
    const words = wordsOf(answer)
    expect(words).toContain('This document would be accepted.')
    expect(words).toContain('items[0].quantity 2 lines[0].qty')
    expect(words).toContain('metadata.source "acme" fixed')
    expect(fieldsOf(answer.text, FORM).document).toEqual([JSON.stringify(DOCUMENT)])
    expect(fieldsOf(answer.text, FORM)['inbound.source']?.slice(0, 4)).toEqual(
      ORDER['inbound.source'],
    )
  })

  it.each([
    ['a CSV', 'no;name\nA-1;Ada\n', '$[0].no'],
    ['a form', 'no=A-1&name=Ada', 'no'],
    ['XML', '<o><no>A-1</no></o>', 'o.no'],
    ['XML in the prefixes of the mapping', '<x:o xmlns:x="urn:o"><x:no>A-1</x:no></x:o>', 'o.no'],
    ['a CSV without names', 'A-1;Ada', '$[0][0]', 'csv header = no'],
    ['a form in its charset', 'a=1&n%F6=A-1', 'nö', 'form charset = latin1'],
    ['a form with JSON in it', 'a=1&payload={"no":"A-1"}', 'payload.no', 'form json = payload'],
  ])('takes %s', async (_, document, source, formats = 'xml prefix = urn:o') => {
    const fields = {
      ...rules(['order_number', 'path', source]),
      'inbound.unmapped': 'drop',
      'inbound.formats': formats,
    }
    const sent = { ...fields, document }
    const answer = await dashboard.post(`${at(await makePartner())}preview/`, sent)
    expect(wordsOf(answer)).toContain(`order_number "A-1" ${source}`)
    expect(fieldsOf(answer.text, FORM).document).toEqual([document.replaceAll('\n', '\r\n')])
  })

  it.each([
    ['no,no\nA,B', 'It is no CSV that can be read. Row 1 has the column "no" twice'],
    ['<a><b></a>', 'It is no XML that can be read. Line 1, column 10, in a: this tag closes'],
    ['no=%', 'It is no form that can be read. The member "no" has a %'],
    ['hello', 'It is neither JSON, nor XML, nor CSV with a row of names, nor a form.'],
  ])('says why it cannot read %j', async (document, fault) => {
    const answer = await dashboard.post(`${at(await makePartner())}preview/`, {
      ...ORDER,
      document,
    })
    expect(wordsOf(answer)).toContain(fault)
  })

  it('offers the paths of what is no JSON', async () => {
    const document = `sku;qty\n${'S1;2\n'.repeat(100)}`
    const answer = await dashboard.post(`${at(await makePartner())}preview/`, {
      ...ORDER,
      document,
    })
    const [, outline = ''] = /<data value="([^"]*)" data-outline/.exec(answer.text) ?? []
    const rows = JSON.parse(outline.replaceAll('&quot;', '"'))
    expect(rows).toEqual(Array(20).fill({ sku: 'S1', qty: '2' }))
  })

  it('says which option of a format cannot be read', async () => {
    const fields = { ...ORDER, 'inbound.formats': 'csv separator = ;\ncsv quote = x' }
    const answer = await dashboard.post(at(await makePartner()), fields)
    expect(wordsOf(answer)).toContain('Line 2 must be like: csv separator = ;')
    const other = { ...ORDER, 'inbound.formats': 'csv separator = |' }
    const refused = await dashboard.post(at(await makePartner()), other)
    expect(wordsOf(refused)).toContain('Must be a comma, a semicolon or a tab.')
  })

  it('says what would become of each of several records', async () => {
    await stock('S1')
    const fields = rules(
      ['order_number', 'required', 'all[].no'],
      ['items[].sku_code', 'path', 'all[].lines[].sku'],
      ['items[].quantity', 'path', 'all[].lines[].qty'],
    )
    const all = [DOCUMENT, { ...DOCUMENT, no: 'A-9', lines: [{ sku: 'none', qty: 1 }] }, {}]
    const answer = await dashboard.post(`${at(await makePartner())}preview/`, {
      ...fields,
      'inbound.records_each': 'all[]',
      document: JSON.stringify({ all }),
    })
    const words = wordsOf(answer)
    expect(words).toContain('Of 3 records, 2 would be refused.')
    expect(words).toContain('Record 1, A-1: would be accepted')
    expect(words).toContain('items[0].sku_code "S1" all[0].lines[0].sku')
    expect(words).toContain('Record 2, A-9: would be refused')
    expect(words).toContain('No product has the SKU "none".')
    expect(words).toContain('Record 3: would be refused')
    expect(fieldsOf(answer.text, FORM)['inbound.records_each']).toEqual(['all[]'])
  })

  it('tells a session that may not send orders which scope would look products up', async () => {
    const settings = await openDashboard(['settings.*', 'integrations.orders.read'])
    const sent = {
      ...ORDER,
      document: JSON.stringify({ no: 'A-2', lines: [{ sku: '?', qty: 1 }] }),
    }
    const answer = await settings.post(`${at(await makePartner())}preview/`, sent)
    expect(answer.status).toBe(200)
    const words = wordsOf(answer)
    expect(words).toContain('The record is valid. Whether the data allows it was not looked up.')
    expect(words).toContain('this API key lacks the scope integrations.orders.write.')
    expect(words).not.toContain('No product has the SKU')
  })

  it('tries rules on headers and the query of a delivery, and keeps what was typed', async () => {
    const [order] = [
      rules(['notes', 'path', "$header['X-Shop']"], ['metadata.at', 'path', "$query['at']"]),
    ]
    const sent = 'x-shop: keramik.example\n?at=D-04&b=1'
    const answer = await tryOut({}, { ...ORDER, ...order, sent })
    const words = wordsOf(answer)
    expect(words).toContain(`notes "keramik.example" $header['X-Shop']`)
    expect(words).toContain(`metadata.at "D-04" $query['at']`)
    expect(fieldsOf(answer.text, FORM).sent).toEqual([sent.replace('\n', '\r\n')])
  })

  it('says which line is no header', async () => {
    const words = wordsOf(await tryOut({}, { ...ORDER, sent: 'X-Shop = a' }))
    expect(words).toContain('"X-Shop = a" is no header: write Name: value.')
  })

  it('answers the pane alone when it is asked to', async () => {
    const { text } = await tryOut(DOCUMENT, { ...ORDER, pane: '1' })
    expect(text).toMatch(/^<section id="preview"/)
    expect(text).not.toContain('<html')
  })

  it('shows the document of the shop as the shop sends it', async () => {
    const id = await makePartner(SHOP_MAPPING)
    const { text } = await dashboard.get(at(id))
    const order = shopOrder('A-1', 'k')
    await stock(...order.line_items.map(({ sku }) => sku))
    const document = JSON.stringify(order, null, 2)
    const sent = filledIn(text, FORM, { document })
    const words = wordsOf(await dashboard.post(`${at(id)}preview/`, sent))
    expect(words).toContain('This document would be accepted.')
    expect(words).toContain('4 warnings')
  })

  it('shows why the mapping does not fit, in the words of the document', async () => {
    const words = wordsOf(await tryOut({ lines: [{ sku: 'S1', qty: 1 }, 'S2'] }))
    expect(words).toContain('This document would be refused: the mapping does not fit it.')
    expect(words).toContain(
      'no Is missing, and the mapping requires it. SOURCE_MISSING, rule order_number',
    )
    expect(words).toContain('lines[1] The mapping expects an object here, not a string.')
  })

  it('shows what the check refuses, with where it comes from', async () => {
    const words = wordsOf(await tryOut({ no: 'A', lines: [{ sku: 'S1', qty: '2' }], more: 1 }))
    expect(words).toContain('This document would be refused: the record is not valid.')
    expect(words).toContain('items[0].quantity Must be an integer, not a string. from lines[0].qty')
    expect(words).toContain('more The mapping does not read it: it had no effect.')
  })

  it('tells rows that fail from a document that does', async () => {
    const inventory = [{ location_code: 'L', sku_code: 'S', quantity: -1 }]
    const words = wordsOf(await tryOut({ inventory }, {}, 'inventory'))
    expect(words).toContain('Some rows of this document would be refused, the others accepted.')
  })

  it('says what is not in the warehouse', async () => {
    const words = wordsOf(await tryOut({ no: 'A-1', lines: [{ sku: 'no such SKU', qty: 2 }] }))
    expect(words).toContain(
      'The mapping fits and can be saved, but this document would be refused as the data stands now.',
    )
    expect(words).toContain('no such SKU')
  })

  it('reads a document that is an array', async () => {
    const fields = rules(
      ['inventory[].location_code', 'path', '$[].bin'],
      ['inventory[].sku_code', 'path', '$[].item'],
      ['inventory[].quantity', 'path', '$[].n'],
    )
    const words = wordsOf(await tryOut([{ bin: 'B', item: 'S', n: 2 }], fields, 'inventory'))
    expect(words).toContain('inventory[0].quantity 2 $[0].n')
  })

  it('keeps the digits of numbers', async () => {
    const fields = rules(['external_order_id', 'path', 'id'], ['order_number', 'path', 'no'])
    const text = '{"id": 820982911946154508, "no": "A"}'
    const words = wordsOf(await tryOut(text, { ...fields, 'inbound.as': ['string', ''] }))
    expect(words).toContain('external_order_id "820982911946154508" id')
  })

  it('tries the method that is chosen', async () => {
    const fields = rules(['sku', 'path', 'nr'], ['quantity', 'path', 'n'])
    const post = wordsOf(await tryOut({ n: 1 }, { ...fields, method: 'POST' }, 'products'))
    expect(post).toContain('sku This field is required.')
    const put = wordsOf(await tryOut({ n: 1 }, { ...fields, method: 'PUT' }, 'products'))
    expect(put).toContain('This document would be accepted.')
  })

  it('leaves out rules that are not finished', async () => {
    const words = wordsOf(
      await tryOut({ no: 'A' }, rules(['order_number', 'path', 'no'], ['items', 'path', ''])),
    )
    expect(words).toContain('items This field is required.')
    expect(words).not.toContain('cannot be saved yet')
  })

  it('names what keeps the draft from being saved', async () => {
    const words = wordsOf(
      await tryOut(DOCUMENT, rules(['colour', 'path', 'a'], ['order_number', 'path', 'no'])),
    )
    expect(words).toContain('The mapping cannot be saved yet. inbound colour There is no field')
    expect(wordsOf(await tryOut(DOCUMENT, rules(['notes', 'value', 'x'])))).toContain(
      'inbound rule 1 The fixed value is not valid JSON',
    )
  })

  it.each([
    ['nothing', '', 'Paste a document as the partner sends it.'],
    [
      'a word in the wrong place',
      '{\r\n  "a": b\r\n}',
      'It is not valid JSON (line 2, column 8, at "b").',
    ],
    [
      'a comma too many',
      '{"a": 1,}',
      'It is not valid JSON (line 1, column 9, at "}"). A value or a name is missing before it',
    ],
    [
      'an end too early',
      '{"a": [1,\n2',
      'It is not valid JSON (line 2, column 2). The body ends too early.',
    ],
    ['a member twice', '{"a": {"b": 1, "b": 2}}', 'It is ambiguous: a.b is given twice.'],
    ['an array', '[1]', 'A mapping may read an array: its paths then begin with $[].'],
    [
      'a document that is far too deep',
      '['.repeat(1e5),
      'It is too deeply nested, or has too many values.',
    ],
  ])('says what it wants where there is %s', async (_, document, message) => {
    const answer = await tryOut(document)
    expect(wordsOf(answer)).toContain(message)
    expect(fieldsOf(answer.text, FORM).document).toEqual([document.replace(/\r?\n/g, '\r\n')])
  })

  it('stays within bounds with a document of a megabyte', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => ({
      sku: `S-${index}`,
      qty: 1,
      text: 'x'.repeat(20),
    }))
    const { text } = await tryOut({ no: 'A', lines }, { ...ORDER, pane: '1' })
    expect(text.length).toBeLessThan(500_000)
    expect(text).toContain('Only the first 1000 values are listed.')
  })

  it('writes nothing but its audit row', async () => {
    const id = await makePartner(SHOP_MAPPING)
    const version = 'select settings_version from workspace'
    const before = [await savedOf(id), await oneRow(version)]
    const path = `${at(id)}preview/`
    const document = JSON.stringify(DOCUMENT)
    const { headers } = await dashboard.post(path, { ...ORDER, document })
    expect([await savedOf(id), await oneRow(version)]).toEqual(before)
    const audit = await oneRow(
      'select path, method, status, record_id from audit_log where request_id = ?',
      headers.get('X-Request-Id'),
    )
    expect(audit).toEqual({ path, method: 'POST', status: 200, record_id: id })
  })
})

describe('a form of very many rows', () => {
  const many = (count: number) =>
    rules(
      ...Array.from({ length: count }, (_, n): [string, string, string] => [
        `metadata.m${n}`,
        'path',
        `m${n}`,
      ]),
    )

  it('is shown again where it has a few more than a mapping may have', async () => {
    const answer = await dashboard.post(at(await makePartner()), many(201))
    expect(answer.status).toBe(400)
    expect(wordsOf(answer)).toContain('A mapping has at most 200 fields.')
    expect(fieldsOf(answer.text, FORM)['inbound.target']?.filter(Boolean)).toHaveLength(201)
  })

  inDeepPass(() => {
    it.each(['', 'preview/'])('is refused beyond that, without showing it: %j', async (page) => {
      const fields = { ...many(20_000), document: '{}' }
      const text = markupOf(await dashboard.post(at(await makePartner()) + page, fields), 400)
      expect(text).toMatch(/it has more than 13,?\d{3} fields/)
      expect(text.length).toBeLessThan(10_000)
    })
  })
})
