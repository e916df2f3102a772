const MINUTES: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }
const SECONDS: Intl.DateTimeFormatOptions = {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
}

const minutes = new Intl.DateTimeFormat(undefined, MINUTES)
const seconds = new Intl.DateTimeFormat(undefined, SECONDS)
const secondsOfYear = new Intl.DateTimeFormat(undefined, { ...SECONDS, year: 'numeric' })
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** Shows times in the reader's time zone, but days in UTC as days in UTC. The tooltip keeps the full UTC time. */
export function localTimes(within: ParentNode = document): void {
  for (const time of within.querySelectorAll('time')) {
    const date = new Date(time.dateTime)
    time.textContent = formatFor(time, date).format(date)
  }
}

/** A list leaves out the current year. */
function formatFor({ dataset }: HTMLTimeElement, date: Date): Intl.DateTimeFormat {
  if (dataset.day !== undefined) return days
  if (dataset.seconds === undefined) return minutes
  return date.getFullYear() === new Date().getFullYear() ? seconds : secondsOfYear
}
