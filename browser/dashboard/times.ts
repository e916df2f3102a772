const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Instants in the reader's own time zone; the UTC one stays in the title. */
export function localTimes(within: ParentNode = document): void {
  for (const time of within.querySelectorAll('time')) {
    time.textContent = format.format(new Date(time.dateTime))
  }
}
