/** The tags of a condition, without quotes and `W/`; `*` for any. */
export type Tags = '*' | readonly string[]

// Spaces, a comma, or a tag. A header is long: each character is looked at once.
// biome-ignore lint/suspicious/noControlCharactersInRegex: a tag has none
const TOKEN = /[ \t]+|,|(?:W\/)?"([^"\x00-\x20\x7f]*)"/y
const VERSION = /^([1-9]\d{0,14}\.[0-9a-f]{8})\./
const ID_LENGTH = 8

/**
 * The tags of `If-Match` or `If-None-Match` (RFC 9110, 8.8.3). A weak tag counts as a strong one, because proxies
 * weaken the tags of answers that they compress. Null if the header has another form, or names nothing.
 */
export function parseTags(header: string): Tags | null {
  const text = header.trim()
  if (text === '*') return text
  const tags: string[] = []
  let isOpen = true
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)
    if (!token) return null
    const [written, tag] = token
    if (tag === undefined) isOpen ||= written === ','
    else if (isOpen) {
      tags.push(tag)
      isOpen = false
    } else return null
  }
  return tags.length > 0 ? tags : null
}

/** A record at one of its versions. */
export interface RecordVersion {
  id: string
  version: number
}

/** The first part of an ETag: the version, and the beginning of the record's id. */
export function versionName({ id, version }: RecordVersion): string {
  return `${version}.${id.slice(0, ID_LENGTH)}`
}

/** The first parts of the tags, as versionName gives them, each once. A tag that none of our answers has has none. */
export function versionsIn(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => VERSION.exec(tag)?.[1] ?? []))]
}
