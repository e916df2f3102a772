import { describe, expect, it } from 'vitest'
import { missing } from '../../fixtures/mapped.ts'
import { type Json, unique } from '../../fixtures/tenant.ts'
import {
  expectFieldError,
  expectMappingError,
  expectWrongKind,
  item,
  newOrder,
  place,
  refuse,
} from './orders.ts'
import { changed } from './paths.ts'
import { EDI, MIRAKL } from './shapes.ts'

describe('POST /orders/ with an EDI 850', () => {
  it('creates the order with every field that the mapping names', async () => {
    const { document, order } = await place(EDI)
    const [tape, foil, sample] = document['PO1-Loop'].map(({ PO1 }: Json) => PO1['PO1.07'])
    const line = { memo: '', currency: 'PLN' }
    expect(order).toStrictEqual(
      newOrder({
        order_number: document.BEG['BEG.03'],
        external_order_id: document.REF[2]['REF.02'],
        customer_name: 'Hurtownia Świt Sp. z o.o.',
        customer_info: {
          ship_to: {
            gln: '5909990012352',
            name: 'Hurtownia Świt – magazyn nr 7',
            street: ['ul. Próżna 19/21'],
            city: 'Łódź',
          },
          bill_to: document['N1-Loop'][2].N1,
          contact: 'Jadwiga Żółkiewska',
          phone: '+48 42 555 01 77',
        },
        notes: 'Awizacja 24h przed dostawą, rampa 7.',
        order_date: '2026-03-14T05:05:00.000Z',
        due_date: '2026-03-23T00:00:00.000Z',
        metadata: {
          source: 'edi-850',
          run: 9120031007765,
          test: false,
          references: [
            { qualifier: 'DP', value: '210' },
            { qualifier: 'IA', value: 'V-88012' },
            { qualifier: 'CO', value: document.REF[2]['REF.02'] },
            { qualifier: 'ZZ', value: '' },
          ],
          dates: document.DTM,
          'BEG.05': '20260314',
          lines: [
            {
              ...line,
              number: 1,
              unit: 'EA',
              price: '12.50',
              text: ['Taśma pakowa 50 mm, brązowa'],
              schedule: [{ quantity: 24, date: '20260323' }],
            },
            {
              ...line,
              number: 2,
              unit: 'CA',
              price: '118.0000',
              text: ['Folia stretch 23 µm', 'przezroczysta', 'rolka 300 m'],
              schedule: [
                { quantity: 4, date: '20260323' },
                { quantity: 2, date: '20260330' },
              ],
            },
            { ...line, number: 3, unit: 'EA', price: '0', text: [], schedule: [] },
          ],
          terms: { fob: document.FOB, payment: document.ITD, carrier: 'DHLF' },
          totals: document['CTT-Loop'],
          envelope: {
            control: '000009917',
            group: 9917,
            set: '0001',
            segments: 41,
            sets: 1,
            groups: 1,
          },
        },
        items: [
          item(tape, 24, 'Taśma pakowa 50 mm, brązowa'),
          item(foil, 6, 'Folia stretch 23 µm'),
          item(sample, 1, null),
        ],
      }),
    )
  })

  it('refuses segments that it does not know, each by its name', async () => {
    const answer = await refuse(EDI, (document) => ({
      ...document,
      'SPI-Loop': [],
      'MAN.01': { 'MAN.01': 'GM' },
    }))
    const reason = 'UNMAPPED_FIELD'
    expectMappingError(answer, { reason, at: 'SPI-Loop' }, { reason, at: "['MAN.01']" })
  })

  it('refuses a date as EDI writes it, since nothing converts it', async () => {
    const source = 'Export.RequestedDelivery'
    const answer = await refuse(EDI, (document) => changed(document, source, '20260323'))
    expectFieldError(answer, 'due_date', source, /ISO 8601/)
  })

  it('refuses a party that comes without its array', async () => {
    const answer = await refuse(EDI, (document) =>
      changed(document, 'N1-Loop', document['N1-Loop'][0]),
    )
    expect(expectWrongKind(answer, 'N1-Loop', 'array', 'object')).toHaveLength(6)
  })

  it('leaves out what a party that is not there would have said', async () => {
    const { order } = await place(EDI, (document) => changed(document, 'N1-Loop', []))
    expect(order.customer_name).toBeNull()
    const { contact, phone } = order.customer_info
    expect(order.customer_info).toStrictEqual({ contact, phone })
  })
})

describe('POST /orders/ with a feed of Mirakl', () => {
  it('creates the order with every field that the mapping names', async () => {
    const { document, order } = await place(MIRAKL)
    const [sent] = document.orders
    const [lamp, bulb, cable] = sent.order_lines
    expect(order).toStrictEqual(
      newOrder({
        order_number: sent.order_id,
        external_order_id: sent.commercial_id,
        customer_name: 'Lefèvre-Bœuf',
        customer_info: {
          ...sent.customer.shipping_address,
          email: 'notification-7k2@example.com',
        },
        notes: 'Joyeux anniversaire, Maëlle ! 🎂',
        order_date: '2026-03-14T09:30:30.000Z',
        due_date: '2026-03-16T22:59:59.999Z',
        metadata: {
          marketplace: 'mirakl',
          labels: ['marketplace', null, { tier: 1 }],
          state: 'SHIPPING',
          channel: { code: 'FR', label: 'Site français' },
          seller_reference: '',
          delivery: { earliest: '2026-03-17T22:59:59.999Z', latest: '2026-03-19T22:59:59.999Z' },
          total: 61.05,
          order_taxes: [],
          line_ids: [1, 2, 3].map((line) => `${sent.order_id}-${line}`),
          reasons: [null, null, null],
          wrap: [{ value: 'true' }, {}, {}],
          tax_codes: [['TVA20'], ['TVA20', 'DEEE'], []],
        },
        items: [
          item(lamp.offer_sku, 1, 'Lampe de table « Été »'),
          item(bulb.offer_sku, 3, 'Ampoule E27 4 W'),
          item(cable.offer_sku, 12, 'Câble textile, 2 m'),
        ],
      }),
    )
  })

  it('refuses several orders at once', async () => {
    const answer = await refuse(MIRAKL, (document) => ({
      orders: [...document.orders, { ...document.orders[0], order_id: unique('SECOND') }],
      total_count: 2,
    }))
    const several = { reason: 'SEVERAL_RECORDS', at: 'orders', found: 2 }
    const rules = ['order_number', 'external_order_id', 'items[].sku_code']
    expectMappingError(answer, ...rules.map((rule) => ({ ...several, rule })))
    expect(answer.body.error.message).toBe(
      'orders: The mapping reads one element here, but there are 2: send each record in a request of its own, or pick the element by a filter. (and 2 more, see problems)',
    )
  })

  it('refuses a feed without orders', async () => {
    const answer = await refuse(MIRAKL, () => ({ orders: [], total_count: 0 }))
    expectMappingError(
      answer,
      missing('order_number', 'orders[0].order_id'),
      missing('items[].sku_code', 'orders[0].order_lines'),
    )
  })

  it('refuses half a piece', async () => {
    const { quantity } = MIRAKL
    const answer = await refuse(MIRAKL, (document) => changed(document, quantity, 1.5))
    const message = 'Must be an integer, not a fraction.'
    expectFieldError(answer, 'items[1].quantity', quantity, message)
  })
})
