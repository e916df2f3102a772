import type { SQL } from 'drizzle-orm'
import type { Values } from '../db/prepared.ts'
import { ApiError } from '../errors.ts'
import { type Address, newIdUnlessAt, valuesAt } from './address.ts'

// A delivery may create a record only if there is none at its address, which may be another field than the one that is
// unique. The first statement of the write decides.

/** The id of a new record, for its write: null in SQL if a record is at `unlessAt`. */
export function newRecordId(id: string, unlessAt: Address | undefined): string | SQL {
  return unlessAt ? newIdUnlessAt(unlessAt) : id
}

/** The values for the placeholders of `newRecordId`. */
export function newRecordValues(id: string, unlessAt: Address | undefined): Values {
  return unlessAt ? { ...valuesAt(unlessAt), new_id: id } : {}
}

/** 409 DUPLICATE: there is a record at the address. */
export function isThere(one: string): ApiError {
  return new ApiError('DUPLICATE', `There is such a ${one} already.`, { reason: 'ALREADY_EXISTS' })
}
