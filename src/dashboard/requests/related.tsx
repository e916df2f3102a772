import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { RelatedRequest, relatedOf } from '../../engine/log/related.ts'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'
import { CallerName, type NameLinks } from '../records/names.tsx'
import { RecordOf } from '../records/of-requests.tsx'

interface RelatedProps {
  c: Context<AppEnv>
  related: Awaited<ReturnType<typeof relatedOf>>
  names: NameLinks
}

/** What this request has undone, what has undone it, and what has sent it again. */
export function RelatedRequests({ c, related, names }: RelatedProps) {
  const { undid, undoneBy, repeat } = related
  return (
    <>
      {undid && (
        <p class="related">
          It undid <RequestLink request={undid} /> of <Time at={undid.created_at} seconds />, with
          the key <KeyOf request={undid} names={names} />.
        </p>
      )}
      {undoneBy && (
        <p class="related">
          It was undone by <RequestLink request={undoneBy} text="a later request" /> of{' '}
          <Time at={undoneBy.created_at} seconds />, with the key{' '}
          <KeyOf request={undoneBy} names={names} />.
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

function KeyOf({ request, names }: { request: RelatedRequest; names: NameLinks }) {
  return <CallerName links={names} id={request.api_key_id} name={request.api_key_name} />
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

function outcomeOf({ status }: RelatedRequest): string {
  return status < 400 ? `and accepted (${status})` : `and refused again (${status})`
}
