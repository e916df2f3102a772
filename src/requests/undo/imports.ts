import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { asked, seqsOf } from '../../engine/db/log-look-ups.ts'
import { asFlag, literal, prepared, qb } from '../../engine/db/prepared.ts'
import { createdAtOf } from '../../engine/db/request-id.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { REMEMBERED_SINCE } from '../../engine/db/undo-days.ts'

// An import by hand of products or locations writes each row in a request of its own, whose `replay_of` is the request that
// has checked the table. So the index of `replay_of` finds all of them, and nothing else has to tell which they are.

/** An import has at most so many rows. */
const ROWS_MAX = 10_000
/** So many of a state are named. */
export const NAMED_MAX = 100

/** The dashboard checks a table at this path, and imports its rows below. */
const PATH = /^\/dashboard\/import\/(products|locations)\/(run\/)?$/
const runPathOf = (resource: ImportedKind) => `/dashboard/import/${resource}/run/`

type ImportedKind = 'products' | 'locations'

/** An import of which the database has rows. */
export interface Import {
  /** The request that has checked its table. */
  id: string
  resource: ImportedKind
}

/**
 * What has become of a record of an import. It is as the import has changed or created it (`restorable`, `deactivatable`), or
 * somebody has undone that or changed something since, or the import has changed nothing. `inactive`: the import has created
 * it as that. `forgotten`: what it had before is not remembered.
 */
export type ImportedState =
  | 'restorable'
  | 'deactivatable'
  | 'inactive'
  | 'undone'
  | 'unchanged'
  | 'forgotten'
  | 'changed_since'
  | 'gone'

/** A record that an import has written. */
export type ImportedRow = Awaited<ReturnType<typeof listImported>>[number]

/** The import with this id; null if the database has none of its rows. */
export async function findImport(db: TenantDatabase, id: string): Promise<Import | null> {
  const [[row]] = await db.read([selectImport(sql`${id}`)])
  return importOf(row)
}

interface Logged {
  request_id: string
  path: string
  method: string
  status: number
  replay_of: string | null
}

/** The import that a request belongs to: it has checked its table, has imported a part of it, or a row. */
export async function importWith(db: TenantDatabase, request: Logged): Promise<Import | null> {
  const { request_id, path, method, status, replay_of } = request
  const [isOfImport, , run] = PATH.exec(path) ?? []
  if (!isOfImport || method !== 'POST' || status >= 300) return null
  // A part names it as its record.
  const ofPart = sql`(select record_id from audit_log where seq in ${seqsOf(sql`${asked([request_id])}`)})`
  const isPart = run !== undefined && replay_of === null
  const [[row]] = await db.read([selectImport(isPart ? ofPart : sql`${replay_of ?? request_id}`)])
  return importOf(row)
}

function selectImport(id: SQL) {
  const { replay_of, path, status } = auditLog
  const paths = [runPathOf('products'), runPathOf('locations')]
  return qb
    .select({ id: replay_of, path })
    .from(auditLog)
    .where(and(eq(replay_of, id), inArray(path, paths), lt(status, 300)))
    .limit(1)
}

function importOf(row: { id: string | null; path: string } | undefined): Import | null {
  if (!row?.id) return null
  const resource = PATH.exec(row.path)?.[1] === 'products' ? 'products' : 'locations'
  return { id: row.id, resource }
}

/** Some of the records that an import has written, in the order in which it did. */
interface Range {
  /** The `seq` of the last one before. */
  after: number
  /** The `seq` of the last one. */
  until: number
  limit: number
}

export async function listImported(
  db: TenantDatabase,
  { id, resource }: Import,
  { after, until, limit }: Range,
) {
  const values = { import_id: id, import_path: runPathOf(resource), after, until, rows: limit }
  const [rows] = await db.read([STATEMENTS[resource].selectRows], values)
  return rows
}

/** The records of an import that are in one state. */
export interface ImportedGroup {
  number: number
  /** Some of them. */
  named: Pick<ImportedRow, 'name' | 'changed_by'>[]
}

export interface ImportSummary {
  groups: Partial<Record<ImportedState, ImportedGroup>>
  total: number
  /** The `seq` of the last one. */
  until: number
  /** Since when the database has all requests, if the import may be older: some of its rows may have left. */
  complete_since: string | null
}

