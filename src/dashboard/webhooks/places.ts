import type { Place } from '../../engine/webhooks/rules.ts'

// Where a value of a delivery stands, as people write it: `header X-Topic`, `path data.type`, and of the time in a
// signature header `member t`.

const PLACE = /^(header|path|member)\s+(\S.*)$/i

type Kind = 'header' | 'path' | 'member'

/** As the rules have it; null if the text is none of `kinds`. */
export function placeIn<Name extends Kind>(
  text: string,
  kinds: readonly Name[],
): Partial<Record<Name, string>> | null {
  const [, kind = '', value = ''] = PLACE.exec(text.trim()) ?? []
  const name = kinds.find((known) => known === kind.toLowerCase())
  return name === undefined ? null : ({ [name]: value.trim() } as Partial<Record<Name, string>>)
}

export function placeText(place: { [Name in Kind]?: string | undefined }): string {
  if (place.header !== undefined) return `header ${place.header}`
  return place.path === undefined ? `member ${place.member}` : `path ${place.path}`
}

/** One line for each part of the event. */
export function eventText(event: Place | Place[] | null): string {
  return event === null ? '' : [event].flat().map(placeText).join('\n')
}
