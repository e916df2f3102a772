import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { RelatedRequest, relatedOf } from '../../engine/log/related.ts'
import { type AddressableResource, RESOURCES } from '../../engine/mapping/identifier.ts'
import { may } from '../access.ts'
import { Time } from '../parts/time.tsx'
import { recordPath, requestPath } from '../paths.ts'

const OF_RESOURCE = /^\/api\/integrations\/v1\/(\w+)\//

export function resourceOf(path: string) {
  const name = OF_RESOURCE.exec(path)?.[1]
  return RESOURCES.find((each) => each === name)
}

export function addressableOf(path: string): AddressableResource | null {
  const resource = resourceOf(path)
  return resource === undefined || resource === 'inventory' ? null : resource
}

interface RelatedProps {
  c: Context<AppEnv>
  related: Awaited<ReturnType<typeof relatedOf>>
}

/** What this request has undone, what has undone it, and what has sent it again. */
export function RelatedRequests({ c, related: { undid, undoneBy, repeat } }: RelatedProps) {
  return (
    <>
      {undid && (
        <p class="related">
          It undid <RequestLink request={undid} /> of <Time at={undid.created_at} seconds />, with
          the key {undid.api_key_name}.
        </p>
      )}
      {undoneBy && (
        <p class="related">
          It was undone by <RequestLink request={undoneBy} text="a later request" /> of{' '}
          <Time at={undoneBy.created_at} seconds />, with the key {undoneBy.api_key_name}.
        </p>
      )}
      {repeat && (
        <p class="related">
          It was sent again by <RequestLink request={repeat} text="a later request" /> of{' '}
          <Time at={repeat.created_at} seconds />, {outcomeOf(repeat)}
          <RecordOf c={c} request={repeat} before=": " />.
        </p>
      )}
    </>
  )
}

interface RequestLinkProps {
  request: RelatedRequest
  text?: string
}

/** Leads to the page of the request. */
export function RequestLink({ request, text }: RequestLinkProps) {
  const { request_id, method, path } = request
  return <a href={requestPath(request_id)}>{text ?? `${method} ${path}`}</a>
}

interface RecordOfProps {
  c: Context<AppEnv>
  request: RelatedRequest
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

function outcomeOf({ status }: RelatedRequest): string {
  return status < 400 ? `and accepted (${status})` : `and refused again (${status})`
}
