import { cellsIn, findCells } from '../../engine/formats/csv-cells.ts'
import { findMembers } from '../../engine/formats/form-places.ts'
import { kindOfText } from '../../engine/formats/format.ts'
import type { Span } from '../../engine/formats/text-place.ts'
import { findXmlPlaces } from '../../engine/formats/xml-places.ts'
import type { Path } from '../../engine/json/path.ts'
import { findPlaces, type TextPlace } from '../../engine/redaction/places.ts'
import { type Fault, pathsOf } from './faults.ts'
import { WHOLE_LENGTH_MAX } from './pretty.ts'

/** Of a longer value at fault, such as an object, only its beginning is marked. */
const MARKED_LENGTH_MAX = 200
/** Each step up the document reads the text once more. */
const STEPS_UP_MAX = 8
const CONTEXT_LENGTH = 2000
const CUT = '\n⋯\n'

/** A part of a document's text, with the faults that are there. */
export interface Part {
  text: string
  faults: Fault[]
}

interface Mark {
  start: number
  end: number
  faults: Fault[]
}

/**
 * The text in parts. A fault is at its value; where that is missing, at the beginning of the object or array
 * that lacks it. `unplaced` are those without a place in the text.
 */
export function markedParts(
  text: string,
  faults: Fault[],
  contentType: string | null = null,
): { parts: Part[]; unplaced: Fault[] } {
  const marks = new Marks()
  MARK[kindOfText(contentType)](marks, text, faults)
  const unplaced = faults.filter((fault) => !marks.has(fault))
  const parts: Part[] = []
  let at = 0
  for (const { start, end, faults: here } of marks.inOrder()) {
    if (start < at) {
      parts.at(-1)?.faults.push(...here)
      continue
    }
    parts.push({ text: text.slice(at, start), faults: [] })
    parts.push({ text: text.slice(start, end), faults: here })
    at = end
  }
  parts.push({ text: text.slice(at), faults: [] })
  return { parts: text.length > WHOLE_LENGTH_MAX ? shortened(parts) : parts, unplaced }
}

/** The marks of a text while they are found. */
class Marks {
  readonly #byStart = new Map<number, Mark>()
  readonly #placed = new Set<Fault>()

  /** Marks the place of a fault; `isAbove` if the place is of what lacks the value. */
  add({ start, end }: Span, fault: Fault, isAbove: boolean): void {
    const isLong = end - start > MARKED_LENGTH_MAX
    const mark = this.#byStart.get(start) ?? {
      start,
      end: isAbove || isLong ? start + 1 : end,
      faults: [],
    }
    mark.faults.push(isAbove ? named(fault) : fault)
    this.#byStart.set(start, mark)
    this.#placed.add(fault)
  }

  has(fault: Fault): boolean {
    return this.#placed.has(fault)
  }

  inOrder(): Mark[] {
    return [...this.#byStart.values()].sort((one, other) => one.start - other.start)
  }
}

/** A fault of a CSV is at its cell, or at its row. */
function markCells(marks: Marks, text: string, faults: Fault[]): void {
  const asked = faults.flatMap((fault) => cellsIn(fault.at).map((cell) => ({ ...cell, fault })))
  for (const [index, span] of findCells(text, asked).entries()) {
    const fault = asked[index]?.fault
    if (span && fault) marks.add(span, fault, false)
  }
}

/** As `markValues`, but all steps up are looked for in one reading, because reading XML takes longer. */
function markElements(marks: Marks, text: string, faults: Fault[]): void {
  const wanted = wantedIn(faults).map(({ fault, path }) => ({
    fault,
    ways: path.map((_, up) => path.slice(0, path.length - up)),
  }))
  const places = findXmlPlaces(
    text,
    wanted.flatMap(({ ways }) => ways),
  )
  for (const { fault, ways } of wanted) {
    const up = ways.findIndex((way) => places.has(way))
    const place = places.get(ways[up] ?? [])
    if (place) marks.add(place, fault, up > 0)
  }
}

/** A fault of a form is at the member, also one in the JSON that a member holds. */
function markMembers(marks: Marks, text: string, faults: Fault[]): void {
  const wanted = wantedIn(faults)
  const paths = wanted.map(({ path }) => path)
  for (const place of findMembers(text, paths)) {
    const fault = wanted.find(({ path }) => path === place.path)?.fault
    if (fault && !marks.has(fault)) marks.add(place, fault, place.path.length > 1)
  }
}

function markValues(marks: Marks, text: string, faults: Fault[]): void {
  let wanted = wantedIn(faults)
  for (let up = 0; up <= STEPS_UP_MAX && wanted.length > 0; up++) {
    const paths = wanted.map(({ path }) => path)
    const places = placesBy(text, paths)
    for (const { fault, path } of wanted) {
      const place = places.get(path)
      if (place) marks.add(place, fault, up > 0)
    }
    wanted = wanted
      .filter(({ path }) => !places.has(path) && path.length > 0)
      .map(({ fault, path }) => ({ fault, path: path.slice(0, -1) }))
  }
}

const MARK = { json: markValues, form: markMembers, csv: markCells, xml: markElements }

function wantedIn(faults: Fault[]): { fault: Fault; path: Path }[] {
  return faults.flatMap((fault) => pathsOf(fault).map((path) => ({ fault, path })))
}

/** The first place of each path. */
function placesBy(text: string, paths: Path[]): Map<Path, TextPlace> {
  const places = new Map<Path, TextPlace>()
  for (const place of findPlaces(text, paths) ?? []) {
    for (const path of paths) {
      if (!places.has(path) && isSame(path, place.path)) places.set(path, place)
    }
  }
  return places
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index])
}

/** What is missing is named, because its mark stands at what lacks it. */
function named({ at, messages }: Fault): Fault {
  return { at, messages: messages.map((message) => `${at}: ${message}`) }
}

function shortened(parts: Part[]): Part[] {
  return parts.map((part, index) => {
    const { text, faults } = part
    if (faults.length > 0 || text.length <= 2 * CONTEXT_LENGTH) return part
    const head = index === 0 ? '' : text.slice(0, CONTEXT_LENGTH)
    const tail = index === parts.length - 1 ? '' : text.slice(-CONTEXT_LENGTH)
    const begins = index === 0 && parts.length === 1 ? text.slice(0, CONTEXT_LENGTH) : head
    return { text: `${begins}${CUT}${tail}`.toWellFormed(), faults }
  })
}
