import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { Pause } from '../../engine/model/pause.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { KeyState } from '../api-keys/state.tsx'
import { count } from '../parts/numbers.ts'
import { deliveriesPath } from '../paths.ts'

const NEEDS_SECRET = 'needs a secret'

interface WebhookStateProps {
  webhook: Omit<ShownWebhook, 'version'>
  /** Of its partner. */
  partnerPause: Pause | null | undefined
}

/** Whether deliveries are taken, and what keeps them back. */
export function WebhookState({ webhook, partnerPause }: WebhookStateProps) {
  const text = stateText(webhook)
  const look = text === NEEDS_SECRET ? 'needs-secret' : text
  return <KeyState record={webhook} text={text} look={look} partnerPause={partnerPause} />
}

/** Its status in one or a few words. */
export function stateText({ status, needs_secret }: Pick<ShownWebhook, 'status' | 'needs_secret'>) {
  return status === 'active' && needs_secret ? NEEDS_SECRET : status
}

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
