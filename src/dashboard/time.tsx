import { DateTime } from '../fields.ts'

interface TimeProps {
  at: string | null
  none?: string
  seconds?: boolean
}

/** An instant as it is read, in UTC; the browser shows it in local time (browser/dashboard/times.ts). */
export function Time({ at, none = '—', seconds = false }: TimeProps) {
  return at === null ? (
    <span>{none}</span>
  ) : (
    <time datetime={at} title={at} data-seconds={seconds ? '' : undefined}>
      {`${at.slice(0, 10)} ${at.slice(11, seconds ? 19 : 16)} UTC`}
    </time>
  )
}

/** An instant as a `datetime-local` field takes it, in UTC; what is none stays as it is. */
export function fieldTime(value: string): string {
  return DateTime.safeParse(value).data?.replace(/(:00)?\.000Z$|Z$/, '') ?? value
}
