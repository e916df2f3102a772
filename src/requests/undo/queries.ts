import type { BatchResponse } from 'drizzle-orm/batch'
import { CONSTRAINT } from '../../engine/db/constraints.ts'
import { foreseenFrom } from '../../engine/db/rehearsal.ts'
import { refusedBy } from '../../engine/db/violations.ts'
import { type ApiError, unavailable } from '../../engine/errors.ts'
import type { Log } from '../../engine/log/archive/entries.ts'
import {
  type FoundPair,
  IS_NOT_FINAL,
  LISTED_MAX,
  selectChangedSince,
  selectOthers,
  selectRestorable,
  selectSetBack,
  selectTarget,
  selectZeroable,
  UNDONE_RECORD,
  undoing,
} from './statements.ts'
import { type Asker, finalStatus, refuseUndo, targetOf, valuesFor } from './target.ts'

/** The most bytes that the listed pairs have: two codes each. */
const LISTED_BYTES_MAX = LISTED_MAX * 2 * 1024

/** What an undo rests on, with three lists of pairs. */
const FORESEEN = [selectTarget, selectRestorable, selectZeroable, selectOthers] as const
type Foreseen = BatchResponse<typeof FORESEEN>
const FORESEEN_BYTES_MAX = 3 * LISTED_BYTES_MAX

/**
 * Sets back what an upload of stock, or a PUT, has replaced: of stock each pair that still holds what the upload
 * left, with 0 for those that it created. A write like any other, which can itself be undone. 404 NOT_FOUND,
 * 403 SCOPE_MISSING, 400 SERVICE_ERROR or 412 PRECONDITION_FAILED if it cannot be: see `refuseUndo`.
 */
export async function undoRequest(log: Log, id: string, asker: Asker) {
  const { db } = log
  await db.takeMemory(db.rehearses ? FORESEEN_BYTES_MAX : LISTED_BYTES_MAX)
  const [[setBack], left] = await db
    .write({
      record: UNDONE_RECORD,
      names: 'any',
      status: 200,
      values: valuesFor(id, asker),
      changes: undoing(new Date().toISOString()),
      answer: [selectSetBack, selectChangedSince],
      rehearsal: foreseenFrom(FORESEEN, (rows) => [[countsOf(rows)], rows[3]], [
        [CONSTRAINT.orderStatusIsNotFinal, IS_NOT_FINAL],
      ]),
    })
    .catch(
      refusedBy({
        [CONSTRAINT.recordExists]: () => refusalOf(log, id, asker),
        [CONSTRAINT.orderStatusIsNotFinal]: () => finalStatus(id),
      }),
    )
  const { restored = 0, zeroed = 0 } = setBack ?? {}
  return { request_id: db.subject.request_id, undone: id, restored, zeroed, ...listed(left) }
}

/**
 * What undoRequest would do now: its answer, and the first pairs that it would set back. Writes nothing. Throws what
 * undoRequest would.
 */
export async function previewUndo(log: Log, id: string, asker: Asker) {
  await log.db.takeMemory(FORESEEN_BYTES_MAX)
  const foreseen = await log.db.read(FORESEEN, valuesFor(id, asker))
  const [[found], restorable, zeroable, others] = foreseen
  const target = await targetOf(log, id, found, asker, 'write')
  refuseUndo(id, target)
  const pairs = [...restorable, ...zeroable].slice(0, LISTED_MAX).map(
    // What the pair holds, and what it gets.
    ({ location_code, sku_code, from, quantity }) => ({
      ...{ location_code, sku_code },
      ...{ from: quantity, to: from ?? 0 },
    }),
  )
  return { resource: target.resource, ...countsOf(foreseen), pairs, ...listed(others) }
}

/** Of a PUT it is one record, which is set back if the undo is not refused. */
function countsOf([[target], restorable, zeroable]: Foreseen) {
  const restored = target?.resource === 'inventory' ? countOf(restorable) : 1
  return { restored, zeroed: countOf(zeroable) }
}

function listed(pairs: FoundPair[]) {
  return {
    changed_since: pairs.map(({ all, ...pair }) => pair),
    changed_since_total: countOf(pairs),
  }
}

function countOf(pairs: FoundPair[]): number {
  return pairs[0]?.all ?? 0
}

async function refusalOf(log: Log, id: string, asker: Asker): Promise<ApiError> {
  const [[found]] = await log.db.read([selectTarget], valuesFor(id, asker))
  refuseUndo(id, await targetOf(log, id, found, asker, 'write'))
  // It can be undone now, so another request has just changed that.
  return unavailable('The record is being changed at this moment. Try again.', 'RECORD_CHANGING')
}
