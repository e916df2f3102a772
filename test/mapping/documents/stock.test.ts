import { describe, expect, it } from 'vitest'
import { openPartner } from '../../fixtures/partner.ts'
import type { Json } from '../../fixtures/tenant.ts'
import { createLocation, createProduct, dataOf, path } from '../../fixtures/warehouse.ts'
import { changed, unreadOf, valueAt } from './paths.ts'
import { ownNames, renamed, sourcesOf } from './shapes.ts'
import stock from './stock.json'
import mapping from './stock.mapping.json'

const SKUS = ['TAPE-BRN', 'FOIL-23', 'BOX-Ø40']
const BINS = ['A-01-01', 'A-01-02', 'KÄLTE/1']

/** A partner with the feed's mapping, and a feed of bins and items that no other test has. */
async function openFeed() {
  const partner = await openPartner({ mappings: { inventory: mapping } })
  const own = ownNames([...SKUS, ...BINS])
  const nameOf = (name: string) => own.get(name) ?? name
  for (const sku of SKUS) await createProduct(partner.admin, { sku: nameOf(sku) })
  for (const code of BINS) await createLocation(partner.admin, { code: nameOf(code) })
  const read = async (name: string, by: string) => {
    const records = dataOf(
      await partner.admin.get(`${path('inventory', nameOf(name))}?by=${by}`),
      200,
    )
    return records.map(({ location_code, sku_code, quantity }: Json) => [
      location_code,
      sku_code,
      quantity,
    ])
  }
  const feed = renamed(stock, own)
  return {
    ...partner,
    nameOf,
    feed,
    at: (bin: string) => read(bin, 'location'),
    of: (sku: string) => read(sku, 'sku'),
  }
}

const MISSING = 'Is missing, and the mapping requires it.'
const NULL = 'Is null, and the mapping requires it.'

/** The rows of the feed that nothing was done to, all written. */
const WRITTEN = { total: 6, created: 5, updated: 0, failed: 1 }

