import { and, desc, eq, inArray, isNotNull, lt, ne, notExists, or, sql } from 'drizzle-orm'
import { isRequest } from '../db/log-look-ups.ts'
import { qb } from '../db/prepared.ts'
import { isAccepted } from '../db/sent-again.ts'
import { auditLog } from '../db/tables.ts'
import type { TenantDatabase } from '../db/transact.ts'

/** Of the requests about a record, and of those that repeat another one, the newest are looked through. */
const LOOKED_MAX = 1000
const UNDO = /\/audit-log\/([^/]+)\/undo\/$/

const { request_id, created_at, method, path, status, api_key_name } = auditLog
const { seq, dry_run, replay_of, record_id, record_name, partner_id, api_key_id, rows_total } =
  auditLog
const asked = { request_id, created_at, method, path, status, api_key_id, api_key_name }
const shown = { ...asked, record_id, record_name }

/** A request that belongs to another one. */
export type RelatedRequest = Awaited<ReturnType<typeof relatedOf>>['undid'] & object

type Logged = Pick<typeof auditLog.$inferSelect, 'request_id' | 'path' | 'record_name'>

/**
 * The requests that this one belongs to, as far as the database has them: which one it has undone, which one has undone
 * it, and which one has sent it again. Of several it is the newest; of those that were sent again, the newest accepted
 * one.
 */
export async function relatedOf(db: TenantDatabase, request: Logged) {
  const undone = UNDO.exec(request.path)?.[1]
  const [[undid], [undoneBy], [repeat]] = await db.read([
    qb
      .select(shown)
      .from(auditLog)
      .where(isRequest(undone ?? '')),
    selectUndo(request),
    selectRepeat(request.request_id),
  ])
  return { undid: undid ?? null, undoneBy: undoneBy ?? null, repeat: repeat ?? null }
}

/** What the requests with these ids were about, by the id of the request. */
export async function recordsOf(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<Map<string, RequestRecord>> {
  const asked = sql`${request_id} in (select value from json_each(${JSON.stringify(ids)}))`
  const [rows] = await db.read([
    qb.select({ request_id, path, record_id, record_name }).from(auditLog).where(asked),
  ])
  return new Map(rows.map((row) => [row.request_id, row]))
}

export type RequestRecord = Pick<RelatedRequest, 'path' | 'record_id' | 'record_name'>

/** The newest request that has sent this one again; one that was accepted, if there is any. */
export function selectRepeat(id: string) {
  const repeats = qb
    .select()
    .from(auditLog)
    .where(eq(replay_of, id))
    .orderBy(desc(seq))
    .limit(LOOKED_MAX)
    .as('audit_log')
  const is_accepted = sql<number>`${isAccepted('audit_log')}`.as('is_accepted')
  return qb
    .select({ ...shown, is_accepted })
    .from(repeats)
    .where(and(eq(dry_run, false), or(isNotNull(rows_total), notExists(documentOf(id)))))
    .orderBy(desc(is_accepted), desc(seq))
    .limit(1)
}

/** The request if its document has several records. What names it without numbers are the requests of those. */
function documentOf(id: string) {
  return qb
    .select({ one: sql`1` })
    .from(auditLog)
    .where(and(isRequest(id), eq(record_id, id)))
}

interface Creation {
  request_id: string
  path: string
  api_key_id: string
  partner_id: string | null
  record_name: string | null
}

/** The newest request by which the same sender has created the record that this one is to create. */
export function selectCreated(request: Creation) {
  const isOfSender =
    request.partner_id === null
      ? and(eq(api_key_id, request.api_key_id), sql`${partner_id} is null`)
      : eq(partner_id, request.partner_id)
  return qb
    .select(shown)
    .from(newestOf(request.record_name))
    .where(
      and(
        ne(request_id, request.request_id),
        eq(method, 'POST'),
        eq(path, request.path),
        eq(status, 201),
        eq(dry_run, false),
        isOfSender,
      ),
    )
    .limit(1)
}

/** An undo has the name of its record, and that of an upload the id of the request that it undoes. */
function selectUndo({ request_id: id, path: of, record_name: name }: Logged) {
  const isOfRecord = name !== null && name !== UNDO.exec(of)?.[1]
  const paths = ['/api/settings/v1', '/dashboard'].map((area) => `${area}/audit-log/${id}/undo/`)
  return qb
    .select(shown)
    .from(newestOf(isOfRecord ? name : id))
    .where(and(inArray(path, paths), lt(status, 300), eq(dry_run, false)))
    .limit(1)
}

/** SQLite gives the rows of a limited subquery one by one, in its order. */
function newestOf(name: string | null) {
  return qb
    .select()
    .from(auditLog)
    .where(eq(record_name, name ?? ''))
    .orderBy(desc(created_at), desc(seq))
    .limit(LOOKED_MAX)
    .as('audit_log')
}
