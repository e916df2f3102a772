import { sql } from 'drizzle-orm'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { jsonParts } from '../../engine/db/json-parts.ts'
import { foreseen, foreseenFrom } from '../../engine/db/rehearsal.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { ApiError, noRecord } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'
import { placeAt, placeCursor } from '../../engine/json/search/place.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import type { CodeKind } from '../../engine/mapping/item-code.ts'
import { CODE_WORDS, type StoredCode } from './kind.ts'
import { type CodeError, checkCodes } from './rows.ts'
import { CODES_MAX, type CodesQuery } from './schema.ts'
import {
  type CodeTable,
  deleteOne,
  hasRoomForCodes,
  livePartner,
  putMany,
  putOne,
  selectCode,
  selectCodes,
  selectCount,
  selectCounts,
  selectDone,
  selectPartner,
  selectRemoved,
} from './statements.ts'

const EXPORT_ROWS = 2000

/** A page of codes in their order, and the cursor of the next one. */
export async function listCodes(
  db: TenantDatabase,
  tenant: string,
  table: CodeTable,
  { limit, cursor, search }: CodesQuery,
) {
  const resource = `item-codes ${table.partnerId} ${table.kind}`
  const searched = { tenant, resource, text: search ?? '', walks: ['code'], steps: 1 }
  const after = cursor === undefined ? undefined : placeAt(searched, cursor).text
  const [found, rows] = await db.read([
    selectPartner(table),
    selectCodes(table, { search, after, rows: limit + 1 }),
  ])
  if (found.length === 0) throw noPartner(table)
  const kept = rows.slice(0, limit)
  const last = rows.length > limit ? kept.at(-1) : undefined
  const next_cursor = last ? placeCursor(searched, { step: 0, text: last.code, seq: 1 }) : null
  return { rows: kept, next_cursor }
}

/** All codes in their order, in batches that are read when they are asked for. */
export async function* allCodes(
  db: TenantDatabase,
  table: CodeTable,
  search: string | undefined,
): AsyncGenerator<StoredCode[], void> {
  let after: string | undefined
  for (;;) {
    const next = { search, after, rows: EXPORT_ROWS }
    const [found, rows] = await db.read([selectPartner(table), selectCodes(table, next)])
    if (found.length === 0) throw noPartner(table)
    yield rows
    after = rows.at(-1)?.code
    if (rows.length < EXPORT_ROWS || after === undefined) return
  }
}

/** How many codes of the kind the partner has. */
export async function countCodes(db: TenantDatabase, table: CodeTable): Promise<number> {
  const [[row]] = await db.read([selectCount(table)])
  return row?.codes ?? 0
}

export async function findCode(db: TenantDatabase, table: CodeTable, code: string) {
  const [found, [row]] = await db.read([selectPartner(table), selectCode(table, code)])
  if (found.length === 0) throw noPartner(table)
  if (!row) throw noCode(table, code)
  return row
}

/** Enters the code, or changes what it stands for. 400 SERVICE_ERROR if the partner has 200,000 of the kind. */
export async function saveCode(db: TenantDatabase, table: CodeTable, given: StoredCode) {
  const slice = JSON.stringify([rowOf(given)])
  await db
    .write({
      record: livePartner(table),
      status: 200,
      changes: putOne(table, given.code, slice),
      answer: [selectPartner(table)],
      rehearsal: foreseen(
        () => [[{ id: table.partnerId }]],
        [
          [
            CONSTRAINT.itemCodesHaveRoom,
            hasRoomForCodes(table, [slice], { kept: null, max: CODES_MAX }),
          ],
        ],
      ),
    })
    .catch(refusedBy(refusals(table)))
  return given
}

/** 404 NOT_FOUND if there is no such code. */
export async function deleteCode(db: TenantDatabase, table: CodeTable, code: string) {
  const { partnerId, kind } = table
  const isThere = sql`exists (select 1 from item_codes
    where partner_id = ${partnerId} and kind = ${kind} and code = ${code})`
  await db
    .write({
      record: sql`(select id from partners where id = ${partnerId} and deleted_at is null and ${isThere})`,
      status: 200,
      changes: deleteOne(table, code),
      answer: [selectPartner(table)],
      rehearsal: foreseen(() => [[{ id: partnerId }]]),
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => findCode(db, table, code).then(() => noCode(table, code)),
      }),
    )
  return { code }
}

