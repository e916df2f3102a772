import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { type AddressableResource, configuredField, IDENTIFIERS } from '../mapping/identifier.ts'
import { versionsNamed } from '../middleware/conditions.ts'
import type { Address } from './address.ts'

/**
 * The address of the record that the path's `:identifier` means for this caller (spec 4, Identifier
 * resolution). 400 SERVICE_ERROR if settings name no field and the release has no default fields.
 */
export function addressOf(c: Context<AppEnv>, resource: AddressableResource): Address {
  const { hasPlatformIdentifiers, name } = c.get('release')
  const { partner, orders_of } = c.get('caller')
  const configured = configuredField(resource, partner)
  const field = configured ?? (hasPlatformIdentifiers ? IDENTIFIERS[resource].fallback : null)
  if (field === null) {
    throw new ApiError(
      'SERVICE_ERROR',
      `In release ${name} a partner's settings must name the identifier field of ${resource}, but ${partner ? "this partner's settings name none" : 'this key has no partner'}.`,
      { reason: 'NO_IDENTIFIER_FIELD' },
    )
  }
  const identifier = c.req.param('identifier') ?? ''
  return {
    resource,
    field,
    identifier,
    orders_of: resource === 'orders' ? orders_of : null,
    versions: versionsNamed(c),
    names: c.get('fixed')?.names,
  }
}
