import type { Context } from 'hono'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { AppEnv } from '../../engine/env.ts'
import { ApiError, invalid } from '../../engine/errors.ts'
import { Allowance } from '../../engine/exchange/several.ts'
import { explainRecords } from '../../engine/log/explanation.ts'
import {
  type ComparedRecord,
  comparedNames,
  compareRecords,
} from '../../records/catalogue/compare.ts'
import type { Kind } from '../../records/catalogue/kind.ts'
import { createRecord, updateRecord } from '../../records/catalogue/queries.ts'
import { requestById } from '../../requests/audit-log/look-ups.ts'
import { committedOf, requestIdIn, selectCommitted } from '../../requests/send-again/run.ts'
import { importPath } from '../paths.ts'
import { createBody, type Texts, updateBody } from '../record-form/texts.ts'
import { addressOf } from '../records/address.ts'
import type { RunProgress } from '../run/run.ts'
import { refusalOf, workThrough } from '../run/work.ts'
import type { CarriedRecord } from './carried.ts'
import { addResult, type ImportRun, type Outcome } from './run.ts'

/** They are compared together. */
const PART_ROWS = 150

const CHANGED = 'It was changed since the file was checked, so it stayed as it is.'
const CREATED = 'Somebody has created it since the file was checked, so it stayed as it is.'
const STOPPED = {
  broken: 'The next row could not be imported just now. Continue.',
  unknown:
    'The database did not say whether the next row was imported. Continue: nothing is made twice.',
}

/** Imports the next rows, each as a change of its own. What cannot be done just now stays in the run. */
export async function importNext(
  c: Context<AppEnv>,
  kind: Kind,
  run: ImportRun,
): Promise<RunProgress<ImportRun>> {
  const part = run.rows.slice(0, PART_ROWS)
  const allowance = new Allowance(c.get('exchange').meter)
  const importing = await beginPart(c, kind, run, part)
  let { results } = run
  const { done, stopped } = await workThrough(part, {
    allowance,
    begin: (row) => {
      const db = c.get('db').forChange(importing.requestOf(row), { replay_of: run.check })
      return { row, db }
    },
    act: async ({ row, db }) => {
      results = addResult(results, row, await outcomeOf(importing, row, db))
    },
    words: STOPPED,
  })
  noteCounts(c, run, { ...run, results })
  return { run: { ...run, rows: run.rows.slice(done), results }, stopped }
}

interface Importing {
  c: Context<AppEnv>
  kind: Kind
  /** The id of the request that imports the row. */
  requestOf: (row: CarriedRecord) => string
  /** The requests that have done so before: the form was sent twice. */
  done: Set<string>
  stored: (row: CarriedRecord) => ComparedRecord | undefined
}

async function beginPart(
  c: Context<AppEnv>,
  kind: Kind,
  { id: run, check }: ImportRun,
  part: CarriedRecord[],
): Promise<Importing> {
  const db = c.get('db')
  const ids = new Map<number, string>()
  for (const [number] of part) ids.set(number, await requestIdIn(run, String(number)))
  const requestOf = ([number]: CarriedRecord) => ids.get(number) ?? ''
  const [done, found] = await Promise.all([
    doneBefore(db, kind, check, [...ids.values()]),
    compareRecords(
      db,
      kind,
      part.map((row, at) => said(kind, row, at)),
    ),
  ])
  const at = new Map(part.map((row, place) => [row, place]))
  return { c, kind, requestOf, done, stored: (row) => found.get(at.get(row) ?? -1) }
}

/** The ids whose request has committed. 400 VALIDATION_ERROR if `check` is a request of another kind. */
async function doneBefore(
  db: TenantDatabase,
  { resource }: Kind,
  check: string,
  ids: string[],
): Promise<Set<string>> {
  const [rows, [checking]] = await db.read([selectCommitted(ids), requestById(check, true)])
  // The check writes nothing, so its audit row is stored after the answer, and may be lost.
  if (checking && checking.path !== importPath(resource)) {
    throw invalid({ check: ['Must be the request that has checked the table.'] })
  }
  return new Set(rows.map((row) => row.request_id))
}

function said(kind: Kind, row: CarriedRecord, at: number) {
  const [, , name] = row
  try {
    return { at, name, fields: [updateBody(kind.record, textsOf(kind, row), {})] }
  } catch (error) {
    // It is refused when it is its turn.
    if (error instanceof ApiError) return { at, name, fields: [] }
    throw error
  }
}

function textsOf(kind: Kind, [, , , ...cells]: CarriedRecord): Texts {
  const texts = comparedNames(kind).map((name, at) => [name, cells[at] ?? ''] as const)
  return Object.fromEntries(texts.filter(([, text]) => text !== ''))
}

async function outcomeOf(
  importing: Importing,
  row: CarriedRecord,
  db: TenantDatabase,
): Promise<Outcome> {
  const [, version] = row
  const isNew = version === ''
  const made = isNew ? 'created' : 'changed'
  if (importing.done.has(importing.requestOf(row))) return made
  const stored = importing.stored(row)
  if (isNew ? stored : stored?.version !== version) return overtaken(row, stored)
  const refusal = await refusalOf(db, () =>
    isNew ? create(importing, row, db) : change(importing, row, db, stored),
  )
  if (refusal === null) return made
  if (refusal.code !== 'DUPLICATE' && refusal.code !== 'PRECONDITION_FAILED') return failed(refusal)
  const { c, kind, requestOf } = importing
  const now = await compareRecords(c.get('db'), kind, [said(kind, row, 0)])
  // The form may have been sent twice at once.
  if ((await committedOf(c.get('db'), [requestOf(row)])).size > 0) return made
  return overtaken(row, now.get(0))
}

/** Somebody has changed the record first. Says in which state it is now. */
function overtaken([, version]: CarriedRecord, stored: ComparedRecord | undefined): Outcome {
  if (stored?.differing.length === 0) return 'same'
  return { failed: version === '' ? CREATED : CHANGED }
}

async function create({ kind }: Importing, row: CarriedRecord, db: TenantDatabase): Promise<void> {
  const [, , name] = row
  const body = createBody(kind.record, { ...textsOf(kind, row), [kind.record.key]: name })
  await createRecord(kind, db, body)
}

async function change(
  { c, kind }: Importing,
  row: CarriedRecord,
  db: TenantDatabase,
  stored: ComparedRecord | undefined,
): Promise<void> {
  const [, version] = row
  const body = updateBody(kind.record, textsOf(kind, row), {})
  const address = addressOf(c, kind.resource, stored?.id ?? '')
  await updateRecord(kind, db, { ...address, versions: [version] }, body)
}

function failed({ message, details: { fields } }: ApiError): Outcome {
  const faults = Object.entries(fields ?? {}).map(([name, all]) => `${name}: ${all.join(' ')}`)
  return { failed: faults.join(' ') || message }
}

/** Gives the counts to the audit row of this part. */
function noteCounts(c: Context<AppEnv>, before: ImportRun, { results }: ImportRun): void {
  const exchange = c.get('exchange')
  const of = (name: 'created' | 'changed' | 'failed') => results[name] - before.results[name]
  const [created, changed, failed] = [of('created'), of('changed'), of('failed')]
  const total = created + changed + failed
  exchange.record_counts = { rows_total: total, rows_created: created, rows_failed: failed }
  if (failed === 0) return
  exchange.explanation = explainRecords(`Of ${total} records, ${failed} failed.`, [])
}
