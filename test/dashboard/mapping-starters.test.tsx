import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { readSample } from '../../src/dashboard/mappings/document-text.ts'
import { mappingOf } from '../../src/dashboard/mappings/mapping.ts'
import { StarterChoice, startFrom } from '../../src/dashboard/mappings/starter-choice.tsx'
import { parseDocument } from '../../src/engine/formats/format.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { listStarters, type Starter } from '../../src/settings/mapping-starters/starters.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { pace } from '../fixtures/pace.ts'
import { at, makePartner } from './mapping-forms.ts'

const FIELDS: SavedRules['fields'] = {
  order_number: { from: 'number', required: true },
  'items[]': { each: 'lines[?length(@.sku) > 0]' },
  'items[].sku_code': 'lines[].sku',
  'items[].quantity': { from: 'lines[].qty', as: 'integer' },
}

const STARTER: Starter = {
  name: 'acme-order',
  title: 'Acme order',
  system: 'Acme',
  resource: 'orders',
  notes: ['Set the <identifier> of the partner.', 'Lines without a SKU are left out.'],
  mapping: {
    identifier_field: 'external_order_id',
    inbound: { unmapped: 'keep', fields: FIELDS },
    outbound: null,
  },
  document: { number: 'A-1', lines: [{ sku: 'S1', qty: '2' }] },
}

const starters = await listStarters(env)

const choice = (chosen: Starter | undefined, offered = [STARTER]) =>
  (<StarterChoice at="/editor/" starters={offered} chosen={chosen} />).toString()

describe('the start of a mapping from a starter', () => {
  it('is a choice that loads the editor again, and says what to look at', () => {
    const page = choice(STARTER)
    expect(page).toMatch(/<form method="get" action="\/editor\/"/)
    expect(page).toMatch(/<option value="acme-order" selected="">Acme order<\/option>/)
    expect(page).toContain('Set the &lt;identifier&gt; of the partner.')
    expect(page).toContain('Nothing is saved yet.')
  })

  it('has no notes before the choice, and is not there without starters', () => {
    expect(choice(undefined)).not.toContain('Set the')
    expect(choice(undefined, [])).toBe('')
  })

  it('fills the rules and the sample document', () => {
    const { draft, sample } = startFrom('orders', STARTER, null)
    expect(mappingOf(draft)).toEqual({
      identifier_field: 'external_order_id',
      inbound: { unmapped: 'keep', fields: FIELDS },
      outbound: null,
    })
    expect(JSON.parse(sample.document)).toEqual(STARTER.document)
  })

  it('keeps the rules for what is returned', () => {
    const outbound = { unmapped: 'drop' as const, fields: { nummer: 'order_number' } }
    const saved = { identifier_field: null, inbound: null, outbound }
    expect(mappingOf(startFrom('orders', STARTER, saved).draft).outbound).toEqual(outbound)
  })

  it.each(starters)('fills the form with $name as it is', (starter) => {
    const { draft, sample } = startFrom(starter.resource, starter, null)
    expect(mappingOf(draft)).toEqual(starter.mapping)
    const { content_type, document } = starter
    expect(content_type ? sample.document : JSON.parse(sample.document)).toEqual(document)
  })

  it.each(starters.filter(({ content_type }) => content_type))(
    'reads the text of $name as what its system sends',
    async ({ document, content_type = '', mapping }) => {
      const formats = mapping.inbound ?? {}
      const bytes = new TextEncoder().encode(String(document))
      const { value, listsSingles } = parseDocument(bytes, content_type, { formats })
      const read = await readSample(String(document), formats, pace)
      expect(read).toEqual({ value, listsSingles, isJson: false })
    },
  )

  it('offers those of the resource, and fills the editor with the chosen one', async () => {
    const editor = at(await makePartner())
    const page = await dashboard.get(editor)
    expect(page.text).toContain('<option value="woocommerce-order">WooCommerce: order</option>')
    expect(page.text).not.toContain('woocommerce-product')
    const started = await dashboard.get(`${editor}?start=woocommerce-order`)
    expect(started.text).toContain('line_items[?@.quantity != 0]')
    expect(started.text).toContain('Margarethe')
  })

  it('shows the editor for a name that is none', async () => {
    const { status } = await dashboard.get(`${at(await makePartner())}?start=nothing`)
    expect(status).toBe(200)
  })
})
