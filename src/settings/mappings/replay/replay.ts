import { refuseReversed } from '../../../engine/json/range.ts'
import { Budget } from '../../../engine/limits/budget.ts'
import type { Owner } from '../../../engine/limits/holders.ts'
import type { Pace } from '../../../engine/limits/pace.ts'
import type { Documents } from '../../../engine/log/documents/read.ts'
import type { Resource } from '../../../engine/mapping/identifier.ts'
import type { MapDocument } from '../../../engine/mapping/inbound.ts'
import type { Reading } from '../../../engine/mapping/schema.ts'
import { type Difference, differencesOf } from './differences.ts'
import { type Choice, listKept, type ReadDocument, readKept } from './kept.ts'
import { type Document, type MappingOutcome, outcomeOf } from './outcome.ts'
import { listWaiting, readWaiting } from './waiting.ts'

const EXAMPLES_MAX = 20
const EXAMPLES_OF_KIND_MAX = 5
const DIFFERENCES_MAX = 5
/** Reading from R2 takes most of it. */
const REPLAY_MS_MAX = 25_000

export const OUTCOME_CHANGES = ['changed', 'newly_failing', 'newly_passing'] as const
export type OutcomeChange = (typeof OUTCOME_CHANGES)[number]

/** One document is in memory at a time, and of another tenant one more. */
const turns = new Budget({
  bytes: 2,
  isStrict: true,
  refusals: { all: 'Too many mappings are being tried on kept documents. Try again.' },
})

interface Example {
  request_id: string
  kind: OutcomeChange
  /** What the two mappings make of the document, where that differs; at most five places. */
  differences: Difference[]
  /** What is wrong by each of them, at most five places. */
  faults: { before: string[]; after: string[] }
}

/** What another mapping would have made of documents that came in. */
export interface Replayed extends Record<OutcomeChange | 'same', number> {
  /** The sum of the four. */
  documents: number
  /** Not there, not JSON, or dependent on a redacted place. */
  unreadable: number
  /** There was no time for all of them. */
  truncated: boolean
  examples: Example[]
  /** All other documents whose result would change. */
  others: Pick<Example, 'request_id' | 'kind'>[]
}

export interface MappingReplay {
  resource: Resource
  partner_id: string
  choice: Choice
  before: Reading
  after: Reading
  /** Whose turn it is among others who do the same. */
  owner: Owner
  /** Takes memory for a document of this length, maps it within memory, and gives back what was taken. */
  memory: { take: (length: number) => Promise<void>; map: MapDocument; leave: () => void }
}

/**
 * Sends kept documents of POST and PUT, and deliveries, through both mappings and the checks of a request, except those against the
 * database. Writes nothing. 400 SERVICE_ERROR for a range that ends before it begins; 503 if R2 does not answer.
 */
export async function replayKept(documents: Documents, replay: MappingReplay): Promise<Replayed> {
  const { choice, owner, memory } = replay
  const { pace } = documents.db
  refuseReversed(choice)
  const ends_at = Date.now() + REPLAY_MS_MAX
  const result: Replayed = {
    documents: 0,
    same: 0,
    changed: 0,
    newly_failing: 0,
    newly_passing: 0,
    unreadable: 0,
    truncated: false,
    examples: [],
    others: [],
  }
  const sources = await sourcesOf(documents, replay)
  for (const { read } of sources) {
    await inTurn(owner, async () => {
      const { request_id, document } = await read()
      const outcomes = document && (await outcomesOf(document, replay, pace))
      count(result, request_id, outcomes)
      memory.leave()
    })
    const isLast = result.documents + result.unreadable === sources.length
    result.truncated = Date.now() > ends_at && !isLast
    if (result.truncated) break
  }
  return result
}

/** A document, which is not read yet. */
interface Source {
  created_at: string
  read: () => Promise<ReadDocument>
}

/** The newest documents: those that are kept, and deliveries that wait. */
async function sourcesOf(
  documents: Documents,
  { resource, partner_id, choice, memory }: MappingReplay,
): Promise<Source[]> {
  const { db, bucket } = documents
  const reading = { pace: db.pace, takeMemory: memory.take }
  const kept = bucket ? await listKept(documents, partner_id, resource, choice) : []
  const waiting = await listWaiting(db, partner_id, resource, choice)
  const sources = [
    ...waiting.map((name) => ({
      created_at: name.created_at,
      read: async () => {
        await memory.take(name.bytes)
        return await readWaiting(db, name, resource)
      },
    })),
    ...kept.map((name) => ({
      created_at: name.created_at,
      read: () => readKept(bucket as R2Bucket, name, resource, reading),
    })),
  ]
  // Stable, so that those of one moment stay in the order of the log.
  return sources
    .sort(
      (one, other) =>
        Number(one.created_at < other.created_at) - Number(one.created_at > other.created_at),
    )
    .slice(0, choice.last)
}

async function inTurn(owner: Owner, work: () => Promise<void>): Promise<void> {
  const share = await turns.take(owner, 1)
  try {
    await work()
  } finally {
    share.leave()
  }
}

interface Outcomes {
  before: MappingOutcome
  after: MappingOutcome
}

async function outcomesOf(
  document: Document,
  { before, after, memory }: MappingReplay,
  pace: Pace,
): Promise<Outcomes | null> {
  const outcomes = {
    before: await outcomeOf(document, before, memory.map, pace),
    after: await outcomeOf(document, after, memory.map, pace),
  }
  return outcomes.before && outcomes.after ? (outcomes as Outcomes) : null
}

function count(result: Replayed, request_id: string, outcomes: Outcomes | null): void {
  if (!outcomes) {
    result.unreadable += 1
    return
  }
  const { before, after } = outcomes
  const differences = differencesOf(
    before.record ?? undefined,
    after.record ?? undefined,
    DIFFERENCES_MAX,
  )
  const kind = kindOf(outcomes, differences)
  result.documents += 1
  result[kind] += 1
  if (kind === 'same') return
  if (result[kind] > EXAMPLES_OF_KIND_MAX || result.examples.length === EXAMPLES_MAX) {
    result.others.push({ request_id, kind })
    return
  }
  const first = (faults: string[]) => faults.slice(0, DIFFERENCES_MAX)
  const faults = { before: first(before.faults), after: first(after.faults) }
  const isBoth = before.record !== null && after.record !== null
  result.examples.push({ request_id, kind, differences: isBoth ? differences : [], faults })
}

/** To fail in another way is a change. */
function kindOf({ before, after }: Outcomes, differences: Difference[]): OutcomeChange | 'same' {
  if (before.record !== null && after.record !== null) {
    return differences.length > 0 ? 'changed' : 'same'
  }
  if (before.record !== null) return 'newly_failing'
  if (after.record !== null) return 'newly_passing'
  return before.faults.join('\n') === after.faults.join('\n') ? 'same' : 'changed'
}
