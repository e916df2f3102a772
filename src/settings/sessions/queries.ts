import { and, desc, eq, gt, isNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { qb } from '../../engine/db/prepared.ts'
import { foreseen, foreseenFrom } from '../../engine/db/rehearsal.ts'
import { apiKeys, sessions } from '../../engine/db/tables.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { noRecord } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import type { SessionFilters } from './schema.ts'

/** So many sessions of one key are live at once. A further one ends the oldest. */
export const SESSIONS_MAX = 100

const { seq, id, api_key_id, created_at, ends_at, ended_at } = sessions

interface NewSession {
  /** SHA-256 of its token. */
  hash: string
  ends_at: string
  device: string | null
  place: string | null
}

/** Begins a session of the key of this request. */
export async function beginSession(db: TenantDatabase, session: NewSession): Promise<void> {
  const key_id = db.subject.api_key_id
  const session_id = crypto.randomUUID()
  const now = new Date().toISOString()
  const live = qb
    .select({ id })
    .from(sessions)
    .where(isLiveOf(key_id))
    .orderBy(desc(seq))
    .limit(SESSIONS_MAX)
    .offset(SESSIONS_MAX - 1)
  await db.write({
    record: key_id,
    status: 201,
    changes: [
      qb.update(sessions).set({ ended_at: now }).where(sql`${id} in (${live})`),
      qb
        .insert(sessions)
        .values({ ...session, id: session_id, api_key_id: key_id, created_at: now }),
    ],
    answer: [selectEnd(eq(id, session_id))],
    rehearsal: foreseen(() => [[]]),
  })
}

/** The sessions that have not ended, newest first; one more than the limit if there are more. */
export async function listSessions(
  db: TenantDatabase,
  filters: SessionFilters,
  { limit, before }: PageRequest,
) {
  const of = filters.api_key_id
  const [rows] = await db.read([
    selectSessions(
      and(
        of === undefined ? isLive() : isLiveOf(of),
        before === undefined ? undefined : lt(seq, before),
      ),
    )
      .orderBy(desc(seq))
      .limit(limit + 1),
  ])
  return rows.map(({ key_id, key_name, ...row }) => ({
    ...row,
    api_key: { id: key_id, name: key_name ?? '' },
  }))
}

/** Its next request is refused. 404 NOT_FOUND if there is none that has not ended. `of` is the key whose session it has to be. */
export async function endSession(db: TenantDatabase, session_id: string, of?: string) {
  const now = new Date().toISOString()
  const isOne = and(eq(id, session_id), of === undefined ? isLive() : isLiveOf(of))
  const [rows] = await db
    .write({
      record: sql`(${qb.select({ id }).from(sessions).where(isOne)})`,
      status: 200,
      changes: [qb.update(sessions).set({ ended_at: now }).where(eq(id, WRITTEN_ID))],
      answer: [selectEnd(eq(id, WRITTEN_ID))] as const,
      rehearsal: foreseenFrom([selectEnd(eq(id, session_id))], ([found]) => [
        found.map((row) => ({ ...row, ended_at: now })),
      ]),
    })
    .catch(refusedBy({ [CONSTRAINT.recordExists]: () => noSession(session_id) }))
  const { ended_at: at, ...ended } = singleRow(rows)
  return { ...ended, ended_at: at ?? now }
}

/** Ends all sessions of the key of this request, but this one. */
export async function endOtherSessions(db: TenantDatabase): Promise<void> {
  const key_id = db.subject.api_key_id
  const now = new Date().toISOString()
  await db.write({
    record: key_id,
    status: 200,
    changes: [
      qb
        .update(sessions)
        .set({ ended_at: now })
        .where(and(isLiveOf(key_id), ne(id, db.subject.session_id ?? ''))),
    ],
    answer: [selectEnd(eq(id, db.subject.session_id ?? ''))],
    rehearsal: foreseen(() => [[]]),
  })
}

function selectSessions(match: SQL | undefined) {
  const { device, place } = sessions
  return qb
    .select({
      seq,
      id: sql<string>`${id}`.as('session_id'),
      key_id: sql<string>`${api_key_id}`.as('key_id'),
      key_name: sql<string | null>`${apiKeys.name}`.as('key_name'),
      device,
      place,
      created_at: sql<string>`${created_at}`.as('begun_at'),
      ends_at,
    })
    .from(sessions)
    .leftJoin(apiKeys, eq(apiKeys.id, api_key_id))
    .where(match)
}

function selectEnd(match: SQL) {
  return qb.select({ id, ended_at }).from(sessions).where(match)
}

function isLive() {
  return and(isNull(ended_at), gt(ends_at, new Date().toISOString()))
}

function isLiveOf(key_id: string) {
  return and(eq(api_key_id, key_id), isLive())
}

function noSession(session_id: string) {
  return noRecord(`No session that has not ended has the id "${shortened(session_id)}".`)
}
