import type { CheckUp } from '../../requests/check-up/check-up.ts'
import type { Finding } from '../../requests/check-up/finding.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { requestPath } from '../paths.ts'

/** What an administrator should look at, with links to the newest requests. */
export function CheckUpPanel({ findings, warnings }: CheckUp) {
  return (
    <section>
      <h2>Check-up</h2>
      {warnings.map(({ message }) => (
        <p class="nothing">{message}</p>
      ))}
      {findings.length === 0 ? (
        <p class="nothing">Nothing was found in this partner's requests and keys.</p>
      ) : (
        <Records columns={['Finding', 'What to do', 'Since', 'Requests']}>
          {findings.map((finding) => (
            <FindingRow finding={finding} />
          ))}
        </Records>
      )}
    </section>
  )
}

function FindingRow({ finding: { message, remedy, since, requests } }: { finding: Finding }) {
  return (
    <tr>
      <td data-label="Finding">{message}</td>
      <td data-label="What to do">{remedy}</td>
      <td data-label="Since">
        <Time at={since} />
      </td>
      <td data-label="Requests">
        {requests.length === 0 && '—'}
        {requests.map((request_id) => (
          <>
            <a href={requestPath(request_id)}>{request_id.slice(-8)}</a>{' '}
          </>
        ))}
      </td>
    </tr>
  )
}
