interface TimeProps {
  at: string | null
  none?: string
  seconds?: boolean
  /** Only the day, in UTC for every reader. */
  day?: boolean
}

/** A time in UTC. The browser replaces it with local time (src/dashboard/browser/dashboard/times.ts). */
export function Time({ at, none = '—', seconds = false, day = false }: TimeProps) {
  return at === null ? (
    <span>{none}</span>
  ) : (
    <time
      datetime={at}
      title={at}
      data-seconds={seconds ? '' : undefined}
      data-day={day ? '' : undefined}
    >
      {day ? at.slice(0, 10) : `${at.slice(0, 10)} ${at.slice(11, seconds ? 19 : 16)} UTC`}
    </time>
  )
}
