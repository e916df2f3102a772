import { describe, expect, it } from 'vitest'
import guide from '../../docs/mappings.md?raw'
import type { SentWith } from '../../src/engine/json/sent-with.ts'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { problemMessage } from '../../src/engine/mapping/problem.ts'
import { asJson, type Fields, type Options, refusals, sent } from '../fixtures/mapped.ts'
import { sectionOf } from '../fixtures/markdown.ts'
import type { Json } from '../fixtures/tenant.ts'

const SHOP = { headers: { 'x-shop-domain': 'keramik.example' }, query: { location: 'D-04' } }

function mapped(fields: Fields, payload: Json, beside?: SentWith, options: Options = {}) {
  const { unmapped = 'keep', method = 'POST', resource = 'orders' } = options
  const document = { ...sent(payload, method), sent: beside }
  return mapDocument(resource, { unmapped, fields }, document)
}

const recordOf = (...given: Parameters<typeof mapped>) => {
  const { value, problems } = mapped(...given)
  expect(asJson(problems)).toEqual([])
  return value
}

const faultsOf = (source: Json) =>
  refusals('orders', { inbound: { fields: { notes: source } } }).map(([, message]) => message)

describe('the value of a header or of a parameter in a mapping', () => {
  it('is mapped as the guide says', () => {
    const [, text = ''] =
      /```json\n(.*?)```/s.exec(sectionOf(guide, 'What comes beside the body of a delivery')) ?? []
    const { resource, fields, headers, query, document, result } = JSON.parse(text)
    const named = Object.entries<string>(headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ])
    const beside = { headers: Object.fromEntries(named), query }
    expect(recordOf(fields, document, beside, { resource })).toEqual(result)
  })

  it('is found whatever the case of the header, and as the parameter is written', () => {
    const fields = { notes: "$header['X-SHOP-domain']", customer_name: "$query['Location']" }
    expect(recordOf(fields, {}, SHOP)).toEqual({ notes: 'keramik.example' })
  })

  it('is missing in a request that has none, so that the next path or the default counts', () => {
    const fields = {
      notes: { from: ["$header['X-Shop-Domain']", 'shop'] },
      customer_name: { from: "$query['location']", default: 'nobody' },
      order_number: "$query['number']",
    }
    expect(recordOf(fields, { shop: 'b' }, undefined, { unmapped: 'drop' })).toEqual({
      notes: 'b',
      customer_name: 'nobody',
    })
    expect(recordOf(fields, { shop: 'b' }, SHOP, { unmapped: 'drop' })).toEqual({
      notes: 'keramik.example',
      customer_name: 'D-04',
    })
  })

  it('goes through tables and conversions, and into every line', () => {
    const fields: Fields = {
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': { from: "$query['each']", as: 'integer' },
      'items[].notes': { join: ['lines[].note', "$header['X-Shop-Domain']"], with: ' @ ' },
      'metadata.shop': { from: "$header['X-Shop-Domain']", values: { 'keramik.example': 7 } },
    }
    const payload = { lines: [{ sku: 'S1', note: 'a' }, { sku: 'S2' }] }
    expect(recordOf(fields, payload, { ...SHOP, query: { each: '2' } })).toEqual({
      items: [
        { sku_code: 'S1', quantity: 2, notes: 'a @ keramik.example' },
        { sku_code: 'S2', quantity: 2, notes: 'keramik.example' },
      ],
      metadata: { shop: 7 },
    })
  })

  it('fills the rows of an each, and stands beside paths of an array', () => {
    const fields = {
      'inventory[]': { each: '$[?@.qty > 0]' },
      'inventory[].location_code': "$query['location']",
      'inventory[].sku_code': '$[].sku',
      'inventory[].quantity': '$[].qty',
    }
    const payload = [
      { sku: 'S1', qty: 1 },
      { sku: 'S2', qty: 0 },
    ]
    const options = { resource: 'inventory', unmapped: 'drop' } as const
    expect(recordOf(fields, payload, SHOP, options)).toEqual({
      inventory: [{ location_code: 'D-04', sku_code: 'S1', quantity: 1 }],
    })
  })

  it('is named by problems, which say who brings it', () => {
    const fields = { notes: { from: "$header['X-Shop-Domain']", required: true } }
    const { problems } = mapped(fields, {})
    expect(problems).toMatchObject([{ reason: 'SOURCE_MISSING', at: "$header['X-Shop-Domain']" }])
    expect(problems.map(problemMessage).join()).toContain('the rules of the webhook list it')
  })

  it('has its source in the provenance, alone and in a joined text', () => {
    const fields = {
      notes: "$header['X-Shop-Domain']",
      customer_name: { join: ['buyer', "$query['location']"] },
      'metadata.a': { from: ["$query['none']", 'buyer'] },
      'metadata.b': { from: "$query['none']", default: 1 },
    }
    const { sourceOf } = mapped(fields, { buyer: 'Ada' }, SHOP)
    const names = ['notes', 'customer_name', 'metadata.a', 'metadata.b']
    expect(names.map(sourceOf)).toEqual([
      "$header['X-Shop-Domain']",
      "buyer, $query['location']",
      'buyer',
      null,
    ])
  })

  it('reads nothing of the document, and leaves none of its fields unread', () => {
    const fields = { notes: "$header['a']" }
    const { unread } = mapped(fields, { header: 1, $header: { a: 2 } }, SHOP, { unmapped: 'drop' })
    expect(unread().fields.map(({ field }) => field)).toEqual(['header', "['$header']"])
  })

  it('leaves the members of that name to a quoted path', () => {
    expect(
      recordOf({ notes: "['$header'].a" }, { $header: { a: 'own' } }, SHOP, { unmapped: 'drop' }),
    ).toEqual({
      notes: 'own',
    })
  })

  it.each([
    '$header.X-Shop-Domain',
    '$headers["X"]',
    "$headers['X-Shop-Domain']",
    "$header['X'].y",
    '$header',
    '$query',
    '$query.location',
    "$query['']",
  ])('is refused if it is written as %s, with what to write', (source) => {
    expect(faultsOf(source)).toEqual([expect.stringContaining("write $header['X-Shop-Domain']")])
  })

  it.each(['Authorization', 'cookie', 'X-API-Key', 'X-Shopify-Hmac-Sha256', 'x-csrf-token'])(
    'is refused for the header %s, which proves who sends',
    (name) => {
      expect(faultsOf(`$header['${name}']`)).toEqual([
        expect.stringContaining('no mapping may read'),
      ])
    },
  )

  it.each(['token', 'api_key', 'key', 'sig'])('is refused for the parameter %s', (name) => {
    expect(faultsOf({ join: ['a', `$query['${name}']`] })).toEqual([
      expect.stringContaining('no mapping may read'),
    ])
  })

  it.each(['X-Shop-Domain', 'X-Idempotency-Key', 'X-Shopify-Topic', 'X-Monkey'])(
    'may be saved for the header %s',
    (name) => expect(faultsOf(`$header['${name}']`)).toEqual([]),
  )

  it('is refused in an outbound rule, in a target and as an each', () => {
    const words = (mapping: object) => refusals('orders', mapping).map(([, message]) => message)
    expect(words({ outbound: { fields: { a: "$header['X']" } } })).toEqual([
      'Our record has no headers and no query: only inbound rules read them.',
    ])
    expect(words({ inbound: { fields: { "$header['X']": 'a' } } })).toEqual([
      expect.stringContaining('must begin with a name'),
    ])
    expect(words({ inbound: { fields: { 'items[]': { each: "$header['X']" } } } })).toEqual([
      expect.stringContaining('"each" needs a path with []'),
    ])
  })

  it('is refused as a path through arrays beside others', () => {
    const source = { from: ['lines[].a', "$header['X']"] }
    expect(refusals('orders', { inbound: { fields: { 'items[].notes': source } } })).toHaveLength(1)
  })
})
