/** An instant as it is read, in UTC; the browser shows it in local time (browser/times.ts). */
export function Time({ at, none = '—' }: { at: string | null; none?: string }) {
  return at === null ? (
    <span>{none}</span>
  ) : (
    <time datetime={at} title={at}>
      {`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}
    </time>
  )
}
