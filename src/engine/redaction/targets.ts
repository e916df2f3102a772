import { Filter } from '../json/filter/filter.ts'
import { EACH, type Path, type PathStep, readPath } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { allPaths, type Sources } from '../mapping/members.ts'
import { readRecordRules, recordSources } from '../mapping/records.ts'
import { type MappingRule, readRules } from '../mapping/rules.ts'
import type { SavedRules } from '../mapping/saved-rule.ts'

/**
 * Where the `data` of an answer has fields of a body under other names, or elsewhere. Each may come from an earlier
 * body, as the messages for `if_quantity` quote what is stored.
 */
const RENAMED = (
  [
    ['items[].sku_code', 'items[].sku'],
    ['items[].quantity', 'items[].verified_quantity'],
    ['status', 'items[].verification_status'],
    ['reason', 'cancel_reason'],
    ['inventory[].location_code', 'errors[].location_id'],
    ['inventory[].sku_code', 'errors[].product_id'],
    ['inventory[].quantity', 'errors[].errors.if_quantity[]'],
    ['inventory[].location_code', 'changes[].location_code'],
    ['inventory[].sku_code', 'changes[].sku_code'],
    ['inventory[].quantity', 'changes[].from'],
    ['inventory[].quantity', 'changes[].to'],
    ['inventory[].if_quantity', 'changes[].from'],
  ] as const
).map(([body, answer]) => ({ body: readPath(body), answer: readPath(answer) }))

/**
 * Our own fields that may hold something of these places of a partner's document. A field that no rule writes
 * may have passed through, so the places count as fields of ours too.
 */
export function redactedTargets(redacted: readonly Path[], inbound: SavedRules | null): Path[] {
  return [...redacted, ...filledFrom(redacted, inbound)]
}

/**
 * The places of an answer's `data` that may hold something of these fields of ours. The outbound mapping may have
 * nothing to do with the answer: an upload's is not mapped.
 */
export function shownAt(targets: readonly Path[], outbound: SavedRules | null): Path[] {
  const renamed = RENAMED.filter(({ body }) => overlapsAny(body, targets))
  const ours = [...targets, ...renamed.map(({ answer }) => answer)]
  return [...ours, ...filledFrom(ours, outbound)].map(ofAnyElement)
}

/** Whether one of the places lies at, above or below the path. */
export function overlapsAny(path: Path, places: readonly Path[]): boolean {
  return places.some((place) => {
    const shorter = path.length < place.length ? path : place
    return shorter.every((_, at) => mayBeSame(path[at], place[at]))
  })
}

/** A list that may be a single value has no step in the place. */
function overlaps(source: Path, place: Path, { single_as_list }: SavedRules): boolean {
  return single_as_list
    ? overlapsAny(source.filter(isName), [place.filter(isName)])
    : overlapsAny(source, [place])
}

function isName(step: PathStep): boolean {
  return typeof step === 'string' || step instanceof SentValue
}

/** Whether the path leads to one of the places, or to something in it. */
export function leadsInto(path: Path, places: readonly Path[]): boolean {
  return places.some(
    (place) => place.length <= path.length && place.every((step, at) => mayBeSame(step, path[at])),
  )
}

/** Whether a rule reads the place, or something in an array that it filters by the place. */
export function reads(place: Path, saved: SavedRules): boolean {
  const ofRecords = recordsIn(saved).flatMap(allPaths)
  const tellsRecords = ofRecords.some((path) => overlapsAny(path, [place]))
  return tellsRecords || filledFrom([place], saved).length > 0 || isCompared(place, saved)
}

/** Whether the place is in an array that a filter chooses elements of: the filter may look at it. */
export function isCompared(place: Path, saved: SavedRules): boolean {
  const read = [...rulesOf(saved).map(({ written }) => written), ...recordsIn(saved)]
  const sources = read.flatMap(allPaths)
  return sources.some((source) =>
    source.some((step, at) => step instanceof Filter && leadsInto(place, [source.slice(0, at)])),
  )
}

/** Our own fields that rules fill from these places. */
function filledFrom(places: readonly Path[], saved: SavedRules | null): Path[] {
  if (!saved) return []
  return rulesOf(saved).flatMap((rule) =>
    allPaths(rule.written).flatMap((source) =>
      places
        .filter((place) => overlaps(source, place, saved))
        .flatMap((place) => partOf(rule, source, place)),
    ),
  )
}

/** The part of the rule's target that may hold something of the place. */
function partOf(
  { target, written: { origin }, steps }: MappingRule,
  source: Path,
  place: Path,
): Path[] {
  // The rules below it copy what its elements have.
  if (origin.kind === 'each' && origin.isFilled) return []
  const isCopy = steps === null && origin.kind !== 'join'
  return [isCopy ? [...target, ...place.slice(source.length)] : target]
}

// The caller cache keeps one object of rules until the mapping changes.
const known = new WeakMap<SavedRules, MappingRule[]>()

function rulesOf(saved: SavedRules): MappingRule[] {
  return known.getOrInsertComputed(saved, ({ fields, records }) => {
    return readRules(fields, records ? readRecordRules(records) : null).rules
  })
}

/** What says which records a document has. */
function recordsIn({ records }: SavedRules): Sources[] {
  return records ? recordSources(readRecordRules(records)) : []
}

/** Two elements of an array count as one: a wildcard, a filter or -1 may be either. The first two may be any member. */
function mayBeSame(one: PathStep | undefined, other: PathStep | undefined): boolean {
  if (one instanceof SentValue) return other instanceof SentValue && one.isSame(other)
  if (other instanceof SentValue) return false
  const names = [one, other].filter((step) => typeof step === 'string')
  if (names.length === 2) return one === other
  return names.length === 0 || (typeof one !== 'number' && typeof other !== 'number')
}

/** A mapping may put an element at another index. */
function ofAnyElement(path: Path): Path {
  return path.map((step) => (typeof step === 'number' || step instanceof Filter ? EACH : step))
}
