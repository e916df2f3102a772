import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Address } from '../../engine/identifiers/address.ts'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'

/** A record by our own id, whatever the settings of the session's key call it. */
export function addressOf(c: Context<AppEnv>, resource: AddressableResource, id: string): Address {
  const orders_of = resource === 'orders' ? c.get('caller').orders_of : null
  return { resource, field: 'id', identifier: id, orders_of }
}
