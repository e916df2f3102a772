import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { success } from '../engine/answers/envelope.ts'
import { mapInboundRecords } from '../engine/body/map-inbound.ts'
import { SettingsChanged } from '../engine/db/transact.ts'
import type { AppEnv } from '../engine/env.ts'
import { act, type RecordOfDocument, recordIn } from '../engine/exchange/acting.ts'
import { DRY_RUN } from '../engine/exchange/dry-run.ts'
import { shownName } from '../engine/exchange/row.ts'
import { Allowance, ErrorsOfRecords } from '../engine/exchange/several.ts'
import type { Warning } from '../engine/json/warnings.ts'
import { explainRecords, type RecordExplanation } from '../engine/log/explanation.ts'
import { type AddressableResource, IDENTIFIERS } from '../engine/mapping/identifier.ts'
import type { MappedDocument } from '../engine/mapping/inbound.ts'

/** Compared with what is stored by one statement. */
const COMPARED_MAX = 100

/** A stored record that has the name of one in the document. */
export interface StoredRecord {
  /** Its place among those that were compared. */
  at: number
  id: string
  /** It has everything that the document says of it. */
  isSame: boolean
}

/** Finds the stored records that have the names of these, and belong to the caller's partner. */
export type Compare = (c: Context<AppEnv>, documents: MappedDocument[]) => Promise<StoredRecord[]>

export const RECORD_STATUSES = ['created', 'unchanged', 'failed', 'not_tried'] as const

/** What became of one record of a document. */
export interface RecordResult {
  index: number
  status: (typeof RECORD_STATUSES)[number]
  /** The order number, SKU or code. */
  record: string | null
  id?: string
  error?: object
  warnings?: Warning[]
}

/**
 * Answers a POST whose mapping makes several records of its document: each is applied as a request of its own, with an
 * audit row that names this one. What is stored already as the document says is `unchanged`.
 */
export function severalRecords(resource: AddressableResource, compare: Compare) {
  return createMiddleware<AppEnv>(async function severalRecords(c, next) {
    const documents = recordIn(c) ? undefined : await mapInboundRecords(c, resource)
    if (!documents) return await next()
    const refused: RecordExplanation[] = []
    const results = await resultsOf(c, resource, documents, { compare, refused })
    const exchange = c.get('exchange')
    exchange.record_id = exchange.request_id
    const data = dataOf(results)
    const { total, created, failed, not_tried } = data
    exchange.record_counts = {
      rows_total: total,
      rows_created: created,
      rows_failed: failed + not_tried,
    }
    if (failed + not_tried > 0) {
      const left = not_tried > 0 ? `, and ${not_tried} were not tried` : ''
      const message = `Of ${total} records, ${failed} failed${left}.`
      exchange.explanation = explainRecords(message, refused)
    }
    return success(c, 200, { data }, warningsOf(c, results))
  })
}

function dataOf(results: RecordResult[]) {
  const count = (status: RecordResult['status']) =>
    results.filter((result) => result.status === status).length
  return {
    total: results.length,
    created: count('created'),
    updated: 0,
    unchanged: count('unchanged'),
    skipped: 0,
    failed: count('failed'),
    not_tried: count('not_tried'),
    results,
  }
}

function warningsOf(c: Context<AppEnv>, results: RecordResult[]): Warning[] {
  const left = results.filter(({ status }) => status === 'not_tried').length
  const tried = results.filter(({ status }) => status !== 'not_tried').length
  const message = `Of ${results.length} records, ${left} were not tried: send the same document again.`
  return [
    ...(left > 0 ? [{ field: 'results', message }] : []),
    ...(c.get('exchange').dry_run && tried > 1 ? [EACH_ALONE] : []),
  ]
}

const EACH_ALONE = {
  field: 'results',
  message: 'Each was rehearsed alone: what one of them changes was not there for the next.',
}

async function resultsOf(
  c: Context<AppEnv>,
  resource: AddressableResource,
  documents: MappedDocument[],
  { compare, refused }: { compare: Compare; refused: RecordExplanation[] },
): Promise<RecordResult[]> {
  const { meter } = c.get('exchange')
  const allowance = new Allowance(meter)
  const stored = await storedOf(c, documents, compare)
  const results = documents.map(({ value }, index): RecordResult => {
    const record = shownName(value[IDENTIFIERS[resource].fallback])
    const found = stored.get(index)
    return found?.isSame
      ? { index, status: 'unchanged', record, id: found.id }
      : { index, status: 'not_tried', record }
  })
  // Those that are there with other values are refused each time, so they come last: what is new goes first.
  const due = results.filter(({ status }) => status === 'not_tried')
  const inTurn = [
    ...due.filter(({ index }) => !stored.has(index)),
    ...due.filter(({ index }) => stored.has(index)),
  ]
  const errors = new ErrorsOfRecords()
  let hasTried = false
  for (const { index, record } of inTurn) {
    const document = documents[index]
    if (!document || (allowance.isSpent && hasTried)) break
    const applied = await apply(c, document, errors)
    // A rerun of this request would apply again what was applied.
    if (applied === 'outdated' && !hasTried) throw new SettingsChanged()
    if (applied === 'outdated') break
    hasTried = true
    const { explanation, ...result } = applied
    if (explanation) refused.push({ index, explanation })
    results[index] = { index, record, ...result }
  }
  return results
}

/** By index. One statement for each hundred records, which also confirms the caller's settings. */
async function storedOf(
  c: Context<AppEnv>,
  documents: MappedDocument[],
  compare: Compare,
): Promise<Map<number, StoredRecord>> {
  const stored = new Map<number, StoredRecord>()
  if (documents.length === 0) await c.get('db').confirm()
  for (let from = 0; from < documents.length; from += COMPARED_MAX) {
    for (const found of await compare(c, documents.slice(from, from + COMPARED_MAX))) {
      stored.set(from + found.at, found)
    }
  }
  return stored
}

type Applied = Pick<RecordResult, 'status' | 'id' | 'error' | 'warnings'> &
  Pick<RecordOfDocument, 'explanation'>

/** Makes the request of one record. `outdated`: the settings have changed, and nothing was written. */
async function apply(
  c: Context<AppEnv>,
  document: MappedDocument,
  errors: ErrorsOfRecords,
): Promise<Applied | 'outdated'> {
  const { meter, request_id, dry_run } = c.get('exchange')
  const url = new URL(c.req.url)
  url.search = dry_run ? DRY_RUN : ''
  const record: RecordOfDocument = { document }
  const request = new Request(url, { method: 'POST' })
  const acted = { actedFor: null, record, meter, replay_of: request_id, redacted: [] }
  const response = await act(c, request, acted)
  const answered = (await response.json()) as Answered
  if (answered.error?.reason === 'SETTINGS_CHANGING') return 'outdated'
  const { error, warnings } = answered
  const told = warnings ? { warnings } : {}
  const { explanation } = record
  const why = explanation && { explanation }
  if (error) return { status: 'failed', error: errors.shown(error), ...why, ...told }
  const id = dry_run ? undefined : record.id
  return { status: 'created', ...(id !== undefined && { id }), ...told }
}

interface Answered {
  error?: { code: string; reason?: string; message: string }
  warnings?: Warning[]
}
