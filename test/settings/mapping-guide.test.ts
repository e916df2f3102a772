import { describe, expect, it } from 'vitest'
import guide from '../../docs/mappings.md?raw'
import { sectionOf } from '../fixtures/markdown.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import type { Json } from '../fixtures/tenant.ts'
import { at, dataOf, makePartner, preview } from './previews.ts'

// The examples of docs/mappings.md, as a reader would try them in a preview.

interface Example {
  text: string
  resource: string
  fields: Json
  none?: Json
  single_as_list?: Json
  records?: Json
  results?: Json
  headers?: Json
  query?: Json
  result?: Json
  problem?: Json
}

const blocks = [...guide.matchAll(/^```json\n(.*?)^```/gms)].map(([, text = '']) => text)
const examples = blocks
  .map((text): [string, Example] => {
    const { resource = 'orders', ...example } = JSON.parse(text)
    return [Object.keys(example.fields ?? {}).join(), { text, resource, ...example }]
  })
  .filter(([, { fields }]) => fields !== undefined)

const filters = [...sectionOf(guide, 'Filters').matchAll(/`(\[\?[^.].*?\])`/g)].map(
  ([, filter = '']) => filter.replaceAll('\\|', '|'),
)

/** JSON that keeps the digits of numbers, as they stand in the guide. */
function exactly(text: string): Json {
  const { rawJSON } = JSON as unknown as { rawJSON: (digits: string) => unknown }
  const keep = (_: string, value: unknown, context?: { source: string }) =>
    typeof value === 'number' && context ? rawJSON(context.source) : value
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown)
}

describe('an example of the guide', () => {
  it.each(examples)(
    'maps %s',
    async (_, {
      text,
      resource,
      fields,
      none,
      single_as_list,
      records,
      headers,
      query,
      result,
      results,
      problem,
    }) => {
      const { document: payload } = exactly(text)
      const id = await makePartner()
      const sent = JSON.stringify({
        payload,
        headers,
        query,
        mapping: { inbound: { none, single_as_list, records, fields } },
      })
      const data = dataOf(await admin.post(at(id, resource), sent))
      const { mapped, problems } = data
      if (results) {
        const told = data.records.map(({ mapped, problems }: Json) => mapped ?? problems[0])
        expect(told).toEqual(results)
      } else if (problem) expect(problems).toMatchObject([problem])
      else expect({ problems, mapped }).toEqual({ problems: [], mapped: result })
    },
  )

  it('goes out by rules that can be saved', async () => {
    const [outbound] = blocks.flatMap((text) => JSON.parse(text).outbound ?? [])
    const id = await makePartner()
    const place = at(id).replace('preview/', '')
    const { status, body } = await admin.put(place, { outbound })
    expect([status, body.data?.outbound.fields]).toEqual([200, outbound.fields])
  })

  it.each(filters)('has the filter %s, which can be saved', async (filter) => {
    const { status, body } = await preview({
      payload: { a: [{ b: 1 }] },
      mapping: { inbound: { fields: { 'metadata.tags[]': { each: `a${filter}.b` } } } },
    })
    expect([status, body.error]).toEqual([200, undefined])
  })

  it('is there for each construct, whether it works or fails', () => {
    const rules = examples.flatMap(([, { fields }]) => Object.values<Json>(fields))
    const members = new Set(
      rules.flatMap((rule) => (typeof rule === 'string' ? [] : Object.keys(rule))),
    )
    expect([...members].sort()).toEqual([
      ...[
        'as',
        'at_zero',
        'code',
        'decimal',
        'default',
        'each',
        'format',
        'from',
        'join',
        'less',
        'none',
        'required',
        'split',
        'text',
        'times',
        'value',
        'values',
        'with',
        'zone',
      ],
    ])
    const page = sectionOf(guide, 'The language on one page')
    const beside = ['unmapped', 'records', 'group_by', 'first', 'single_as_list', 'pair']
    for (const member of [...members, ...beside]) expect(page).toContain(`"${member}"`)
    expect(examples.filter(([, { problem }]) => problem).length).toBeGreaterThan(4)
    expect(filters.length).toBeGreaterThan(10)
  })
})

it('the example of item codes stores what the guide says', async () => {
  const section = sectionOf(guide, "`code`: the partner's own numbers")
  const [, text = ''] = /```json\n(.*?)```/s.exec(section) ?? []
  const { item_codes, fields, document, stored } = JSON.parse(text)
  const mappings = { orders: { inbound: { unmapped: 'drop', fields } } }
  const { admin, api, id } = await openPartner({ mappings })
  for (const sku of new Set(stored.map(([sku]: Json) => sku)))
    await admin.post('/products/', { sku })
  await admin.put(`/api/settings/v1/partners/${id}/item-codes/products/`, { item_codes })
  const { status, body } = await api.post('/orders/', document)
  expect([status, body.error]).toEqual([201, undefined])
  const lines = body.data.items.map(({ sku, quantity }: Json) => [sku.sku, quantity])
  expect(lines).toEqual(stored)
})
