import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { findIds } from '../../engine/identifiers/ids.ts'
import type { AddressableResource } from '../../engine/mapping/identifier.ts'
import { may } from '../access.ts'

/** The ids by which records are linked, by name; none if the session's key may not see such records. */
export async function linkedIds(
  c: Context<AppEnv>,
  resource: AddressableResource,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (!may(c, `integrations.${resource}.read`)) return new Map()
  return await findIds(c.get('db'), resource, [...new Set(names)])
}
