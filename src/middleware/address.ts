import type { Context } from 'hono'
import type { Address } from '../db/address.ts'
import type { AppEnv } from '../env.ts'
import { type AddressableResource, identifierField } from '../mapping/identifier.ts'

/** The record that the path's `:identifier` means to this caller (spec 4, Identifier resolution). */
export function addressOf(c: Context<AppEnv>, resource: AddressableResource): Address {
  const field = identifierField(resource, c.get('caller').partner)
  return { resource, field, identifier: c.req.param('identifier') ?? '' }
}
