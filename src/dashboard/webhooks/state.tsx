import type { Pause } from '../../engine/model/pause.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { PauseState } from '../parts/pause-state.tsx'
import { Time } from '../parts/time.tsx'

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
  const { status, pause, needs_secret } = webhook
  const isActive = status === 'active'
  return (
    <>
      <span class={`status ${isActive && needs_secret ? 'needs-secret' : status}`}>
        {isActive && needs_secret ? 'needs a secret' : status}
      </span>
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

function sinceOf({ status, created_at, expires_at, revoked_at }: WebhookStateProps['webhook']) {
  if (status === 'revoked') return revoked_at ?? created_at
  return status === 'expired' ? (expires_at ?? created_at) : created_at
}
