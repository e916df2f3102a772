const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const seconds = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
})

/** Instants in the reader's own time zone; the UTC one stays in the title, with its year. */
export function localTimes(within: ParentNode = document): void {
  for (const time of within.querySelectorAll('time')) {
    const format = time.dataset.seconds === undefined ? minutes : seconds
    time.textContent = format.format(new Date(time.dateTime))
  }
}
