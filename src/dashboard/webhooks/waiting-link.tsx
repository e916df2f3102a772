import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import { count } from '../parts/numbers.ts'
import { deliveriesPath } from '../paths.ts'

interface WaitingLinkProps {
  c: Context<AppEnv>
  webhook_id: string
  waiting: number
  /** The name of the webhook, for screen readers. */
  of: string
}

/** How many deliveries of a webhook wait, with a link to them for who may read them. */
export function WaitingLink({ c, webhook_id, waiting, of }: WaitingLinkProps) {
  if (waiting === 0) return <>none</>
  if (!mayReadDocuments(c)) return <>{count(waiting)}</>
  return (
    <a href={deliveriesPath({ webhook_id })}>
      {count(waiting)}{' '}
      <span class="for-reader">
        {waiting === 1 ? `delivery to ${of} waits` : `deliveries to ${of} wait`}
      </span>
    </a>
  )
}