/** What has become of the records of an import. Reads each with what the log has of it: at most 10,000. */
export async function summarizeImport(
  db: TenantDatabase,
  { id, resource }: Import,
): Promise<ImportSummary> {
  const [rows, [oldest]] = await db.read([STATEMENTS[resource].selectGroups, selectOldest], {
    ...{ import_id: id, import_path: runPathOf(resource) },
    ...{ after: 0, until: Number.MAX_SAFE_INTEGER, rows: ROWS_MAX },
  })
  const groups = rows.map(({ state, number, named }) => {
    const pairs = JSON.parse(named) as [string, string | null][]
    return [state, { number, named: pairs.map(([name, changed_by]) => ({ name, changed_by })) }]
  })
  const began = createdAtOf(id)
  const since = oldest?.created_at ?? null
  return {
    groups: Object.fromEntries(groups),
    total: rows.reduce((sum, { number }) => sum + number, 0),
    until: Math.max(0, ...rows.map(({ last_seq }) => last_seq)),
    complete_since: began !== null && since !== null && began < since ? since : null,
  }
}

const selectOldest = prepared(() =>
  qb.select({ created_at: auditLog.created_at }).from(auditLog).orderBy(auditLog.seq).limit(1),
)

const STATEMENTS = { products: statementsOf('products'), locations: statementsOf('locations') }

function statementsOf(resource: ImportedKind) {
  const found = foundIn(resource)
  return {
    selectRows: prepared(() =>
      qb
        .select({
          seq: sql<number>`seq`.as('seq'),
          request_id: sql<string>`request_id`.as('request_id'),
          record_id: sql<string>`record_id`.as('record_id'),
          name: sql<string>`name`.as('name'),
          is_new: sql`is_new`.mapWith(asFlag).as('is_new'),
          state: sql<ImportedState>`state`.as('state'),
          /** The request that has changed the record last, as far as that is known. */
          changed_by: sql<string | null>`changed_by`.as('changed_by'),
        })
        .from(sql`(with ${found} select * from found order by seq)`),
    ),
    selectGroups: prepared(() =>
      qb
        .select({
          state: sql<ImportedState>`state`.as('state'),
          number: sql<number>`number`.as('number'),
          last_seq: sql<number>`last_seq`.as('last_seq'),
          named: sql<string>`named`.as('named'),
        })
        .from(
          sql`(with ${found} select state, count(*) as number, max(seq) as last_seq, (
              select json_group_array(json_array(name, changed_by)) from (
                select name, changed_by from found as one where one.state = found.state
                order by seq limit ${literal(NAMED_MAX)})) as named
            from found group by state)`,
        ),
    ),
  }
}

/** For WITH: the rows of the import, each with its record and the request that has changed that last. */
function foundIn(resource: ImportedKind): SQL {
  const table = sql.identifier(resource)
  const isRemembered = sql`exists (select 1 from replaced_values where changed_in = made.seq)`
  const isKnown = sql`made.created_at >= ${REMEMBERED_SINCE}`
  const undo = (area: string) =>
    sql`${sql.raw(`'${area}/audit-log/'`)} || made.request_id || '/undo/'`
  // The request that has changed a record last stands in it, so nothing that was replaced has to be read.
  const state = sql`case
    when record.id is null then 'gone'
    when record.changed_in = made.seq and made.status = 201 then iif(record.is_active, 'deactivatable', 'inactive')
    when record.changed_in = made.seq then iif(${isRemembered} and ${isKnown}, 'restorable', 'forgotten')
    when last.path in (${undo('/api/settings/v1')}, ${undo('/dashboard')}) then 'undone'
    when made.status <> 201 and ${isKnown} and not ${isRemembered} then 'unchanged'
    else 'changed_since' end`
  return sql`made as materialized (
      select seq, request_id, created_at, record_id, record_name, status from audit_log
      where replay_of = ${sql.placeholder('import_id')} and path = ${sql.placeholder('import_path')}
        and status < 300 and seq > ${sql.placeholder('after')} and seq <= ${sql.placeholder('until')}
      order by seq limit ${sql.placeholder('rows')}),
    found as materialized (
      select made.seq, made.request_id, made.record_id, coalesce(made.record_name, '') as name,
        made.status = 201 as is_new, ${state} as state, record.changed_by
      from made left join ${table} as record on record.id = made.record_id
        left join audit_log as last on last.seq = record.changed_in)`
}