describe('POST /inventory/ with a stock feed', () => {
  it('writes every row, and says so in counts', async () => {
    const { api, feed, nameOf, at, of } = await openFeed()
    const answer = await api.post('/inventory/', feed)
    expect(dataOf(answer, 200)).toStrictEqual({
      total: 6,
      created: 6,
      updated: 0,
      failed: 0,
      errors: [],
    })
    const [main, second, cold] = BINS.map(nameOf)
    const [tape, foil, box] = SKUS.map(nameOf)
    expect(await at('A-01-01')).toEqual([
      [main, box, 2],
      [main, tape, 480],
    ])
    expect(await at('A-01-02')).toEqual([
      [second, tape, 0],
      [second, foil, 36],
    ])
    expect(await of('BOX-Ø40')).toEqual([
      [main, box, 2],
      [cold, box, 1200],
    ])
    expect(await of('FOIL-23')).toEqual([
      [cold, foil, 7],
      [second, foil, 36],
    ])
  })

  it('says nothing of what the mapping drops, and a preview names it', async () => {
    const { api, admin, id, feed } = await openFeed()
    expect((await api.post('/inventory/', feed)).body).not.toHaveProperty('warnings')
    const at = `/api/settings/v1/partners/${id}/mappings/inventory/preview/`
    const { body } = await admin.post(at, { payload: feed })
    const fields = body.warnings.map(({ field }: Json) => field)
    const unread = unreadOf(stock, sourcesOf(mapping))
    expect(fields.toSorted()).toEqual([...unread.passedOver, ...unread.fields].toSorted())
  })

  it('records where the feed came from', async () => {
    const { api, admin, feed } = await openFeed()
    const answer = await api.post('/inventory/', feed)
    const request = answer.headers.get('X-Request-Id')
    const [row] = dataOf(await admin.get(`/api/settings/v1/audit-log/?request_id=${request}`), 200)
    expect(row).toMatchObject({ source: 'erp_sync', notes: stock.export.remark })
  })

  it('updates the rows of the next feed', async () => {
    const { api, feed, nameOf, of } = await openFeed()
    dataOf(await api.post('/inventory/', feed), 200)
    const next = changed(feed, 'rows[3].quantities.on_hand', 0)
    const counts = { total: 6, created: 0, updated: 6, failed: 0, errors: [] }
    expect(dataOf(await api.post('/inventory/', next), 200)).toStrictEqual(counts)
    expect(await of('FOIL-23')).toContainEqual([nameOf('KÄLTE/1'), nameOf('FOIL-23'), 0])
  })

  it.each<[string, string, [value?: Json], string, string]>([
    ['no quantity', 'quantities.on_hand', [], 'quantity', MISSING],
    ['a null quantity', 'quantities.on_hand', [null], 'quantity', NULL],
    ['no quantities', 'quantities', [], 'quantity', MISSING],
    ['null for quantities', 'quantities', [null], 'quantity', MISSING],
    [
      'a quantity as text',
      'quantities.on_hand',
      ['7'],
      'quantity',
      'Must be an integer, not a string.',
    ],
    ['less than nothing', 'quantities.on_hand', [-3], 'quantity', 'Must be at least 0.'],
    ['a fraction', 'quantities.on_hand', [4.5], 'quantity', 'Must be an integer, not a fraction.'],
    ['no bin', 'bin', [], 'location_code', MISSING],
    ['a null bin code', 'bin.code', [null], 'location_code', NULL],
    ['a number as its item', 'item.number', [4711], 'sku_code', 'Must be a string, not a number.'],
    [
      'a bin that we have not',
      'bin.code',
      ['NOWHERE'],
      'location_code',
      'No location has the code "NOWHERE".',
    ],
    [
      'an item that we have not',
      'item.number',
      ['NOTHING'],
      'sku_code',
      'No product has the SKU "NOTHING".',
    ],
  ])('fails the one row with %s', async (_, place, value, field, message) => {
    const { api, feed, nameOf, at } = await openFeed()
    const sent = changed(feed, `rows[2].${place}`, ...value)
    const { errors, ...counts } = dataOf(await api.post('/inventory/', sent), 200)
    expect(counts).toStrictEqual(WRITTEN)
    const source = {
      location_code: 'rows[2].bin.code',
      sku_code: 'rows[2].item.number',
      quantity: 'rows[2].quantities.on_hand',
    }[field]
    const code = (path: string) => {
      const found = valueAt(sent, path) ?? ''
      return typeof found === 'string' ? found : JSON.stringify(found)
    }
    expect(errors).toStrictEqual([
      {
        row: 2,
        location_id: code('rows[2].bin.code'),
        product_id: code('rows[2].item.number'),
        errors: { [field]: [message] },
        source: { [field]: source },
      },
    ])
    expect(await at('A-01-02')).toEqual([[nameOf('A-01-02'), nameOf('FOIL-23'), 36]])
  })

  it('names the fields of a row that has none', async () => {
    const { api, feed } = await openFeed()
    const { errors } = dataOf(await api.post('/inventory/', changed(feed, 'rows[5]', {})), 200)
    expect(errors).toMatchObject([
      {
        row: 5,
        source: {
          location_code: 'rows[5].bin.code',
          sku_code: 'rows[5].item.number',
          quantity: 'rows[5].quantities.on_hand',
        },
      },
    ])
  })

  it.each<[string, string, Json, string, string, string]>([
    ['rows that are text', 'rows', 'A-01-01;TAPE;480', 'rows', 'array', 'string'],
    ['rows that are an object', 'rows', { 1: {} }, 'rows', 'array', 'object'],
    ['a row that is text', 'rows[1]', 'A-01-02;FOIL;36', 'rows[1]', 'object', 'string'],
    ['a row that is an array', 'rows[1]', ['A-01-02', 'FOIL', 36], 'rows[1]', 'object', 'array'],
    ['a bin that is a plain code', 'rows[4].bin', 'KÄLTE/1', 'rows[4].bin', 'object', 'string'],
    ['a list of quantities', 'rows[4].quantities', [7], 'rows[4].quantities', 'object', 'array'],
    ['a number as the item', 'rows[0].item', 4711, 'rows[0].item', 'object', 'number'],
  ])(
    'refuses a feed with %s, and writes none of it',
    async (_, place, value, at, expected, found) => {
      const { api, feed, ...written } = await openFeed()
      const answer = await api.post('/inventory/', changed(feed, place, value))
      const { status, body } = answer
      expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'MAPPING_ERROR' })
      const problem = { reason: 'TYPE_MISMATCH', at, expected, found }
      expect(body.error.problems).toEqual(
        body.error.problems.map(() => expect.objectContaining(problem)),
      )
      expect(body.error.problems.length).toBeGreaterThan(0)
      expect(await Promise.all(SKUS.map(written.of))).toEqual([[], [], []])
    },
  )

  it.each<[string, [value?: Json], string]>([
    ['no rows', [], 'This field is required.'],
    ['null for rows', [null], 'This field is required.'],
    ['an empty list of rows', [[]], 'Must have at least 1 entry.'],
  ])('refuses a feed with %s', async (_, value, message) => {
    const { api, feed } = await openFeed()
    const { status, body } = await api.post('/inventory/', changed(feed, 'rows', ...value))
    expect({ status, error: body.error }).toStrictEqual({
      status: 400,
      error: {
        code: 'VALIDATION_ERROR',
        message: `rows: ${message}`,
        fields: { inventory: [message] },
        source: { inventory: 'rows' },
      },
    })
  })

  it('refuses a remark that is no text, with its own path', async () => {
    const { api, feed, at } = await openFeed()
    const { status, body } = await api.post('/inventory/', changed(feed, 'export.remark', 7))
    expect({ status, source: body.error.source }).toEqual({
      status: 400,
      source: { notes: 'export.remark' },
    })
    expect(await at('A-01-01')).toEqual([])
  })
})
