import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SHOP_MAPPING } from '../../scripts/dev/shop.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { byDepth, sample } from '../fixtures/depth.ts'
import type { Fields } from '../fixtures/forms.ts'
import type { Fields as Rules } from '../fixtures/mapped.ts'
import { documents, validFields } from '../fixtures/mapping-generators.ts'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { createKey, unique } from '../fixtures/tenant.ts'
import { fieldsOf, filledIn } from './form-fields.ts'
import { api, at, FORM, makePartner, ORDER, rules, savedOf, tryOut } from './mapping-forms.ts'

const EVERY_FORM = {
  order_number: { join: [{ value: 'SHOP2-' }, 'name'], with: '' },
  external_order_id: { from: 'id', as: 'string', required: true },
  customer_name: { join: ['shipping.first_name', 'shipping.last_name'] },
  notes: { from: ['note'], default: 'none' },
  order_date: { from: 'created', as: 'datetime', format: 'epoch_milliseconds' },
  status: { from: 'state', values: { 'on hold': 'draft', '1': 'pending', '*': 'pending' } },
  'metadata.gift': "note_attributes[?@.name == 'a | b + c'].value",
  'metadata.tags[]': { each: "tags[?@.kind != 'x'].name" },
  'items[]': { each: "line_items[?@.quantity > 0 && @.type != 'shipping']" },
  'items[].sku_code': { from: ['line_items[].sku', 'line_items[].product_id'], as: 'string' },
  'items[].quantity': { from: 'line_items[].quantity', as: 'integer' },
  'items[].notes': { join: ['line_items[].options[].value'], with: ', ' },
  'metadata.source': { value: 'shop' },
}

describe('GET /dashboard/partners/{id}/mappings/{resource}/', () => {
  it.each([
    ['orders', ['order_number', 'items[].sku_code', 'items[].quantity']],
    ['products', ['sku']],
    ['locations', ['code']],
    ['inventory', ['inventory[].location_code', 'inventory[].sku_code', 'inventory[].quantity']],
  ])('begins the mapping of %s with the fields that a record needs', async (resource, targets) => {
    const text = markupOf(await dashboard.get(at(await makePartner(), resource)))
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
      expect(text).toContain(`<option value="${path}"`)
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
    const main = text.slice(text.indexOf('<main'))
    expect(main).not.toMatch(/<input|<select|<textarea|Delete mapping/)
    expect((await reader.get(at(id, 'products'))).text).toContain('There is no mapping:')
    for (const path of ['', 'preview/', 'delete/']) {
      expect((await reader.post(at(id) + path, ORDER)).status).toBe(403)
    }
  })

  it('shows a session that may only read what the rules make of their values', async () => {
    const reader = await openDashboard(['settings.read'])
    const id = await makePartner({ inbound: { fields: EVERY_FORM } })
    const words = wordsOf(await reader.get(at(id)))
    for (const part of [
      '"SHOP2-" + name joined texts Between the texts: ""',
      'id path, required, as text',
      'note | path Without a value: "none"',
      'created path, Unix ms',
      'on hold = draft * = pending',
      'line_items[].sku | line_items[].product_id path, as text',
    ]) {
      expect(words).toContain(part)
    }
  })

  it('is not found for an unknown partner or resource', async () => {
    const id = await makePartner()
    expect((await dashboard.get(at(id, 'invoices'))).status).toBe(404)
    const stray = crypto.randomUUID()
    expect((await dashboard.get(at(stray))).status).toBe(404)
    expect((await dashboard.get(`${at(stray)}delete/`)).status).toBe(404)
    expect((await dashboard.get(`${at(id)}delete/`)).status).toBe(404)
    for (const path of ['', 'preview/']) {
      expect((await dashboard.post(at(stray) + path, ORDER)).status).toBe(404)
    }
    expect((await dashboard.post(`${at(stray)}delete/`)).status).toBe(404)
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
    const numRuns = byDepth(3, 40)
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
      { numRuns },
    )
    expect(tried).toBe(numRuns)
  })

  it.each<[string, object, string?]>([
    ['nothing is mapped', {}],
    ['there are no rules', { inbound: { unmapped: 'reject', fields: {} } }],
    [
      'there are line breaks in a path',
      { inbound: { fields: { notes: "a['b\nc\u0000\ud800']" } } },
    ],
    ['a value is null', { inbound: { fields: { notes: { value: null } } } }],
    ['rules are of every form', { inbound: { unmapped: 'drop', fields: EVERY_FORM } }],
    [
      'the document is an array',
      {
        inbound: {
          fields: {
            'inventory[]': { each: '$[?@.n != null]' },
            'inventory[].sku_code': '$[].item',
            'inventory[].quantity': { from: '$[].n', as: 'integer' },
          },
        },
      },
      'inventory',
    ],
    [
      'records are returned with conversions',
      {
        outbound: {
          fields: {
            placed: { from: 'order_date', as: 'datetime', format: 'epoch_seconds' },
            state: { from: 'status', values: { pending: 'new', '*': 'other' } },
            'lines[].text': { join: ['items[].sku.sku', 'items[].notes'], with: ': ' },
          },
        },
      },
    ],
  ])('saves it unchanged where %s', async (_, mapping, resource = 'orders') => {
    const id = await makePartner(mapping, resource)
    const before = await savedOf(id, resource)
    const { text } = await dashboard.get(at(id, resource))
    expect((await dashboard.post(at(id, resource), fieldsOf(text, FORM))).status).toBe(303)
    expect(await savedOf(id, resource)).toEqual(before)
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
    ['a row without a source', rules(['notes', 'path', '']), 'Enter the path in their document'],
    ['a row without a target', rules(['', 'path', 'a']), 'Enter our field that this rule fills'],
    [
      'a target that stands twice',
      rules(['due_date', 'path', 'a'], ['notes', 'path', 'a'], ['notes', 'path', 'b']),
      'A rule above already fills "notes"',
    ],
    [
      'a value that is far too deep',
      rules(['notes', 'value', '['.repeat(9e4)]),
      'too deeply nested',
    ],
    ['a value that is far too deep', rules(['notes', 'value', '['.repeat(9e4)]), 'too deep'],
  ]

  it.each(sample(REFUSED, 4))(
    'refuses %s beside its row, and keeps all',
    async (_, fields, message) => {
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
    },
  )

  it('refuses rules of a direction that is not mapped', async () => {
    const id = await makePartner()
    const answer = await dashboard.post(at(id), { ...ORDER, 'inbound.unmapped': '' })
    expect(answer.status).toBe(400)
    expect(wordsOf(answer)).toContain(
      'There are rules below: choose what happens to the other fields.',
    )
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

describe('POST /dashboard/partners/{id}/mappings/{resource}/delete/', () => {
  it('asks first, then deletes the mapping', async () => {
    const id = await makePartner(SHOP_MAPPING)
    const { text } = await dashboard.get(at(id))
    const [link = ''] = new RegExp(`${at(id)}delete/\\?version=\\d+`).exec(text) ?? []
    const question = await dashboard.get(link)
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
