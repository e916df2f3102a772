import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import type { Address } from '../engine/identifiers/address.ts'
import type { JsonObject } from '../engine/json/json-object.ts'
import type { Warning } from '../engine/json/warnings.ts'
import type { AddressableResource } from '../engine/mapping/identifier.ts'
import { checkedFields } from '../middleware/mapped-body.ts'
import { type Kind, LOCATIONS, PRODUCTS, recordName } from '../records/catalogue/kind.ts'
import { createRecord, deactivateRecord, updateRecord } from '../records/catalogue/queries.ts'
import { createCompared, updateCompared } from '../records/orders/compared.ts'
import { cancelOrder } from '../records/orders/queries.ts'
import { CreateOrder, faultsOfNew, OrderRecord, UpdateOrder } from '../records/orders/schema.ts'

/** What a delivery has done to a record. */
export interface Applied {
  /** The name by which partner and warehouse know the record. */
  record: string
  warnings: Warning[]
}

/** A document in our format, and where the record is that it means. */
export interface DocumentAt {
  document: JsonObject
  address: Address
}

type Way = (c: Context<AppEnv>, mapped: DocumentAt) => Promise<Applied>

/** What can be done with a document. Each does what the endpoint of the integrations API does. */
interface Ways {
  /** 409 DUPLICATE if there is a record at the address. */
  create: Way
  /** 404 NOT_FOUND if there is none. */
  update: Way
  /** Cancels or deactivates. 404 NOT_FOUND if there is none. */
  end: Way
}

const orders: Ways = {
  async create(c, { document, address }) {
    const options = { record: OrderRecord, faults: faultsOfNew, isPart: false }
    const input = checkedFields(c, 'orders', CreateOrder, document, options)
    const { order, warnings } = await createCompared(c, input, address)
    return { record: order.order_number, warnings }
  },
  async update(c, { document, address }) {
    const options = { record: OrderRecord, isPart: true }
    const input = checkedFields(c, 'orders', UpdateOrder, document, options)
    const { order, warnings } = await updateCompared(c, withNames(c, address), input, true)
    return { record: order.order_number, warnings }
  },
  async end(c, { address }) {
    const { order } = await cancelOrder(c.get('db'), address, {})
    return { record: order.order_number, warnings: [] }
  },
}

function catalogue(kind: Kind): Ways {
  const { resource, record } = kind
  return {
    async create(c, { document, address }) {
      const input = checkedFields(c, resource, record.Create, document, { isPart: false })
      const row = await createRecord(kind, c.get('db'), input, address)
      return { record: recordName(kind, row), warnings: [] }
    },
    async update(c, { document, address }) {
      const options = { record: record.Shown, isPart: true }
      const input = checkedFields(c, resource, record.Update, document, options)
      const row = await updateRecord(kind, c.get('db'), withNames(c, address), input)
      return { record: recordName(kind, row), warnings: [] }
    },
    async end(c, { address }) {
      const row = await deactivateRecord(kind, c.get('db'), address)
      return { record: recordName(kind, row), warnings: [] }
    },
  }
}

function withNames(c: Context<AppEnv>, address: Address): Address {
  return { ...address, names: c.get('fixed')?.names }
}

export const WAYS: Record<AddressableResource, Ways> = {
  orders,
  products: catalogue(PRODUCTS),
  locations: catalogue(LOCATIONS),
}
