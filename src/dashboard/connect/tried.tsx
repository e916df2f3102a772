import type { TriedDelivery } from '../../deliveries/trial.ts'
import { requestPath } from '../paths.ts'
import { type Fault, faultsOf } from '../requests/faults.ts'

/** What came of a test, or why there was none. */
export type TestResult = { tried: TriedDelivery } | { why: string }

const WOULD: Record<string, string> = {
  created: 'It would be created',
  updated: 'It would be updated',
  unchanged: 'It is here already, and would stay as it is',
  cancelled: 'It would be cancelled',
  deactivated: 'It would become inactive',
  uploaded: 'The stock would be set',
  skipped: 'It would be skipped',
  stale: 'It would be left out: a newer document was applied before',
  waiting: 'It would wait here until this is mended',
}

export function TestOutcome({ result }: { result: TestResult | null }) {
  if (!result) return null
  if ('why' in result) {
    return (
      <p class="form-error" role="status">
        {result.why}
      </p>
    )
  }
  const { request_id, data, error } = result.tried
  const found = data?.error ?? error
  const faults = found ? faultsOf(found) : []
  return (
    <div role="status" class={found ? 'form-error' : 'notice'}>
      <p>
        {data
          ? outcomeText(data, faults.length > 0)
          : `It would be refused. ${error?.message ?? ''}`}{' '}
        Nothing was written. {request_id && <a href={requestPath(request_id)}>Show this test</a>}
      </p>
      {faults.length > 0 && <FaultsFound faults={faults} />}
      {found?.reason === 'UNKNOWN_SKU' && (
        <p>
          The products of the example are invented. A real order is created at once if its own SKUs
          are here; until then it waits, and nothing is lost.
        </p>
      )}
    </div>
  )
}

function FaultsFound({ faults }: { faults: Fault[] }) {
  return (
    <ul>
      {faults.map(({ at, messages }) => (
        <li>
          {at && <code>{at}</code>} {messages.join(' ')}
        </li>
      ))}
    </ul>
  )
}

/** The reason stands below, where it has places. */
function outcomeText(
  { outcome, record, reason }: NonNullable<TriedDelivery['data']>,
  hasPlaces: boolean,
): string {
  const named = record === null ? '' : `: ${record}`
  const why = reason === undefined || hasPlaces ? '' : ` (${reason.replace(/\.$/, '')})`
  return `${WOULD[outcome] ?? outcome}${named}${why}.`
}
