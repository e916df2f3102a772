import type { Tried } from '../../deliveries/trial.ts'
import { requestPath } from '../paths.ts'
import { faultsOf } from '../requests/faults.ts'

/** What came of a test, or why there was none. */
export type TestResult = { tried: Tried } | { why: string }

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
  return (
    <div role="status" class={found ? 'form-error' : 'notice'}>
      <p>
        {data ? outcomeText(data) : `It would be refused: ${error?.message ?? 'no answer'}`} Nothing
        was written. {request_id && <a href={requestPath(request_id)}>Show this test</a>}
      </p>
      {found && <FaultList of={found} />}
    </div>
  )
}

function FaultList({ of }: { of: NonNullable<Tried['error'] | Tried['data']> | object }) {
  const faults = faultsOf({ ...of })
  if (faults.length === 0) return null
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

function outcomeText({ outcome, record, reason }: NonNullable<Tried['data']>): string {
  const named = record === null ? '' : `: ${record}`
  const why = reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`
  return `${WOULD[outcome] ?? outcome}${named}${why}.`
}
