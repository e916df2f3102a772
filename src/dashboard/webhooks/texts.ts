import type { PublicKey } from '../../engine/webhooks/public-key.ts'
import type { Place } from '../../engine/webhooks/rules.ts'

// The actions of a webhook as people write them, one line for each event: `order.created = upsert`.

const ACTION_LINE = /^(.*\S)\s*=\s*([^=\s]+)$/

/** As the rules have them, or what is wrong with the first line that is none. */
export function actionsIn(text: string): { actions: Record<string, string> } | { message: string } {
  const actions = new Map<string, string>()
  for (const line of text.split('\n').map((part) => part.trim())) {
    if (line === '') continue
    const [, event, action] = ACTION_LINE.exec(line) ?? []
    if (event === undefined || action === undefined) {
      return { message: `Write each line as order.created = upsert: "${line}" is none.` }
    }
    if (actions.has(event)) return { message: `Names "${event}" twice.` }
    actions.set(event, action)
  }
  return { actions: Object.fromEntries(actions) }
}

export function actionsText(actions: Record<string, string>): string {
  return Object.entries(actions)
    .map(([event, action]) => `${event} = ${action}`)
    .join('\n')
}

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

// Public keys as people paste them: PEM texts one below the other, or JWK objects.

const PEM_END = /(-----END [A-Z ]+-----)/

/** What `rules.verification.keys` takes. */
export function keysIn(text: string): unknown[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (!/^[[{]/.test(trimmed)) return pemsIn(trimmed)
  try {
    return JSON.parse(`[${trimmed.replace(/\}\s*\{/g, '},{')}]`).flat()
  } catch {
    return [trimmed]
  }
}

function pemsIn(text: string): string[] {
  const parts = text.split(PEM_END)
  const pems = parts.flatMap((part, at) => (at % 2 === 0 ? [part + (parts[at + 1] ?? '')] : []))
  return pems.map((pem) => pem.trim()).filter((pem) => pem !== '')
}

export function keysText(keys: readonly PublicKey[]): string {
  return keys.map((key) => (typeof key === 'string' ? key.trim() : JSON.stringify(key))).join('\n')
}
