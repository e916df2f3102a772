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
  const { partner } = c.get('caller')
  const configured = configuredField(resource, partner)
  const field = configured ?? (hasPlatformIdentifiers ? IDENTIFIERS[resource].fallback : null)
  if (field === null) {
    throw new ApiError(
      'SERVICE_ERROR',
      `In release ${name} ${resource} have no identifier but the one that a partner's settings name, and ${partner ? "this partner's name none" : 'this key has no partner'}.`,
    )
  }
  return { resource, field, identifier: c.req.param('identifier') ?? '' }
}
