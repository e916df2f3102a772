import { type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { WRITTEN_ID } from '../db/audit-row.ts'
import { CONSTRAINT } from '../db/constraints.ts'
import { type Queries, type Query, qb } from '../db/prepared.ts'
import type { RehearsedRule } from '../db/rehearsal.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { type Rules, refusedBy } from '../db/violations.ts'
import { ApiError, invalid, unavailable } from '../errors.ts'
import { versionName } from '../json/entity-tags.ts'
import type { JsonObject } from '../json/json-object.ts'
import { kindOf, shortened } from '../json/messages.ts'
import { IDENTIFIERS } from '../mapping/identifier.ts'
import { type Address, addressError, idAt, valuesAt } from './address.ts'

interface Change<T extends Queries> {
  /** The statements that change the record. In them, WRITTEN_ID is its id. */
  changes: Query[]
  /** What to read back of the record with this id. */
  answer: (id: SQL) => T
  /** The same after the change, from what it is before. */
  foresee: (rows: BatchResponse<NoInfer<T>>) => BatchResponse<NoInfer<T>>
  /** What the change may break; see Rehearsal. */
  rules?: (id: SQL) => RehearsedRule[]
}

// By the SQL of the id and what it is to meet: a statement is prepared once for each of these objects (prepared.ts).
const conditional = new WeakMap<SQL, Map<string, SQL>>()

/**
 * Changes the record at the address and reads it back, in one transaction. 404 NOT_FOUND if there is none,
 * 400 SERVICE_ERROR if there are several, 412 PRECONDITION_FAILED if its version is not one of the address, 400
 * VALIDATION_ERROR if the address has other names for it. `errors` are those for constraints that it may break.
 */
export async function changeAt<T extends Queries>(
  db: TenantDatabase,
  address: Address,
  { changes, answer, foresee, rules }: Change<T>,
  errors: Rules = {},
): Promise<BatchResponse<T>> {
  const { resource: names, versions } = address
  const record = idOnCondition(address)
  const values = {
    ...valuesAt(address),
    ...(versions && { versions: JSON.stringify(versions) }),
    ...Object.fromEntries(namesToMeet(address).map(([name, value]) => [`same_${name}`, value])),
  }
  const rehearsal = { reads: answer(record), foresee, rules: rules?.(record) ?? [] }
  return await db
    .write({
      record,
      status: 200,
      names,
      values,
      changes,
      answer: answer(WRITTEN_ID),
      rehearsal,
    })
    .catch(refusedBy({ [CONSTRAINT.recordExists]: () => refusalAt(db, address), ...errors }))
}

/** SQL for the id of the record at the address; null also if its version is none of `versions`, or a name differs. */
function idOnCondition(address: Address): SQL {
  const id = idAt(address)
  const names = namesToMeet(address).map(([name]) => name)
  if (!address.versions && names.length === 0) return id
  const made = conditional.getOrInsertComputed(id, () => new Map<string, SQL>())
  const kind = [address.versions ? 'version' : '', ...names].join()
  return made.getOrInsertComputed(kind, () => conditioned(address, id, names))
}

function conditioned({ versions, resource }: Address, id: SQL, names: string[]): SQL {
  const isVersion = sql`version || '.' || substr(id, 1, 8) in (select value from json_each(${sql.placeholder('versions')}))`
  const conditions = [
    sql`id = ${id}`,
    ...(versions ? [isVersion] : []),
    ...names.map((name) => sql`${sql.identifier(name)} = ${sql.placeholder(`same_${name}`)}`),
  ]
  return sql`(select id from ${sql.identifier(resource)} where ${sql.join(conditions, sql` and `)})`
}

/** The names that the database has to compare. What is no text is the name of no record. */
function namesToMeet({ names = {}, field, identifier }: Address): [string, string | null][] {
  return Object.entries(names)
    .filter(([name, value]) => name !== field || value !== identifier)
    .map(([name, value]) => [name, typeof value === 'string' ? value : null])
}

async function refusalAt(db: TenantDatabase, address: Address): Promise<ApiError> {
  const { versions, resource, names = {} } = address
  if (!versions && namesToMeet(address).length === 0) return await addressError(db, address)
  const name = IDENTIFIERS[resource].fallback
  const [[found]] = await db.read(
    [
      qb
        .select({
          id: sql<string>`id`,
          version: sql<number>`version`,
          name: sql<string>`${sql.identifier(name)}`.as('name'),
        })
        .from(sql`${sql.identifier(resource)}`)
        .where(sql`id = ${idAt(address)}`),
    ],
    valuesAt(address),
  )
  if (!found) return await addressError(db, address)
  const one = resource.slice(0, -1)
  if (versions && !versions.includes(versionName(found))) return anotherVersion(one, found)
  const stored: JsonObject = { id: found.id, [name]: found.name }
  const others = Object.entries(names).filter(([field, value]) => value !== stored[field])
  const faults = others.map(([field, value]) => [field, [nameFault(one, value, stored[field])]])
  if (faults.length > 0) return invalid(Object.fromEntries(faults), 'OTHER_RECORD')
  // It meets the conditions now, so it did not a moment ago.
  return unavailable(`The ${one} is being changed at this moment. Try again.`, 'RECORD_CHANGING')
}

function anotherVersion(one: string, found: { id: string; version: number }): ApiError {
  return new ApiError(
    'PRECONDITION_FAILED',
    `The ${one} is at version ${found.version}, which If-Match does not name. Read it again before you change it.`,
    { found },
  )
}

function nameFault(one: string, value: unknown, stored: unknown): string {
  if (typeof value !== 'string') return `Must be a string, not ${kindOf(value)}.`
  return `Cannot be changed: the ${one} has "${shortened(String(stored))}".`
}
