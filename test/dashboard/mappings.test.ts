import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { SHOP_MAPPING, shopOrder } from '../../scripts/dev/shop.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { documents, validFields } from '../mapping/generators.ts'
import type { Fields as Rules } from '../mapping/mapped.ts'
import { openPartner, saveMapping } from '../partner.ts'
import {
  type Answer,
  type Api,
  createKey,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../tenant.ts'
import { fieldsOf, filledIn } from './form-fields.ts'
import { type Dashboard, type Fields, openDashboard } from './session.ts'

const FORM = 'mapping-editor'

let db: D1Database
let admin: Api
let dashboard: Dashboard

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
  dashboard = await openDashboard()
})

const at = (id: string, resource = 'orders') => `/dashboard/partners/${id}/mappings/${resource}/`
const api = (id: string, resource = 'orders') =>
  `/api/settings/v1/partners/${id}/mappings/${resource}/`

async function makePartner(mapping?: object, resource = 'orders'): Promise<string> {
  const name = unique('partner')
  const { id } = (await admin.post('/api/settings/v1/partners/', { name })).body.data
  if (mapping) await saveMapping(admin, id, resource, mapping)
  return id
}

/** What the API says is saved. */
async function savedOf(id: string, resource = 'orders'): Promise<Json> {
  const { updated_at, resource: _, ...mapping } = (await admin.get(api(id, resource))).body.data
  return mapping
}

const rules = (...rows: [target: string, kind: string, source: string][]): Fields => ({
  'inbound.unmapped': 'drop',
  'inbound.target': rows.map(([target]) => target),
  'inbound.kind': rows.map(([, kind]) => kind),
  'inbound.source': rows.map(([, , source]) => source),
})

const ORDER = rules(
  ['order_number', 'required', 'no'],
  ['items[].sku_code', 'path', 'lines[].sku'],
  ['items[].quantity', 'path', 'lines[].qty'],
  ['metadata.source', 'value', '"acme"'],
)
const DOCUMENT = { no: 'A-1', lines: [{ sku: 'S1', qty: 2 }] }

