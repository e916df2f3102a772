import { and, desc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { namesIn, picked } from '../../engine/db/columns.ts'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { thatFit } from '../../engine/db/newest-names.ts'
import { type Query, qb } from '../../engine/db/prepared.ts'
import { foreseenFrom, newRow, type RehearsedRule, updatedRow } from '../../engine/db/rehearsal.ts'
import { apiKeys, partners, workspace } from '../../engine/db/tables.ts'
import { SettingsChanged, singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { ApiError, noRecord } from '../../engine/errors.ts'
import {
  hasRoomFor,
  indexable,
  type Naming,
  namedBy,
  tooManyFields,
  writeNaming,
} from '../../engine/identifiers/indexes.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { resourcesWith } from '../../engine/mapping/identifier.ts'
import type { Pause } from '../../engine/model/pause.ts'
import { storedPause } from '../pause.ts'
import {
  isAtVersion,
  NEXT_VERSION,
  type Versions,
  versionAfter,
  versionRefusal,
} from '../versions.ts'
import { type CreatePartner, Partner, type UpdatePartner } from './schema.ts'

const PARTNERS_MAX = 1000
const DEFAULT_FIELD = 'default_identifier_field'

const ofWorkspace = { keep_documents: workspace.keep_documents }

const shown = picked(partners, ['seq', 'version', ...namesIn(Partner.fields)])

/** SQL that is true if the workspace has room for one more partner. */
export const HAS_ROOM_FOR_PARTNER: SQL = sql`((select count(*) from partners where deleted_at is null) < ${PARTNERS_MAX})`

/**
 * 409 DUPLICATE if a partner has the name; 400 SERVICE_ERROR beyond 1,000 partners, or if the workspace
 * has no room for another identifier field.
 */
export async function createPartner(db: TenantDatabase, input: CreatePartner) {
  const now = new Date().toISOString()
  const id = crypto.randomUUID()
  const naming = { begins: fieldsNamedBy(input), ends: sql`false` }
  const write = {
    record: sql`(select ${id} where ${HAS_ROOM_FOR_PARTNER} and ${hasRoomFor(naming)})`,
    status: 201 as const,
    changes: [insertPartner(input, now)],
    answer: [selectPartners(eq(partners.id, WRITTEN_ID))] as const,
    rehearsal: foreseenFrom(
      [qb.select(ofWorkspace).from(workspace)],
      ([[ofAll]]) => {
        const { keep_documents = ofAll?.keep_documents } = input
        const times = { created_at: now, updated_at: now }
        return [[newRow(shown, { ...input, keep_documents, id, ...times })]]
      },
      nameRules(input),
    ),
  }
  const [rows] = await writeNaming(db, write, naming).catch(
    refusedBy({
      [CONSTRAINT.recordExists]: () => noRoomForPartner(db, naming),
      [CONSTRAINT.partnerNameIsNew]: () => partnerExists(input.name),
    }),
  )
  return recordOf(singleRow(rows))
}

/**
 * The statement that creates the partner, with the id of the record that the write names. Without `keep_documents` in the input
 * the partner keeps what the workspace keeps.
 */
export function insertPartner(input: CreatePartner, now: string): Query {
  const { keep_documents = sql`(select keep_documents from workspace)` } = input
  const made = { id: WRITTEN_ID, version: NEXT_VERSION, created_at: now, updated_at: now }
  return qb.insert(partners).values({ ...input, keep_documents, ...made })
}

/** Newest first; one more than the limit if there are more. */
export async function listPartners(db: TenantDatabase, { limit, before }: PageRequest) {
  const older = before === undefined ? undefined : lt(partners.seq, before)
  const [rows] = await db.read([
    selectPartners(and(isNull(partners.deleted_at), older))
      .orderBy(desc(partners.seq))
      .limit(limit + 1),
  ])
  return rows.map(({ version, ...row }) => row)
}

/** To choose from: the newest, as many as fit on a page. */
export async function listPartnerNames(db: TenantDatabase) {
  const { seq, id, name, deleted_at } = partners
  const newest = qb
    .select({ seq, id, name })
    .from(partners)
    .where(isNull(deleted_at))
    .orderBy(desc(seq))
    .limit(PARTNERS_MAX)
  const [rows] = await db.read([
    qb.select({ id: sql<string>`id`, name: sql<string>`name` }).from(thatFit(newest)),
  ])
  return rows
}

/** A partner as pages name it. */
export interface NamedPartner {
  name: string
  pause: Pause | null
  /** A deleted one has no page. */
  isDeleted: boolean
}

/** By id, deleted partners included. */
export async function namePartners(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<Map<string, NamedPartner>> {
  const { id, name, pause, deleted_at } = partners
  const [rows] = await db.read([
    qb
      .select({ id, name, pause, deleted_at })
      .from(partners)
      .where(sql`${partners.id} in (select value from json_each(${JSON.stringify(ids)}))`),
  ])
  return new Map(
    rows.map((row) => [
      row.id,
      { name: row.name, pause: row.pause, isDeleted: row.deleted_at !== null },
    ]),
  )
}

/** The id of the partner with this name; undefined without one. */
export async function partnerNamed(db: TenantDatabase, name: string): Promise<string | undefined> {
  const isNamed = and(eq(partners.name, name), isNull(partners.deleted_at))
  const [[row]] = await db.read([qb.select({ id: partners.id }).from(partners).where(isNamed)])
  return row?.id
}

export async function findPartner(db: TenantDatabase, id: string) {
  const [[row]] = await db.read([selectPartners(isLive(id))])
  if (!row) throw notFound(id)
  return recordOf(row)
}

/**
 * Takes effect with the next request of any of the partner's keys. 412 PRECONDITION_FAILED if the partner is at none of
 * these versions, 400 SERVICE_ERROR if the workspace has no room for another identifier field.
 */
export async function updatePartner(
  db: TenantDatabase,
  id: string,
  input: UpdatePartner,
  versions?: Versions,
) {
  const updated_at = new Date().toISOString()
  const values = { ...input, ...storedPause(input) }
  const ends = input[DEFAULT_FIELD] === undefined ? sql`false` : namedBy(id, 'default')
  const naming = { begins: fieldsNamedBy(input), ends }
  const write = {
    record: sql`(select id from partners where ${isLive(id)} and ${isAtVersion(versions)}
      and ${hasRoomFor(naming)})`,
    status: 200 as const,
    changes:
      Object.keys(input).length === 0
        ? []
        : [
            qb
              .update(partners)
              .set({ ...values, ...versionAfter(partners, values), updated_at })
              .where(isLive(id)),
          ],
    answer: [selectPartners(eq(partners.id, id))] as const,
    rehearsal: foreseenFrom(
      [selectPartners(eq(partners.id, id))],
      ([found]) => [found.map((row) => updatedRow(row, input, { updated_at }))],
      nameRules(input, id),
    ),
  }
  const [rows] = await writeNaming(db, write, naming).catch(
    refusedBy({
      [CONSTRAINT.recordExists]: () =>
        findPartner(db, id).then(
          (found) => versionRefusal('partner', found, versions) ?? tooManyFields(DEFAULT_FIELD),
        ),
      [CONSTRAINT.partnerNameIsNew]: () => partnerExists(input.name),
    }),
  )
  return recordOf(singleRow(rows))
}

/**
 * Marks the partner as deleted; its orders keep it. 412 PRECONDITION_FAILED as for an update, 409 IN_USE while a live key
 * or webhook is linked to it.
 */
export async function deletePartner(db: TenantDatabase, id: string, versions?: Versions) {
  const now = new Date().toISOString()
  const unused = sql`not exists (select 1 from api_keys where ${isLinked(id)})`
  const write = {
    record: sql`(select id from partners where ${isLive(id)} and ${isAtVersion(versions)}
      and ${unused})`,
    status: 200 as const,
    changes: [
      qb
        .update(partners)
        .set({ deleted_at: now, updated_at: now, version: NEXT_VERSION })
        .where(isLive(id)),
    ],
    answer: [selectPartners(eq(partners.id, id))] as const,
    rehearsal: foreseenFrom([selectPartners(eq(partners.id, id))], ([found]) => [
      found.map((row) => ({ ...row, updated_at: now })),
    ]),
  }
  const [rows] = await writeNaming(db, write, { begins: [], ends: namedBy(id) }).catch(
    refusedBy({ [CONSTRAINT.recordExists]: () => notDeleted(db, id, versions) }),
  )
  return recordOf(singleRow(rows))
}

function fieldsNamedBy({ default_identifier_field: field }: UpdatePartner) {
  return indexable(field ? resourcesWith(field).map((resource) => ({ resource, field })) : [])
}

function isLive(id: string): SQL {
  return sql`id = ${id} and deleted_at is null`
}

function selectPartners(match: SQL | undefined) {
  return qb.select(shown).from(partners).where(match).$dynamic()
}

/** Another live partner may not have the name. */
function nameRules({ name }: UpdatePartner, id: string | null = null): RehearsedRule[] {
  if (name === undefined) return []
  const isTaken = sql`exists (select 1 from partners
    where name = ${name} and deleted_at is null and id is not ${id})`
  return [[CONSTRAINT.partnerNameIsNew, sql`not ${isTaken}`]]
}

type PartnerRow = ReturnType<typeof selectPartners>['_']['result'][number]

function recordOf({ seq, ...record }: PartnerRow) {
  return record
}

/** 409 DUPLICATE. */
export function partnerExists(name: string | undefined): ApiError {
  return new ApiError('DUPLICATE', `A partner with the name "${name}" already exists.`, {
    fields: { name: ['Already exists.'] },
    reason: 'ALREADY_EXISTS',
  })
}

function notFound(id: string): ApiError {
  return noRecord(`No partner has the id "${shortened(id)}".`)
}

/** Why no partner was created; SettingsChanged if there is room by now. */
export async function noRoomForPartner(db: TenantDatabase, naming: Naming): Promise<Error> {
  const [[found]] = await db.read([
    qb
      .select({
        partners: sql<number>`${HAS_ROOM_FOR_PARTNER}`,
        fields: sql<number>`${hasRoomFor(naming)}`,
      })
      .from(sql`(select 1)`),
  ])
  if (!found?.partners) return tooManyPartners()
  return found.fields ? new SettingsChanged() : tooManyFields(DEFAULT_FIELD)
}

/** 400 SERVICE_ERROR. */
export function tooManyPartners(): ApiError {
  const most = PARTNERS_MAX.toLocaleString('en')
  return new ApiError(
    'SERVICE_ERROR',
    `A workspace can have at most ${most} partners: delete one first.`,
    { reason: 'TOO_MANY_PARTNERS' },
  )
}

async function notDeleted(db: TenantDatabase, id: string, versions: Versions): Promise<Error> {
  const found = await findPartner(db, id)
  return versionRefusal('partner', found, versions) ?? (await linkedError(db, found))
}

/** SQL that is true for a row of api_keys that is live and linked to the partner. */
function isLinked(partner_id: string): SQL {
  return sql`(partner_id = ${partner_id} and revoked_at is null
    and (expires_at is null or expires_at > ${new Date().toISOString()}))`
}

/**
 * 409 IN_USE with how many live keys and webhooks are linked to the partner; SettingsChanged if there are none by now. It
 * does not name them: whoever may delete partners may not always see keys.
 */
async function linkedError(
  db: TenantDatabase,
  { id, name }: { id: string; name: string },
): Promise<Error> {
  const [[found]] = await db.read([
    qb
      .select({
        keys: sql<number>`count(*) filter (where webhook is null)`.as('keys'),
        webhooks: sql<number>`count(*) filter (where webhook is not null)`.as('webhooks'),
      })
      .from(apiKeys)
      .where(isLinked(id)),
  ])
  const { keys, webhooks } = found ?? { keys: 0, webhooks: 0 }
  const linked = [...counted(keys, 'API key'), ...counted(webhooks, 'webhook')].join(' and ')
  if (linked === '') return new SettingsChanged()
  const message = `"${name}" is linked to ${linked}: first revoke each, or give it another partner_id. The page of the partner lists them, and so do the lists of API keys and webhooks by partner_id.`
  return new ApiError('IN_USE', message)
}

/** `2 live webhooks`; nothing of none. */
function counted(number: number, one: string): string[] {
  if (number === 0) return []
  return [`${number.toLocaleString('en')} live ${number === 1 ? one : `${one}s`}`]
}
