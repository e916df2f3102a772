import type { FormatOptions } from '../../../engine/formats/options.ts'
import { type Path, pathIn } from '../../../engine/json/path.ts'
import type { SentWith } from '../../../engine/json/sent-with.ts'
import type { Pace } from '../../../engine/limits/pace.ts'
import type { ReadPayload } from '../../../engine/log/documents/kept.ts'
import type { Resource } from '../../../engine/mapping/identifier.ts'
import {
  bodyFault,
  type MapDocument,
  type MappedDocument,
} from '../../../engine/mapping/inbound.ts'
import { problemMessage } from '../../../engine/mapping/problem.ts'
import type { SavedRules } from '../../../engine/mapping/saved-rule.ts'
import type { Reading } from '../../../engine/mapping/schema.ts'
import { isCompared, leadsInto } from '../../../engine/redaction/targets.ts'
import { bodyErrors } from '../../../records/bodies.ts'

const IDENTITY: SavedRules = { unmapped: 'keep', fields: {} }

/** A document that was kept, as a mapping reads it. */
export interface Document {
  resource: Resource
  method: string
  /** The record as the mapping reads it; null if it cannot be read so. */
  read: (formats: FormatOptions | null) => ReadPayload | null
  /** What came with it. */
  sent?: SentWith | undefined
  /** Places whose values are not there any more. */
  redacted: Path[]
}

/** What a mapping makes of a document: our record, or what is wrong, by place. */
export interface MappingOutcome {
  record: object | null
  /** In order of the place: `lines[0].qty: Must be an integer.` */
  faults: string[]
}

/**
 * The outcome by these rules, checked like a request, except against the database. Null if it depends on
 * a redacted place, or cannot be read.
 */
export async function outcomeOf(
  { resource, method, read, sent: beside, redacted }: Document,
  { identifier_field, inbound }: Reading,
  map: MapDocument,
  pace: Pace,
): Promise<MappingOutcome | null> {
  if (inbound && redacted.some((place) => isCompared(place, inbound))) return null
  const found = read(inbound)
  if (!found) return null
  const { payload, bytes, listsSingles } = found
  const fault = bodyFault(resource, inbound, payload)
  if (fault) return { record: null, faults: [fault] }
  const known = { payload, bytes, hasExactNumbers: true, listsSingles }
  const sent = { method, identifier_field, ...known, sent: beside }
  const document = await map(resource, inbound ?? IDENTITY, sent)
  const { several } = document
  const isSeveral = several !== undefined && method === 'POST'
  const records = isSeveral && several.problems.length === 0 ? several.records : [document]
  const faults: string[][] = []
  for (const record of records) {
    faults.push(...(await faultsOf(record, { resource, method }, pace)))
  }
  // A record that fails leaves the others as they are, so each is compared by its number.
  const value = isSeveral ? { ...records.map((record) => record.value) } : document.value
  return without(redacted, value, faults)
}

async function faultsOf(
  { value, problems, sourceOf }: MappedDocument,
  { resource, method }: Pick<Document, 'resource' | 'method'>,
  pace: Pace,
): Promise<string[][]> {
  if (problems.length > 0) {
    return problems.map((problem) => [problem.source ?? problem.at, problemMessage(problem)])
  }
  const { errors } = await bodyErrors(resource, method, value, pace)
  return Object.entries(errors).map(([field, messages]) => [
    sourceOf(field) ?? field,
    messages.join(' '),
  ])
}

function without(
  redacted: Path[],
  record: object | null,
  faults: string[][],
): MappingOutcome | null {
  const isUnknown = faults.some(([at = '']) => redacted.length > 0 && isAt(at, redacted))
  if (isUnknown) return null
  return {
    record: faults.length > 0 ? null : record,
    faults: faults.map((fault) => fault.join(': ')).sort(),
  }
}

/** A joined text has several sources. */
function isAt(at: string, places: Path[]): boolean {
  return at.split(', ').some((text) => {
    const path = pathIn(text)
    return path !== null && leadsInto(path, places)
  })
}
