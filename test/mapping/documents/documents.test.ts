import { describe, expect, it } from 'vitest'
import { sample } from '../../fixtures/depth.ts'
import { missing } from '../../fixtures/mapped.ts'
import { type Answer, type Json, unique } from '../../fixtures/tenant.ts'
import { dataOf, path } from '../../fixtures/warehouse.ts'
import { expectFieldError, expectMappingError, expectWrongKind, place, refuse } from './orders.ts'
import { changed, unreadOf, valueAt } from './paths.ts'
import { EDI, MIRAKL, openShape, SHAPES, SHOPIFY, sourcesOf } from './shapes.ts'

describe.each(sample(SHAPES, 2))('an order document of $name', (shape) => {
  const { document, mapping, lines, sku, quantity } = shape

  it('is found again by what its partner calls it', async () => {
    const { api, identifier, answer } = await place(shape)
    const found = await api.get(path('orders', identifier))
    expect(dataOf(found, 200)).toStrictEqual(answer.body.data)
  })

  it('keeps its lines in order, one for one', async () => {
    const { document, order } = await place(shape)
    const [array, name] = [lines, sku.slice(`${lines}[1].`.length)]
    const skus = valueAt(document, array).map((line: Json) => valueAt(line, name))
    expect(order.items.map((line: Json) => line.sku.sku)).toEqual(skus)
  })

  /** Besides hints at rules, which only a preview has. */
  function expectWarned(answer: Answer, { passedOver, fields }: ReturnType<typeof unreadOf>) {
    const unread = [...passedOver, ...fields]
    const isHint = ({ message }: Json) => /^(?:This rule found nothing|This and )/.test(message)
    const warnings = answer.body.warnings.slice(0, 100)
    const listed = warnings.filter((one: Json) => !isHint(one)).map(({ field }: Json) => field)
    const all = unread.length + warnings.length - listed.length
    expect(unread).toEqual(expect.arrayContaining(listed))
    expect(new Set(listed).size).toBe(unread.length - Math.max(all - 100, 0))
    expect(listed.slice(0, passedOver.length).toSorted()).toEqual(passedOver.toSorted())
    const message = `${all - 100} more warnings are not listed.`
    const last = all > 100 ? [{ field: 'warnings', message }] : []
    expect(answer.body.warnings.slice(100)).toEqual(last)
  }

  it('names elements that are passed over, then fields that are not read unless they are dropped', async () => {
    const { answer } = await place(shape)
    const unread = unreadOf(document, sourcesOf(mapping))
    const isDropped = mapping.inbound.unmapped === 'drop'
    expect(unread.passedOver).not.toEqual([])
    expectWarned(answer, isDropped ? { ...unread, fields: [] } : unread)
  })

  it('has all of that named by a preview', async () => {
    const { id, admin, document: payload } = await openShape(shape)
    const at = `/api/settings/v1/partners/${id}/mappings/orders/preview/`
    const answer = await admin.post(at, { payload })
    expectWarned(answer, unreadOf(document, sourcesOf(mapping)))
  })

  it('is refused a second time: the order number exists', async () => {
    const { api, document, order } = await place(shape)
    const again = await api.post('/orders/', document)
    const { number } = shape
    expectFieldError(again, 'order_number', number, /already exists\.$/, {
      reason: 'DUPLICATE_ORDER_NUMBER',
    })
    expect(again.body.error.message).toContain(order.order_number)
  })

  it('is refused with a quantity sent as text, which is never converted', async () => {
    let sent: Json
    const answer = await refuse(shape, (document) => {
      sent = changed(document, quantity, '2')
      return sent
    })
    const message = 'Must be an integer, not a string.'
    expectFieldError(answer, 'items[1].quantity', quantity, message)
    expect(valueAt(sent, answer.body.error.source['items[1].quantity'])).toBe('2')
  })

  it('is refused with a SKU that no product has', async () => {
    const stranger = unique('STRANGER')
    const answer = await refuse(shape, (document) => changed(document, sku, stranger))
    const message = `No product has the SKU "${stranger}".`
    const why = { code: 'SERVICE_ERROR', reason: 'UNKNOWN_SKU' }
    expectFieldError(answer, 'items[1].sku_code', sku, message, why)
  })

  it('is refused without a single line', async () => {
    const answer = await refuse(shape, (document) => changed(document, lines, []))
    expectFieldError(answer, 'items', lines, 'Must have at least 1 entry.')
  })

  it('is refused with one line that is not in an array', async () => {
    const answer = await refuse(shape, (document) =>
      changed(document, lines, valueAt(document, lines)[0]),
    )
    expect(expectWrongKind(answer, lines, 'array', 'object')).toContain('items[].sku_code')
    expect(answer.body.error.message).toContain(
      `${lines}: The mapping expects an array here, not an object.`,
    )
  })

  it('is refused with a line that is no object', async () => {
    const at = `${lines}[1]`
    const answer = await refuse(shape, (document) => changed(document, at, 'SKU 2'))
    expect(expectWrongKind(answer, at, 'object', 'string')).toContain('items[].sku_code')
  })
})

describe.each([SHOPIFY, EDI, MIRAKL])(
  'an order document of $name, whose number is required',
  (shape) => {
    const { number, sku } = shape
    const NUMBER = { of: 'order_number', at: number }
    const SKU = { of: 'items[].sku_code', at: sku }

    it.each<[string, typeof NUMBER, value: [null?], found: string]>([
      ['without its number', NUMBER, [], 'nothing'],
      ['when one of its lines has no SKU', SKU, [], 'nothing'],
      ['with a null for its number', NUMBER, [null], 'null'],
    ])('is refused %s', async (_, { of, at }, value, found) => {
      const answer = await refuse(shape, (document) => changed(document, at, ...value))
      expectMappingError(answer, missing(of, at, found))
      const is = value.length > 0 ? 'null' : 'missing'
      expect(answer.body.error.message).toBe(`${at}: Is ${is}, and the mapping requires it.`)
    })
  },
)
