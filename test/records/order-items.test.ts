import { describe, expect, it } from 'vitest'
import { inDeepPass } from '../fixtures/depth.ts'
import { bindingsBefore } from '../fixtures/metering.ts'
import { api } from '../fixtures/opened-api.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  bodyWith,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  oneLine,
  path,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { HEADER, orderWith, readOrder } from './orders.ts'
import { integers, notNull, orNull, testField, texts } from './samples.ts'

describe('POST /orders/ items', () => {
  it.each(['null', '{}', '"x"', '5', 'true', '[]'])(
    'answers 400 VALIDATION_ERROR for items %s',
    async (json) => {
      const order = { order_number: unique('ORDER') }
      expectInvalid(await api.post('/orders/', bodyWith(order, 'items', json)), 'items')
    },
  )

  it.each(['null', '5', '"SKU"', '[]', 'true'])(
    'answers 400 VALIDATION_ERROR for the item %s',
    async (json) => {
      const [line] = await oneLine(api)
      const items = `[${JSON.stringify(line)},${json}]`
      const order = { order_number: unique('ORDER') }
      const answer = await api.post('/orders/', bodyWith(order, 'items', items))
      expectError(answer, 400, 'VALIDATION_ERROR', ['items[1]'])
    },
  )

  it.each(['null', '""', '5', 'true', '[]', '{}', '"\\ud83d"'])(
    'answers 400 VALIDATION_ERROR for sku_code %s',
    async (json) => {
      expectError(await post('sku_code')(json), 400, 'VALIDATION_ERROR', ['items[0].sku_code'])
    },
  )

  it('names the bad fields of every item', async () => {
    const [line] = await oneLine(api)
    const items = [{ sku_code: 1, quantity: 0 }, line, { ...line, quantity: '1', notes: 5 }]
    const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
    expectError(answer, 400, 'VALIDATION_ERROR', [
      'items[0].sku_code',
      'items[0].quantity',
      'items[2].quantity',
      'items[2].notes',
    ])
  })

  it('answers 400 SERVICE_ERROR for an unknown sku_code and creates nothing', async () => {
    const order_number = unique('ORDER')
    const [line] = await oneLine(api)
    const unknown = [unique('NO'), unique('NO')]
    const items = [line, { ...line, sku_code: unknown[0] }, line, { ...line, sku_code: unknown[1] }]
    const answer = await api.post('/orders/', { order_number, items })
    expectError(answer, 400, 'SERVICE_ERROR', ['items[1].sku_code', 'items[3].sku_code'])
    expect(answer.body.error.fields['items[1].sku_code'][0]).toContain(unknown[0])
    expect(answer.body.error.fields['items[3].sku_code'][0]).toContain(unknown[1])
    expectError(await api.get(path('orders', order_number)), 404, 'NOT_FOUND')
    dataOf(await api.post('/orders/', { order_number, items: [line] }), 201)
  })

  it('names the lines where the product that was unknown is made before it is named', async () => {
    const line = { sku_code: unique('LATE'), quantity: 1 }
    const bindings = bindingsBefore(2, () => createProduct(api, { sku: line.sku_code }))
    const order = { order_number: unique('ORDER'), items: [line] }
    expectError(await api.post('/orders/', order, { bindings }), 400, 'SERVICE_ERROR', ['items'])
    dataOf(await api.post('/orders/', order), 201)
  })

  it('compares sku_code exactly', async () => {
    const { sku } = await createProduct(api, { sku: unique('sku') })
    const items = [{ sku_code: sku.toUpperCase(), quantity: 1 }]
    const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
    expectError(answer, 400, 'SERVICE_ERROR', ['items[0].sku_code'])
  })

  it.each(['007', '7', '7.0', 'null', 'true', '😀', 'é'])(
    'takes a line of the SKU %s',
    async (sku) => {
      await createProduct(api, { sku })
      const order = await createOrder(api, { items: [{ sku_code: sku, quantity: 1 }] })
      expect(order.items[0].sku).toStrictEqual({ sku })
    },
  )

  it('takes an inactive product in a line, with a warning', async () => {
    const { sku } = await createProduct(api, { is_active: false })
    const [line] = await oneLine(api)
    const items = [line, { sku_code: sku, quantity: 1 }]
    const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
    expect(dataOf(answer, 201).items).toHaveLength(2)
    expect(warnedFields(answer)).toEqual(['items[1].sku_code'])
    expect(answer.body.warnings[0].message).toContain(sku)
  })

  inDeepPass(() => {
    it('takes 1,000 items with long notes and keeps their order', async () => {
      const { sku: sku_code } = await createProduct(api)
      const items = Array.from({ length: 1000 }, (_, at) => ({
        sku_code,
        quantity: at + 1,
        notes: `${at} ${'語'.repeat(3000)}`,
      }))
      const order = await createOrder(api, { items })
      const lines = (await readOrder(order)).items
      expect(lines.map((line: Json) => line.quantity)).toEqual(items.map((item) => item.quantity))
      expect(lines.every((line: Json, at: number) => line.notes === items[at]?.notes)).toBe(true)
    })
  })

  it('answers 400 VALIDATION_ERROR for 1,001 items', async () => {
    const { sku: sku_code } = await createProduct(api)
    const items = Array.from({ length: 1001 }, () => ({ sku_code, quantity: 1 }))
    expectInvalid(await api.post('/orders/', { order_number: unique('ORDER'), items }), 'items')
  })

  const post = (field: string) => async (json: string) => {
    const [line] = await oneLine(api)
    const items = `[${bodyWith(line!, field, json)}]`
    return await api.post('/orders/', bodyWith({ order_number: unique('ORDER') }, 'items', items))
  }
  testField(
    'items[0].quantity',
    notNull(integers(1)),
    post('quantity'),
    (order) => order.items[0].quantity,
  )
  testField('items[0].notes', orNull(texts(10_000)), post('notes'), (order) => order.items[0].notes)
})

describe('POST /orders/ repeated', () => {
  it('answers the same to a retry with the very same body', async () => {
    const body = { order_number: unique('ORDER'), items: await oneLine(api), ...HEADER }
    const order = dataOf(await api.post('/orders/', body), 201)
    expectInvalid(await api.post('/orders/', body), 'order_number')
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it('answers 400 VALIDATION_ERROR for the number of a cancelled order', async () => {
    const { order_number } = await orderWith('cancelled')
    const answer = await api.post('/orders/', { order_number, items: await oneLine(api) })
    expectInvalid(answer, 'order_number')
  })
})
