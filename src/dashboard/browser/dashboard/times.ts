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

/**
 * Makes fields for times in UTC into fields for the reader's local time. The form still sends UTC, so that
 * an address means the same to everybody.
 */
export function localTimeFields(): void {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')
  for (const field of document.querySelectorAll<HTMLInputElement>('input[data-utc]')) {
    const label = field.labels?.[0]
    if (label) label.textContent = label.textContent.replace('UTC', zone)
    const sent = new Date(`${field.defaultValue}Z`)
    field.defaultValue = Number.isNaN(sent.getTime()) ? '' : localText(sent)
    field.value = field.defaultValue
    const shown = field.value
    field.form?.addEventListener('formdata', ({ formData }) => {
      // A local time that occurs twice, as in autumn, means the moment that the address had.
      const moment = field.value === shown ? sent : new Date(field.value)
      if (field.value === '') return
      formData.set(field.name, moment.toISOString().replace('.000Z', 'Z'))
      // A range that was entered replaces the preset of the page.
      formData.delete('range')
    })
  }
}

/** As a `datetime-local` field takes it. */
function localText(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const [year, month, day] = parts.map((part) => String(part).padStart(2, '0'))
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()]
  const [hours, minutes, seconds] = clock.map((part) => String(part).padStart(2, '0'))
  const rest = date.getMilliseconds()
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`
  const ending = seconds === '00' && fraction === '' ? '' : `:${seconds}${fraction}`
  return `${year?.padStart(4, '0')}-${month}-${day}T${hours}:${minutes}${ending}`
}
