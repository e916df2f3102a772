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
  return names.length === 0 ? new Map() : await findIds(c.get('db'), resource, [...new Set(names)])
}

interface Pair {
  location_code: string | null
  sku_code: string | null
}

/** The ids by which locations and products are linked, by code and SKU. */
export interface PairIds {
  locations: Map<string, string>
  products: Map<string, string>
}

/** Those of the locations and products that records of stock name. */
export async function linkedPairs(c: Context<AppEnv>, pairs: readonly Pair[]): Promise<PairIds> {
  const codes = pairs.flatMap(({ location_code }) => location_code ?? [])
  const skus = pairs.flatMap(({ sku_code }) => sku_code ?? [])
  const [locations, products] = await Promise.all([
    linkedIds(c, 'locations', codes),
    linkedIds(c, 'products', skus),
  ])
  return { locations, products }
}
