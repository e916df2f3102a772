import { CONSTRAINT } from '../../db/constraints.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import { refusedBy } from '../../db/violations.ts'
import { type ApiError, unavailable } from '../../errors.ts'
import {
  CHANGED_LISTED_MAX,
  selectLeft,
  selectSetBack,
  selectTarget,
  UNDONE_RECORD,
  undoing,
} from './statements.ts'
import { type Asker, refused, refuseUndo, valuesFor, visible } from './target.ts'

/** The most bytes that the listed pairs have: two codes each. */
const LISTED_BYTES_MAX = CHANGED_LISTED_MAX * 2 * 1024

/**
 * Sets back what an upload of stock, or a PUT, has replaced: of stock each pair that still holds what the upload
 * left, with 0 for those that it created. A write like any other, which can itself be taken back. 404 NOT_FOUND,
 * 403 SCOPE_MISSING, 400 SERVICE_ERROR or 412 PRECONDITION_FAILED if it cannot be: see `refuseUndo`.
 */
export async function undoRequest(db: TenantDatabase, id: string, asker: Asker) {
  await db.takeMemory(LISTED_BYTES_MAX)
  const values = valuesFor(id, asker)
  const [[setBack], left] = await db
    .write({
      record: UNDONE_RECORD,
      names: 'any',
      status: 200,
      values,
      changes: undoing(new Date().toISOString()),
      answer: [selectSetBack, selectLeft],
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => refusalOf(db, id, asker),
        [CONSTRAINT.orderStatusIsNotFinal]: () =>
          refused(id, 'its order has been shipped or cancelled, and that is final'),
      }),
    )
  const { restored = 0, zeroed = 0 } = setBack ?? {}
  return { request_id: db.subject.request_id, undone: id, restored, zeroed, ...listed(left) }
}

interface Listed {
  location_code: string
  sku_code: string
  from: number | null
  to: number
  quantity: number
  all: number
}

/** The first pairs, and how many there are. */
export function listed(pairs: Listed[]) {
  return {
    changed_since: pairs.map(({ all, ...pair }) => pair),
    changed_since_total: pairs[0]?.all ?? 0,
  }
}

async function refusalOf(db: TenantDatabase, id: string, asker: Asker): Promise<ApiError> {
  const [[found]] = await db.read([selectTarget], valuesFor(id, asker))
  refuseUndo(id, visible(id, found, asker, 'write'))
  // It can be taken back now, so another request has just changed that.
  return unavailable('The record is being changed at this moment. Try again.')
}
