import { describe, expect, it } from 'vitest'
import { mapDocument, mapRecords } from '../../src/engine/mapping/inbound.ts'
import { bodyErrors } from '../../src/records/bodies.ts'
import type { Starter } from '../../src/settings/mapping-starters/starters.ts'
import { pace } from '../fixtures/pace.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Edit, edited } from './edit.ts'
import { readStarters, sentBy } from './starter.ts'
import { STATES } from './states.ts'

const orders = (await readStarters()).filter(({ resource }) => resource === 'orders')

/** What becomes of the document: `taken`, a status of ours, or `refused`. */
async function outcomeOf(starter: Starter, document: Json, method: string): Promise<string> {
  const inbound = starter.mapping.inbound ?? expect.fail('no inbound rules')
  const { value, problems } = mapDocument('orders', inbound, sentBy(starter, document, method))
  if (problems.length > 0) return 'refused'
  const { status = 'taken', ...others } = value
  const { errors } = await bodyErrors('orders', method, method === 'POST' ? others : value, pace)
  // A cancelled order may have no lines any more.
  return Object.keys(errors).length > 0 && status === 'taken' ? 'refused' : String(status)
}

const cases = orders.flatMap((starter) =>
  Object.entries(STATES[starter.name] ?? {}).flatMap(([expected, edits]) =>
    (edits as Edit[]).map((edit) => [starter.name, expected, JSON.stringify(edit), edit] as const),
  ),
)
const byName = (name: string) => orders.find((one) => one.name === name) ?? expect.fail(name)

describe('a mapping starter for orders', () => {
  it('has each its states', () => {
    expect(Object.keys(STATES).toSorted()).toEqual(orders.map(({ name }) => name).toSorted())
    const without = orders.filter(({ name }) => !STATES[name]?.cancelled).map(({ name }) => name)
    // These systems delete an order, or cancel it by another document.
    expect(without).toEqual(['business-central-sales-order', 'ubl-order'])
  })

  it.each(orders)(
    '$name takes its own document, and leaves the status alone by PUT',
    async (starter) => {
      expect(await outcomeOf(starter, starter.document, 'POST')).toBe('taken')
      expect(await outcomeOf(starter, starter.document, 'PUT')).toBe('taken')
    },
  )

  it.each(cases)('%s: %s by %s', async (name, expected, _, edit) => {
    const starter = byName(name)
    const document = edited(starter.document, edit)
    const isByPost = expected === 'refusedByPost'
    const created = await outcomeOf(starter, document, 'POST')
    // POST refuses a cancelled order, whether by its status or because it was never paid.
    if (expected === 'cancelled') expect(['cancelled', 'refused']).toContain(created)
    else expect(created).toBe(isByPost ? 'refused' : expected)
    expect(await outcomeOf(starter, document, 'PUT')).toBe(isByPost ? 'taken' : expected)
  })

  it.each(orders)('$name says in its notes what becomes of other states', ({ name, notes }) => {
    const said = notes.join(' ')
    if (STATES[name]?.cancelled) expect(said).toMatch(/by PUT|By PUT/)
    else expect(said).toContain('DELETE')
    expect(said).toMatch(/refused/)
  })
})

describe('lines without an SKU', () => {
  it('of two variations in WooCommerce stay two products', () => {
    const starter = byName('woocommerce-order')
    const { mapping, document } = starter
    const line = { sku: '', product_id: 7, quantity: 1, meta_data: [] }
    const line_items = [
      { ...line, variation_id: 71 },
      { ...line, variation_id: 72 },
      { ...line, variation_id: 0 },
      { ...line, variation_id: 71, sku: 'S' },
    ]
    const inbound = mapping.inbound ?? expect.fail('no inbound rules')
    const payload = { ...(document as object), line_items }
    const { value } = mapDocument('orders', inbound, sentBy(starter, payload, 'POST'))
    const codes = (value.items as { sku_code: string }[]).map(({ sku_code }) => sku_code)
    expect(codes).toEqual(['71', '72', '7', 'S'])
  })
})

describe('the filter in the notes on the order export of Shopify', () => {
  const starter = byName('shopify-order-export-csv')
  const each = starter.notes.join(' ').match(/\$\[\?.*?\](?=\. )/)?.[0] ?? expect.fail('no filter')

  /** The orders that are left of a file with these. */
  function numbersOf(...documents: string[]): Json[] {
    const inbound = starter.mapping.inbound ?? expect.fail('no inbound rules')
    const { records, ...others } = inbound
    const filtered = { ...others, records: { group_by: records?.group_by ?? [], each } }
    const file = documents.map((text, at) => (at === 0 ? text : text.replace(/^.*\n/, ''))).join('')
    const found = mapRecords('orders', filtered, sentBy(starter, file, 'POST')).records
    return found.map(({ value }) => [value.order_number, (value.items as Json[]).length])
  }

  const named = (number: string, edit: Edit = {}) =>
    edited(starter.document, { '#2041': number, ...edit })

  it('keeps all lines of an order that is to be sent', () => {
    expect(numbersOf(named('#1'), named('#2'))).toEqual([
      ['SHOPIFY-#1', 2],
      ['SHOPIFY-#2', 2],
    ])
  })

  const { cancelled = [], shipped = [], refused } = STATES[starter.name] ?? expect.fail()

  it.each([...cancelled, ...shipped, ...refused])('passes over the whole order of %j', (edit) => {
    expect(numbersOf(named('#1'), named('#2', edit))).toEqual([['SHOPIFY-#1', 2]])
  })
})
