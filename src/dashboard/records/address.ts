import type { Address } from '../../identifiers/address.ts'
import type { AddressableResource } from '../../mapping/identifier.ts'

/** A record by our own id, whatever the settings of the session's key call it. */
export function addressOf(resource: AddressableResource, id: string): Address {
  return { resource, field: 'id', identifier: id }
}
