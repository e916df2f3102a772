import { OTHER_HINTS } from '../../engine/db/key-attempts.ts'
import type { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import { count } from '../parts/numbers.ts'
import { Records } from '../parts/records.tsx'
import { Time } from '../parts/time.tsx'
import { ATTEMPTS_ANCHOR } from './need-line.ts'

/** So many rows fit on the page. */
const SHOWN_MAX = 20

const REASONS: Record<KeyAttempt['reason'], string> = {
  malformed: 'Not a key: mistyped, cut off, or of another system',
  unknown: 'No such key here',
  revoked: 'The key is revoked',
  expired: 'The key has expired',
  wrong_host: "Sent to another tenant's address",
  plain_http: 'Sent over plain HTTP, so others may know it',
}

type KeyAttempt = Awaited<ReturnType<typeof listKeyAttempts>>[number]

/** Nothing without attempts. */
export function KeyAttempts({ attempts }: { attempts: KeyAttempt[] }) {
  if (attempts.length === 0) return null
  return (
    <section id={ATTEMPTS_ANCHOR}>
      <h2>Attempts without a valid key</h2>
      <Records columns={['Key', 'Reason', 'Attempts', 'First', 'Last']}>
        {attempts.slice(0, SHOWN_MAX).map(({ hint, reason, count: uses, first_at, last_at }) => (
          <tr>
            <th scope="row">{hint === OTHER_HINTS ? 'Other keys' : <code>{hint}</code>}</th>
            <td data-label="Reason">{REASONS[reason]}</td>
            <td data-label="Attempts">{count(uses)}</td>
            <td data-label="First">
              <Time at={first_at} />
            </td>
            <td data-label="Last">
              <Time at={last_at} />
            </td>
          </tr>
        ))}
      </Records>
      {attempts.length > SHOWN_MAX && (
        <p class="nothing">
          Only the latest {SHOWN_MAX} are shown. <code>GET /api/settings/v1/key-attempts/</code>{' '}
          lists all.
        </p>
      )}
    </section>
  )
}
