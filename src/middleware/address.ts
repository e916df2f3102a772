import type { Context } from 'hono'
import type { Address } from '../db/address.ts'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { type AddressableResource, configuredField, IDENTIFIERS } from '../mapping/identifier.ts'

/**
 * The record that the path's `:identifier` means to this caller (spec 4, Identifier resolution).
 * 400 SERVICE_ERROR in a release without identifiers of the platform's own, where settings name none.
 */
export function addressOf(c: Context<AppEnv>, resource: AddressableResource): Address {
  const { hasPlatformIdentifiers, name } = c.get('release')
  const configured = configuredField(resource, c.get('caller').partner)
  const field = configured ?? (hasPlatformIdentifiers ? IDENTIFIERS[resource].fallback : null)
  if (field === null) {
    throw new ApiError(
      'SERVICE_ERROR',
      `In release ${name} the partner's settings must name the identifier of ${resource}, and they name none.`,
    )
  }
  return { resource, field, identifier: c.req.param('identifier') ?? '' }
}
