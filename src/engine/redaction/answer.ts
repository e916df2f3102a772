import { type Path, readPath } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { IDENTIFIERS, isAddressable, type Resource } from '../mapping/identifier.ts'
import type { SavedRules } from '../mapping/saved-rule.ts'
import { Messages, REDACTED } from './messages.ts'
import { type Edit, edited, findPlaces, type PlaceOptions, type TextPlace } from './places.ts'
import type { Quotes } from './quotes.ts'
import { overlapsAny, redactedTargets, shownAt } from './targets.ts'

/** What is redacted in a request's body. */
export interface Redacted {
  paths: readonly Path[]
  /** The values that were there. */
  quotes: Quotes
}

/** The mapping of the request's partner, of the requested resource. */
export interface RulesOfAnswer {
  inbound: SavedRules | null
  outbound: SavedRules | null
}

// Members of an answer that hold messages.
const TOLD: readonly Path[] = [['error'], ['detail'], ['warnings'], ['data', 'errors']]

/**
 * The answer without what may come from a redacted place of the request's body: fields of `data` that these
 * rules fill from there, messages about such fields, and messages that quote such a value. In doubt it leaves out
 * more. Null if the answer is not JSON.
 */
export function redactAnswer(
  text: string,
  { paths, quotes }: Redacted,
  { inbound, outbound }: RulesOfAnswer,
): string | null {
  const targets = redactedTargets(paths, inbound)
  return redactTold(text, { paths, quotes, targets }, TOLD, shownAt(targets, outbound))
}

/**
 * The answer without the values that messages at `told` quote or are about, and without what `data` shows at `shown`. A
 * message without a field, `detail` or `reason`, comes last: it is about what the others have found.
 */
function redactTold(
  text: string,
  { paths, quotes, targets }: Redacted & { targets: readonly Path[] },
  told: readonly Path[],
  shown: readonly Path[],
): string | null {
  const messages = new Messages([...paths, ...targets], quotes)
  const found = findPlaces(text, told)
  if (!found) return null
  const inTurn = found.toSorted(
    (one, other) => Number(isDetail(one.path)) - Number(isDetail(other.path)),
  )
  const edits = inTurn.flatMap((place) => withoutValues(messages, text, place) ?? [])
  const inData = shown.map((path) => ['data', ...path])
  return redactPlaces(edited(text, edits), inData)?.text ?? null
}

function isDetail(path: Path): boolean {
  return path.at(-1) === 'detail' || path.at(-1) === 'reason'
}

/** Null if nothing changes: a mapping's own field may have the name, and numbers that JSON.parse would round. */
function withoutValues(
  messages: Messages,
  text: string,
  { start, end, path }: TextPlace,
): Edit | null {
  const value: unknown = JSON.parse(text.slice(start, end))
  const redacted = JSON.stringify(messagesIn(messages, value, path))
  return redacted === JSON.stringify(value) ? null : { start, end, text: redacted }
}

function messagesIn(messages: Messages, value: unknown, path: Path): unknown {
  if (path[0] === 'error') return messages.error(value)
  return isDetail(path) ? messages.detail(value) : messages.redacted(value)
}

/** The text with `"[redacted]"` at these paths, and the places that it had there; null if it is not JSON. */
export function redactPlaces(
  text: string,
  paths: readonly Path[],
  options?: PlaceOptions,
): { text: string; places: TextPlace[] } | null {
  const places = findPlaces(text, paths, options)
  if (!places) return null
  const edits = places.map(({ start, end }) => ({ start, end, text: JSON.stringify(REDACTED) }))
  return { text: edited(text, edits), places }
}

// Members of the answer to a delivery that hold messages, or a name of the record. What `reason` tells, `error` tells by field.
const TOLD_OF_DELIVERY: readonly Path[] = [
  ['error'],
  ['detail'],
  ['warnings'],
  ['data', 'error'],
  ['data', 'reason'],
  ['data', 'record'],
  ['data', 'upload', 'errors'],
]

/** As `redactAnswer`, for the answer to a delivery. */
export function redactDeliveryAnswer(
  text: string,
  redacted: Redacted,
  { inbound }: RulesOfAnswer,
  { resource, document }: { resource: Resource; document: string | null },
): string | null {
  const targets = redactedTargets(pathsInRecord(redacted.paths, document), inbound)
  const name = isAddressable(resource) ? IDENTIFIERS[resource].fallback : null
  const shown = [
    ...(name !== null && overlapsAny([name], targets) ? [['record']] : []),
    ...shownAt(targets, null).map((path) => ['upload', ...path]),
  ]
  return redactTold(text, { ...redacted, targets }, TOLD_OF_DELIVERY, shown)
}

/** Paths in the body, as paths in the record that stands there. Those that lead elsewhere are left out; headers are not. */
export function pathsInRecord(paths: readonly Path[], document: string | null): Path[] {
  if (document === null) return [...paths]
  const at = readPath(document)
  return paths.flatMap((path) => {
    if (path[0] instanceof SentValue) return [path]
    return overlapsAny(path, [at]) ? [path.slice(at.length)] : []
  })
}
