import { type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { WRITTEN_ID } from '../db/audit-row.ts'
import { CONSTRAINT } from '../db/constraints.ts'
import { type Queries, type Query, qb } from '../db/prepared.ts'
import type { Rule } from '../db/rehearsal.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { type Rules, refusedBy } from '../db/violations.ts'
import { versionName } from '../document/entity-tags.ts'
import { ApiError, unavailable } from '../errors.ts'
import { type Address, addressError, idAt, valuesAt } from './address.ts'

interface Change<T extends Queries> {
  /** The statements that change the record. In them, WRITTEN_ID is its id. */
  changes: Query[]
  /** What to read back of the record with this id. */
  answer: (id: SQL) => T
  /** The same after the change, from what it is before. */
  foresee: (rows: BatchResponse<NoInfer<T>>) => BatchResponse<NoInfer<T>>
  /** What the change may break; see Rehearsal. */
  rules?: (id: SQL) => Rule[]
}

// By the SQL of the id: a statement is prepared once for each of these objects (prepared.ts).
const conditional = new WeakMap<SQL, SQL>()

/**
 * Changes the record at the address and reads it back, in one transaction. 404 NOT_FOUND if there is none,
 * 400 SERVICE_ERROR if there are several, 412 PRECONDITION_FAILED if its version is not one of the address.
 * `errors` are those for constraints that it may break.
 */
export async function changeAt<T extends Queries>(
  db: TenantDatabase,
  address: Address,
  { changes, answer, foresee, rules }: Change<T>,
  errors: Rules = {},
): Promise<BatchResponse<T>> {
  const { resource: names, versions } = address
  const record = versions ? idOfVersion(address) : idAt(address)
  const values = { ...valuesAt(address), ...(versions && { versions: JSON.stringify(versions) }) }
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

/** SQL for the id of the record at the address; null also if its version is none of `versions`. */
function idOfVersion(address: Address): SQL {
  const id = idAt(address)
  const known = conditional.get(id)
  if (known) return known
  const table = sql.identifier(address.resource)
  const made = sql`(select id from ${table} where id = ${id}
    and version || '.' || substr(id, 1, 8) in (select value from json_each(${sql.placeholder('versions')})))`
  conditional.set(id, made)
  return made
}

async function refusalAt(db: TenantDatabase, address: Address): Promise<ApiError> {
  const { versions, resource } = address
  if (!versions) return await addressError(db, address)
  const [[found]] = await db.read(
    [
      qb
        .select({ id: sql<string>`id`, version: sql<number>`version` })
        .from(sql`${sql.identifier(resource)}`)
        .where(sql`id = ${idAt(address)}`),
    ],
    valuesAt(address),
  )
  if (!found) return await addressError(db, address)
  const one = resource.slice(0, -1)
  // There is one of these versions now, so there was none a moment ago.
  if (versions.includes(versionName(found)))
    return unavailable(`The ${one} is being changed at this moment. Try again.`)
  return new ApiError(
    'PRECONDITION_FAILED',
    `The ${one} is at version ${found.version}, which If-Match does not name. Read it again before you change it.`,
    { found },
  )
}
