import * as z from 'zod'
import type { DeliveryOutcome } from '../../engine/db/tables.ts'
import { capitalized } from '../../engine/model/record.ts'
import { Records } from '../parts/records.tsx'
import { deliveryPath, requestPath } from '../paths.ts'
import { resultGroups, TabLink } from '../run/results.tsx'
import { ResultText, RunId } from '../run/run.ts'

export const TriedWaiting = z
  .tuple([RunId, ResultText, z.uuid().nullable(), ResultText, ResultText])
  .transform(([delivery_id, name, request_id, outcome, reason]) => ({
    delivery_id,
    name,
    request_id,
    outcome,
    reason,
  }))

/** What a try has come to. Without an outcome it was not tried, for the `reason`. */
export type TriedWaiting = z.output<typeof TriedWaiting>

// In the order of the table: first those to look at.
const KINDS = {
  failed: 'not tried',
  waiting: 'still waiting',
  ended: 'nothing to do any more',
  applied: 'applied',
}

type Kind = keyof typeof KINDS

/** In place of an outcome: it did not wait any more. */
export const GONE = 'gone'

const ENDED: readonly (DeliveryOutcome | typeof GONE)[] = ['skipped', 'stale', 'superseded', GONE]

function kindOf({ outcome }: TriedWaiting): Kind {
  if (outcome === '') return 'failed'
  if (outcome === 'waiting') return 'waiting'
  return ENDED.some((each) => each === outcome) ? 'ended' : 'applied'
}

/** The results by kind: first those that somebody has to look at. */
export function triedGroups(results: TriedWaiting[]) {
  return resultGroups(KINDS, kindOf, results)
}

export function TriedTable({ results }: { results: TriedWaiting[] }) {
  return (
    <Records columns={['Delivery', 'Result', 'Request']}>
      {triedGroups(results).flatMap((group) =>
        group.results.map((result) => <ResultRow kind={group.kind} result={result} />),
      )}
    </Records>
  )
}

function ResultRow({ kind, result }: { kind: Kind; result: TriedWaiting }) {
  const { delivery_id, name, request_id, outcome, reason } = result
  return (
    <tr>
      <th scope="row">
        <TabLink href={deliveryPath(delivery_id)}>{name || delivery_id}</TabLink>
      </th>
      <td data-label="Result">
        {capitalized(KINDS[kind])}
        {kind === 'applied' && `: ${outcome}`}
        {reason !== '' && <small class="line">{reason}</small>}
      </td>
      <td data-label="Request">
        {request_id === null ? (
          '—'
        ) : (
          <TabLink href={requestPath(request_id)}>{request_id.slice(-8)}</TabLink>
        )}
      </td>
    </tr>
  )
}
