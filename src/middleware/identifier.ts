import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { actingIn } from '../engine/exchange/acting.ts'
import { versionsNamed } from '../engine/exchange/etag.ts'
import {
  type AddressableResource,
  configuredField,
  IDENTIFIERS,
} from '../engine/mapping/identifier.ts'

/**
 * Puts the address of the record that the path's `:identifier` means for this caller into `address` (spec 4, Identifier
 * resolution). It stands last, since the address has the versions of `If-Match` and the names in the body. 400
 * SERVICE_ERROR if settings name no field and the release has no default fields.
 */
export function resolveIdentifier(resource: AddressableResource) {
  return createMiddleware<AppEnv>(async function identifier(c, next) {
    c.set('address', {
      resource,
      field: actingIn(c)?.identifier_field ?? fieldFor(c, resource),
      identifier: c.req.param('identifier') ?? '',
      orders_of: resource === 'orders' ? c.get('caller').orders_of : null,
      versions: versionsNamed(c),
      names: c.get('fixed')?.names,
    })
    await next()
  })
}

/** The mapping's field, else the partner's, else the platform's. */
function fieldFor(c: Context<AppEnv>, resource: AddressableResource): string {
  const { hasPlatformIdentifiers, name } = c.get('release')
  const { partner } = c.get('caller')
  const configured = configuredField(resource, partner)
  if (configured !== null) return configured
  if (hasPlatformIdentifiers) return IDENTIFIERS[resource].fallback
  throw new ApiError(
    'SERVICE_ERROR',
    `In release ${name} a partner's settings must name the identifier field of ${resource}, but ${partner ? "this partner's settings name none" : 'this key has no partner'}.`,
    { reason: 'NO_IDENTIFIER_FIELD' },
  )
}
