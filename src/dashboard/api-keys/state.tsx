import type { Pause } from '../../engine/model/pause.ts'
import { PauseState } from '../parts/pause-state.tsx'
import { Time } from '../parts/time.tsx'

interface KeyWithState {
  status: string
  pause: Pause | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

interface KeyStateProps {
  record: KeyWithState
  /** What is said in place of the status, and how it looks. */
  text?: string
  look?: string
  /** Of its partner. */
  partnerPause: Pause | null | undefined
}

/** The status of a key or webhook, and the pauses that are in force for it. */
export function KeyState(props: KeyStateProps) {
  const { record, text = record.status, look = text, partnerPause } = props
  const isActive = record.status === 'active'
  return (
    <>
      <span class={`status ${look}`}>{text}</span>
      <small class="line">
        since <Time at={sinceOf(record)} />
      </small>
      {isActive && record.pause && (
        <small class="line">
          <PauseState pause={record.pause} />
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

/** When it got its current status. */
export function sinceOf({ status, created_at, expires_at, revoked_at }: KeyWithState): string {
  if (status === 'revoked') return revoked_at ?? created_at
  return status === 'expired' ? (expires_at ?? created_at) : created_at
}
