import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError } from '../../engine/errors.ts'
import { SCOPES } from '../../engine/identity/scopes.ts'
import { listMappings } from '../../settings/mappings/queries.ts'
import { may, mayGrant } from '../access.ts'
import { type KeyFields, newKeyOf } from './fields.ts'

/**
 * The fields of a new key. For the key of a partner: what the partner needs, so the resources that have a mapping, or all if
 * none has one, without deletion, and its own orders alone. Full access is a choice.
 */
export async function newKeyFields(c: Context<AppEnv>): Promise<KeyFields> {
  const fields = newKeyOf(c)
  const mapped = fields.partner_id === '' ? null : await mappedResources(c, fields.partner_id)
  if (mapped === null) return fields
  const isNeeded = (scope: string) =>
    mapped.length === 0 || mapped.some((resource) => scope.includes(`.${resource}.`))
  const scopes = SCOPES.filter(
    (scope) =>
      scope.startsWith('integrations.') &&
      !scope.endsWith('.delete') &&
      isNeeded(scope) &&
      mayGrant(c, [scope]),
  )
  return { ...fields, access: 'chosen', scopes, own_orders_only: 'true' }
}

/** Null if there is no such partner, or the session's key may not read partners. */
async function mappedResources(c: Context<AppEnv>, partner: string): Promise<string[] | null> {
  if (!may(c, 'settings.partners.read')) return null
  try {
    const mappings = await listMappings(c.get('db'), partner)
    return mappings.map(({ resource }) => resource)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
