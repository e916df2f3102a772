import { unlessRefused } from '../errors.ts'
import { charsetOf } from '../formats/charset.ts'
import type { CsvOptions } from '../formats/csv.ts'
import { findCsvPlaces } from '../formats/csv-cells.ts'
import { findMembers } from '../formats/form-places.ts'
import {
  isOtherFormat,
  kindOfText,
  mediaTypeOf,
  type TextBody,
  textOfBody,
} from '../formats/format.ts'
import type { FormatOptions } from '../formats/options.ts'
import type { ValuePlace } from '../formats/text-place.ts'
import { findXmlValues } from '../formats/xml-values.ts'
import type { Path } from '../json/path.ts'
import { redactPlaces } from './answer.ts'
import { REDACTED } from './messages.ts'
import { edited } from './places.ts'
import { Quotes, valuesIn } from './quotes.ts'

const ANYTHING = { listsAnything: true }

/** A body without its redacted places. */
export interface RedactedBody extends TextBody {
  /** The paths that led to something in it. */
  found: Path[]
  /** Finds the values that were there, and these, in messages. */
  quotesWith: (more: readonly string[]) => Quotes
}

/** A place, and the text that replaces its value. */
interface Redaction extends ValuePlace {
  text: string
}

/**
 * The body with `[redacted]` at these paths. Null if the places cannot be found: the body is not what its Content-Type says, or
 * it is no JSON and none of the paths leads to something in it, since they may be those of another document.
 */
export function redactBody(
  body: Uint8Array,
  contentType: string | null,
  paths: readonly Path[],
  formats: FormatOptions,
): RedactedBody | null {
  if (!isOtherFormat(contentType)) return redactJson(body, contentType, paths)
  // None if it is not in its charset.
  const sent = unlessRefused(() => textOfBody(body, contentType))
  const places = sent && redactionsIn(sent, paths, formats)
  if (!places || places.length === 0) return null
  const values = places.flatMap((place) => place.values)
  return {
    ...sent,
    // An empty value stays.
    text: edited(
      sent.text,
      places.filter(({ start, end }) => end > start),
    ),
    found: places.map(({ path }) => path),
    quotesWith: (more) => new Quotes('', [], [...values, ...more]),
  }
}

function redactJson(
  body: Uint8Array,
  content_type: string | null,
  paths: readonly Path[],
): RedactedBody | null {
  const text = utf8Text(body)
  const redacted = text === null ? null : redactPlaces(text, paths, ANYTHING)
  if (text === null || !redacted) return null
  return {
    text: redacted.text,
    content_type,
    found: redacted.places.map(({ path }) => path),
    quotesWith: (more) => new Quotes(text, redacted.places, more),
  }
}

function redactionsIn(
  { text, content_type }: TextBody,
  paths: readonly Path[],
  { csv, form }: FormatOptions,
): Redaction[] | null {
  const inside = (places: ValuePlace[] | null) =>
    places?.map((place) => ({ ...place, text: REDACTED })) ?? null
  switch (kindOfText(content_type)) {
    case 'csv':
      return inside(findCsvPlaces(text, paths, { ...csv, ...separatorBy(content_type) }))
    case 'xml':
      return inside(findXmlValues(text, paths))
    default:
      return redactMembers(text, paths, {
        json: form?.json,
        charset: charsetOf(content_type ?? '', form?.charset),
      })
  }
}

function separatorBy(contentType: string | null): CsvOptions {
  return mediaTypeOf(contentType) === 'text/tab-separated-values' ? { separator: '\t' } : {}
}

/** Null if a part of the member `json` is to be redacted, and the member is no JSON. */
function redactMembers(
  text: string,
  paths: readonly Path[],
  { json, charset }: { json: string | undefined; charset: string },
): Redaction[] | null {
  const read = { charset, takesUnknown: true }
  const ways = paths.map((path) => ({ path, inMember: path.slice(1) }))
  const whole = ways.filter(({ inMember }) => inMember.every((step) => typeof step !== 'string'))
  const inPart = ways.filter((way) => way.path[0] === json && !whole.includes(way))
  const redactions = findMembers(text, pathsOf(whole), read).map((place) => ({
    ...place,
    text: encodeURIComponent(REDACTED),
  }))
  for (const { start, end, values } of findMembers(text, pathsOf(inPart.slice(0, 1)), read)) {
    const member = values.join('')
    const redacted = redactPlaces(
      member,
      inPart.map(({ inMember }) => inMember),
      ANYTHING,
    )
    if (!redacted) return null
    const encoded = encodeURIComponent(redacted.text)
    for (const place of redacted.places) {
      const path = inPart.find(({ inMember }) => inMember === place.path)?.path ?? place.path
      const found = [...valuesIn(member.slice(place.start, place.end))]
      redactions.push({ start, end, path, values: found, text: encoded })
    }
  }
  return redactions
}

function pathsOf(ways: { path: Path }[]): Path[] {
  return ways.map(({ path }) => path)
}

/** The text of a body in UTF-8, with its byte order mark; null if it is not UTF-8. */
export function utf8Text(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return null
  }
}
