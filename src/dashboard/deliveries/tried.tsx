import * as z from 'zod'
import type { DeliveryOutcome } from '../../engine/db/tables.ts'
import { capitalized } from '../../engine/model/record.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { deliveryPath, requestPath } from '../paths.ts'
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

/** Such as `31 applied, 4 still waiting`. */
export function summaryOfTries(results: TriedWaiting[]): string {
  const groups = Map.groupBy(results, kindOf)
  return (Object.keys(KINDS) as Kind[])
    .toReversed()
    .flatMap((kind) => {
      const number = groups.get(kind)?.length ?? 0
      return number > 0 ? `${count(number)} ${KINDS[kind]}` : []
    })
    .join(', ')
}

export function TriedTable({ results }: { results: TriedWaiting[] }) {
  const groups = Map.groupBy(results, kindOf)
  return (
    <Records columns={['Delivery', 'Result', 'Request']}>
      {(Object.keys(KINDS) as Kind[]).flatMap((kind) =>
        (groups.get(kind) ?? []).map((result) => <ResultRow kind={kind} result={result} />),
      )}
    </Records>
  )
}

// Links open another tab: the way back to this page would send its form once more.
function ResultRow({ kind, result }: { kind: Kind; result: TriedWaiting }) {
  const { delivery_id, name, request_id, outcome, reason } = result
  return (
    <tr>
      <th scope="row">
        <a href={deliveryPath(delivery_id)} target="_blank" rel="noopener">
          {name || delivery_id}
        </a>
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
          <a href={requestPath(request_id)} target="_blank" rel="noopener">
            {request_id.slice(-8)}
          </a>
        )}
      </td>
    </tr>
  )
}