/** The text of the page, without its tags. */
const wordsOf = ({ text }: Answer) =>
  text
    .replace(/<[^>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, ' ')

async function tryOut(document: unknown, fields: Fields = ORDER, resource = 'orders') {
  const id = await makePartner()
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const answer = await dashboard.post(`${at(id, resource)}preview/`, { ...fields, document: text })
  expect(answer.status).toBe(200)
  return answer
}

describe('GET /dashboard/partners/{id}/mappings/{resource}/', () => {
  it.each([
    ['orders', ['order_number', 'items[].sku_code', 'items[].quantity']],
    ['products', ['sku']],
    ['locations', ['code']],
    ['inventory', ['inventory[].location_code', 'inventory[].sku_code', 'inventory[].quantity']],
  ])('begins the mapping of %s with the fields that a record needs', async (resource, targets) => {
    const { status, text } = await dashboard.get(at(await makePartner(), resource))
    expect(status).toBe(200)
    const fields = fieldsOf(text, FORM)
    expect(fields['inbound.target']?.filter(Boolean)).toEqual(targets)
    expect(fields['inbound.unmapped']).toEqual(['keep'])
    expect(fields['outbound.unmapped']).toEqual([''])
    expect('identifier_field' in fields).toBe(resource !== 'inventory')
  })

  it('shows what is saved, in its order, with rows to spare', async () => {
    const { text } = await dashboard.get(at(await makePartner(SHOP_MAPPING)))
    const fields = fieldsOf(text, FORM)
    const targets = Object.keys(SHOP_MAPPING.inbound.fields)
    expect(fields.identifier_field).toEqual(['external_order_id'])
    expect(fields['inbound.target']).toEqual([...targets, '', '', ''])
    expect(fields['inbound.kind']?.slice(0, 2)).toEqual(['path', 'required'])
    expect(fields['inbound.source']?.at(targets.length - 1)).toBe('"woocommerce"')
    expect(fields['inbound.unmapped']).toEqual(['drop'])
  })

  it('suggests our own fields', async () => {
    const { text } = await dashboard.get(at(await makePartner()))
    for (const path of ['items[].sku_code', 'due_date', 'status', 'items[].sku.sku']) {
      expect(text).toContain(`<option value="${path}">`)
    }
  })

  it('shows a session that may only read the rules, and no form', async () => {
    const reader = await openDashboard(['settings.read'])
    const id = await makePartner(SHOP_MAPPING)
    const { status, text } = await reader.get(at(id))
    expect(status).toBe(200)
    for (const path of ['external_order_id', 'line_items[].sku', 'required']) {
      expect(text).toContain(path)
    }
    expect(text).not.toMatch(/<input|<select|<textarea|Delete mapping/)
    expect((await reader.get(at(id, 'products'))).text).toContain('There is no mapping:')
    for (const path of ['', 'preview/', 'delete/']) {
      expect((await reader.post(at(id) + path, ORDER)).status).toBe(403)
    }
  })

  it('is not found for an unknown partner or resource', async () => {
    const id = await makePartner()
    expect((await dashboard.get(at(id, 'invoices'))).status).toBe(404)
    const stray = crypto.randomUUID()
    expect((await dashboard.get(at(stray))).status).toBe(404)
    expect((await dashboard.get(`${at(stray)}delete/`)).status).toBe(404)
    expect((await dashboard.get(`${at(id)}delete/`)).status).toBe(404)
    for (const path of ['', 'preview/', 'delete/']) {
      expect((await dashboard.post(at(stray) + path, ORDER)).status).toBe(404)
    }
  })

  it('shows hostile names as text', async () => {
    const hostile = `<script>alert(1)</script>"'&`
    const name = unique(hostile)
    const { id } = (await admin.post('/api/settings/v1/partners/', { name })).body.data
    const path = `a['${hostile.replaceAll("'", "\\'")}']`
    const mapping = { inbound: { fields: { notes: path, metadata: { value: { a: hostile } } } } }
    await saveMapping(admin, id, 'orders', mapping)
    const { text } = await dashboard.get(at(id))
    expect(text).not.toContain('<script>alert')
    expect(fieldsOf(text, FORM)['inbound.source']?.[0]).toBe(path)
    const reader = await openDashboard(['settings.read'])
    expect((await reader.get(at(id))).text).not.toContain('<script>alert')
    const document = { a: { [hostile]: hostile }, [hostile]: hostile }
    const tried = await tryOut(document, rules(['notes', 'path', path]))
    expect(tried.text).not.toContain('<script>alert')
    expect(wordsOf(tried)).toContain('alert(1)')
  })
})

describe('POST /dashboard/partners/{id}/mappings/{resource}/', () => {
  it('saves the mapping and says so', async () => {
    const id = await makePartner()
    const answer = await dashboard.post(at(id), { ...ORDER, identifier_field: 'metadata.nr' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      `${at(id)}?done=mapping-saved`,
    ])
    expect(await savedOf(id)).toEqual({
      identifier_field: 'metadata.nr',
      inbound: {
        unmapped: 'drop',
        fields: {
          order_number: { from: 'no', required: true },
          'items[].sku_code': 'lines[].sku',
          'items[].quantity': 'lines[].qty',
          'metadata.source': { value: 'acme' },
        },
      },
      outbound: null,
    })
    const shown = await dashboard.get(`${at(id)}?done=mapping-saved`)
    expect(wordsOf(shown)).toContain('The mapping was saved.')
  })

  it('replaces the mapping as a whole', async () => {
    const id = await makePartner(SHOP_MAPPING)
    await dashboard.post(at(id), {
      'outbound.unmapped': 'keep',
      'outbound.target': ['nummer'],
      'outbound.kind': ['path'],
      'outbound.source': ['order_number'],
    })
    expect(await savedOf(id)).toEqual({
      identifier_field: null,
      inbound: null,
      outbound: { unmapped: 'keep', fields: { nummer: 'order_number' } },
    })
  })

  it("holds from the very next request of the partner's key", async () => {
    const partner = await openPartner({})
    const order = { nr: unique('S') }
    expect((await partner.api.post('/products/', order)).status).toBe(400)
    await dashboard.post(at(partner.id, 'products'), rules(['sku', 'path', 'nr']))
    expect((await partner.api.post('/products/', order)).status).toBe(201)
  })

  it('saves what is saved again unchanged, whatever it is', async () => {
    const below = (path: string) => `metadata${path.startsWith('[') ? '' : '.'}${path}`
    const inbound = fc
      .tuple(validFields, fc.array(documents, { minLength: 1, maxLength: 3 }))
      .map(([fields, values]) =>
        Object.entries(fields).map(([target, rule], index) => {
          const isFixed = typeof rule === 'object' && 'value' in rule
          return [below(target), isFixed ? { value: values[index % values.length] } : rule] as const
        }),
      )
    const outbound = validFields.map((fields: Rules) =>
      Object.entries(fields).flatMap(([target, rule]) =>
        typeof rule === 'string' ? [[target, below(rule)] as const] : [],
      ),
    )
    const modes = fc.constantFrom('keep', 'drop')
    const id = await makePartner()
    let tried = 0
    await fc.assert(
      fc.asyncProperty(inbound, outbound, modes, fc.boolean(), async (ins, outs, mode, isOff) => {
        const mapping = {
          identifier_field: isOff ? null : 'metadata.größe',
          inbound: { unmapped: mode, fields: Object.fromEntries(ins) },
          outbound: isOff ? null : { unmapped: mode, fields: Object.fromEntries(outs) },
        }
        fc.pre(SaveMapping('orders').safeParse(mapping).success)
        tried += 1
        await saveMapping(admin, id, 'orders', mapping)
        const before = await savedOf(id)
        const { text } = await dashboard.get(at(id))
        expect((await dashboard.post(at(id), fieldsOf(text, FORM))).status).toBe(303)
        expect(JSON.stringify(await savedOf(id))).toBe(JSON.stringify(before))
      }),
      { numRuns: 40 },
    )
    expect(tried).toBe(40)
  })

  it.each([
    ['nothing is mapped', {}],
    ['there are no rules', { inbound: { unmapped: 'reject', fields: {} } }],
    [
      'there are line breaks in a path',
      { inbound: { fields: { notes: "a['b\nc\u0000\ud800']" } } },
    ],
    ['a value is null', { inbound: { fields: { notes: { value: null } } } }],
  ])('saves it unchanged where %s', async (_, mapping) => {
    const id = await makePartner(mapping)
    const before = await savedOf(id)
    const { text } = await dashboard.get(at(id))
    expect((await dashboard.post(at(id), fieldsOf(text, FORM))).status).toBe(303)
    expect(await savedOf(id)).toEqual(before)
  })

  it('writes a path that is not required in its short form', async () => {
    const id = await makePartner({ inbound: { fields: { notes: { from: 'a', required: false } } } })
    await dashboard.post(at(id), fieldsOf((await dashboard.get(at(id))).text, FORM))
    expect((await savedOf(id)).inbound.fields).toEqual({ notes: 'a' })
  })

  it('takes 200 rules, and says which one is too many', async () => {
    const rows = Array.from(
      { length: 201 },
      (_, index) => [`metadata.f${index}`, 'path', 'a'] as const,
    )
    const id = await makePartner()
    const first = rules(...rows.slice(0, 200).map((row): [string, string, string] => [...row]))
    expect((await dashboard.post(at(id), first)).status).toBe(303)
    expect(fieldsOf((await dashboard.get(at(id))).text, FORM)['inbound.target']).toHaveLength(203)
    const all = rules(...rows.map((row): [string, string, string] => [...row]))
    const refused = await dashboard.post(at(id), all)
    expect(refused.status).toBe(400)
    expect(wordsOf(refused)).toContain('A mapping has at most 200 fields.')
  })

  const REFUSED: [string, Fields, string][] = [
    ['a field that is not ours', rules(['colour', 'path', 'a']), 'There is no field "colour"'],
    ['a source that is no path', rules(['notes', 'path', 'a b']), 'The source "a b" is not a path'],
    ['a fixed value that is not JSON', rules(['notes', 'value', 'acme']), 'line 1, column 1'],
    [
      'a fixed value that does not fit',
      rules(['notes', 'value', '5']),
      'The fixed value is refused',
    ],
    ['a row without a source', rules(['notes', 'path', '']), 'Give the path in their document'],
    ['a row without a target', rules(['', 'path', 'a']), 'Name our field that this fills'],
    [
      'a target that stands twice',
      rules(['due_date', 'path', 'a'], ['notes', 'path', 'a'], ['notes', 'path', 'b']),
      'A rule above fills "notes" already',
    ],
    ['a value that is far too deep', rules(['notes', 'value', '['.repeat(9e4)]), 'too deep'],
  ]

  it.each(REFUSED)('refuses %s beside its row, and keeps all', async (_, fields, message) => {
    const id = await makePartner(SHOP_MAPPING)
    const before = await savedOf(id)
    const sent = {
      identifier_field: 'notes',
      ...fields,
      'outbound.unmapped': 'keep',
      'outbound.target': ['nummer'],
      'outbound.kind': ['path'],
      'outbound.source': ['order_number'],
      method: 'PUT',
      document: '{ "typed": 1 }',
    }
    const answer = await dashboard.post(at(id), sent)
    expect(answer.status).toBe(400)
    const shown = fieldsOf(answer.text, FORM)
    for (const [name, values] of Object.entries(sent)) {
      expect(shown[name]?.slice(0, [values].flat().length)).toEqual([values].flat())
    }
    const rows = answer.text.split('<tr>').filter((row) => row.includes('name="inbound.target"'))
    const wrong = rows.filter((row) => row.includes('field-error'))
    const last = fields['inbound.target']?.length ?? 0
    expect(wrong).toEqual([rows[last - 1]])
    expect(wordsOf({ ...answer, text: wrong[0] ?? '' })).toContain(message)
    expect(answer.text).toMatch(/<p class="form-error" role="alert">[^<]/)
    expect(await savedOf(id)).toEqual(before)
  })

  it('refuses rules of a direction that is not mapped', async () => {
    const id = await makePartner()
    const answer = await dashboard.post(at(id), { ...ORDER, 'inbound.unmapped': '' })
    expect(answer.status).toBe(400)
    expect(wordsOf(answer)).toContain('There are rules below: choose what becomes of the rest.')
  })

  it('names a wrong identifier field, and opens outbound rules that are wrong', async () => {
    const id = await makePartner()
    const { text } = await dashboard.get(at(id, 'products'))
    const identifier = { 'inbound.source': ['a'], identifier_field: 'colour' }
    const first = await dashboard.post(at(id, 'products'), filledIn(text, FORM, identifier))
    expect(first.status).toBe(400)
    expect(first.text).toContain('id="identifier_field-error"')
    const outbound = {
      'inbound.source': ['a'],
      'outbound.target': ['x'],
      'outbound.source': ['sku'],
    }
    const second = await dashboard.post(at(id, 'products'), filledIn(text, FORM, outbound))
    expect(second.status).toBe(400)
    expect(second.text).toMatch(/<details open="">\s*<summary>Outbound/)
  })
})

describe('POST /dashboard/partners/{id}/mappings/{resource}/preview/', () => {
  it('says that a document fits, and where each value comes from', async () => {
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

  it('answers the pane alone when it is asked to', async () => {
    const { text } = await tryOut(DOCUMENT, { ...ORDER, pane: '1' })
    expect(text).toMatch(/^<section id="preview"/)
    expect(text).not.toContain('<html')
  })

  it('shows the document of the shop as the shop sends it', async () => {
    const id = await makePartner(SHOP_MAPPING)
    const { text } = await dashboard.get(at(id))
    const document = JSON.stringify(shopOrder('A-1', 'k'), null, 2)
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
    expect(words).toContain('Rows of this document would be refused; the others are taken.')
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
      'inbound rule 1 The fixed value is not JSON',
    )
  })

  it.each([
    ['nothing', '', 'Paste a document as the partner sends it.'],
    ['a word in the wrong place', '{\r\n  "a": b\r\n}', 'It is not JSON from line 2, column 8 on.'],
    ['a comma too many', '{"a": 1,}', 'It is not JSON from line 1, column 9 on.'],
    ['an end too early', '{"a": [1,\n2', 'It is not JSON from line 2, column 2 on.'],
    ['a member twice', '{"a": {"b": 1, "b": 2}}', 'It is ambiguous: a.b is given twice.'],
    ['an array', '[1]', 'It must be a JSON object.'],
    ['a document that is far too deep', '['.repeat(1e5), 'It is too deep, or of too many values.'],
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
    const before = [await savedOf(id), await db.prepare(version).first()]
    const path = `${at(id)}preview/`
    const document = JSON.stringify(DOCUMENT)
    const { headers } = await dashboard.post(path, { ...ORDER, document })
    expect([await savedOf(id), await db.prepare(version).first()]).toEqual(before)
    const audit = await db
      .prepare('select path, method, status, record_id from audit_log where request_id = ?')
      .bind(headers.get('X-Request-Id'))
      .first()
    expect(audit).toEqual({ path, method: 'POST', status: 200, record_id: id })
  })
})

describe('POST /dashboard/partners/{id}/mappings/{resource}/delete/', () => {
  it('asks first, then deletes the mapping', async () => {
    const id = await makePartner(SHOP_MAPPING)
    expect((await dashboard.get(at(id))).text).toContain(`href="${at(id)}delete/"`)
    const question = await dashboard.get(`${at(id)}delete/`)
    expect(wordsOf(question)).toContain('Delete the mapping of orders?')
    const answer = await dashboard.post(`${at(id)}delete/`)
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      `/dashboard/partners/${id}/?done=mapping-deleted`,
    ])
    expect((await admin.get(api(id))).status).toBe(404)
  })

  it('is seen by a session of the same key at once', async () => {
    const { value } = await createKey(['settings.*'])
    const own = await openDashboard([], { key: value })
    const id = await makePartner(SHOP_MAPPING)
    await own.post(`${at(id)}delete/`)
    expect(fieldsOf((await own.get(at(id))).text, FORM)['inbound.unmapped']).toEqual(['keep'])
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

  it.each(['', 'preview/'])('is refused beyond that, without showing it: %j', async (page) => {
    const fields = { ...many(20_000), document: '{}' }
    const answer = await dashboard.post(at(await makePartner()) + page, fields)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('A form has at most 500 rows.')
    expect(answer.text.length).toBeLessThan(10_000)
  })
})
