import type { Pause } from '../../engine/model/pause.ts'
import { Time } from './time.tsx'

/** A mark that says until when something is paused. */
export function PauseState({ pause }: { pause: Pick<Pause, 'until'> }) {
  return (
    <span class="status paused">
      paused{' '}
      {pause.until === null ? (
        'until resumed'
      ) : (
        <>
          until <Time at={pause.until} />
        </>
      )}
    </span>
  )
}