/** What a write of many codes has done. `failed` counts rows. */
export interface ManyResult {
  total: number
  created: number
  updated: number
  unchanged: number
  removed: number
  failed: number
  errors: CodeError[]
}

/**
 * Enters many codes, each row as if it came alone: the last row of a code counts, and a bad row does not stop the others.
 * With `replace`, codes that no row names are removed. All commit together.
 */
export async function saveCodes(
  db: TenantDatabase,
  table: CodeTable,
  rows: unknown[],
  replace: boolean,
): Promise<{ result: ManyResult; warnings: Warning[] }> {
  const checked = await checkCodes(CODE_WORDS[table.kind], rows, db.pace)
  const { codes, failedCodes, errors, failed, repeated } = checked
  // In the order of the index, so that neighbours are written together.
  codes.sort((one, other) => (one.code < other.code ? -1 : 1))
  const slices = await jsonParts(codes.map(rowOf), db.pace)
  const named = [...codes.map(({ code }) => code), ...failedCodes]
  const kept = replace ? await jsonParts(named, db.pace) : null
  const { request_id } = db.subject
  const removal = kept === null ? [] : [selectRemoved(table, kept)]
  const [[done]] = await db
    .write({
      record: livePartner(table),
      status: 200,
      changes: putMany(table, slices, kept),
      answer: [selectDone(table, request_id)] as const,
      rehearsal: foreseenFrom(
        [selectPartner(table), ...removal, ...slices.map((slice) => selectCounts(table, slice))],
        ([, ...counted]) => [[{ after: foreseenAfter(table, counted) }]],
        [[CONSTRAINT.itemCodesHaveRoom, hasRoomForCodes(table, slices, { kept, max: CODES_MAX })]],
      ),
    })
    .catch(refusedBy(refusals(table)))
  const { created, updated, removed } = countsOf(table, done?.after)
  const unchanged = codes.length - created - updated
  const counts = { total: rows.length, created, updated, unchanged, removed, failed }
  return { result: { ...counts, errors }, warnings: [...repeated, ...unlisted(failed, errors)] }
}

type Counts = Pick<ManyResult, 'created' | 'updated' | 'removed'>

function countsOf({ kind }: CodeTable, after: unknown): Counts {
  const none = { created: 0, updated: 0, removed: 0 }
  const members = (after ?? {}) as Record<string, Partial<Counts>>
  return { ...none, ...members[`item_codes.${kind}`] }
}

function foreseenAfter({ kind }: CodeTable, counted: unknown[][]) {
  const sum = (name: keyof Counts) =>
    counted.flat().reduce<number>((all, row) => all + ((row as Partial<Counts>)[name] ?? 0), 0)
  const counts = { created: sum('created'), updated: sum('updated'), removed: sum('removed') }
  return { [`item_codes.${kind}`]: counts }
}

function unlisted(failed: number, errors: CodeError[]): Warning[] {
  if (failed <= errors.length) return []
  const message = `Only the first ${errors.length} of ${failed} failed rows are listed.`
  return [{ field: 'errors', message }]
}

function rowOf({ code, record_name, units }: StoredCode) {
  return [code, record_name, units]
}

function refusals(table: CodeTable) {
  return {
    [CONSTRAINT.recordExists]: () => noPartner(table),
    [CONSTRAINT.itemCodesHaveRoom]: () => tooManyCodes(table.kind),
  }
}

function noPartner({ partnerId }: CodeTable): ApiError {
  return noRecord(`No partner has the id "${shortened(partnerId)}".`)
}

function noCode({ kind }: CodeTable, code: string): ApiError {
  const { one } = CODE_WORDS[kind]
  return noRecord(`The partner has no item code "${shortened(code)}" for a ${one}.`)
}

/** 400 SERVICE_ERROR. */
export function tooManyCodes(kind: CodeKind): ApiError {
  const most = CODES_MAX.toLocaleString('en')
  const message = `A partner can have at most ${most} item codes of ${kind}: delete some first, or send all with replace=true.`
  return new ApiError('SERVICE_ERROR', message, { reason: 'TOO_MANY_ITEM_CODES' })
}
