interface TimeProps {
  at: string | null
  none?: string
  seconds?: boolean
}

/** An instant as it is read, in UTC; the browser shows it in local time (browser/times.ts). */
export function Time({ at, none = '—', seconds = false }: TimeProps) {
  return at === null ? (
    <span>{none}</span>
  ) : (
    <time datetime={at} title={at} data-seconds={seconds ? '' : undefined}>
      {`${at.slice(0, 10)} ${at.slice(11, seconds ? 19 : 16)} UTC`}
    </time>
  )
}
