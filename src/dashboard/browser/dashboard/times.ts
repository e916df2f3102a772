const day = { dateStyle: 'medium' } as const

// The day has one format everywhere; what differs is how exact the time is.
const minutes = new Intl.DateTimeFormat(undefined, { ...day, timeStyle: 'short' })
const seconds = new Intl.DateTimeFormat(undefined, { ...day, timeStyle: 'medium' })
const days = new Intl.DateTimeFormat(undefined, { ...day, timeZone: 'UTC' })

/** Shows times in the reader's time zone, but days in UTC as days in UTC. The tooltip keeps the full UTC time. */
export function localTimes(within: ParentNode = document): void {
  for (const time of within.querySelectorAll('time')) {
    time.textContent = formatFor(time).format(new Date(time.dateTime))
  }
}

function formatFor({ dataset }: HTMLTimeElement): Intl.DateTimeFormat {
  if (dataset.day !== undefined) return days
  return dataset.seconds === undefined ? minutes : seconds
}
