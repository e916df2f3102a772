/** A finding names so many requests. */
export const REQUESTS_SHOWN = 5
const FIELDS_SHOWN = 4

export const FINDING_KINDS = [
  'mapping_refused',
  'field_refused',
  'same_document',
  'drift',
  'lines_differ',
  'no_cursor',
  'invalid_key',
  'silence',
  'key_expiring',
  'release_ending',
] as const

/** What an administrator should look at. */
export interface Finding {
  kind: (typeof FINDING_KINDS)[number]
  /** In ISO 8601: since when it is so, as far as the evidence goes. */
  since: string
  /**
   * Requests; of a drift, the documents that were looked at since; of a mapping, the places
   * that are refused; of what ends soon, 1; of a silence, 0.
   */
  count: number
  /** The ids of the newest requests, at most five. */
  requests: string[]
  message: string
  remedy: string
  /** What the message names in quotes, if that has a page. Only pages show it, as a link. */
  about?: LinkedName
}

/** `unknown`: a name that was refused. There may or may not be a record of it. */
export type LinkedName =
  | { kind: 'order' | 'key' | 'webhook'; id: string; name: string }
  | { kind: 'unknown'; name: string }

/** A request, as far as a finding names it. */
interface Request {
  request_id: string
  created_at: string
}

/** The group is newest first. */
export function seen(group: Request[]) {
  return {
    since: group.at(-1)?.created_at ?? '',
    count: group.length,
    requests: group.slice(0, REQUESTS_SHOWN).map(({ request_id }) => request_id),
  }
}

/** Names of one place, ours and the partner's, or places that go together. */
export function quotedNames([field, ...others]: string[]): string {
  const rest = others.slice(0, FIELDS_SHOWN).map((other) => `"${other}"`)
  return rest.length === 0 ? `"${field}"` : `"${field}" (with ${rest.join(', ')})`
}
