import { beforeAll, beforeEach, describe, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { givingUpFields, openPartner, partnerWith } from '../fixtures/partner.ts'
import { client, type Json, unique } from '../fixtures/tenant.ts'
import { type Api, createOrder, createProduct, dataOf } from '../fixtures/warehouse.ts'
import {
  BY_RESOURCE,
  expectFound,
  expectRefusal,
  having,
  METHODS,
  NOT_FOUND,
  ORDERS,
  PRODUCTS,
  SERVICE_ERROR,
  uniqueNumber,
} from './identifiers.ts'

beforeEach(givingUpFields)

describe.each(sample(BY_RESOURCE, 1))(
  '/%s/{identifier}/ by a member of any JSON type',
  (_, target) => {
    const { resource, object, create } = target

    it.each(
      sample(
        [
          ['yes', true],
          ['no', false],
          ['zero', 0],
          ['negative', -7],
          ['digits', 0.12345678901234568],
          ['small', 0.00001],
          ['large', 1e21],
        ],
        2,
      ),
    )('finds a record by %s: %s, as JSON writes it', async (key, value) => {
      const partner = await partnerWith(`${object}.${key}`, resource)
      const record = await create(api, { [object]: { [key]: value } })
      await expectFound(partner.api, 'GET', target, JSON.stringify(value), record)
    })

    it.each([
      [true, '1'],
      [false, '0'],
    ])('does not take %s for the number %s', async (value, number) => {
      const key = `flag_${value}`
      const record = await create(api, { [object]: { [key]: value } })
      const partner = await partnerWith(`${object}.${key}`, resource)
      await expectRefusal(partner.api, 'GET', target, number, NOT_FOUND, [record])
    })

    it.each(
      sample(
        [
          ['an object', { a: 1 }],
          ['an array', [1]],
          ['null', null],
        ],
        1,
      ),
    )('does not find a record by %s', async (_, value) => {
      const partner = await partnerWith(`${object}.ref`, resource)
      const record = await create(api, { [object]: { ref: value } })
      for (const method of METHODS) {
        await expectRefusal(partner.api, method, target, JSON.stringify(value), NOT_FOUND, [record])
      }
    })

    it('answers 400 SERVICE_ERROR where one record has a number and one its text', async () => {
      const value = uniqueNumber()
      const partner = await partnerWith(`${object}.ref`, resource)
      const twins = [
        await create(api, { [object]: { ref: value } }),
        await create(api, { [object]: { ref: String(value) } }),
      ]
      await expectRefusal(partner.api, 'GET', target, String(value), SERVICE_ERROR, twins)
    })
  },
)

describe('/products/{identifier}/ by quantity', () => {
  it.each([
    ['a leading zero', (text: string) => `0${text}`],
    ['a decimal point', (text: string) => `${text}.0`],
    ['a sign', (text: string) => `+${text}`],
    ['a trailing space', (text: string) => `${text} `],
    ['an exponent', (text: string) => `${text}e0`],
  ])('does not find a product by another spelling of it: %s', async (_, spell) => {
    const product = await createProduct(api, { quantity: uniqueNumber() })
    const partner = await partnerWith('quantity', 'products')
    const name = spell(String(product.quantity))
    await expectRefusal(partner.api, 'DELETE', PRODUCTS, name, NOT_FOUND, [product])
  })
})

const overriding = (identifier_field: string) => ({ mappings: { orders: { identifier_field } } })

const WAYS: [way: string, field: string, options: object][] = [
  ['default', 'external_order_id', { default_identifier_field: 'external_order_id' }],
  ['override', 'external_order_id', overriding('external_order_id')],
  ['override', 'metadata.ref', overriding('metadata.ref')],
]

type Owner = 'own' | 'second' | 'third' | 'none'

/** Whose orders have the name, and which of them the caller means; null for none of them. */
const SEVERAL: [string, Owner[], number | null][] = [
  ['its own before that of another partner', ['own', 'second'], 0],
  ['its own before that of another partner that came first', ['second', 'own'], 1],
  ['its own before that of a pass-through key', ['none', 'own'], 1],
  ['its own before several of others', ['second', 'second', 'own', 'third', 'none'], 2],
  ['the only one of another partner', ['second'], 0],
  ['the only one of a pass-through key', ['none'], 0],
  ['none of its own two', ['own', 'own'], null],
  ['none of its own two beside one of another', ['own', 'second', 'own'], null],
  ['none of two of one other partner', ['second', 'second'], null],
  ['none of two of two other partners', ['second', 'third'], null],
  ['none of two of pass-through keys', ['none', 'none'], null],
  ['none of two of another partner and a pass-through key', ['none', 'third'], null],
]

describe.each(sample(WAYS, 2))(
  '/orders/{identifier}/ by the %s %s of several orders',
  (_, field, options) => {
    const callers = {} as Record<Owner, Api>
    beforeAll(async () => {
      callers.own = (await openPartner(options)).api
      callers.second = (await openPartner(options)).api
      callers.third = (await openPartner()).api
      callers.none = api
    })

    describe.each(METHODS)('%s', (method) => {
      it.each(sample(SEVERAL, 2))('finds %s', async (_, owners, expected) => {
        const name = unique('EXT')
        const orders: Json[] = []
        for (const owner of owners)
          orders.push(await createOrder(callers[owner], having(field, name)))
        if (expected === null) {
          await expectRefusal(callers.own, method, ORDERS, name, SERVICE_ERROR, orders)
          return
        }
        const others = orders.toSpliced(expected, 1)
        await expectFound(callers.own, method, ORDERS, name, orders[expected], others)
      })
    })

    it('finds for each partner its own', async () => {
      const name = unique('EXT')
      const own = await createOrder(callers.own, having(field, name))
      const second = await createOrder(callers.second, having(field, name))
      await expectFound(callers.own, 'PUT', ORDERS, name, own, [second])
      await expectFound(callers.second, 'DELETE', ORDERS, name, second, [own])
    })

    it('knows a partner by each of its keys', async () => {
      const partner = await openPartner(options)
      const name = unique('EXT')
      const own = await createOrder(partner.api, having(field, name))
      const other = await createOrder(callers.second, having(field, name))
      const linked = { name: unique('second key'), partner_id: partner.id }
      const { key } = dataOf(await partner.admin.post('/api/settings/v1/api-keys/', linked), 201)
      await expectFound(client(key), 'GET', ORDERS, name, own, [other])
    })
  },
)
