import {
  SENT_ALONE,
  SENT_NAMES_MAX,
  SENT_VALUE_LENGTH_MAX,
  type SentWith,
} from '../../engine/json/sent-with.ts'

const HEADER = /^([-!#$%&'*+.^_`|~0-9A-Za-z]+):\s*(.*)$/

/** Headers and parameters as text: `X-Shop-Domain: a.example` in a line each, and the query as `?location=D-04`. */
export function writeSentLines({ headers, query }: SentWith): string {
  const parameters = new URLSearchParams(query).toString()
  return [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(parameters === '' ? [] : [`?${parameters}`]),
  ].join('\n')
}

/** Reads what `writeSentLines` wrote, or what is wrong with it. */
export function readSentLines(text: string): { sent: SentWith } | { fault: string } {
  const headers = new Map<string, string>()
  const query = new Map<string, string>()
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line.startsWith('?'))
      for (const [name, value] of new URLSearchParams(line)) query.set(name, value)
    else if (line !== '') {
      const [, name, value = ''] = HEADER.exec(line) ?? []
      if (name === undefined)
        return { fault: `"${line.slice(0, 50)}" is no header: write Name: value.` }
      headers.set(name.toLowerCase(), value)
    }
  }
  const values = [...headers.values(), ...query.values()]
  if (Math.max(headers.size, query.size) > SENT_NAMES_MAX || values.some(isTooLong)) {
    return { fault: `At most ${SENT_NAMES_MAX} of each, with ${SENT_VALUE_LENGTH_MAX} characters.` }
  }
  const sent = { headers: Object.fromEntries(headers), query: Object.fromEntries(query) }
  return { sent: values.length > 0 ? sent : SENT_ALONE }
}

function isTooLong({ length }: string): boolean {
  return length > SENT_VALUE_LENGTH_MAX
}
