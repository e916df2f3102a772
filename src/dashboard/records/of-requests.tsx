import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { RequestRecord } from '../../engine/log/related.ts'
import { type AddressableResource, RESOURCES } from '../../engine/mapping/identifier.ts'
import { may } from '../access.ts'
import { recordPath } from '../paths.ts'
import { linkedIds } from './linked.ts'

const OF_RESOURCE = /^\/api\/integrations\/v1\/(\w+)\//

export function resourceOf(path: string) {
  const name = OF_RESOURCE.exec(path)?.[1]
  return RESOURCES.find((each) => each === name)
}

export function addressableOf(path: string): AddressableResource | null {
  const resource = resourceOf(path)
  return resource === undefined || resource === 'inventory' ? null : resource
}

interface Named {
  path: string
  record_name: string | null
}

/** The pages of the records that requests are about, as far as there are such and the session's key may see them. */
export async function recordPathsOf(c: Context<AppEnv>, requests: readonly Named[]) {
  const names = new Map<AddressableResource, string[]>()
  for (const { path, record_name } of requests) {
    const resource = addressableOf(path)
    if (resource && record_name !== null)
      names.set(resource, [...(names.get(resource) ?? []), record_name])
  }
  const found = await Promise.all(
    [...names].map(async ([resource, of]) => [resource, await linkedIds(c, resource, of)] as const),
  )
  const ids = new Map(found)
  return ({ path, record_name }: Named): string | undefined => {
    const resource = addressableOf(path)
    const id = resource && ids.get(resource)?.get(record_name ?? '')
    return resource && id !== undefined && id !== null ? recordPath(resource, id) : undefined
  }
}

interface RecordOfProps {
  c: Context<AppEnv>
  request: RequestRecord
  before: string
}

/** The record that the request has created or changed. */
export function RecordOf({ c, request, before }: RecordOfProps) {
  const { path, record_id, record_name } = request
  const resource = addressableOf(path)
  if (!resource || record_id === null) return null
  const name = record_name ?? record_id
  return (
    <>
      {before}
      {resource.slice(0, -1)}{' '}
      {may(c, `integrations.${resource}.read`) ? (
        <a href={recordPath(resource, record_id)}>{name}</a>
      ) : (
        name
      )}
    </>
  )
}
