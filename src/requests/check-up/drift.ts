import type { SavedRules } from '../../engine/mapping/saved-rule.ts'
import { reads } from '../../engine/redaction/targets.ts'
import { type DocumentPlace, ofKind, type Places, presenceOf, VALUE_KINDS } from './places.ts'

/**
 * A field that half of the documents have comes, by chance, with ten of them and not with ten before once in a
 * million times.
 */
const SIDE_MIN = 10
/** One document in twenty may be an exception: a test, or an old one that came late. */
const EXCEPTIONS_SHARE = 0.05

/** How many of the documents have something. */
interface DocumentShare {
  has: number
  of: number
}

interface Step {
  /** The number of the first document with the change. */
  since: number
  /** Who has the field, or the new kind of it. */
  before: DocumentShare
  after: DocumentShare
}

/** A place that has changed with one of the documents. */
export interface Drift extends Step {
  at: string
  change: 'appeared' | 'vanished' | 'changed kind'
  /** Of a change of kind: what it mostly was, and what it is. */
  kinds: { from: string; to: string } | null
  /** A rule of the mapping reads it. */
  isRead: boolean
}

type Series = readonly (boolean | null)[]

/** The number of documents is that of the places' documents, oldest first. */
export function driftsIn(places: Places, inbound: SavedRules | null): Drift[] {
  return places.all.flatMap((place) => {
    const drift = driftAt(place)
    if (!drift) return []
    const isRead = inbound !== null && reads(place.path, inbound)
    return [{ at: place.text || '$', isRead, ...drift }]
  })
}

function driftAt(place: DocumentPlace): Omit<Drift, 'at' | 'isRead'> | null {
  const presence = presenceOf(place)
  const appeared = stepIn(presence)
  if (appeared) return { change: 'appeared', kinds: null, ...appeared }
  const vanished = stepIn(presence.map((has) => (has === null ? null : !has)))
  if (vanished) return { change: 'vanished', kinds: null, ...reversed(vanished) }
  return changeOfKind(place)
}

function changeOfKind(place: DocumentPlace): Omit<Drift, 'at' | 'isRead'> | null {
  for (const [to, bit] of Object.entries(VALUE_KINDS)) {
    const step = stepIn(ofKind(place, bit))
    if (!step) continue
    return { change: 'changed kind', kinds: { from: mostlyBefore(place, step.since), to }, ...step }
  }
  return null
}

function mostlyBefore(place: DocumentPlace, since: number): string {
  const counts = Object.entries(VALUE_KINDS).map(([name, bit]) => ({
    name,
    count: ofKind(place, bit).slice(0, since).filter(Boolean).length,
  }))
  return counts.toSorted((one, other) => other.count - one.count)[0]?.name ?? ''
}

/** Where the series becomes true: false before and true from there on, with few exceptions. */
export function stepIn(series: Series): Step | null {
  const of = series.filter((has) => has !== null).length
  const all = series.filter((has) => has).length
  // Most fields are in all documents, or in none.
  if (all < SIDE_MIN || of - all < SIDE_MIN) return null
  let best: Step | null = null
  const before: DocumentShare = { has: 0, of: 0 }
  for (const [since, has] of series.entries()) {
    if (has === null) continue
    const after = { has: all - before.has, of: of - before.of }
    const isBetter =
      best === null || exceptionsOf(before, after) < exceptionsOf(best.before, best.after)
    if (isBetter && isStep(before, after)) best = { since, before: { ...before }, after }
    before.of += 1
    if (has) before.has += 1
  }
  return best
}

function exceptionsOf(before: DocumentShare, after: DocumentShare): number {
  return before.has + after.of - after.has
}

function isStep(before: DocumentShare, after: DocumentShare): boolean {
  return (
    before.of >= SIDE_MIN &&
    after.of >= SIDE_MIN &&
    before.has <= EXCEPTIONS_SHARE * before.of &&
    after.of - after.has <= EXCEPTIONS_SHARE * after.of
  )
}

/** Of a field that has vanished, the steps count who has none. */
function reversed({ since, before, after }: Step): Step {
  const rest = ({ has, of }: DocumentShare) => ({ has: of - has, of })
  return { since, before: rest(before), after: rest(after) }
}
