import { and, desc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { indexAddresses } from '../../db/address.ts'
import { WRITTEN } from '../../db/audit.ts'
import { q } from '../../db/prepared.ts'
import { partners } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { ApiError } from '../../errors.ts'
import { resourcesWith } from '../../mapping/identifier.ts'
import type { PageRequest } from '../../pagination.ts'
import type { CreatePartner, UpdatePartner } from './schema.ts'

/** 409 DUPLICATE when a partner has the name. */
export async function createPartner(db: TenantDatabase, input: CreatePartner) {
  const now = new Date().toISOString()
  const [rows] = await db
    .write({
      record: crypto.randomUUID(),
      status: 201,
      changes: [
        ...indexes(input),
        q.insert(partners).values({ ...input, id: WRITTEN, created_at: now, updated_at: now }),
      ],
      answer: [selectPartners(eq(partners.id, WRITTEN))],
    })
    .catch(refusedBy({ 'partners.name': () => duplicate(input.name) }))
  return recordOf(only(rows))
}

/** Newest first; one more than the limit when there are more. */
export async function listPartners(db: TenantDatabase, { limit, before }: PageRequest) {
  const older = before === undefined ? undefined : lt(partners.seq, before)
  const [rows] = await db.read([
    selectPartners(and(isNull(partners.deleted_at), older))
      .orderBy(desc(partners.seq))
      .limit(limit + 1),
  ])
  return rows
}

/** Names by id, of partners that have been deleted as well. */
export async function namePartners(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const [rows] = await db.read([
    q
      .select({ id: partners.id, name: partners.name })
      .from(partners)
      .where(sql`${partners.id} in (select value from json_each(${JSON.stringify(ids)}))`),
  ])
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function findPartner(db: TenantDatabase, id: string) {
  const [[row]] = await db.read([selectPartners(isLive(id))])
  if (!row) throw notFound(id)
  return recordOf(row)
}

/** Holds from the very next request of any of the partner's keys on. */
export async function updatePartner(db: TenantDatabase, id: string, input: UpdatePartner) {
  const updated_at = new Date().toISOString()
  const [rows] = await db
    .write({
      record: sql`(select id from partners where ${isLive(id)})`,
      status: 200,
      changes:
        Object.keys(input).length === 0
          ? []
          : [
              ...indexes(input),
              q
                .update(partners)
                .set({ ...input, updated_at })
                .where(isLive(id)),
            ],
      answer: [selectPartners(eq(partners.id, id))],
    })
    .catch(
      refusedBy({
        audit_log_write_names_record: () => notFound(id),
        'partners.name': () => duplicate(input.name),
      }),
    )
  return recordOf(only(rows))
}

/** Ends the partner; its orders keep it. 409 IN_USE while a live key is linked to it. */
export async function deletePartner(db: TenantDatabase, id: string) {
  const now = new Date().toISOString()
  const unused = sql`not exists (select 1 from api_keys where partner_id = ${id}
    and revoked_at is null and (expires_at is null or expires_at > ${now}))`
  const [rows] = await db
    .write({
      record: sql`(select id from partners where ${isLive(id)} and ${unused})`,
      status: 200,
      changes: [q.update(partners).set({ deleted_at: now, updated_at: now }).where(isLive(id))],
      answer: [selectPartners(eq(partners.id, id))],
    })
    .catch(refusedBy({ audit_log_write_names_record: () => inUse(db, id) }))
  return recordOf(only(rows))
}

function indexes({ default_identifier_field: field }: UpdatePartner) {
  return field ? resourcesWith(field).flatMap((resource) => indexAddresses(resource, field)) : []
}

function isLive(id: string): SQL {
  return sql`id = ${id} and deleted_at is null`
}

function selectPartners(match: SQL | undefined) {
  const { seq, id, name, default_identifier_field, created_at, updated_at } = partners
  return q
    .select({ seq, id, name, default_identifier_field, created_at, updated_at })
    .from(partners)
    .where(match)
    .$dynamic()
}

type PartnerRow = ReturnType<typeof selectPartners>['_']['result'][number]

function recordOf({ seq, ...record }: PartnerRow) {
  return record
}

function duplicate(name: string | undefined): ApiError {
  return new ApiError('DUPLICATE', `A partner with the name "${name}" already exists.`, {
    fields: { name: ['Already exists.'] },
  })
}

function notFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `No partner has the id "${id}".`)
}

async function inUse(db: TenantDatabase, id: string): Promise<ApiError> {
  const { name } = await findPartner(db, id)
  return new ApiError('IN_USE', `A live key is linked to "${name}": revoke or unlink it first.`)
}
