import { isDeepStrictEqual } from 'node:util'
import type { Journal, State, Thing, Write } from './journal.ts'
import type { AuditRow, Found, Snapshot, StockRow } from './snapshot.ts'

/**
 * Compares a database with what its clients were told. Each acknowledged write is there completely, or a later write
 * of the same client is. Each unanswered write is there completely or not at all. Each write that took effect has one
 * audit row, and each audit row of a write has its effect. Nothing is there twice, and nothing that was never sent.
 * Returns the problems, in words, and settles the journal's doubts.
 */
export function verify(journal: Journal, snapshot: Snapshot): string[] {
  const records = Map.groupBy(snapshot.records, ({ kind, key }) => `${kind} ${key}`)
  const stock = stockByThing(journal, snapshot.stock)
  const problems = [...snapshot.damage]
  for (const thing of journal.things) {
    const name = `${thing.kind} ${thing.key}`
    const found = records.get(name) ?? []
    records.delete(name)
    if (found.length > 1) problems.push(`${name}: there ${found.length} times`)
    const [record] = found
    const state = thing.kind === 'stock' ? stateOf(stock.known.get(thing)) : (record?.state ?? null)
    problems.push(...settle(thing, state, record))
  }
  for (const name of records.keys()) problems.push(`${name}: there, but no client sent it`)
  for (const { location_code, sku_code } of stock.unknown) {
    problems.push(`stock of ${sku_code} at ${location_code}: there, but no client sent it`)
  }
  return [...problems, ...auditProblems(journal, snapshot.audit)]
}

/** Returns the problems of one thing, and settles it: the found state is the expected one from now on. */
function settle(thing: Thing, state: State | null, record: Found | undefined): string[] {
  const name = `${thing.kind} ${thing.key}`
  const { doubt } = thing
  const landed = doubt !== null && !isSame(doubt.wanted, thing.state) && isSame(state, doubt.wanted)
  if (!landed && !isSame(state, thing.state)) {
    const or = doubt ? ` (or, unanswered, ${JSON.stringify(doubt.wanted)})` : ''
    const should = `must be ${JSON.stringify(thing.state)}${or}`
    return [`${name}: ${should}, is ${JSON.stringify(state)}`]
  }
  if (doubt) doubt.landed = landed
  thing.doubt = null
  thing.state = state
  const isOther = record && thing.id !== null && record.id !== thing.id
  if (isOther) return [`${name}: was answered as ${thing.id}, is ${record.id}`]
  thing.id ??= record?.id ?? null
  return []
}

/** Compares states from the journal and from SQLite, which differ in key order and prototype. */
function isSame(one: State | null, other: State | null): boolean {
  return isDeepStrictEqual(one && { ...one }, other && { ...other })
}

function stockByThing(journal: Journal, rows: StockRow[]) {
  const owners = new Map<string, Thing>()
  for (const thing of journal.things) {
    for (const location of thing.pairs?.locations ?? []) {
      for (const sku of thing.pairs?.skus ?? []) owners.set(`${location} ${sku}`, thing)
    }
  }
  const ownerOf = ({ location_code, sku_code }: StockRow) =>
    owners.get(`${location_code} ${sku_code}`)
  const known = Map.groupBy(rows, (row) => ownerOf(row) ?? null)
  const unknown = known.get(null) ?? []
  return { known, unknown }
}

/** The state of an upload's rows. More than one quantity means that an upload was applied in part. */
export function stateOf(rows: StockRow[] | undefined): State | null {
  if (!rows?.length) return null
  const quantities = [...new Set(rows.map(({ quantity }) => quantity))]
  return { rows: rows.length, quantities: quantities.sort((a, b) => a - b) }
}

function auditProblems(journal: Journal, rows: AuditRow[]): string[] {
  const byRequest = Map.groupBy(rows, ({ request_id }) => request_id)
  const problems = [...byRequest].flatMap(([id, { length }]) =>
    length > 1 ? [`request ${id}: ${length} audit rows`] : [],
  )
  const landed = journal.writes.filter((write) => write.landed)
  const heard = landed.filter(({ requestId }) => requestId !== null)
  for (const write of heard) {
    const [row] = byRequest.get(write.requestId ?? '') ?? []
    byRequest.delete(write.requestId ?? '')
    problems.push(...rowProblems(write, row))
  }
  const spare = [...byRequest.values()].flat().filter(isWrite)
  const bySubject = Map.groupBy(spare, subjectOf)
  for (const write of landed.filter(({ requestId }) => requestId === null)) {
    const row = bySubject.get(subjectOfWrite(write))?.shift()
    write.requestId = row?.request_id ?? null
    problems.push(...rowProblems(write, row))
  }
  for (const row of [...bySubject.values()].flat()) {
    const { request_id, method, path, status, record_id } = row
    problems.push(
      `audit row of request ${request_id} (${method} ${path}, ${status}, record ${record_id}): no write had this effect`,
    )
  }
  return problems
}

/** Whether the row is that of a write. The rows of refusals and reads are written after their answers. */
function isWrite({ method, status }: AuditRow): boolean {
  return method !== 'GET' && status < 400
}

/** Identifies the write of a row if the request id is unknown. Uploads are identified by their notes. */
function subjectOf({ method, path, record_id, notes }: AuditRow): string {
  return `${method} ${path} ${notes ?? record_id}`
}

function subjectOfWrite({ method, path, thing, upload }: Write): string {
  return `${method} /api/${path} ${upload?.notes ?? thing.id}`
}

function rowProblems(write: Write, row: AuditRow | undefined): string[] {
  const { method, path, thing, requestId, upload } = write
  const what = `${method} ${path} (${thing.kind} ${thing.key}, request ${requestId ?? 'unknown'})`
  if (!row) return [`${what}: took effect but has no audit row`]
  const should = {
    method,
    path: `/api/${path}`,
    status: write.status !== null && write.status < 400 ? write.status : write.expected,
    record_id: thing.kind === 'stock' ? row.request_id : thing.id,
    notes: upload?.notes ?? null,
    rows_total: upload?.total ?? null,
    rows_created: upload?.created ?? null,
    rows_failed: upload?.failed ?? null,
  }
  const { request_id, ...is } = row
  if (isSame(should, is)) return []
  return [`${what}: audit row must say ${JSON.stringify(should)}, says ${JSON.stringify(is)}`]
}
