import type { BatchResponse } from 'drizzle-orm/batch'
import { CONSTRAINT } from '../db/constraints.ts'
import type { Queries, Query } from '../db/prepared.ts'
import type { TenantDatabase } from '../db/transact.ts'
import { type Rules, refusedBy } from '../db/violations.ts'
import { type Address, addressError, idAt, valuesAt } from './address.ts'

interface Change<T extends Queries> {
  /** The statements that change the record. In them, WRITTEN_ID is its id. */
  changes: Query[]
  /** What to read back. */
  answer: T
}

/**
 * Changes the record at the address and reads it back, in one transaction. 404 NOT_FOUND if there is none,
 * 400 SERVICE_ERROR if there are several. `rules` are the errors for constraints that it may break.
 */
export async function changeAt<T extends Queries>(
  db: TenantDatabase,
  address: Address,
  change: Change<T>,
  rules: Rules = {},
): Promise<BatchResponse<T>> {
  const { resource: names } = address
  return await db
    .write({ record: idAt(address), status: 200, names, values: valuesAt(address), ...change })
    .catch(refusedBy({ [CONSTRAINT.recordExists]: () => addressError(db, address), ...rules }))
}
