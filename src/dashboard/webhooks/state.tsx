import type { Pause } from '../../engine/model/pause.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { PauseState } from '../parts/pause-state.tsx'
import { Time } from '../parts/time.tsx'

const NEEDS_SECRET = 'needs a secret'

interface WebhookStateProps {
  webhook: Pick<
    ShownWebhook,
    'status' | 'pause' | 'needs_secret' | 'created_at' | 'expires_at' | 'revoked_at'
  >
  /** Of its partner. */
  partnerPause: Pause | null
}

/** Whether deliveries are taken, and what keeps them back. */
export function WebhookState({ webhook, partnerPause }: WebhookStateProps) {
  const { pause } = webhook
  const status = stateText(webhook)
  const isActive = webhook.status === 'active'
  return (
    <>
      <span class={`status ${status === NEEDS_SECRET ? 'needs-secret' : status}`}>{status}</span>
      <small class="line">
        since <Time at={sinceOf(webhook)} />
      </small>
      {isActive && pause && (
        <small class="line">
          <PauseState pause={pause} />
        </small>
      )}
      {isActive && partnerPause && (
        <small class="line">
          partner <PauseState pause={partnerPause} />
        </small>
      )}
    </>
  )
}

/** Its status in one or a few words. */
export function stateText({ status, needs_secret }: Pick<ShownWebhook, 'status' | 'needs_secret'>) {
  return status === 'active' && needs_secret ? NEEDS_SECRET : status
}

/** When it got its current status. */
export function sinceOf({
  status,
  created_at,
  expires_at,
  revoked_at,
}: WebhookStateProps['webhook']) {
  if (status === 'revoked') return revoked_at ?? created_at
  return status === 'expired' ? (expires_at ?? created_at) : created_at
}
